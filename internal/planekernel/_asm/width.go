package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// w is the bytes of an offset, 4 or 8, and what depends on them.
type w int

// name is prefix32AVX2 or prefix64AVX2.
func (w w) name(prefix string) string { return fmt.Sprintf("%s%dAVX2", prefix, 8*w) }

func (w w) bits() int { return int(8 * w) }

// subtract gives from - what.
func (w w) subtract(what, from Op, to VecVirtual) {
	if w == 4 {
		VPSUBD(what, from, to)
	} else {
		VPSUBQ(what, from, to)
	}
}

// everywhere loads an offset to all places of a vector.
func (w w) everywhere(m Mem) VecVirtual {
	v := YMM()
	if w == 4 {
		VPBROADCASTD(m, v)
	} else {
		VPBROADCASTQ(m, v)
	}
	return v
}

// argument loads an argument of w bytes to all places of a vector.
func (w w) argument(name string) VecVirtual {
	x, v := XMM(), YMM()
	if w == 4 {
		VMOVD(Load(Param(name), GP32()), x)
		VPBROADCASTD(x, v)
	} else {
		VMOVQ(Load(Param(name), GP64()), x)
		VPBROADCASTQ(x, v)
	}
	return v
}

// last copies the last number of each half of a vector to all places there.
func (w w) last(v VecVirtual) VecVirtual {
	order := 0b11_11_11_11
	if w == 8 {
		order = 0b11_10_11_10
	}
	last := YMM()
	VPSHUFD(U8(order), v, last)
	return last
}

// scan makes each number of v the sum of those up to it in its half.
func (w w) scan(v VecVirtual) {
	t := YMM()
	for bytes := int(w); bytes < 16; bytes *= 2 {
		VPSLLDQ(U8(bytes), v, t)
		w.add(t, v, v)
	}
}

func (w w) add(a, b Op, to VecVirtual) {
	switch w {
	case 2:
		VPADDW(a, b, to)
	case 4:
		VPADDD(a, b, to)
	case 8:
		VPADDQ(a, b, to)
	}
}
