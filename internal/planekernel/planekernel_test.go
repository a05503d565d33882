package planekernel_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
	"github.com/stretchr/testify/require"
)

// append adds an offset of w bytes.
func appendOffset(b []byte, w int, o uint64) []byte {
	return append(b, binary.LittleEndian.AppendUint64(nil, o)[:w]...)
}

// make returns offsets of the lengths from first on, and their planes, taken
// apart one byte at a time.
func reference(w int, first uint64, lengths []uint64) (offsets []byte, planes [8][]byte, or uint64) {
	offsets = appendOffset(nil, w, first)
	mask := ^uint64(0) >> (64 - 8*w)
	for _, l := range lengths {
		first += l
		or |= l & mask
		offsets = appendOffset(offsets, w, first)
		for j := range w {
			planes[j] = append(planes[j], byte(l>>(8*j)))
		}
	}
	return offsets, planes, or
}

var firsts = []uint64{0, 1000, 1<<31 - 20, 1<<31 + 5, 1<<32 - 300, 1<<32 - 1, 1<<63 + 12345, ^uint64(0) - 99}

var kinds = map[string]func(r *rand.Rand, i int) uint64{
	"zero":     func(*rand.Rand, int) uint64 { return 0 },
	"constant": func(*rand.Rand, int) uint64 { return 36 },
	"wide":     func(*rand.Rand, int) uint64 { return 0x01020304_05060708 },
	"byte":     func(r *rand.Rand, _ int) uint64 { return r.Uint64N(256) },
	"short":    func(r *rand.Rand, _ int) uint64 { return r.Uint64N(1 << 16) },
	"any":      func(r *rand.Rand, _ int) uint64 { return r.Uint64() },
	"down":     func(r *rand.Rand, _ int) uint64 { return -r.Uint64N(300) },
	"one long": func(r *rand.Rand, i int) uint64 {
		if i == 37 {
			return 256
		}
		return r.Uint64N(3)
	},
	"alternating": func(_ *rand.Rand, i int) uint64 { return []uint64{256, 0, ^uint64(0)}[i%3] },
}

func each(t *testing.T, test func(t *testing.T, w int, offsets []byte, planes [8][]byte, or uint64, lengths []uint64)) {
	for name, kind := range kinds {
		for _, w := range []int{4, 8} {
			t.Run(fmt.Sprintf("%s/%d", name, w), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				for _, n := range []int{1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 38, 39, 40, 100, 1023, 1024, 1025, 2100} {
					for _, first := range firsts {
						lengths := make([]uint64, n)
						for i := range lengths {
							lengths[i] = kind(r, i)
						}
						offsets, planes, or := reference(w, first, lengths)
						test(t, w, offsets, planes, or, lengths)
					}
				}
			})
		}
	}
}

func TestLow(t *testing.T) {
	each(t, func(t *testing.T, w int, offsets []byte, planes [8][]byte, or uint64, _ []uint64) {
		low := make([]byte, len(planes[0]))
		if w == 4 {
			require.Equal(t, uint32(or), planekernel.Low32(low, offsets))
		} else {
			require.Equal(t, or, planekernel.Low64(low, offsets))
		}
		require.Equal(t, planes[0], low)
	})
}

func TestConstant(t *testing.T) {
	each(t, func(t *testing.T, w int, offsets []byte, _ [8][]byte, _ uint64, lengths []uint64) {
		mask := ^uint64(0) >> (64 - 8*w)
		same := true
		for _, l := range lengths {
			same = same && (l^lengths[0])&mask == 0
		}
		constant := func() (uint64, bool) {
			if w == 4 {
				l, ok := planekernel.Constant32(offsets)
				return uint64(l), ok
			}
			return planekernel.Constant64(offsets)
		}
		l, ok := constant()
		require.Equal(t, same, ok)
		if !ok {
			return
		}
		require.Equal(t, lengths[0]&mask, l)

		filled := append(append([]byte{}, offsets[:w]...), make([]byte, len(offsets)-w)...)
		if w == 4 {
			planekernel.Fill32(filled, uint32(l))
		} else {
			planekernel.Fill64(filled, l)
		}
		require.Equal(t, offsets, filled)

		// Any other offset, the first two apart, is noticed.
		if len(lengths) > 1 && len(lengths) < 50 {
			for i := 2 * w; i < len(offsets); i++ {
				offsets[i] ^= 1 << (i % 8)
				_, ok := constant()
				require.False(t, ok, i)
				offsets[i] ^= 1 << (i % 8)
			}
		}
	})
}

func TestSum(t *testing.T) {
	each(t, func(t *testing.T, w int, offsets []byte, p [8][]byte, _ uint64, lengths []uint64) {
		check := func(keep int, f func(dst []byte)) {
			// What the planes above keep hold is the same for all entries.
			const add = 0x05040302_01000000
			shift := 8 * keep
			want := append([]byte{}, offsets[:w]...)
			sum := binary.LittleEndian.Uint64(append(append([]byte{}, offsets[:w]...), make([]byte, 8)...))
			for _, l := range lengths {
				if keep < 8 {
					l = l&(1<<shift-1) + add
				}
				sum += l
				want = appendOffset(want, w, sum)
			}
			dst := append(append([]byte{}, offsets[:w]...), make([]byte, len(offsets)-w)...)
			f(dst)
			require.Equal(t, want, dst, keep)
		}
		const add = uint64(0x05040302_01000000)
		low := uint32(add & (1<<32 - 1))
		if w == 4 {
			check(1, func(dst []byte) { planekernel.Sum1of4(dst, p[0], low) })
			check(2, func(dst []byte) { planekernel.Sum2of4(dst, p[0], p[1], low) })
			check(8, func(dst []byte) { planekernel.Sum4of4(dst, p[0], p[1], p[2], p[3]) })
		} else {
			check(1, func(dst []byte) { planekernel.Sum1of8(dst, p[0], add) })
			check(2, func(dst []byte) { planekernel.Sum2of8(dst, p[0], p[1], add) })
			check(8, func(dst []byte) { planekernel.Sum8of8(dst, &p) })
		}
	})
}

func BenchmarkKernels(b *testing.B) {
	const n = 8192
	lengths := make([]uint64, n)
	for i := range lengths {
		lengths[i] = 36
	}
	for _, w := range []int{4, 8} {
		offsets, p, _ := reference(w, 0, lengths)
		dst := make([]byte, len(offsets))
		low := make([]byte, n)
		run := func(name string, f4, f8 func()) {
			b.Run(fmt.Sprintf("%s/%d", name, 8*w), func(b *testing.B) {
				f := f4
				if w == 8 {
					f = f8
				}
				for b.Loop() {
					f()
				}
			})
		}
		copies := func() { copy(dst, offsets) }
		run("copy", copies, copies)
		run("constant", func() { planekernel.Constant32(offsets) }, func() { planekernel.Constant64(offsets) })
		run("fill", func() { planekernel.Fill32(dst, 36) }, func() { planekernel.Fill64(dst, 36) })
		run("low", func() { planekernel.Low32(low, offsets) }, func() { planekernel.Low64(low, offsets) })
		run("sum1", func() { planekernel.Sum1of4(dst, p[0], 0) }, func() { planekernel.Sum1of8(dst, p[0], 0) })
		run("sum2", func() { planekernel.Sum2of4(dst, p[0], p[1], 0) }, func() { planekernel.Sum2of8(dst, p[0], p[1], 0) })
		run("sum all", func() { planekernel.Sum4of4(dst, p[0], p[1], p[2], p[3]) }, func() { planekernel.Sum8of8(dst, &p) })
	}
}
