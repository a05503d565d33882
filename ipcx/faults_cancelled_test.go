package ipcx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// patient is a context that is cancelled when it is looked at for the nth time,
// from 0 on.
type patient struct {
	context.Context
	cancel context.CancelCauseFunc
	n      int
}

var errNotWanted = errors.New("no longer wanted")

func newPatient(n int) *patient {
	ctx, cancel := context.WithCancelCause(context.Background())
	return &patient{ctx, cancel, n}
}

func (p *patient) Err() error {
	if p.n--; p.n < 0 {
		p.cancel(errNotWanted)
	}
	return p.Context.Err()
}

// TestCancelledAnywhere cancels conversions whenever they look at their context.
// They end at once: what was written is the start of the whole, or the old target.
func TestCancelledAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	batches := smallBatches(6)
	old := []byte("what was there")
	for name, data := range map[string][]byte{
		"stream": write(t, batches, flaggedPlain()...),
		"file":   writeFile(t, batches, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()),
	} {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithFormat(ipcx.FileFormat)}} {
			whole, err := convert(data, opts...)
			require.NoError(t, err)
			dir, src := folderOf(t, "a.arrow", data)
			dst := filepath.Join(dir, "b.arrow")
			require.NoError(t, os.WriteFile(dst, old, 0o604))
			n := 0
			for ; ; n++ {
				var out bytes.Buffer
				ctx := newPatient(n)
				_, err := ipcx.Convert(ctx, &out, bytes.NewReader(data), opts...)
				if err == nil {
					require.Equal(t, whole, out.Bytes())
					break
				}
				require.ErrorIs(t, err, context.Canceled, "%s, look %d", name, n)
				require.ErrorIs(t, err, errNotWanted, "%s, look %d", name, n)
				require.Regexp(t, "^ipcx: ", err.Error())
				require.GreaterOrEqual(t, ctx.n, -3, "it goes on after that")
				require.Less(t, out.Len(), len(whole))
				require.Equal(t, string(whole[:out.Len()]), out.String(), "%s, look %d", name, n)
			}
			require.Greater(t, n, len(batches), name)
			for n = 0; ; n++ {
				_, err := ipcx.ConvertFile(newPatient(n), dst, src, opts...)
				requireFiles(t, dir, "a.arrow", "b.arrow")
				got, readErr := os.ReadFile(dst)
				require.NoError(t, readErr)
				if err == nil {
					require.Equal(t, whole, got)
					break
				}
				require.ErrorIs(t, err, context.Canceled, "%s, look %d", name, n)
				require.ErrorIs(t, err, errNotWanted, "%s, look %d", name, n)
				require.Regexp(t, "^ipcx: ", err.Error())
				require.Equal(t, string(old), string(got), "%s, look %d", name, n)
			}
			require.Greater(t, n, len(batches), name)
			for n = 0; ; n++ {
				seen := 0
				err := ipcx.Inspect(newPatient(n), bytes.NewReader(data), func(*ipcx.MessageInfo) error { seen++; return nil })
				if err == nil {
					require.Equal(t, len(batches)+1, seen)
					break
				}
				require.ErrorIs(t, err, context.Canceled)
				require.LessOrEqual(t, seen, n)
			}
		}
	}
}

// TestCancelledWhileItWaits has sources and targets that wait for ever. As
// Convert's documentation says, they are not interrupted by themselves, but by
// whoever closes them; the error is then that of the context too.
func TestCancelledWhileItWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	data := write(t, smallBatches(2))
	for name, at := range map[string]int{"at the start": 0, "in a message": len(data) / 2, "at the end": len(data) - 8} {
		r, w := io.Pipe()
		ctx, cancel := context.WithCancel(context.Background())
		stop := context.AfterFunc(ctx, func() { r.CloseWithError(errNotWanted) })
		done := make(chan error)
		go func() {
			_, err := ipcx.Convert(ctx, io.Discard, r)
			done <- err
		}()
		_, err := w.Write(data[:at])
		require.NoError(t, err)
		select {
		case err := <-done:
			t.Fatal("it did not wait: ", err)
		case <-time.After(10 * time.Millisecond):
		}
		cancel()
		err = requireSoon(t, done)
		require.ErrorIs(t, err, context.Canceled, name)
		require.Regexp(t, "^ipcx: ", err.Error())
		require.False(t, stop())
	}
	// A target.
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { r.CloseWithError(errNotWanted) })
	done := make(chan error)
	go func() {
		_, err := ipcx.Convert(ctx, w, bytes.NewReader(data))
		done <- err
	}()
	_, err := r.Read(make([]byte, 1))
	require.NoError(t, err)
	cancel()
	err = requireSoon(t, done)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, errNotWanted)
	require.Regexp(t, "^ipcx: writing ", err.Error())
}

// requireSoon requires done to have an error soon.
func requireSoon(t testing.TB, done <-chan error) error {
	t.Helper()
	select {
	case err := <-done:
		require.Error(t, err)
		return err
	case <-time.After(20 * time.Second):
		t.Fatal("it still waits")
		return nil
	}
}

// TestReleaseWhileItWaits has a reader that reads ahead from a source that waits.
// As WithReadAhead's documentation says, Release waits too, until the source is
// interrupted.
func TestReleaseWhileItWaits(t *testing.T) {
	defer goleak.VerifyNone(t)
	data := write(t, smallBatches(2))
	src, w := io.Pipe()
	go func() { _, _ = w.Write(data[:len(data)-8]) }() // and no more
	r, err := ipcx.NewReader(src, ipcx.WithReadAhead(1))
	require.NoError(t, err)
	require.True(t, r.Next())
	require.True(t, r.Next())
	released := make(chan error)
	go func() {
		r.Release()
		released <- errNotWanted
	}()
	select {
	case <-released:
		t.Fatal("it did not wait")
	case <-time.After(10 * time.Millisecond):
	}
	src.CloseWithError(errNotWanted)
	require.Equal(t, errNotWanted, requireSoon(t, released))
}

// A context that was cancelled because of io.EOF is no end of the stream.
func TestCancelledForEOF(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	data := write(t, smallBatches(6))
	src := &cancelling{bytes.NewReader(data), func() { cancel(io.EOF) }}
	_, err := ipcx.Convert(ctx, io.Discard, src)
	require.ErrorIs(t, err, context.Canceled)
}

// cancelling cancels at its first read, and reads a message at a time.
type cancelling struct {
	r      io.Reader
	cancel func()
}

func (c *cancelling) Read(p []byte) (int, error) {
	c.cancel()
	return c.r.Read(p[:min(len(p), 64)])
}
