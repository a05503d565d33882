package planekernel

import "encoding/binary"

// Constant32 reports whether all lengths are the same, and which one, for at
// least two offsets of 4 bytes. It stops early where they are not.
func Constant32(offsets []byte) (length uint32, ok bool) {
	n := len(offsets)/4 - 1
	sum := binary.LittleEndian.Uint32(offsets)
	length = binary.LittleEndian.Uint32(offsets[4:]) - sum
	o := offsets
	// Where the last offset is in reach without passing 1<<32, two at a time
	// can be held against a word that grows by two lengths in each half.
	if uint64(sum)+uint64(n)*uint64(length) < 1<<32 {
		w := uint64(sum) | uint64(sum+length)<<32
		step := 2 * (uint64(length) | uint64(length)<<32)
		for len(o) >= 64 {
			p := (*[64]byte)(o)
			x := w + 4*step
			d := w ^ binary.LittleEndian.Uint64(p[0:])
			d |= (w + step) ^ binary.LittleEndian.Uint64(p[8:])
			d |= (w + 2*step) ^ binary.LittleEndian.Uint64(p[16:])
			d |= (w + 3*step) ^ binary.LittleEndian.Uint64(p[24:])
			d |= x ^ binary.LittleEndian.Uint64(p[32:])
			d |= (x + step) ^ binary.LittleEndian.Uint64(p[40:])
			d |= (x + 2*step) ^ binary.LittleEndian.Uint64(p[48:])
			d |= (x + 3*step) ^ binary.LittleEndian.Uint64(p[56:])
			if d != 0 {
				return 0, false
			}
			w = x + 4*step
			o = o[64:]
		}
		sum = uint32(w)
	}
	for ; len(o) >= 4; o = o[4:] {
		if binary.LittleEndian.Uint32(o) != sum {
			return 0, false
		}
		sum += length
	}
	return length, true
}

// Constant64 is Constant32 for offsets of 8 bytes.
func Constant64(offsets []byte) (length uint64, ok bool) {
	sum := binary.LittleEndian.Uint64(offsets)
	length = binary.LittleEndian.Uint64(offsets[8:]) - sum
	o := offsets
	for len(o) >= 64 {
		p := (*[64]byte)(o)
		x := sum + 4*length
		d := sum ^ binary.LittleEndian.Uint64(p[0:])
		d |= (sum + length) ^ binary.LittleEndian.Uint64(p[8:])
		d |= (sum + 2*length) ^ binary.LittleEndian.Uint64(p[16:])
		d |= (sum + 3*length) ^ binary.LittleEndian.Uint64(p[24:])
		d |= x ^ binary.LittleEndian.Uint64(p[32:])
		d |= (x + length) ^ binary.LittleEndian.Uint64(p[40:])
		d |= (x + 2*length) ^ binary.LittleEndian.Uint64(p[48:])
		d |= (x + 3*length) ^ binary.LittleEndian.Uint64(p[56:])
		if d != 0 {
			return 0, false
		}
		sum = x + 4*length
		o = o[64:]
	}
	for ; len(o) >= 8; o = o[8:] {
		if binary.LittleEndian.Uint64(o) != sum {
			return 0, false
		}
		sum += length
	}
	return length, true
}

// Fill32 writes the offsets of 4 bytes after the first one, all lengths being
// the given one.
func Fill32(offsets []byte, length uint32) {
	n := len(offsets)/4 - 1
	sum := binary.LittleEndian.Uint32(offsets)
	o := offsets[4:]
	if uint64(sum)+uint64(n)*uint64(length) < 1<<32 {
		w := uint64(sum+length) | uint64(sum+2*length)<<32
		step := 2 * (uint64(length) | uint64(length)<<32)
		for len(o) >= 64 {
			p := (*[64]byte)(o)
			x := w + 4*step
			binary.LittleEndian.PutUint64(p[0:], w)
			binary.LittleEndian.PutUint64(p[8:], w+step)
			binary.LittleEndian.PutUint64(p[16:], w+2*step)
			binary.LittleEndian.PutUint64(p[24:], w+3*step)
			binary.LittleEndian.PutUint64(p[32:], x)
			binary.LittleEndian.PutUint64(p[40:], x+step)
			binary.LittleEndian.PutUint64(p[48:], x+2*step)
			binary.LittleEndian.PutUint64(p[56:], x+3*step)
			w = x + 4*step
			o = o[64:]
		}
		sum = uint32(w) - length
	}
	for ; len(o) >= 4; o = o[4:] {
		sum += length
		binary.LittleEndian.PutUint32(o, sum)
	}
}

// Fill64 is Fill32 for offsets of 8 bytes.
func Fill64(offsets []byte, length uint64) {
	sum := binary.LittleEndian.Uint64(offsets)
	o := offsets[8:]
	for len(o) >= 64 {
		p := (*[64]byte)(o)
		x := sum + 4*length
		binary.LittleEndian.PutUint64(p[0:], sum+length)
		binary.LittleEndian.PutUint64(p[8:], sum+2*length)
		binary.LittleEndian.PutUint64(p[16:], sum+3*length)
		binary.LittleEndian.PutUint64(p[24:], x)
		sum = x + 4*length
		binary.LittleEndian.PutUint64(p[32:], x+length)
		binary.LittleEndian.PutUint64(p[40:], x+2*length)
		binary.LittleEndian.PutUint64(p[48:], x+3*length)
		binary.LittleEndian.PutUint64(p[56:], sum)
		o = o[64:]
	}
	for ; len(o) >= 8; o = o[8:] {
		sum += length
		binary.LittleEndian.PutUint64(o, sum)
	}
}
