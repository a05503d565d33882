package planekernel

import "encoding/binary"

// constant32 reports whether all lengths are the given one.
func constant32(offsets []byte, length uint32) bool {
	n := len(offsets)/4 - 1
	sum := binary.LittleEndian.Uint32(offsets)
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
				return false
			}
			w = x + 4*step
			o = o[64:]
		}
		sum = uint32(w)
	}
	for ; len(o) >= 4; o = o[4:] {
		if binary.LittleEndian.Uint32(o) != sum {
			return false
		}
		sum += length
	}
	return true
}

// constant64 is constant32 for offsets of 8 bytes.
func constant64(offsets []byte, length uint64) bool {
	sum := binary.LittleEndian.Uint64(offsets)
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
			return false
		}
		sum = x + 4*length
		o = o[64:]
	}
	for ; len(o) >= 8; o = o[8:] {
		if binary.LittleEndian.Uint64(o) != sum {
			return false
		}
		sum += length
	}
	return true
}

// fill32 is Fill32 for entries that no machine took.
func fill32(offsets []byte, length uint32) {
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

// fill64 is fill32 for offsets of 8 bytes.
func fill64(offsets []byte, length uint64) {
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
