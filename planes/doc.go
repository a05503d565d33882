// Package planes turns the offsets buffer of an Arrow array into the lengths
// that it stands for, in byte planes, and back. It knows bytes and widths, and
// nothing else of Arrow.
//
// An offsets buffer is a running sum. It never repeats, so a compressor finds
// nothing in it. The lengths behind it are small numbers and often the same
// one, and most of their bytes are zero; taken apart by significance, they are
// long runs.
//
// Offsets are w bytes wide, 4 or 8, and little-endian on every machine. An
// array of n >= 1 entries (Arrow's word would be the length of its field node)
// has n+1 of them. Here are five with w = 4, and a few bytes that follow:
//
//	offsets   100 | 105 | 108 | 108 | 412 | rest
//	lengths           5     3     0   304
//
//	          first offset
//	          |           plane 0
//	          |           |           plane 1
//	          |           |           |           plane 2
//	          |           |           |           |           plane 3
//	          64 00 00 00 05 03 00 30 00 00 00 01 00 00 00 00 00 00 00 00 rest
//	bytes     w           n           n           n           n
//
// Byte i of plane j is byte j, counted from the lowest, of (o[i+1] - o[i]) mod
// 2^(8w). The first offset and what follows the (n+1)*w bytes stay as they are,
// and so does the length of the buffer. With n = 0 there is nothing to rewrite,
// and a buffer of any length, none included, stays as it is.
//
// The rewriting is a bijection. It neither checks nor requires that the offsets
// mean anything: they may be negative, or go down, or be noise, and come back
// as the bits they were. Whoever joins planes that he does not trust has
// offsets that he must not trust.
//
// The functions come for widths of 32 and of 64 bits, from one buffer to
// another or in place. All of them allocate nothing unless they fail, keep
// nothing, and may run at the same time on different buffers.
package planes
