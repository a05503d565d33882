package planes_test

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/planes"
)

func TestCountError(t *testing.T) {
	for _, c := range codecs {
		most := math.MaxInt/c.width - 1
		for _, n := range []int{-1, math.MinInt, most + 1, math.MaxInt / c.width, math.MaxInt} {
			for name, err := range map[string]error{
				"split":          c.split(make([]byte, 64), make([]byte, 64), n),
				"join":           c.join(make([]byte, 64), make([]byte, 64), n),
				"split in place": c.splitInPlace(make([]byte, 64), n, make([]byte, 64)),
				"join in place":  c.joinInPlace(make([]byte, 64), n, make([]byte, 64)),
			} {
				require.ErrorIs(t, err, planes.ErrCount, name)
				require.NotErrorIs(t, err, planes.ErrShort, name)
				var e *planes.CountError
				require.ErrorAs(t, err, &e, name)
				require.Equal(t, planes.CountError{N: n, Max: most, Width: c.width}, *e, name)
			}
		}
		// The largest there is passes, to fail on the buffer.
		require.ErrorIs(t, c.split(nil, nil, most), planes.ErrShort)
		require.ErrorIs(t, c.splitInPlace(nil, most, nil), planes.ErrShort)
	}
	require.EqualError(t, &planes.CountError{N: -2, Max: 99, Width: 4},
		"planes: no such number of entries: -2, where offsets of 4 bytes allow 0 to 99")
}

func TestLengthError(t *testing.T) {
	for _, c := range codecs {
		const n = 20
		whole, lengths := (n+1)*c.width, n*c.width
		for _, test := range []struct {
			name             string
			buf, src, n, tmp int // lengths, buf being dst as well
			apart, inPlace   *planes.LengthError
		}{
			{name: "fits", buf: whole, src: whole, n: n, tmp: lengths},
			{name: "more than fits", buf: whole + 9, src: whole + 9, n: n, tmp: lengths + 9},
			{name: "no entries", buf: 3, src: 3, n: 0, tmp: 0},
			{name: "nothing", buf: 0, src: 0, n: 0, tmp: 0},
			{
				name: "no entries, dst differs", buf: 3, src: 4, n: 0, tmp: 0,
				apart: &planes.LengthError{What: "dst", Have: 3, Need: 4, N: 0, Err: planes.ErrUnequal},
			},
			{
				name: "buffer one short", buf: whole - 1, src: whole - 1, n: n, tmp: lengths,
				apart:   &planes.LengthError{What: "src", Have: whole - 1, Need: whole, N: n, Err: planes.ErrShort},
				inPlace: &planes.LengthError{What: "buf", Have: whole - 1, Need: whole, N: n, Err: planes.ErrShort},
			},
			{
				name: "no buffer", buf: 0, src: 0, n: n, tmp: lengths,
				apart:   &planes.LengthError{What: "src", Have: 0, Need: whole, N: n, Err: planes.ErrShort},
				inPlace: &planes.LengthError{What: "buf", Have: 0, Need: whole, N: n, Err: planes.ErrShort},
			},
			{
				name: "dst short, scratch short", buf: whole, src: whole + 1, n: n, tmp: lengths - 1,
				apart:   &planes.LengthError{What: "dst", Have: whole, Need: whole + 1, N: n, Err: planes.ErrUnequal},
				inPlace: &planes.LengthError{What: "scratch", Have: lengths - 1, Need: lengths, N: n, Err: planes.ErrShort},
			},
			{
				name: "dst long, no scratch", buf: whole + 1, src: whole, n: n, tmp: 0,
				apart:   &planes.LengthError{What: "dst", Have: whole + 1, Need: whole, N: n, Err: planes.ErrUnequal},
				inPlace: &planes.LengthError{What: "scratch", Have: 0, Need: lengths, N: n, Err: planes.ErrShort},
			},
		} {
			// A caller's slices may have room behind them; it is not theirs to use.
			buf := bytes.Repeat([]byte{0xA5}, 4*whole)[:test.buf]
			src := bytes.Repeat([]byte{0x11}, 4*whole)[:test.src]
			tmp := bytes.Repeat([]byte{0x22}, 4*whole)[:test.tmp]

			requireLengthError(t, test.apart, c.split(buf, src, test.n), buf, test.name)
			requireLengthError(t, test.apart, c.join(buf, src, test.n), buf, test.name)
			buf = bytes.Repeat([]byte{0xA5}, 4*whole)[:test.buf]
			requireLengthError(t, test.inPlace, c.splitInPlace(buf, test.n, tmp), buf, test.name)
			requireLengthError(t, test.inPlace, c.joinInPlace(buf, test.n, tmp), buf, test.name)
		}
	}
	require.EqualError(t, &planes.LengthError{What: "scratch", Have: 7, Need: 8, N: 2, Err: planes.ErrShort},
		"planes: too short: scratch has 7 bytes, needs 8 (2 entries)")
	require.EqualError(t, &planes.LengthError{What: "dst", Have: 9, Need: 8, N: 1, Err: planes.ErrUnequal},
		"planes: not of equal length: dst has 9 bytes, needs 8 (1 entries)")
}

// requireLengthError asks for the error want, or none when that is nil, and for
// a buffer that no error left changed.
func requireLengthError(t *testing.T, want *planes.LengthError, err error, buf []byte, name string) {
	t.Helper()
	if want == nil {
		require.NoError(t, err, name)
		return
	}
	var e *planes.LengthError
	require.ErrorAs(t, err, &e, name)
	require.Equal(t, want, e, name)
	require.ErrorIs(t, err, want.Err, name)
	require.Equal(t, bytes.Repeat([]byte{0xA5}, len(buf)), buf, name)
}
