package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Where all lengths are the same one, a vector of offsets is the one before it
// plus a vector of steps.

// fill writes the offsets of equal lengths.
func (w w) fill() {
	kernel(w.name("fill"), fmt.Sprintf("(offsets []byte, n int, length uint%d)", w.bits()),
		"sums n times length, n being a multiple of 32.")
	offsets, n := pointer("offsets"), Load(Param("n"), GP64())
	v, step := w.equal(offsets)
	loop(n, 32, func() {
		for i := range int(w) {
			VMOVDQU(v, at(offsets, 32*i+int(w)))
			w.add(step, v, v)
		}
		ADDQ(U32(32*w), offsets)
	}, nil)
}

// constant compares offsets with those of equal lengths.
func (w w) constant() {
	kernel(w.name("constant"), fmt.Sprintf("(offsets []byte, n int, length uint%d) bool", w.bits()),
		"reports whether n lengths, a multiple of 32, are all the same one. It stops at the first",
		"32 that are not.")
	offsets, n := pointer("offsets"), Load(Param("n"), GP64())
	v, step := w.equal(offsets)
	loop(n, 32, func() {
		differ := ymm(int(w))
		for i, d := range differ {
			VPXOR(at(offsets, 32*i+int(w)), v, d)
			w.add(step, v, v)
		}
		any := anyOf(differ)
		VPTEST(any, any)
		JNZ(LabelRef("done"))
		ADDQ(U32(32*w), offsets)
	}, func() {
		same := GP8()
		TESTQ(n, n)
		SETEQ(same)
		Store(same, ReturnIndex(0))
	})
}

// equal gives the first vector of offsets after the first one, and the step to
// the next vector.
func (w w) equal(offsets Register) (v, step VecVirtual) {
	v, step = w.argument("length"), YMM()
	w.scan(v)
	half := w.last(v)
	w.add(half, half, step)
	VPERM2I128(U8(0x08), half, half, half)
	w.add(half, v, v)
	w.add(w.everywhere(at(offsets, 0)), v, v)
	return v, step
}
