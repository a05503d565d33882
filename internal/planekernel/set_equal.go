package planekernel

import "encoding/binary"

// Fill32 writes the offsets of 4 bytes after the first one, all lengths being
// the given one. offsets holds (n+1)*4 bytes and no more.
func Fill32(offsets []byte, length uint32) { fastest.Fill32(offsets, length) }

// Fill32 is the function [Fill32].
func (s Set) Fill32(offsets []byte, length uint32) {
	done := s.machine.fill32(offsets, len(offsets)/4-1, length)
	fill32(offsets[4*done:], length)
}

// Fill64 is [Fill32] for offsets of 8 bytes.
func Fill64(offsets []byte, length uint64) { fastest.Fill64(offsets, length) }

// Fill64 is the function [Fill64].
func (s Set) Fill64(offsets []byte, length uint64) {
	done := s.machine.fill64(offsets, len(offsets)/8-1, length)
	fill64(offsets[8*done:], length)
}

// Constant32 reports whether all lengths are the same, and which one, for at
// least two offsets of 4 bytes: n is 1 or more. It stops early where they are
// not. offsets holds (n+1)*4 bytes and no more.
func Constant32(offsets []byte) (length uint32, ok bool) { return fastest.Constant32(offsets) }

// Constant32 is the function [Constant32].
func (s Set) Constant32(offsets []byte) (length uint32, ok bool) {
	length = binary.LittleEndian.Uint32(offsets[4:]) - binary.LittleEndian.Uint32(offsets)
	done, ok := s.machine.constant32(offsets, len(offsets)/4-1, length)
	if !ok || !constant32(offsets[4*done:], length) {
		return 0, false
	}
	return length, true
}

// Constant64 is [Constant32] for offsets of 8 bytes.
func Constant64(offsets []byte) (length uint64, ok bool) { return fastest.Constant64(offsets) }

// Constant64 is the function [Constant64].
func (s Set) Constant64(offsets []byte) (length uint64, ok bool) {
	length = binary.LittleEndian.Uint64(offsets[8:]) - binary.LittleEndian.Uint64(offsets)
	done, ok := s.machine.constant64(offsets, len(offsets)/8-1, length)
	if !ok || !constant64(offsets[8*done:], length) {
		return 0, false
	}
	return length, true
}
