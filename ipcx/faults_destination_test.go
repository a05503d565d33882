package ipcx_test

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// fullAt takes n bytes and then fails, and counts the calls after that.
type fullAt struct {
	bytes.Buffer
	n     int
	how   fullHow
	after int
	done  bool
}

// fullHow is how a destination that is full behaves.
type fullHow int

const (
	fails      fullHow = iota // errFault, with what was taken
	fallsShort                // without an error
	takesNone                 // errFault, and nothing of that write was taken
	takesAll                  // errFault, though all was taken
	lies                      // a count below zero, without an error
	howMany
)

// cause is the error to be found.
func (h fullHow) cause() error {
	if h == fallsShort || h == lies {
		return io.ErrShortWrite
	}
	return errFault
}

func (l *fullAt) Write(p []byte) (int, error) {
	if l.done {
		l.after++
	}
	if l.Len()+len(p) <= l.n {
		return l.Buffer.Write(p)
	}
	l.done = true
	switch l.how {
	case takesNone:
		return 0, errFault
	case takesAll:
		l.Buffer.Write(p)
		return len(p), errFault
	case lies:
		return -1, nil
	}
	n, _ := l.Buffer.Write(p[:l.n-l.Len()])
	if l.how == fallsShort {
		return n, nil
	}
	return n, errFault
}

// requireWritten requires that what was written is how whole starts, as far as
// there was room, and that nothing was written behind an error.
func (l *fullAt) requireWritten(t testing.TB, whole []byte, args ...any) {
	t.Helper()
	require.Zero(t, l.after, args...)
	require.LessOrEqual(t, l.Len(), len(whole), args...)
	require.True(t, bytes.Equal(whole[:l.Len()], l.Bytes()), args...)
	if l.how == fails || l.how == fallsShort {
		require.Equal(t, l.n, l.Len(), args...)
	}
}

// batchWriter is what all writers have in common.
type batchWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

// writers make the writers, of arrow-go with ours behind it among them.
func writers() map[string]func(w io.Writer, opts ...ipcx.Option) (batchWriter, error) {
	behind := func(format ipcx.Format) func(io.Writer, ...ipcx.Option) (batchWriter, error) {
		return func(w io.Writer, opts ...ipcx.Option) (batchWriter, error) {
			pw := ipcx.NewPayloadWriter(w, append(opts, ipcx.WithFormat(format))...)
			return ipc.NewWriterWithPayloadWriter(pw, ipc.WithDictionaryDeltas(true)), nil
		}
	}
	return map[string]func(io.Writer, ...ipcx.Option) (batchWriter, error){
		"Writer":                  func(w io.Writer, opts ...ipcx.Option) (batchWriter, error) { return ipcx.NewWriter(w, opts...), nil },
		"FileWriter":              func(w io.Writer, opts ...ipcx.Option) (batchWriter, error) { return ipcx.NewFileWriter(w, opts...) },
		"PayloadWriter of a file": behind(ipcx.FileFormat),
		"PayloadWriter":           behind(ipcx.StreamFormat),
		"PayloadWriter, ours": func(w io.Writer, opts ...ipcx.Option) (batchWriter, error) {
			return ipcx.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(w, opts...), ipcx.WithDictionaryDeltas(true)), nil
		},
	}
}

// largeBatches have buffers that are written without being gathered, and
// compressed in several goroutines.
func largeBatches(t testing.TB) []arrow.RecordBatch {
	return dataset(t, "random-strings", 2, 3000).batches
}

// destinations are what is written, and how far apart the bytes are at which it
// fails.
func destinations(t testing.TB) map[string]struct {
	batches []arrow.RecordBatch
	opts    []ipcx.Option
	step    int
} {
	footer := ipcx.WithFooterMetadata(arrow.NewMetadata([]string{"k"}, []string{"v"}))
	return map[string]struct {
		batches []arrow.RecordBatch
		opts    []ipcx.Option
		step    int
	}{
		"dictionaries": {faultBatches(), []ipcx.Option{ipcx.WithDictionaryDeltas(true), footer}, 1},
		"flagged":      {smallBatches(2), flaggedPlain(), 3},
		"flagged zstd": {smallBatches(2), append(flaggedZstd(), ipcx.WithZstdLevel(1)), 37},
		"large":        {largeBatches(t), nil, 60_013},
		"large LZ4":    {largeBatches(t), []ipcx.Option{ipcx.WithLZ4(), ipcx.WithCompressConcurrency(4)}, 60_013},
	}
}

// TestDestinationFailsAnywhere has destinations that fail at every byte. The error
// is theirs, what they have is the start of what it should be, and from then on
// every call fails and writes nothing: neither what was held back, nor an
// end-of-stream marker, nor a footer.
func TestDestinationFailsAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, c := range destinations(t) {
		for door, open := range writers() {
			var good bytes.Buffer
			w, err := open(&good, c.opts...)
			require.NoError(t, err)
			for _, rec := range c.batches {
				require.NoError(t, w.Write(rec))
			}
			require.NoError(t, w.Close())
			whole := good.Bytes()

			for i, n := 0, 0; n < len(whole); i, n = i+1, n+c.step*faultStep() {
				for _, how := range []fullHow{fails, 1 + fullHow(i)%(howMany-1)} {
					what := []any{"%s, %s, at byte %d, how %d", name, door, n, how}
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					out := &fullAt{n: n, how: how}
					w, err := open(out, append(c.opts, ipcx.WithAllocator(mem))...)
					require.NoError(t, err)
					var first error
					fail := func(err error) {
						if first == nil {
							first = err
							return
						}
						require.Error(t, err, what...)
						require.ErrorIs(t, err, how.cause(), what...)
						if _, ours := w.(*ipc.Writer); !ours {
							require.Equal(t, first, err, what...)
						}
					}
					for _, rec := range c.batches {
						fail(w.Write(rec))
					}
					fail(w.Close())
					require.ErrorIs(t, first, how.cause(), what...)
					require.ErrorContains(t, first, "ipcx: writing ", what...)
					require.NotErrorIs(t, first, ipcx.ErrReplacement)
					requireStaysFailed(t, w, c.batches[0], how.cause(), what...)
					out.requireWritten(t, whole, what...)
					mem.AssertSize(t, 0)
				}
			}
		}
	}
}

// requireStaysFailed uses a writer that has failed.
func requireStaysFailed(t testing.TB, w batchWriter, rec arrow.RecordBatch, cause error, args ...any) {
	t.Helper()
	if _, theirs := w.(*ipc.Writer); theirs {
		require.Error(t, w.Write(rec), args...) // it forgets after Close
		return
	}
	require.ErrorIs(t, w.Close(), cause, args...)
	require.Error(t, w.Write(rec), args...)
	require.ErrorIs(t, w.Close(), cause, args...)
}

// TestConvertDestinationFailsAnywhere is the same for conversions of streams and
// files to either.
func TestConvertDestinationFailsAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	sources := map[string][]byte{
		"stream": write(t, faultBatches(), ipcx.WithDictionaryDeltas(true)),
		"file":   writeFile(t, faultBatches(), ipcx.WithDictionaryDeltas(true), ipcx.WithZstd()),
	}
	for name, data := range sources {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithFormat(ipcx.FileFormat)}, {ipcx.WithZstd()}} {
			whole, err := convert(data, opts...)
			require.NoError(t, err)
			for n := 0; n < len(whole); n += faultStep() * (1 + 4*len(opts)) {
				for _, how := range []fullHow{fails, 1 + fullHow(n)%(howMany-1)} {
					dst := &fullAt{n: n, how: how}
					_, err := ipcx.Convert(context.Background(), dst, bytes.NewReader(data), opts...)
					require.ErrorIs(t, err, how.cause(), "%s, at byte %d, how %d", name, n, how)
					require.Regexp(t, "^ipcx: writing ", err.Error(), "%s, at byte %d, how %d", name, n, how)
					dst.requireWritten(t, whole, "%s, at byte %d, how %d", name, n, how)
				}
			}
		}
	}
}
