package planekernel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// sample is offsets of w bytes, and what every function should make of them.
type sample struct {
	w, n    int
	lengths []uint64
	offsets []byte
	planes  [8][]byte // the first w
	or      uint64
	sums    [9][]byte // see lowest
}

// of takes lengths apart, one byte at a time.
func of(w int, first uint64, lengths []uint64) *sample {
	s := &sample{w: w, n: len(lengths), offsets: appendOffset(nil, w, first)}
	for _, l := range lengths {
		l &= ^uint64(0) >> (64 - 8*w)
		first += l
		s.or |= l
		s.lengths = append(s.lengths, l)
		s.offsets = appendOffset(s.offsets, w, first)
		for j := range w {
			s.planes[j] = append(s.planes[j], byte(l>>(8*j)))
		}
	}
	return s
}

// lowest gives the offsets that there are of only the lowest planes.
func (s *sample) lowest(planes int) []byte {
	if s.sums[planes] == nil {
		lengths := make([]uint64, s.n)
		for i, l := range s.lengths {
			lengths[i] = l & (^uint64(0) >> (64 - 8*planes))
		}
		s.sums[planes] = of(s.w, s.first(), lengths).offsets
	}
	return s.sums[planes]
}

func (s *sample) first() uint64 {
	return binary.LittleEndian.Uint64(append(s.offsets[:s.w:s.w], 0, 0, 0, 0))
}

// high is the planes above the lowest, one after the other.
func (s *sample) high() (high []byte) {
	for _, p := range s.planes[1:s.w] {
		high = append(high, p...)
	}
	return high
}

func appendOffset(b []byte, w int, o uint64) []byte {
	if w == 4 {
		return binary.LittleEndian.AppendUint32(b, uint32(o))
	}
	return binary.LittleEndian.AppendUint64(b, o)
}

var firsts = []uint64{0, 1000, 1<<31 - 20, 1<<31 + 5, 1<<32 - 300, 1<<32 - 1, 1<<63 + 12345, ^uint64(0) - 99}

var sizes = []int{
	0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 38, 39, 40, 63, 64, 65, 100,
	1023, 1024, 1025, 1100,
}

var kinds = []struct {
	name   string
	length func(r *rand.Rand, i int) uint64
}{
	{"zero", func(*rand.Rand, int) uint64 { return 0 }},
	{"constant", func(*rand.Rand, int) uint64 { return 36 }},
	{"wide", func(*rand.Rand, int) uint64 { return 0x01020304_05060708 }},
	{"largest byte", func(*rand.Rand, int) uint64 { return 255 }},
	{"byte", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(256) }},
	{"short", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1 << 16) }},
	{"33 bits", func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1 << 33) }},
	{"any", func(r *rand.Rand, _ int) uint64 { return r.Uint64() }},
	{"ones", func(r *rand.Rand, _ int) uint64 { return ^uint64(0) }},
	{"down", func(r *rand.Rand, _ int) uint64 { return -r.Uint64N(300) }},
	{"one long", func(r *rand.Rand, i int) uint64 {
		if i == 37 {
			return 256
		}
		return r.Uint64N(3)
	}},
	{"rarely long", func(r *rand.Rand, i int) uint64 {
		if r.IntN(50) == 0 {
			return 1 << r.IntN(64)
		}
		return r.Uint64N(256)
	}},
	{"alternating", func(_ *rand.Rand, i int) uint64 { return []uint64{256, 0, ^uint64(0)}[i%3] }},
}

// each runs test on samples of all kinds, with all sets.
func each(t *testing.T, test func(t *testing.T, k planekernel.Set, m *memory, s *sample)) {
	m := newMemory(t)
	for _, kind := range kinds {
		for _, w := range []int{4, 8} {
			r := rand.New(rand.NewPCG(1, 2))
			var samples []*sample
			for i, n := range sizes {
				for j := range 2 {
					lengths := make([]uint64, n)
					for i := range lengths {
						lengths[i] = kind.length(r, i)
					}
					samples = append(samples, of(w, firsts[(2*i+j)%len(firsts)], lengths))
				}
			}
			for _, set := range planekernel.Sets() {
				t.Run(fmt.Sprintf("%s/%d/%v", kind.name, w, set), func(t *testing.T) {
					for _, s := range samples {
						m.reset()
						test(t, set, m, s)
					}
				})
			}
		}
	}
}

func TestLow(t *testing.T) {
	each(t, func(t *testing.T, k planekernel.Set, m *memory, s *sample) {
		low, offsets := m.filled(s.n), m.copy(s.offsets)
		var or uint64
		if s.w == 4 {
			or = uint64(k.Low32(low, offsets))
		} else {
			or = k.Low64(low, offsets)
		}
		equal(t, s, "low", s.planes[0], low)
		require.Equal(t, s.or, or)
	})
}

func TestSplit(t *testing.T) {
	each(t, func(t *testing.T, k planekernel.Set, m *memory, s *sample) {
		split := k.Split32
		if s.w == 8 {
			split = k.Split64
		}
		untouched := m.filled((s.w - 1) * s.n)
		check := func(low, high, offsets []byte) {
			t.Helper()
			wroteHigh := split(low, high, offsets)
			equal(t, s, "low", s.planes[0], low)
			if s.or >= 1<<8 {
				require.True(t, wroteHigh)
			}
			if wroteHigh {
				equal(t, s, "high", s.high(), high)
			} else {
				equal(t, s, "high that is not written", untouched, high)
			}
		}
		check(m.filled(s.n), m.filled((s.w-1)*s.n), m.copy(s.offsets))

		offsets := m.copy(s.offsets)
		check(offsets[s.w:s.w+s.n], m.filled((s.w-1)*s.n), offsets)
	})
}

func TestJoin(t *testing.T) {
	each(t, func(t *testing.T, k planekernel.Set, m *memory, s *sample) {
		join := k.Join32
		if s.w == 8 {
			join = k.Join64
		}
		low := m.copy(s.planes[0])
		offsets := m.unsummed(s)
		join(offsets, low, m.copy(s.high()))
		equal(t, s, "offsets", s.offsets, offsets)
		offsets = m.unsummed(s)
		join(offsets, low, nil)
		equal(t, s, "offsets of the low plane", s.lowest(1), offsets)
	})
}

func TestSum(t *testing.T) {
	each(t, func(t *testing.T, k planekernel.Set, m *memory, s *sample) {
		var p [8][]byte
		for j := range p {
			p[j] = m.copy(s.planes[j])
		}
		check := func(planes int, sum func(offsets []byte)) {
			t.Helper()
			offsets := m.unsummed(s)
			sum(offsets)
			equal(t, s, fmt.Sprintf("sum of %d planes", planes), s.lowest(planes), offsets)
		}
		if s.w == 4 {
			check(1, func(offsets []byte) { k.Sum1of4(offsets, p[0]) })
			check(2, func(offsets []byte) { k.Sum2of4(offsets, p[0], p[1]) })
			check(4, func(offsets []byte) { k.Sum4of4(offsets, p[0], p[1], p[2], p[3]) })
		} else {
			check(1, func(offsets []byte) { k.Sum1of8(offsets, p[0]) })
			check(2, func(offsets []byte) { k.Sum2of8(offsets, p[0], p[1]) })
			check(8, func(offsets []byte) { k.Sum8of8(offsets, &p) })
		}
	})
}

func TestConstant(t *testing.T) {
	each(t, func(t *testing.T, k planekernel.Set, m *memory, s *sample) {
		if s.n == 0 {
			return
		}
		same := true
		for _, l := range s.lengths {
			same = same && l == s.lengths[0]
		}
		offsets := m.copy(s.offsets)
		constant := func() (length uint64, ok bool) {
			if s.w == 4 {
				l, ok := k.Constant32(offsets)
				return uint64(l), ok
			}
			return k.Constant64(offsets)
		}
		length, ok := constant()
		require.Equal(t, same, ok)
		if !ok {
			require.Zero(t, length)
			return
		}
		require.Equal(t, s.lengths[0], length)

		// Any other offset, the first two apart, is noticed.
		if s.n > 1 && s.n <= 100 {
			for i := 2 * s.w; i < len(offsets); i++ {
				offsets[i] ^= 1 << (i % 8)
				_, ok := constant()
				require.False(t, ok, i)
				offsets[i] ^= 1 << (i % 8)
			}
		}
	})
}

func TestFill(t *testing.T) {
	each(t, func(t *testing.T, k planekernel.Set, m *memory, s *sample) {
		length := bits.RotateLeft64(s.or, s.n)
		lengths := make([]uint64, s.n)
		for i := range lengths {
			lengths[i] = length
		}
		offsets := m.unsummed(s)
		if s.w == 4 {
			k.Fill32(offsets, uint32(length))
		} else {
			k.Fill64(offsets, length)
		}
		equal(t, s, "filled", of(s.w, s.first(), lengths).offsets, offsets)
	})
}

func TestAllZero(t *testing.T) {
	m := newMemory(t)
	for _, k := range planekernel.Sets() {
		for _, n := range []int{0, 1, 2, 3, 31, 32, 33, 127, 128, 129, 255, 256, 300} {
			m.reset()
			b := m.filled(n)
			require.Equal(t, n == 0, k.AllZero(b), n)
			clear(b)
			require.True(t, k.AllZero(b), n)
			for i := range b {
				b[i] = 1 << (i % 8)
				require.False(t, k.AllZero(b), n)
				b[i] = 0
			}
		}
	}
}

func TestClear(t *testing.T) {
	m := newMemory(t)
	for _, k := range planekernel.Sets() {
		for _, n := range []int{0, 1, 2, 31, 32, 33, 127, 128, 129, 255, 256, 300, 4000} {
			for shift := range 33 {
				m.reset()
				b := m.filled(n + shift)
				before := bytes.Clone(b[:shift])
				k.Clear(b[shift:])
				require.Equal(t, before, b[:shift])
				require.Equal(t, make([]byte, n), b[shift:])

				b = m.filled(n + shift)
				after := bytes.Clone(b[n:])
				k.Clear(b[:n])
				require.Equal(t, make([]byte, n), b[:n])
				require.Equal(t, after, b[n:])
			}
		}
	}
}

// TestInPieces sums and splits piece by piece.
func TestInPieces(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	lengths := make([]uint64, 1500)
	for i := range lengths {
		lengths[i] = r.Uint64N(256)
	}
	for _, k := range planekernel.Sets() {
		for _, w := range []int{4, 8} {
			s := of(w, 1<<32-1000, lengths)
			low, offsets := make([]byte, s.n), make([]byte, len(s.offsets))
			copy(offsets, s.offsets[:w])
			for i := 0; i < s.n; {
				end := min(i+r.IntN(200), s.n)
				from, to := s.offsets[i*w:end*w+w], offsets[i*w:end*w+w]
				if w == 4 {
					k.Low32(low[i:end], from)
					k.Sum1of4(to, low[i:end])
				} else {
					k.Low64(low[i:end], from)
					k.Sum1of8(to, low[i:end])
				}
				i = end
			}
			equal(t, s, "low", s.planes[0], low)
			equal(t, s, "offsets", s.offsets, offsets)
		}
	}
}

func equal(t *testing.T, s *sample, what string, want, got []byte) {
	t.Helper()
	if bytes.Equal(want, got) {
		return
	}
	for i := range want {
		if i >= len(got) || want[i] != got[i] {
			t.Fatalf("%s, %d entries from %d: byte %d differs, want\n%x\ngot\n%x", what, s.n, s.first(), i, want, got)
		}
	}
	t.Fatalf("%s, %d entries: %d bytes, want %d", what, s.n, len(got), len(want))
}
