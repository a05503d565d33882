package planekernel_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// What is too short is refused before anything is written: no kernel in assembly
// gets to see it.
func TestTooShort(t *testing.T) {
	const n = 100
	type slices struct{ offsets, low, high []byte }
	for _, k := range planekernel.Sets() {
		for _, w := range []int{4, 8} {
			calls := map[string]func(s slices, p [8][]byte){
				"low":   func(s slices, _ [8][]byte) { k.Low32(s.low, s.offsets) },
				"split": func(s slices, _ [8][]byte) { k.Split32(s.low, s.high, s.offsets) },
				"join":  func(s slices, _ [8][]byte) { k.Join32(s.offsets, s.low, s.high) },
				"sum 1": func(s slices, p [8][]byte) { k.Sum1of4(s.offsets, p[0]) },
				"sum 2": func(s slices, p [8][]byte) { k.Sum2of4(s.offsets, p[0], p[1]) },
				"sum 4": func(s slices, p [8][]byte) { k.Sum4of4(s.offsets, p[0], p[1], p[2], p[3]) },
			}
			if w == 8 {
				calls = map[string]func(s slices, p [8][]byte){
					"low":   func(s slices, _ [8][]byte) { k.Low64(s.low, s.offsets) },
					"split": func(s slices, _ [8][]byte) { k.Split64(s.low, s.high, s.offsets) },
					"join":  func(s slices, _ [8][]byte) { k.Join64(s.offsets, s.low, s.high) },
					"sum 1": func(s slices, p [8][]byte) { k.Sum1of8(s.offsets, p[0]) },
					"sum 2": func(s slices, p [8][]byte) { k.Sum2of8(s.offsets, p[0], p[1]) },
					"sum 8": func(s slices, p [8][]byte) { k.Sum8of8(s.offsets, &p) },
				}
			}
			planes := map[string]int{"low": 1, "split": w, "join": w, "sum 1": 1, "sum 2": 2, "sum 4": 4, "sum 8": 8}
			for name, call := range calls {
				// The slices end early, but not their capacity, by one byte.
				whole := bytes.Repeat([]byte{1}, (n+1)*w+n+w*n)
				try := func(offsetsLess, highLess, planeLess int) {
					o, l := (n+1)*w, n
					s := slices{
						offsets: whole[: o-offsetsLess : o-offsetsLess],
						low:     whole[o : o+l : o+l],
						high:    whole[o+l : o+l+(w-1)*n-highLess : o+l+(w-1)*n-highLess],
					}
					var p [8][]byte
					for j := range w {
						less := 0
						if j > 0 && j == planeLess {
							less = 1
						}
						p[j] = whole[o+j*n : o+j*n+n-less : o+j*n+n-less]
					}
					call(s, p)
				}
				refused := func(offsetsLess, highLess, planeLess int) {
					t.Helper()
					what := fmt.Sprintf("%v, %s, %d bits", k, name, 8*w)
					require.Panics(t, func() { try(offsetsLess, highLess, planeLess) }, what)
					require.Equal(t, bytes.Repeat([]byte{1}, len(whole)), whole, what)
				}
				refused(1, 0, 0)
				if name == "split" || name == "join" {
					refused(0, 1, 0)
				} else {
					for j := 1; j < planes[name]; j++ {
						refused(0, 0, j)
					}
				}
				require.NotPanics(t, func() { try(0, 0, 0) })
			}
		}
	}
}

func TestAllocatesNothing(t *testing.T) {
	const n = 100
	for _, k := range planekernel.Sets() {
		for _, length := range []uint64{1, 1 << 20} {
			lengths := make([]uint64, n)
			for i := range lengths {
				lengths[i] = length
			}
			s4, s8 := of(4, 0, lengths), of(8, 0, lengths)
			high4, high8 := s4.high(), s8.high()
			require.Zero(t, testing.AllocsPerRun(5, func() {
				k.Low32(s4.planes[0], s4.offsets)
				k.Split32(s4.planes[0], high4, s4.offsets)
				k.Join32(s4.offsets, s4.planes[0], high4)
				k.Sum2of4(s4.offsets, s4.planes[0], s4.planes[1])
				k.Sum4of4(s4.offsets, s4.planes[0], s4.planes[1], s4.planes[2], s4.planes[3])
				k.Low64(s8.planes[0], s8.offsets)
				k.Split64(s8.planes[0], high8, s8.offsets)
				k.Join64(s8.offsets, s8.planes[0], high8)
				k.Sum2of8(s8.offsets, s8.planes[0], s8.planes[1])
				k.Sum8of8(s8.offsets, &s8.planes)
			}))
		}
	}
}
