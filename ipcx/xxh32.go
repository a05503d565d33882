package ipcx

import (
	"encoding/binary"
	"math/bits"
)

// xxh32 returns the 32-bit xxHash with seed 0 of p:
// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
func xxh32(p []byte) uint32 {
	const (
		prime1 = 0x9E3779B1
		prime2 = 0x85EBCA77
		prime3 = 0xC2B2AE3D
		prime4 = 0x27D4EB2F
		prime5 = 0x165667B1
		first  = (prime1 + prime2) & 0xFFFFFFFF // of the lanes that start from a seed
		last   = 1<<32 - prime1
	)
	lane := func(acc uint32, p []byte) uint32 {
		return bits.RotateLeft32(acc+binary.LittleEndian.Uint32(p)*prime2, 13) * prime1
	}
	n, h := uint32(len(p)), uint32(prime5)
	if len(p) >= 16 {
		a, b, c, d := uint32(first), uint32(prime2), uint32(0), uint32(last)
		for ; len(p) >= 16; p = p[16:] {
			a, b, c, d = lane(a, p), lane(b, p[4:]), lane(c, p[8:]), lane(d, p[12:])
		}
		h = bits.RotateLeft32(a, 1) + bits.RotateLeft32(b, 7) + bits.RotateLeft32(c, 12) + bits.RotateLeft32(d, 18)
	}
	h += n
	for ; len(p) >= 4; p = p[4:] {
		h = bits.RotateLeft32(h+binary.LittleEndian.Uint32(p)*prime3, 17) * prime4
	}
	for _, b := range p {
		h = bits.RotateLeft32(h+uint32(b)*prime5, 11) * prime1
	}
	h = (h ^ h>>15) * prime2
	h = (h ^ h>>13) * prime3
	return h ^ h>>16
}
