package planeframe_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
)

// offsetsFrom returns offsets, the first one and then sums of lengths that wrap.
func offsetsFrom(width int, first uint64, n int, length func(i int) uint64) (p []byte) {
	put := func(v uint64) {
		if width == 8 {
			p = binary.LittleEndian.AppendUint64(p, v)
		} else {
			p = binary.LittleEndian.AppendUint32(p, uint32(v))
		}
	}
	put(first)
	for i := range n {
		first += length(i)
		put(first)
	}
	return p
}

// inOrder says whether offsets are not negative and do not decrease.
func inOrder(p []byte, width int) bool {
	last := int64(0)
	for ; len(p) > 0; p = p[width:] {
		o := int64(0)
		if width == 8 {
			o = int64(binary.LittleEndian.Uint64(p))
		} else {
			o = int64(int32(binary.LittleEndian.Uint32(p)))
		}
		if o < last {
			return false
		}
		last = o
	}
	return true
}

// What is said to be in order is, and what people have is said to be.
func TestOrdered(t *testing.T) {
	const n = 3000
	rng := rand.New(rand.NewPCG(1, 2))
	constant := func(v uint64) func(int) uint64 { return func(int) uint64 { return v } }
	below := func(v uint64) func(int) uint64 { return func(int) uint64 { return rng.Uint64N(v) } }
	once := func(at int, v uint64) func(int) uint64 {
		return func(i int) uint64 {
			if i == at {
				return v
			}
			return 1
		}
	}
	for _, c := range []struct {
		name   string
		width  int
		first  uint64
		n      int
		length func(int) uint64
		want   bool
	}{
		{"constant", 4, 0, n, constant(12), true},
		{"words", 4, 0, n, below(20), true},
		{"texts", 4, 100, n, below(60000), true},
		{"large texts", 8, 0, n, below(1 << 40), true},
		{"constant, to the last byte", 4, math.MaxInt32 - n*700_000, n, constant(700_000), true},
		{"constant, and one more", 4, math.MaxInt32 - n*700_000 + 1, n, constant(700_000), false},
		{"large constant, to the last byte", 8, math.MaxInt64 - n<<40, n, constant(1 << 40), true},
		{"large constant, and one more", 8, math.MaxInt64 - n<<40 + 1, n, constant(1 << 40), false},
		{"negative constant", 4, 5, n, constant(math.MaxUint64), false},
		{"negative large constant", 8, 5, n, constant(math.MaxUint64), false},
		{"starts below 0", 4, 1 << 31, n, constant(0), false},
		{"large, starts below 0", 8, 1 << 63, n, constant(0), false},
		{"one goes back", 4, 0, n, once(77, math.MaxUint64), false},
		{"large, one goes back", 8, 0, n, once(77, math.MaxUint64), false},
		{"wraps", 4, 0, n, constant(math.MaxInt32), false},
		{"large, wraps to 0", 8, 0, 4, constant(1 << 62), false},
		{"one is long", 4, 0, n, once(2, 1<<31-n), false}, // in order, but not known
	} {
		t.Run(c.name, func(t *testing.T) {
			offsets := offsetsFrom(c.width, c.first, c.n, c.length)
			require.False(t, c.want && !inOrder(offsets, c.width))
			frame, err := planeframe.NewEncoder(nil).Append(nil, offsets, c.n, c.width)
			require.NoError(t, err)
			d, got := planeframe.NewDecoder(nil), make([]byte, len(offsets))
			ok, err := d.Offsets(got, frame, c.n, c.width)
			require.NoError(t, err)
			require.True(t, ok)
			require.Equal(t, offsets, got)
			require.Equal(t, c.want, d.Ordered())
			_, _ = d.Offsets(got, nil, c.n, c.width)
			require.False(t, d.Ordered(), "it is about the last call")
		})
	}
	for i := range 300 {
		width := 4 << (i & 1)
		bits := 1 + rng.IntN(8*width)
		offsets := offsetsFrom(width, rng.Uint64()>>(64-bits), 1+rng.IntN(200), func(int) uint64 { return rng.Uint64() >> rng.IntN(64) >> (64 - bits) })
		frame, err := planeframe.NewEncoder(nil).Append(nil, offsets, len(offsets)/width-1, width)
		require.NoError(t, err)
		d := planeframe.NewDecoder(nil)
		_, err = d.Offsets(make([]byte, len(offsets)), frame, len(offsets)/width-1, width)
		require.NoError(t, err)
		require.False(t, d.Ordered() && !inOrder(offsets, width), fmt.Sprint(bits))
	}
}
