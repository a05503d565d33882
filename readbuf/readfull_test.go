package readbuf_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

// script is a reader that plays its calls one by one.
type script []func(p []byte) (int, error)

func (s *script) Read(p []byte) (int, error) {
	if len(*s) == 0 {
		return 0, errors.New("read too often")
	}
	f := (*s)[0]
	*s = (*s)[1:]
	return f(p)
}

func give(n int, err error) func([]byte) (int, error) {
	return func([]byte) (int, error) { return n, err }
}

func random(n int) []byte {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	p := make([]byte, n)
	for i := range p {
		p[i] = byte(r.Uint32())
	}
	return p
}

func TestReadFullReadsExactlyWhatWasAsked(t *testing.T) {
	wrappers := map[string]func(io.Reader) io.Reader{
		"plain":    func(r io.Reader) io.Reader { return r },
		"one byte": iotest.OneByteReader,
		"half":     iotest.HalfReader,
		"data err": iotest.DataErrReader,
	}
	for name, wrap := range wrappers {
		t.Run(name, func(t *testing.T) {
			var b readbuf.Buffer
			for _, n := range []int{0, 1, 100, 64*kib - 1, 64 * kib, 64*kib + 1, 300*kib + 1, 10} {
				data := random(n + 5)
				src := bytes.NewReader(data)
				r := wrap(src)
				p, err := b.ReadFull(r, int64(n))
				require.NoError(t, err)
				require.Equal(t, n, cap(p))
				require.True(t, bytes.Equal(data[:n], p), "n = %d", n)

				// What follows is still there, and an end at the end is fine.
				p, err = b.ReadFull(r, 5)
				require.NoError(t, err)
				require.Equal(t, data[n:], p)
			}
		})
	}
}

func TestReadFullOfNothingLeavesTheReaderAlone(t *testing.T) {
	var b readbuf.Buffer
	p, err := b.ReadFull(iotest.ErrReader(errors.New("touched")), 0)
	require.NoError(t, err)
	require.Empty(t, p)
	require.Zero(t, b.Cap())
}

func TestLyingLength(t *testing.T) {
	const first = 64 * kib
	for _, n := range []int64{64*kib + 1, 1 << 30, 1 << 40, math.MaxInt64} {
		if n > math.MaxInt {
			continue
		}
		for _, k := range []int{0, 1, 1000, first - 1, first, first + 1, 2*first - 1, 1<<20 + 1, 3 << 20} {
			if int64(k) >= n {
				continue
			}
			var b readbuf.Buffer
			p, err := b.ReadFull(io.LimitReader(zeroes{}, int64(k)), n)
			require.Nil(t, p)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.LessOrEqual(t, b.Cap(), max(2*k, first), "%d of %d bytes came", k, n)
			require.GreaterOrEqual(t, b.Cap(), k)
		}
	}

	t.Run("with memory from before", func(t *testing.T) {
		var b readbuf.Buffer
		b.Sized(60 * kib)
		_, err := b.ReadFull(strings.NewReader(""), 1<<30)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.LessOrEqual(t, b.Cap(), first)

		b.Sized(500 * kib)
		_, err = b.ReadFull(strings.NewReader("abc"), 1<<30)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, 500*kib, b.Cap())
	})
}

// recorder notes how much it was asked for at a time.
type recorder struct{ asked []int }

func (r *recorder) Read(p []byte) (int, error) {
	r.asked = append(r.asked, len(p))
	return len(p), nil
}

func TestReadFullSteps(t *testing.T) {
	var b readbuf.Buffer
	var fresh, held recorder
	_, err := b.ReadFull(&fresh, 300*kib)
	require.NoError(t, err)
	require.Equal(t, []int{64 * kib, 64 * kib, 128 * kib, 44 * kib}, fresh.asked)

	_, err = b.ReadFull(&held, 400*kib)
	require.NoError(t, err)
	require.Equal(t, []int{400 * kib}, held.asked, "what is held is used at once")
}

// eofWrapper is what a careless reader might return for an end.
type eofWrapper struct{ where string }

func (e eofWrapper) Error() string { return "connection closed at " + e.where }
func (e eofWrapper) Unwrap() error { return io.EOF }

func TestEndBeforeTheLastByte(t *testing.T) {
	ends := map[string]error{
		"io.EOF":   io.EOF,
		"wrapped":  fmt.Errorf("proxy: %w", io.EOF),
		"own type": eofWrapper{"the third hop"},
		"joined":   errors.Join(errors.New("noise"), io.EOF),
		"already":  io.ErrUnexpectedEOF,
	}
	for name, end := range ends {
		for _, k := range []int{0, 7} {
			t.Run(fmt.Sprintf("%s after %d", name, k), func(t *testing.T) {
				for _, s := range []*script{
					{give(k, nil), give(0, end)},
					{give(k, end)},
				} {
					var b readbuf.Buffer
					p, err := b.ReadFull(s, 10)
					require.Nil(t, p)
					require.ErrorIs(t, err, io.ErrUnexpectedEOF)
					require.NotErrorIs(t, err, io.EOF)
					require.ErrorContains(t, err, fmt.Sprintf("readbuf: read %d of 10 bytes: ", k))
					if name == "own type" {
						require.ErrorContains(t, err, "connection closed at the third hop")
					}
					var re *readbuf.ReadError
					require.ErrorAs(t, err, &re)
					require.Equal(t, int64(k), re.Read)
					require.Equal(t, int64(10), re.Want)
				}
			})
		}
	}
}

func TestOtherErrorsAreWrapped(t *testing.T) {
	boom := errors.New("boom")
	var b readbuf.Buffer
	_, err := b.ReadFull(iotest.ErrReader(boom), 10)
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "readbuf: read 0 of 10 bytes: boom")

	_, err = b.ReadFull(&script{give(4, nil), give(3, boom)}, 10)
	require.ErrorIs(t, err, boom)
	require.EqualError(t, err, "readbuf: read 7 of 10 bytes: boom")

	_, err = b.ReadFull(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("abcdef"))), 6)
	require.ErrorIs(t, err, iotest.ErrTimeout)
	require.EqualError(t, err, "readbuf: read 1 of 6 bytes: timeout")
}

func TestErrorWithTheLastByteIsNone(t *testing.T) {
	for _, end := range []error{io.EOF, errors.New("boom")} {
		var b readbuf.Buffer
		p, err := b.ReadFull(&script{give(4, nil), give(6, end)}, 10)
		require.NoError(t, err)
		require.Len(t, p, 10)
	}
}

func TestReaderWithoutProgress(t *testing.T) {
	var b readbuf.Buffer
	calls := 0
	r := readerFunc(func([]byte) (int, error) { calls++; return 0, nil })
	_, err := b.ReadFull(r, 10)
	require.ErrorIs(t, err, io.ErrNoProgress)
	require.ErrorContains(t, err, "read 0 of 10 bytes")
	require.Equal(t, 100, calls)

	// Only empty reads in a row count.
	calls = 0
	r = func(p []byte) (int, error) {
		if calls++; calls%100 == 0 {
			return 1, nil
		}
		return 0, nil
	}
	p, err := b.ReadFull(r, 5)
	require.NoError(t, err)
	require.Len(t, p, 5)
}

type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func TestReaderThatMiscounts(t *testing.T) {
	for _, m := range []int{-1, math.MinInt, 7, math.MaxInt} {
		for _, end := range []error{nil, io.EOF} {
			var b readbuf.Buffer
			p, err := b.ReadFull(&script{give(4, nil), give(m, end)}, 10)
			require.Nil(t, p)
			require.EqualError(t, err, fmt.Sprintf(
				"readbuf: read 4 of 10 bytes: reader claims to have read %d bytes into 6", m))
		}
	}
}

func TestLengthOutOfRange(t *testing.T) {
	lengths := []int64{-1, math.MinInt64}
	if math.MaxInt == math.MaxInt32 {
		lengths = append(lengths, math.MaxInt32+1)
	}
	for _, n := range lengths {
		var b readbuf.Buffer
		p, err := b.ReadFull(iotest.ErrReader(errors.New("touched")), n)
		require.Nil(t, p)
		require.ErrorIs(t, err, readbuf.ErrLength)
		require.ErrorContains(t, err, fmt.Sprint(n))
		require.Zero(t, b.Cap())
	}
}
