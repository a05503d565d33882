package planekernel

import "encoding/binary"

// low32 is Low32 for entries that no machine took.
func low32(low, offsets []byte) (or uint32) {
	n := len(low)
	for i := 0; i < n; i += block {
		end := min(i+block, n)
		or |= low32Block(low[i:end], offsets[4*i:4*end+4])
	}
	return or
}

// low32Block does one block.
//
// Two offsets are subtracted at once, in the halves of a uint64, which is exact
// unless the lower half borrows. Where all lengths so far were below 1<<8, the
// first borrow can only come with a length that passes 1<<32, and from below
// 1<<31 that takes one of more than 8 bits. So the result tells whether all are
// below 1<<8, and if not, the block is done again.
func low32Block(low, offsets []byte) (or uint32) {
	if binary.LittleEndian.Uint32(offsets) < 1<<31 {
		p, o := low, offsets
		var all uint64
		for len(p) >= chunk && len(o) >= 4*chunk+4 {
			q := (*[4*chunk + 4]byte)(o)
			d01 := binary.LittleEndian.Uint64(q[4:]) - binary.LittleEndian.Uint64(q[0:])
			d23 := binary.LittleEndian.Uint64(q[12:]) - binary.LittleEndian.Uint64(q[8:])
			d45 := binary.LittleEndian.Uint64(q[20:]) - binary.LittleEndian.Uint64(q[16:])
			d67 := binary.LittleEndian.Uint64(q[28:]) - binary.LittleEndian.Uint64(q[24:])
			x, y := d01|d23<<16, d45|d67<<16
			all |= d01 | d23 | d45 | d67
			// Bytes 0, 4, 2 and 6 of x and y are the four lengths of each.
			binary.LittleEndian.PutUint64(p, uint64(uint32(x|x>>24))|(y|y>>24)<<32)
			p, o = p[chunk:], o[4*chunk:]
		}
		or = uint32(all) | uint32(all>>32)
		if or < 1<<8 {
			return or | low32Slow(p, o)
		}
	}
	return low32Slow(low, offsets)
}

func low32Slow(low, offsets []byte) (or uint32) {
	if len(low) == 0 {
		return 0
	}
	n := len(low)
	offsets = offsets[:4*n+4]
	last := binary.LittleEndian.Uint32(offsets)
	for i := range low {
		o := binary.LittleEndian.Uint32(offsets[4*i+4:])
		l := o - last
		last = o
		or |= l
		low[i] = byte(l)
	}
	return or
}

// low64 is Low64 for entries that no machine took.
func low64(low, offsets []byte) (or uint64) {
	p, o := low, offsets
	for len(p) >= chunk && len(o) >= 8*chunk+8 {
		q := (*[8*chunk + 8]byte)(o)
		o0, o1 := binary.LittleEndian.Uint64(q[0:]), binary.LittleEndian.Uint64(q[8:])
		o2, o3 := binary.LittleEndian.Uint64(q[16:]), binary.LittleEndian.Uint64(q[24:])
		o4, o5 := binary.LittleEndian.Uint64(q[32:]), binary.LittleEndian.Uint64(q[40:])
		o6, o7 := binary.LittleEndian.Uint64(q[48:]), binary.LittleEndian.Uint64(q[56:])
		o8 := binary.LittleEndian.Uint64(q[64:])
		l0, l1, l2, l3 := o1-o0, o2-o1, o3-o2, o4-o3
		l4, l5, l6, l7 := o5-o4, o6-o5, o7-o6, o8-o7
		or |= l0 | l1 | l2 | l3 | l4 | l5 | l6 | l7
		r := (*[chunk]byte)(p)
		r[0], r[1], r[2], r[3] = byte(l0), byte(l1), byte(l2), byte(l3)
		r[4], r[5], r[6], r[7] = byte(l4), byte(l5), byte(l6), byte(l7)
		p, o = p[chunk:], o[8*chunk:]
	}
	for i := range p {
		l := binary.LittleEndian.Uint64(o[8*i+8:]) - binary.LittleEndian.Uint64(o[8*i:])
		or |= l
		p[i] = byte(l)
	}
	return or
}
