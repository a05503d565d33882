package planekernel

import "bytes"

// The generic kernels come in several sizes, named after the planes they handle:
// split1of4 writes plane 0 of the four that an int32 has, split4of4 writes them
// all. Most lengths in the world are below 256, and then plane 0 alone carries
// anything; the smaller kernels take a third of the time. Where not all entries
// are alike, which one to use is chosen anew for each block of them, so one long
// string in a column costs its own block and nothing else.
const (
	// group is a number of entries that every kernel which splits can handle
	// in full. They see whole groups only.
	group = 16

	// block is a number of entries small enough that one long length spoils
	// little, and large enough that the calls do not show. It is a multiple
	// of group, and block lengths below 1<<16 add up to less than 1<<31,
	// which low32, split1of4 and split2of4 rely on.
	block = 1024

	// chunk is the number of entries that unrolled loops take at once.
	chunk = 8
)

// swap16 swaps the odd 16-bit units of x with the even ones of y, and swap8 the
// odd bytes of x with the even ones of y. Byte 0 is the lowest. Together they
// turn a matrix of bytes over its diagonal, here two 4 by 4 ones at once, in
// the lower and the upper halves of a to d:
//
//	               a, c = swap16(a, c)  a, b = swap8(a, b)
//	               b, d = swap16(b, d)  c, d = swap8(c, d)
//	a  a0 a1 a2 a3     a0 a1 c0 c1          a0 b0 c0 d0
//	b  b0 b1 b2 b3     b0 b1 d0 d1          a1 b1 c1 d1
//	c  c0 c1 c2 c3     a2 a3 c2 c3          a2 b2 c2 d2
//	d  d0 d1 d2 d3     b2 b3 d2 d3          a3 b3 c3 d3
//
// With lengths 0 and 4 in a, 1 and 5 in b, 2 and 6 in c, 3 and 7 in d, the
// result is eight bytes of each of four planes; and the other way round, as
// doing it twice undoes it.
func swap16(x, y uint64) (uint64, uint64) {
	t := (x>>16 ^ y) & 0x0000FFFF0000FFFF
	return x ^ t<<16, y ^ t
}

func swap8(x, y uint64) (uint64, uint64) {
	t := (x>>8 ^ y) & 0x00FF00FF00FF00FF
	return x ^ t<<8, y ^ t
}

// allZero reports whether b holds nothing but zeros. It asks whether the first
// byte is zero and each other is like the one before it, because comparing
// slices is what the Go runtime has in assembly for every architecture.
func allZero(b []byte) bool {
	return len(b) == 0 || b[0] == 0 && bytes.Equal(b[1:], b[:len(b)-1])
}
