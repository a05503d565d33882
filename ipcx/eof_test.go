package ipcx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// failAt gives the first bytes of a stream, and then an error.
type failAt struct {
	data []byte
	err  error
	with bool // the error comes along with the last bytes
}

func (r *failAt) Read(p []byte) (int, error) {
	n := copy(p, r.data)
	r.data = r.data[n:]
	if n == 0 && len(p) > 0 || r.with && len(r.data) == 0 {
		return n, r.err
	}
	return n, nil
}

// brokenPipe wraps io.EOF, as the errors of many transports do, and is found
// again by its type.
type brokenPipe struct{ at int }

func (e *brokenPipe) Error() string { return fmt.Sprintf("broken pipe at %d", e.at) }
func (e *brokenPipe) Unwrap() error { return io.EOF }

// failStreams are those of cutStreams that differ in how they are read.
func failStreams(t *testing.T) map[string][]byte {
	all := cutStreams(t)
	delete(all, "LZ4")
	delete(all, "zstd")
	delete(all, "dictionaries in zstd")
	return all
}

// TestErrorAt has readers that fail at every byte. The error is reported, and
// wrapped, and what came before it is read.
func TestErrorAt(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection lost")
	for name, whole := range failStreams(t) {
		t.Run(name, func(t *testing.T) {
			want := drainBytes(whole)
			positions := ends(t, whole)
			complete := 0
			for n := range whole {
				complete = max(complete, positions[n])
				got := drain(&failAt{data: whole[:n], err: lost, with: n%2 == 0})
				require.ErrorIs(t, got.Err, lost, "at %d", n)
				require.ErrorContains(t, got.Err, "ipcx: ", "at %d", n)
				require.NotErrorIs(t, got.Err, io.EOF, "at %d", n)
				require.NoError(t, oracle.SameBatches(want.Batches[:complete], got.Batches), "at %d", n)
			}
		})
	}
}

// TestErrorAtConvert is TestErrorAt for conversions.
func TestErrorAtConvert(t *testing.T) {
	t.Parallel()
	lost := errors.New("connection lost")
	for _, name := range []string{"plain", "flagged", "dictionaries"} {
		whole := cutStreams(t)[name]
		for n := range whole {
			for _, err := range []error{lost, &brokenPipe{n}} {
				var out bytes.Buffer
				_, got := ipcx.Convert(context.Background(), &out, &failAt{data: whole[:n], err: err})
				if _, between := ends(t, whole)[n]; between && err != lost {
					require.NoError(t, got, "%s at %d", name, n)
					continue
				}
				require.Error(t, got, "%s at %d", name, n)
				if err == lost {
					require.ErrorIs(t, got, lost, "%s at %d", name, n)
				}
				if n > 0 {
					require.NotErrorIs(t, got, io.EOF, "%s at %d", name, n)
				}
				require.False(t, bytes.HasSuffix(out.Bytes(), []byte("\xFF\xFF\xFF\xFF\x00\x00\x00\x00")), "%s at %d", name, n)
			}
		}
	}
}

// TestErrorThatWrapsEOF has readers whose error wraps io.EOF. In the middle of a
// message that is no end of the stream; between two it is, as for arrow-go.
func TestErrorThatWrapsEOF(t *testing.T) {
	t.Parallel()
	for name, whole := range failStreams(t) {
		t.Run(name, func(t *testing.T) {
			want := drainBytes(whole)
			positions := ends(t, whole)
			complete := 0
			for n := range whole {
				batches, between := positions[n]
				complete = max(complete, batches)
				got := drain(&failAt{data: whole[:n], err: &brokenPipe{n}, with: n%2 == 0})
				require.NoError(t, oracle.SameBatches(want.Batches[:complete], got.Batches), "at %d", n)
				if between {
					if batches > 0 { // arrow-go wants io.EOF itself before the dictionaries
						require.NoError(t, got.Err, "at %d", n)
					}
					continue
				}
				require.Error(t, got.Err, "at %d", n)
				if n > 0 {
					require.NotErrorIs(t, got.Err, io.EOF, "at %d", n)
					require.ErrorContains(t, got.Err, (&brokenPipe{n}).Error(), "at %d", n)
				}

				mr := ipcx.NewMessageReader(&failAt{data: whole[:n], err: &brokenPipe{n}})
				var err error
				for err == nil {
					_, err = mr.Message()
				}
				require.Equal(t, n == 0, errors.Is(err, io.EOF), "at %d: %v", n, err)
				mr.Release()
			}
		})
	}
}

// TestReadAfterError calls a reader that has failed, or is at its end, again.
func TestReadAfterError(t *testing.T) {
	whole := cutStreams(t)["zstd, flagged"]
	for _, n := range []int{len(whole), len(whole) - 8, len(whole) - 20, len(whole) / 2} {
		r, err := ipcx.NewReader(bytes.NewReader(whole[:n]))
		require.NoError(t, err)
		for r.Next() {
		}
		err = r.Err()
		for range 3 {
			require.False(t, r.Next())
			require.Equal(t, err, r.Err())
			rec, readErr := r.Read()
			require.Nil(t, rec)
			if err == nil {
				err2 := readErr
				require.Equal(t, io.EOF, err2)
			} else {
				require.Equal(t, err, readErr)
			}
		}
		r.Release()
	}
}
