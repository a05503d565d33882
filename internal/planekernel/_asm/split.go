package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Every split takes 32 entries at a time: the bytes of one plane fill a vector.

// low writes plane 0 and ORs the lengths.
func (w w) low() {
	kernel(w.name("low"),
		fmt.Sprintf("(low, offsets []byte, stop uint%d) (done int, or uint%d)", w.bits(), w.bits()),
		"writes plane 0 of len(low) lengths, a multiple of 32, up to the first 32 lengths among",
		"which there is a bit of stop. It returns how many it wrote, and the OR of their lengths.")
	low, offsets, n := pointer("low"), pointer("offsets"), length("low")
	stop, or, bytes := w.argument("stop"), zero(), YMM()
	VPCMPEQD(bytes, bytes, bytes)
	VPSRLD(U8(24), bytes, bytes)
	restore := w.order()

	loop(n, 32, func() {
		v := w.lengths(offsets)
		all := anyOf(v)
		VPTEST(stop, all)
		JNZ(LabelRef("done"))
		VPOR(all, or, or)

		if w == 8 {
			v = lowHalves(v)
		}
		for _, l := range v {
			VPAND(bytes, l, l)
		}
		VPACKUSDW(v[1], v[0], v[0])
		VPACKUSDW(v[3], v[2], v[2])
		VPACKUSWB(v[2], v[0], v[0])
		restore(v[0])
		VMOVDQU(v[0], at(low, 0))
		ADDQ(U32(32), low)
		ADDQ(U32(32*w), offsets)
	}, func() {
		done := length("low")
		SUBQ(n, done)
		Store(done, Return("done"))

		x, y := XMM(), XMM()
		VEXTRACTI128(U8(1), or, x)
		VPOR(or.AsX(), x, x)
		VPSHUFD(U8(0b01_00_11_10), x, y)
		VPOR(y, x, x)
		if w == 8 {
			r := GP64()
			VMOVQ(x, r)
			Store(r, Return("or"))
			return
		}
		VPSHUFD(U8(0b10_11_00_01), x, y)
		VPOR(y, x, x)
		r := GP32()
		VMOVD(x, r)
		Store(r, Return("or"))
	})
}

// lengths subtracts each of 32 offsets from the one behind it.
func (w w) lengths(offsets Register) []VecVirtual {
	v := ymm(int(w))
	for i, l := range v {
		VMOVDQU(at(offsets, 32*i+int(w)), l)
		w.subtract(at(offsets, 32*i), l, l)
	}
	return v
}

// lowHalves and highHalves take the halves of 32 lengths of 64 bits.
func lowHalves(v []VecVirtual) []VecVirtual  { return halves(v, 0b10_00_10_00) }
func highHalves(v []VecVirtual) []VecVirtual { return halves(v, 0b11_01_11_01) }

func halves(v []VecVirtual, which int) []VecVirtual {
	h := ymm(len(v) / 2)
	for i := range h {
		VSHUFPS(U8(which), v[2*i+1], v[2*i], h[i])
	}
	return h
}

// order gives a function that puts the bytes of one plane in order. What brought
// them together works within the halves of a vector, and so the entries are at
//
//	32 bits   0-3 8-11 16-19 24-27 | 4-7 12-15 20-23 28-31
//	64 bits   0-1 4-5 8-9 ... 28-29 | 2-3 6-7 10-11 ... 30-31
func (w w) order() func(v VecVirtual) {
	if w == 4 {
		order := constant(fmt.Sprint("order", w.bits()), func(i int) byte {
			return []byte{0, 4, 1, 5, 2, 6, 3, 7}[i/4] * toByte(i%4 == 0)
		})
		return func(v VecVirtual) { VPERMD(v, order, v) }
	}
	order := constant(fmt.Sprint("order", w.bits()), func(i int) byte {
		return byte(i%16/4*2 + i%2 + i%4/2*8)
	})
	return func(v VecVirtual) {
		VPERMQ(U8(0b11_01_10_00), v, v)
		VPSHUFB(order, v, v)
	}
}

func toByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// split writes all planes.
func (w w) split() {
	kernel(w.name("split"), fmt.Sprintf("(p *[%d][]byte, from, to int, offsets []byte)", w),
		"writes entries from to to, a multiple of 32 apart, of all planes. offsets are theirs.")
	p, offsets := w.planes(int(w)), pointer("offsets")
	i, n := Load(Param("from"), GP64()), Load(Param("to"), GP64())
	SUBQ(i, n)
	transpose, restore := transposing(), w.order()
	loop(n, 32, func() {
		store := func(v []VecVirtual, p []Register) {
			for j, v := range transpose(v) {
				restore(v)
				VMOVDQU(v, Mem{Base: p[j], Index: i, Scale: 1})
			}
		}
		v := w.lengths(offsets)
		if w == 8 {
			high := highHalves(v)
			v = lowHalves(v)
			store(v, p[:4])
			store(high, p[4:])
		} else {
			store(v, p)
		}
		ADDQ(U32(32), i)
		ADDQ(U32(32*w), offsets)
	}, nil)
}

// planes loads where the first planes are.
func (w w) planes(n int) []Register {
	array := Load(Param("p"), GP64())
	var p []Register
	for i := range n {
		r := GP64()
		MOVQ(at(array, 24*i), r)
		p = append(p, r)
	}
	return p
}

// transposing gives a function that turns four vectors of 32-bit numbers into four
// of their bytes, the lowest first. With the letters a to d for the lowest to
// the highest byte, and numbers counted within one vector, each half becomes
//
//	a0 a1 a2 a3 b0 b1 b2 b3 c0 c1 c2 c3 d0 d1 d2 d3    in each vector by itself
//	a of the first two vectors, b of them              c, d in a second vector
//	a of all four vectors                              b, c, d in three more
func transposing() func(v []VecVirtual) []VecVirtual {
	gather := constant("gather", func(i int) byte { return byte(i%4*4 + i%16/4) })
	return func(v []VecVirtual) []VecVirtual {
		for _, x := range v {
			VPSHUFB(gather, x, x)
		}
		t, p := ymm(4), ymm(4)
		VPUNPCKLDQ(v[1], v[0], t[0])
		VPUNPCKHDQ(v[1], v[0], t[1])
		VPUNPCKLDQ(v[3], v[2], t[2])
		VPUNPCKHDQ(v[3], v[2], t[3])
		VPUNPCKLQDQ(t[2], t[0], p[0])
		VPUNPCKHQDQ(t[2], t[0], p[1])
		VPUNPCKLQDQ(t[3], t[1], p[2])
		VPUNPCKHQDQ(t[3], t[1], p[3])
		return p
	}
}
