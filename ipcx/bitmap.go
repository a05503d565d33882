package ipcx

import (
	"encoding/binary"
	"iter"
	"math/bits"
)

// nullRuns gives, in order, the runs of clear bits among the first n of a bitmap,
// which has them all: from the first bit of a run to the one after its last. A
// run may end at a multiple of 64 and go on in the next.
func nullRuns(bitmap []byte, n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for base := 0; base < n; base += 64 {
			nulls := ^bitWord(bitmap, base/8)
			if rest := n - base; rest < 64 {
				nulls &= 1<<rest - 1
			}
			for nulls != 0 {
				from := bits.TrailingZeros64(nulls)
				length := bits.TrailingZeros64(^(nulls >> from))
				if !yield(base+from, base+from+length) {
					return
				}
				nulls &^= (1<<length - 1) << from
			}
		}
	}
}

// bitWord returns the 64 bits from byte at on, zeros behind the end.
func bitWord(bitmap []byte, at int) uint64 {
	if at+8 <= len(bitmap) {
		return binary.LittleEndian.Uint64(bitmap[at:])
	}
	var word [8]byte
	copy(word[:], bitmap[at:])
	return binary.LittleEndian.Uint64(word[:])
}

// spread fills dst with a bitmap that has size bits for each of the first n of
// bitmap.
func spread(dst, bitmap []byte, n, size int) []byte {
	for i := range dst {
		dst[i] = 0xFF
	}
	for from, to := range nullRuns(bitmap, n) {
		clearBits(dst, from*size, to*size)
	}
	return dst
}

// clearBits clears the bits of p below to, from the bit from on.
func clearBits(p []byte, from, to int) {
	first, last := from/8, to/8
	head, tail := byte(1)<<(from%8)-1, byte(1)<<(to%8)-1 // what stays in front, and what goes behind
	if first == last {
		p[first] &= head | ^tail
		return
	}
	p[first] &= head
	clear(p[first+1 : last])
	if tail != 0 {
		p[last] &^= tail
	}
}

// anyBitOutside says whether any of the first n bits of p is set that is not in
// mask.
func anyBitOutside(p, mask []byte, n int) bool {
	for base := 0; base < n; base += 64 {
		outside := bitWord(p, base/8) &^ bitWord(mask, base/8)
		if rest := n - base; rest < 64 {
			outside &= 1<<rest - 1
		}
		if outside != 0 {
			return true
		}
	}
	return false
}

// keepBits clears those of the first n bits of p that are not in mask.
func keepBits(p, mask []byte, n int) {
	whole := n / 8
	for i := range whole {
		p[i] &= mask[i]
	}
	if rest := n % 8; rest != 0 {
		p[whole] &= mask[whole] | ^(1<<rest - 1)
	}
}

// isZero says whether all of p is zero.
func isZero(p []byte) bool {
	for len(p) >= 8 {
		if binary.LittleEndian.Uint64(p) != 0 {
			return false
		}
		p = p[8:]
	}
	for _, b := range p {
		if b != 0 {
			return false
		}
	}
	return true
}
