package planekernel_test

import (
	"fmt"
	"testing"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// BenchmarkKernels takes 8192 equal lengths; the throughput is that of offsets.
func BenchmarkKernels(b *testing.B) {
	lengths := make([]uint64, 8192)
	for i := range lengths {
		lengths[i] = 36
	}
	for _, k := range planekernel.Sets() {
		s, d := of(4, 0, lengths), of(8, 0, lengths)
		p, q, low := s.planes, d.planes, make([]byte, len(lengths))
		run := func(name string, f4, f8 func()) {
			for i, f := range []func(){f4, f8} {
				b.Run(fmt.Sprintf("%v/%s/%d", k, name, 32*i+32), func(b *testing.B) {
					b.SetBytes(int64(4 * len(lengths) * (i + 1)))
					for b.Loop() {
						f()
					}
				})
			}
		}
		o4, o8 := make([]byte, len(s.offsets)), make([]byte, len(d.offsets))
		run("copy", func() { copy(o4, s.offsets) }, func() { copy(o8, d.offsets) })
		run("constant", func() { k.Constant32(s.offsets) }, func() { k.Constant64(d.offsets) })
		run("fill", func() { k.Fill32(o4, 36) }, func() { k.Fill64(o8, 36) })
		run("low", func() { k.Low32(low, s.offsets) }, func() { k.Low64(low, d.offsets) })
		run("sum 1", func() { k.Sum1of4(o4, p[0]) }, func() { k.Sum1of8(o8, q[0]) })
		run("sum 2", func() { k.Sum2of4(o4, p[0], p[1]) }, func() { k.Sum2of8(o8, q[0], q[1]) })
		run("sum all", func() { k.Sum4of4(o4, p[0], p[1], p[2], p[3]) }, func() { k.Sum8of8(o8, &q) })
		z4, z8 := make([]byte, 4*len(lengths)+1)[1:], make([]byte, 8*len(lengths)+1)[1:]
		run("clear", func() { k.Clear(z4) }, func() { k.Clear(z8) })
		run("is zero", func() { k.AllZero(p[1]) }, func() { k.AllZero(q[1]) })
	}
}
