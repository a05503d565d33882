package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Most sums take 32 entries at a time. Unpacking bytes to numbers works within
// the halves of a vector, and so the lower halves of several vectors hold
// entries 0 to 15 in order, and their upper halves entries 16 to 31:
//
//	0-3 | 16-19    4-7 | 20-23    8-11 | 24-27    12-15 | 28-31
//
// Both halves are summed at once. carry then finds what is to be added to each.

// carry takes total, the sums of all lower halves and of all upper ones, in all
// their places, into base, the offset before these entries. It returns what is
// to be added to the sums within the halves.
func (w w) carry(base, total VecVirtual) VecVirtual {
	add := YMM()
	VPERM2I128(U8(0x08), total, total, add)
	w.add(base, add, add)
	w.add(add, total, total)
	VPERM2I128(U8(0x11), total, total, base)
	return add
}

// store writes the halves of vector i of several to where they belong.
func (w w) store(v VecVirtual, offsets Register, i int) {
	first := 16*i + int(w)
	VMOVDQU(v.AsX(), at(offsets, first))
	VEXTRACTI128(U8(1), v, at(offsets, first+int(16*w)))
}

// sum sums the lengths from the lowest planes, at least two.
func (w w) sum(planes int) {
	kernel(fmt.Sprintf("sum%dof%dAVX2", planes, w), fmt.Sprintf("(offsets []byte, p *[%d][]byte, n int)", planes),
		"sums n lengths from these planes, a multiple of 32.")
	p, offsets := w.planes(planes), pointer("offsets")
	i, n := GP64(), Load(Param("n"), GP64())
	XORQ(i, i)
	base, none := w.everywhere(at(offsets, 0)), zero()
	loop(n, 32, func() {
		// words are in low and high rows, of bytes 0-7 | 16-23 and of
		// bytes 8-15 | 24-31, by pairs of planes.
		var words [2][]VecVirtual
		for j := 0; j < planes; j += 2 {
			v, high := YMM(), Mem{Base: p[j+1], Index: i, Scale: 1}
			VMOVDQU(Mem{Base: p[j], Index: i, Scale: 1}, v)
			lh := ymm(2)
			VPUNPCKLBW(high, v, lh[0])
			VPUNPCKHBW(high, v, lh[1])
			words[0] = append(words[0], lh[0])
			words[1] = append(words[1], lh[1])
		}
		var v []VecVirtual
		for _, row := range words {
			for len(row) < int(w)/2 {
				row = append(row, none)
			}
			v = append(v, widen(row)...)
		}

		total := YMM()
		for j, x := range v {
			w.scan(x)
			if j == 0 {
				total = w.last(x)
				continue
			}
			t := w.last(x)
			w.add(total, x, x)
			w.add(t, total, total)
		}
		add := w.carry(base, total)
		for j, x := range v {
			w.add(add, x, x)
			w.store(x, offsets, j)
		}
		ADDQ(U32(32), i)
		ADDQ(U32(32*w), offsets)
	}, nil)
}

// widen puts words together to numbers of 32 bits, or, when there are four
// vectors of them, 64. The lowest words come first.
func widen(words []VecVirtual) []VecVirtual {
	var low, high [2]VecVirtual
	unpack := func(words []VecVirtual, to *[2]VecVirtual) {
		to[0], to[1] = YMM(), YMM()
		VPUNPCKLWD(words[1], words[0], to[0])
		VPUNPCKHWD(words[1], words[0], to[1])
	}
	unpack(words[:2], &low)
	if len(words) == 2 {
		return low[:]
	}
	if words[2] == words[3] {
		high = [2]VecVirtual{words[2], words[2]}
	} else {
		unpack(words[2:], &high)
	}
	v := ymm(4)
	for i := range low {
		VPUNPCKLDQ(high[i], low[i], v[2*i])
		VPUNPCKHDQ(high[i], low[i], v[2*i+1])
	}
	return v
}

// sum1of4 sums words first: 16 lengths of a byte do not overflow them.
func sum1of4() {
	w, word := w(4), w(2)
	kernel("sum1of4AVX2", "(offsets, low []byte)",
		"sums len(low) lengths from plane 0, a multiple of 32.")
	low, offsets, n := pointer("low"), pointer("offsets"), length("low")
	base, none := w.everywhere(at(offsets, 0)), zero()
	lastWord := constant("lastWord", func(i int) byte { return byte(14 + i%2) })
	lastNumber := constant("lastNumber", func(i int) byte { return []byte{14, 15, 0x80, 0x80}[i%4] })
	loop(n, 32, func() {
		v, l, h, total := YMM(), YMM(), YMM(), YMM()
		VMOVDQU(at(low, 0), v)
		VPUNPCKLBW(none, v, l)
		VPUNPCKHBW(none, v, h)
		word.scan(l)
		word.scan(h)
		VPSHUFB(lastWord, l, total)
		VPADDW(total, h, h)
		VPSHUFB(lastNumber, h, total)
		add := w.carry(base, total)
		for i, row := range []VecVirtual{l, h} {
			for j, x := range widen([]VecVirtual{row, none}) {
				VPADDD(add, x, x)
				w.store(x, offsets, 2*i+j)
			}
		}
		ADDQ(U32(32), low)
		ADDQ(U32(128), offsets)
	}, nil)
}

// sum1of8 has no use for halves: VPSADBW adds up eight bytes, and where some of
// them are masked, that gives the sums of the first 1 to 4, or 5 to 8, at once.
func sum1of8() {
	w := w(8)
	kernel("sum1of8AVX2", "(offsets, low []byte)",
		"sums len(low) lengths from plane 0, a multiple of 32.")
	low, offsets, n := pointer("low"), pointer("offsets"), length("low")
	base, none := w.everywhere(at(offsets, 0)), zero()
	first := func(least int) func(i int) byte {
		return func(i int) byte { return -toByte(i%8 < least+i/8) }
	}
	masks := []VecVirtual{constant("first1to4", first(1)), constant("first5to8", first(5))}
	loop(n, 32, func() {
		for i := range 4 {
			v := w.everywhere(at(low, 8*i))
			for j, m := range masks {
				s := YMM()
				VPAND(m, v, s)
				VPSADBW(none, s, s)
				VPADDQ(base, s, s)
				VMOVDQU(s, at(offsets, 64*i+32*j+8))
			}
			VPSADBW(none, v, v)
			VPADDQ(v, base, base)
		}
		ADDQ(U32(32), low)
		ADDQ(U32(256), offsets)
	}, nil)
}
