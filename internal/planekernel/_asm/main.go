// Command _asm writes the AVX2 kernels of package planekernel and the Go
// declarations that go with them. It is a module of its own, so that avo is no
// dependency of anybody who uses the kernels.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64,!purego")
	for _, width := range []int{4, 8} {
		w := w(width)
		w.low()
		w.split()
		w.sum(2)
		w.sum(width)
		w.fill()
		w.constant()
	}
	sum1of4()
	sum1of8()
	isZero()
	clearAll()
	Generate()
}

// kernel starts a function. Its slices are named in its signature.
func kernel(name, signature string, doc ...string) {
	TEXT(name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(append([]string{name + " " + doc[0]}, doc[1:]...)...)
}

// pointer and length load what a slice argument has of them.
func pointer(slice string) Register { return Load(Param(slice).Base(), GP64()) }
func length(slice string) Register  { return Load(Param(slice).Len(), GP64()) }

// at is the byte i of what base points at.
func at(base Register, i int) Mem { return Mem{Base: base, Disp: i} }

func ymm(n int) []VecVirtual {
	v := make([]VecVirtual, n)
	for i := range v {
		v[i] = YMM()
	}
	return v
}

// constants are those that there are already.
var constants = map[string]Mem{}

// constant loads a vector that stands in memory.
func constant(name string, bytes func(i int) byte) VecVirtual {
	data, ok := constants[name]
	if !ok {
		data = GLOBL(name, RODATA|NOPTR)
		constants[name] = data
		for i := range 32 {
			DATA(i, U8(bytes(i)))
		}
	}
	v := YMM()
	VMOVDQU(data, v)
	return v
}

func zero() VecVirtual {
	v := YMM()
	VPXOR(v, v, v)
	return v
}

// anyOf ORs vectors. They stay as they are.
func anyOf(v []VecVirtual) VecVirtual {
	or := ymm(len(v) / 2)
	for i := range or {
		VPOR(v[2*i], v[2*i+1], or[i])
	}
	if len(or) == 1 {
		return or[0]
	}
	return anyOf(or)
}

// loop runs body for as long as n is step or more, and takes step off it each
// time. The body may jump to the label "done". What done writes comes after it.
func loop(n Register, step int, body, done func()) {
	Label("loop")
	CMPQ(n, U32(step))
	JB(LabelRef("done"))
	body()
	SUBQ(U32(step), n)
	JMP(LabelRef("loop"))
	Label("done")
	if done != nil {
		done()
	}
	VZEROUPPER()
	RET()
}

// isZero looks at 128 bytes at a time.
func isZero() {
	kernel("isZeroAVX2", "(b []byte) bool",
		"reports whether all of b is zero; its length is a multiple of 128.")
	b, n := pointer("b"), length("b")
	loop(n, 128, func() {
		v := ymm(2)
		VMOVDQU(at(b, 0), v[0])
		VMOVDQU(at(b, 32), v[1])
		VPOR(at(b, 64), v[0], v[0])
		VPOR(at(b, 96), v[1], v[1])
		VPOR(v[0], v[1], v[0])
		VPTEST(v[0], v[0])
		JNZ(LabelRef("done"))
		ADDQ(U32(128), b)
	}, func() {
		zero := GP8()
		TESTQ(n, n)
		SETEQ(zero)
		Store(zero, ReturnIndex(0))
	})
}

// clearAll writes 128 bytes at a time.
func clearAll() {
	kernel("clearAVX2", "(b []byte)", "writes zeros to all of b; its length is a multiple of 128.")
	b, n, none := pointer("b"), length("b"), zero()
	loop(n, 128, func() {
		for i := range 4 {
			VMOVDQU(none, at(b, 32*i))
		}
		ADDQ(U32(128), b)
	}, nil)
}
