package ipcx_test

import (
	"bytes"
	"io"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// sluggish returns nothing at all, patience times in a row, and then a few bytes.
type sluggish struct {
	r        io.Reader
	patience int
	idle     int
}

func (r *sluggish) Read(p []byte) (int, error) {
	if r.idle < r.patience {
		r.idle++
		return 0, nil
	}
	r.idle = 0
	return r.r.Read(p[:min(len(p), 7)])
}

// oddSources give their bytes in unusual ways, all of which io.Reader allows.
func oddSources() map[string]func(io.Reader) io.Reader {
	return map[string]func(io.Reader) io.Reader{
		"one byte":                 iotest.OneByteReader,
		"half":                     iotest.HalfReader,
		"an error along with data": iotest.DataErrReader,
		"nothing now and then":     func(r io.Reader) io.Reader { return &sluggish{r: r, patience: 1} },
		"nothing for long":         func(r io.Reader) io.Reader { return &sluggish{r: r, patience: 90} },
		"all of it": func(r io.Reader) io.Reader {
			return iotest.DataErrReader(&sluggish{r: iotest.OneByteReader(r), patience: 2})
		},
	}
}

// TestOddSources reads streams by every door from sources that give their bytes
// in unusual ways: whole, without a marker at the end, and cut.
func TestOddSources(t *testing.T) {
	defer goleak.VerifyNone(t)
	streams := cutStreams(t)
	if raceEnabled {
		delete(streams, "plain")
		delete(streams, "LZ4")
		delete(streams, "flagged")
		delete(streams, "dictionaries")
	}
	for name, whole := range streams {
		for _, d := range doors() {
			want := d.requireGood(t, bytes.NewReader(whole))
			for how, wrap := range oddSources() {
				require.Equal(t, want, d.requireGood(t, wrap(bytes.NewReader(whole))), "%s, %s, %s", name, d.name, how)
				require.Equal(t, want, d.requireGood(t, wrap(bytes.NewReader(whole[:len(whole)-8]))), "%s, %s, %s", name, d.name, how)
				_, err := d.through(t, wrap(bytes.NewReader(whole[:len(whole)-9])))
				requireFault(t, err, io.ErrUnexpectedEOF, "%s, %s, %s", name, d.name, how)
			}
			_, err := d.through(t, iotest.TimeoutReader(iotest.OneByteReader(bytes.NewReader(whole))))
			requireFault(t, err, iotest.ErrTimeout, "%s, %s", name, d.name)
		}
	}
}

// idle never returns anything.
type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// liar claims to have read what it cannot have: more than it was asked for, or
// less than nothing.
type liar struct{ below bool }

func (l liar) Read(p []byte) (int, error) {
	if l.below {
		return -1, nil
	}
	return len(p) + 1, nil
}

// dead is a source that gives no more bytes, and what comes of it.
type dead struct {
	r     io.Reader
	cause error  // nil where there is none to be found
	says  string // in the error
}

func deadSources() []dead {
	return []dead{
		{iotest.ErrReader(errFault), errFault, errFault.Error()},
		{idle{}, io.ErrNoProgress, "no data or error"},
		{liar{}, nil, "claims to have read"},
		{liar{below: true}, nil, "claims to have read -1 bytes"},
	}
}

// requireFault requires the error that a dead source gives.
func (s dead) requireFault(t testing.TB, err error, args ...any) {
	t.Helper()
	require.ErrorContains(t, err, s.says, args...)
	if s.cause == nil {
		s.cause = err
	}
	requireFault(t, err, s.cause, args...)
}

// TestSourceFailsAnywhere has sources that fail, return nothing any more, or lie,
// at every byte of a stream. Each door comes to an end, with an error that says
// what was being read, and gives everything back.
func TestSourceFailsAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	streams := cutStreams(t)
	for name, step := range map[string]int{"flagged": 1, "deltas": 5, "zstd, flagged": 9} {
		whole := streams[name]
		for i, d := range doors() {
			want := d.requireGood(t, bytes.NewReader(whole))
			for n := 0; n < len(whole); n += step * faultStep() {
				for k, source := range deadSources() {
					if k > 0 && (n+i+k)%8 != 0 {
						continue // an error everywhere, the others at every eighth byte
					}
					got, err := d.through(t, io.MultiReader(bytes.NewReader(whole[:n]), source.r))
					source.requireFault(t, err, "%s, %s, at %d", name, d.name, n)
					require.Truef(t, len(got) <= len(want) && want[:len(got)] == got, "%s, %s, at %d: other data", name, d.name, n)
				}
			}
		}
	}
}

// TestSourceFailsOnce has a source that fails and would go on afterwards. A reader
// that has lost its place in the stream does not.
func TestSourceFailsOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	whole := cutStreams(t)["flagged"]
	for n := 0; n < len(whole); n += 5 * faultStep() {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithReadAhead(2)}} {
			src := io.MultiReader(bytes.NewReader(whole[:n]), &once{err: errFault}, bytes.NewReader(whole[n:]))
			mr := ipcx.NewMessageReader(src, opts...)
			var err error
			for err == nil {
				_, err = mr.Message()
			}
			for range 3 {
				msg, again := mr.Message()
				require.Nil(t, msg, "at %d", n)
				require.Equal(t, err, again, "at %d", n)
			}
			requireFault(t, err, errFault, "at %d", n)
			mr.Release()
		}
	}
}

// once returns an error, and after it the end.
type once struct{ err error }

func (o *once) Read([]byte) (int, error) {
	err := o.err
	if o.err = io.EOF; err == io.EOF {
		return 0, io.EOF
	}
	return 0, err
}
