package planeframe

import (
	"encoding/binary"

	"github.com/klauspost/compress/huff0"
)

const (
	// leastBytes is the length of a buffer that is worth looking at.
	leastBytes = 1 << 10

	// windows is how many stretches of a buffer are looked at, of at most
	// windowMost bytes each.
	windows    = 4
	windowMost = 512

	// stretch is how many bytes have to be there again. With what it says of
	// where and how long, a match of fewer costs about what they do as literals.
	stretch = 6

	nearBits = 11
)

// AppendBytes appends to dst the frame of any bytes, coded as literals alone, and
// returns the result. It is not ok, and dst is what it was, for bytes that are
// few, or that have stretches which are there again and again: an ordinary encoder
// does better with those. With the others, which are numbers and random text
// mostly, it searches for a long time and finds nothing.
//
// What is said of the length of [Encoder.Append]'s frames holds here too. src is
// only read, and not kept.
func (e *Encoder) AppendBytes(dst, src []byte) (frame []byte, ok bool) {
	if len(src) < leastBytes || e.repetitive(src) {
		return dst, false
	}
	w := writer{dst: appendHeader(dst, len(src))}
	e.huffman.Reuse = huff0.ReusePolicyNone
	for i := 0; i < len(src); i += literalsBlock {
		e.entropy(&w, src[i:min(i+literalsBlock, len(src))], i > 0)
	}
	return w.close(), true
}

// repetitive says whether more than one place in a hundred of some stretches of p is
// the start of something that was there before.
func (e *Encoder) repetitive(p []byte) bool {
	size := min(len(p)/(2*windows), windowMost)
	e.near = [1 << nearBits]uint32{}
	found := 0
	for i := range windows {
		from := i * (len(p) - size) / (windows - 1)
		for at := from; at+8 <= from+size; at++ {
			const mask = 1<<(8*stretch) - 1
			here := binary.LittleEndian.Uint64(p[at:]) & mask
			slot := &e.near[here*0x9E3779B97F4A7C15>>(64-nearBits)]
			if was := int(*slot); was > 0 && binary.LittleEndian.Uint64(p[was-1:])&mask == here {
				if found++; found*100 > windows*size {
					return true
				}
			}
			*slot = uint32(at) + 1
		}
	}
	return false
}
