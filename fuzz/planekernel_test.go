package fuzz

import (
	"bytes"
	"testing"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// FuzzPlanekernel holds every set of kernels against the generic one. Its planes
// are cut out of data, those that zero has a bit for being all zero: bytes at
// random alone would never make short lengths.
func FuzzPlanekernel(f *testing.F) {
	f.Add([]byte{}, byte(0))
	f.Add(bytes.Repeat([]byte{1, 2, 3}, 9), byte(0xFE))
	f.Add(bytes.Repeat([]byte{255}, 4+4*70), byte(0xFE))
	f.Add(bytes.Repeat([]byte{255, 0, 7}, 8+8*33), byte(0xFC))
	f.Add(bytes.Repeat([]byte{7}, 8+8*65), byte(0))
	f.Fuzz(func(t *testing.T, data []byte, zero byte) {
		sets := planekernel.Sets()
		for _, w := range []int{4, 8} {
			if len(data) < w {
				return
			}
			n := (len(data) - w) / w
			planes := bytes.Clone(data[w : w+w*n])
			for j := range w {
				if zero>>j&1 != 0 {
					clear(planes[j*n : j*n+n])
				}
			}
			want := planekernelResults(sets[0], w, data[:w], planes)
			for _, set := range sets[1:] {
				got := planekernelResults(set, w, data[:w], planes)
				for i := range want {
					if !bytes.Equal(want[i], got[i]) {
						t.Fatalf("%v, %d entries of %d bytes, result %d: want\n%x\ngot\n%x", set, n, w, i, want[i], got[i])
					}
				}
			}
		}
	})
}

// planekernelResults gives what the functions make of planes of w bytes.
func planekernelResults(k planekernel.Set, w int, first, planes []byte) (results [][]byte) {
	n := len(planes) / w
	var p [8][]byte
	for j := range w {
		p[j] = planes[j*n : j*n+n]
	}
	sum := func(f func(offsets []byte)) []byte {
		offsets := append(bytes.Clone(first), make([]byte, w*n)...)
		f(offsets)
		results = append(results, offsets)
		return offsets
	}
	low, high, or := make([]byte, n), make([]byte, (w-1)*n), uint64(0)
	var wroteHigh bool
	number := func(v uint64, ok bool) {
		r := []byte{0}
		if ok {
			r[0] = 1
		}
		for i := range 8 {
			r = append(r, byte(v>>(8*i)))
		}
		results = append(results, r)
	}
	var offsets []byte
	if w == 4 {
		offsets = sum(func(o []byte) { k.Join32(o, p[0], planes[n:]) })
		sum(func(o []byte) { k.Sum1of4(o, p[0]) })
		sum(func(o []byte) { k.Sum2of4(o, p[0], p[1]) })
		sum(func(o []byte) { k.Sum4of4(o, p[0], p[1], p[2], p[3]) })
		or = uint64(k.Low32(low, offsets))
		results = append(results, bytes.Clone(low))
		sum(func(o []byte) { k.Fill32(o, uint32(or)) })
		wroteHigh = k.Split32(low, high, offsets)
	} else {
		offsets = sum(func(o []byte) { k.Join64(o, p[0], planes[n:]) })
		sum(func(o []byte) { k.Sum1of8(o, p[0]) })
		sum(func(o []byte) { k.Sum2of8(o, p[0], p[1]) })
		sum(func(o []byte) { k.Sum8of8(o, &p) })
		or = k.Low64(low, offsets)
		results = append(results, bytes.Clone(low))
		sum(func(o []byte) { k.Fill64(o, or) })
		wroteHigh = k.Split64(low, high, offsets)
	}
	if !wroteHigh {
		// Whether a set notices is its own affair, unless there is something.
		clear(high)
	}
	number(or, true)
	results = append(results, low, high)
	if n > 0 {
		for _, o := range [][]byte{offsets, results[len(results)-4]} {
			if w == 4 {
				l, ok := k.Constant32(o)
				number(uint64(l), ok)
			} else {
				number(k.Constant64(o))
			}
		}
	}
	number(0, k.AllZero(planes))
	return results
}
