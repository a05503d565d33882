package planekernel

import "encoding/binary"

// split32 is Split32 for entries from on; those before are done. It reports
// whether planes 1 to 3 are written, which it takes over as it stands.
func split32(p *[4][]byte, from int, offsets []byte, wroteHigh bool) bool {
	p0, p1, p2, p3 := p[0], p[1], p[2], p[3]
	n := len(p0)
	groups := n - (n-from)%group
	for i := from; i < groups; i += block {
		end := min(i+block, groups)
		one := i + split1of4(p0[i:end], offsets[4*i:4*end+4])
		if one == end && !wroteHigh {
			continue
		}
		zero := i
		if !wroteHigh {
			zero, wroteHigh = 0, true
		}
		clear(p1[zero:one])
		two := one + split2of4(p0[one:end], p1[one:end], offsets[4*one:4*end+4])
		clear(p2[zero:two])
		clear(p3[zero:two])
		split4of4(p0[two:end], p1[two:end], p2[two:end], p3[two:end], offsets[4*two:4*end+4])
	}

	// All that is left is read before any of it is overwritten.
	var lengths [group]uint32
	var all uint32
	for i := groups; i < n; i++ {
		l := binary.LittleEndian.Uint32(offsets[4*i+4:]) - binary.LittleEndian.Uint32(offsets[4*i:])
		lengths[i-groups] = l
		all |= l
	}
	if all >= 1<<8 && !wroteHigh {
		wroteHigh = true
		clear(p1[:groups])
		clear(p2[:groups])
		clear(p3[:groups])
	}
	for i := groups; i < n; i++ {
		l := lengths[i-groups]
		p0[i] = byte(l)
		if wroteHigh {
			p1[i], p2[i], p3[i] = byte(l>>8), byte(l>>16), byte(l>>24)
		}
	}
	return wroteHigh
}

// cut32 gives the four planes of n entries that lie in low and high.
func cut32(low, high []byte) [4][]byte {
	n := len(low)
	return [4][]byte{low, high[:n], high[n : 2*n], high[2*n : 3*n]}
}

// split1of4 writes plane 0 for as long as all lengths of a group are below
// 1<<8, and returns for how many entries that was.
//
// Two offsets are subtracted at once, in the halves of a uint64. That is exact
// unless the lower half borrows, and as long as the lengths are small, it can
// only borrow where the offsets pass 1<<32. From below 1<<31 one block of small
// lengths does not get there.
func split1of4(p0, offsets []byte) int {
	n := len(p0)
	if binary.LittleEndian.Uint32(offsets) >= 1<<31 {
		return 0
	}
	for len(p0) >= 16 && len(offsets) >= 68 {
		o := (*[68]byte)(offsets)
		d01 := binary.LittleEndian.Uint64(o[4:]) - binary.LittleEndian.Uint64(o[0:])
		d23 := binary.LittleEndian.Uint64(o[12:]) - binary.LittleEndian.Uint64(o[8:])
		d45 := binary.LittleEndian.Uint64(o[20:]) - binary.LittleEndian.Uint64(o[16:])
		d67 := binary.LittleEndian.Uint64(o[28:]) - binary.LittleEndian.Uint64(o[24:])
		d89 := binary.LittleEndian.Uint64(o[36:]) - binary.LittleEndian.Uint64(o[32:])
		dAB := binary.LittleEndian.Uint64(o[44:]) - binary.LittleEndian.Uint64(o[40:])
		dCD := binary.LittleEndian.Uint64(o[52:]) - binary.LittleEndian.Uint64(o[48:])
		dEF := binary.LittleEndian.Uint64(o[60:]) - binary.LittleEndian.Uint64(o[56:])
		if (d01|d23|d45|d67|d89|dAB|dCD|dEF)&0xFFFFFF00FFFFFF00 != 0 {
			break
		}
		p := (*[16]byte)(p0)
		binary.LittleEndian.PutUint32(p[0:], gather(d01|d23<<16))
		binary.LittleEndian.PutUint32(p[4:], gather(d45|d67<<16))
		binary.LittleEndian.PutUint32(p[8:], gather(d89|dAB<<16))
		binary.LittleEndian.PutUint32(p[12:], gather(dCD|dEF<<16))
		p0, offsets = p0[16:], offsets[64:]
	}
	return n - len(p0)
}

// gather takes four bytes that lie at bytes 0, 4, 2 and 6 of x, the others
// being zero, to bytes 0, 1, 2 and 3.
func gather(x uint64) uint32 {
	return uint32(x | x>>24)
}

// split2of4 writes planes 0 and 1 for as long as all lengths of a group are
// below 1<<16, and returns for how many entries that was. What split1of4 says
// of borrows holds here too.
func split2of4(p0, p1, offsets []byte) int {
	n := len(p0)
	if binary.LittleEndian.Uint32(offsets) >= 1<<31 {
		return 0
	}
	p0, p1 = p0[:n:n], p1[:n:n]
	i := 0
	for ; i+8 <= n && len(offsets) >= 36; i += 8 {
		o := (*[36]byte)(offsets)
		d01 := binary.LittleEndian.Uint64(o[4:]) - binary.LittleEndian.Uint64(o[0:])
		d23 := binary.LittleEndian.Uint64(o[12:]) - binary.LittleEndian.Uint64(o[8:])
		d45 := binary.LittleEndian.Uint64(o[20:]) - binary.LittleEndian.Uint64(o[16:])
		d67 := binary.LittleEndian.Uint64(o[28:]) - binary.LittleEndian.Uint64(o[24:])
		if (d01|d23|d45|d67)&0xFFFF0000FFFF0000 != 0 {
			break
		}
		const evenBytes = 0x00FF00FF00FF00FF
		d0213, d4657 := d01|d23<<16, d45|d67<<16
		q0, q1 := p0[i:i+8:i+8], p1[i:i+8:i+8]
		binary.LittleEndian.PutUint32(q0[0:], gather(d0213&evenBytes))
		binary.LittleEndian.PutUint32(q0[4:], gather(d4657&evenBytes))
		binary.LittleEndian.PutUint32(q1[0:], gather(d0213>>8&evenBytes))
		binary.LittleEndian.PutUint32(q1[4:], gather(d4657>>8&evenBytes))
		offsets = offsets[32:]
	}
	return i
}

// split4of4 writes all four planes of lengths of any size.
func split4of4(p0, p1, p2, p3, offsets []byte) {
	n := len(p0)
	p0, p1, p2, p3 = p0[:n:n], p1[:n:n], p2[:n:n], p3[:n:n]
	for i := 0; i+8 <= n && len(offsets) >= 36; i += 8 {
		o := (*[36]byte)(offsets)
		o0 := binary.LittleEndian.Uint32(o[0:])
		o1 := binary.LittleEndian.Uint32(o[4:])
		o2 := binary.LittleEndian.Uint32(o[8:])
		o3 := binary.LittleEndian.Uint32(o[12:])
		o4 := binary.LittleEndian.Uint32(o[16:])
		o5 := binary.LittleEndian.Uint32(o[20:])
		o6 := binary.LittleEndian.Uint32(o[24:])
		o7 := binary.LittleEndian.Uint32(o[28:])
		o8 := binary.LittleEndian.Uint32(o[32:])
		a := uint64(o1-o0) | uint64(o5-o4)<<32
		b := uint64(o2-o1) | uint64(o6-o5)<<32
		c := uint64(o3-o2) | uint64(o7-o6)<<32
		d := uint64(o4-o3) | uint64(o8-o7)<<32
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		binary.LittleEndian.PutUint64(p0[i:i+8:i+8], a)
		binary.LittleEndian.PutUint64(p1[i:i+8:i+8], b)
		binary.LittleEndian.PutUint64(p2[i:i+8:i+8], c)
		binary.LittleEndian.PutUint64(p3[i:i+8:i+8], d)
		offsets = offsets[32:]
	}
}
