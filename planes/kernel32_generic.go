package planes

import "encoding/binary"

// splitKernel32 turns the n+1 offsets into low, plane 0, and high, planes 1 to
// 3, where n = len(low), len(high) = 3*n and len(offsets) = 4*(n+1).
//
// It reports whether it wrote high. When it did not, all of high belongs to be
// zero and the caller sees to that: in place, that saves the way through the
// scratch.
//
// low may lie over offsets from their second on, which is where plane 0 goes
// when a buffer is split in place: what is read next always lies behind what
// was written. high lies apart.
func splitKernel32(low, high, offsets []byte) (wroteHigh bool) {
	n := len(low)
	p0, p1, p2, p3 := low, high[:n], high[n:2*n], high[2*n:3*n]
	groups := n &^ (group - 1)
	for i := 0; i < groups; i += block {
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

// joinKernel32 turns low and high, as splitKernel32 makes them, into the
// offsets after the first, which stands in offsets already. high may be nil
// instead of all zeros. The three lie apart.
func joinKernel32(offsets, low, high []byte) {
	n := len(low)
	groups := n &^ (group - 1)
	if high == nil {
		join1of4(offsets[:4*groups+4], low[:groups])
		sum := binary.LittleEndian.Uint32(offsets[4*groups:])
		for i := groups; i < n; i++ {
			sum += uint32(low[i])
			binary.LittleEndian.PutUint32(offsets[4*i+4:], sum)
		}
		return
	}
	p0, p1, p2, p3 := low, high[:n], high[n:2*n], high[2*n:3*n]
	for i := 0; i < groups; i += block {
		end := min(i+block, groups)
		o, q0, q1, q2, q3 := offsets[4*i:4*end+4], p0[i:end], p1[i:end], p2[i:end], p3[i:end]
		switch {
		case !allZero(q2) || !allZero(q3):
			join4of4(o, q0, q1, q2, q3)
		case !allZero(q1):
			join2of4(o, q0, q1)
		default:
			join1of4(o, q0)
		}
	}
	sum := binary.LittleEndian.Uint32(offsets[4*groups:])
	for i := groups; i < n; i++ {
		sum += uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
		binary.LittleEndian.PutUint32(offsets[4*i+4:], sum)
	}
}

// join1of4 sums lengths that are in plane 0 alone. One addition an entry, each
// waiting for the one before, is all that holds it up: adding up several
// lengths at once inside a word was tried and is slower.
func join1of4(offsets, p0 []byte) {
	n := len(p0)
	p0 = p0[:n:n]
	sum := binary.LittleEndian.Uint32(offsets)
	for i, j := 0, 4; i+8 <= n; i, j = i+8, j+32 {
		o := (*[32]byte)(offsets[j : j+32 : j+32])
		l := (*[8]byte)(p0[i : i+8 : i+8])
		sum += uint32(l[0])
		binary.LittleEndian.PutUint32(o[0:], sum)
		sum += uint32(l[1])
		binary.LittleEndian.PutUint32(o[4:], sum)
		sum += uint32(l[2])
		binary.LittleEndian.PutUint32(o[8:], sum)
		sum += uint32(l[3])
		binary.LittleEndian.PutUint32(o[12:], sum)
		sum += uint32(l[4])
		binary.LittleEndian.PutUint32(o[16:], sum)
		sum += uint32(l[5])
		binary.LittleEndian.PutUint32(o[20:], sum)
		sum += uint32(l[6])
		binary.LittleEndian.PutUint32(o[24:], sum)
		sum += uint32(l[7])
		binary.LittleEndian.PutUint32(o[28:], sum)
	}
}

// join2of4 sums lengths that are in planes 0 and 1 alone.
func join2of4(offsets, p0, p1 []byte) {
	n := len(p0)
	p0, p1 = p0[:n:n], p1[:n:n]
	sum := binary.LittleEndian.Uint32(offsets)
	for i, j := 0, 4; i+8 <= n; i, j = i+8, j+32 {
		o := (*[32]byte)(offsets[j : j+32 : j+32])
		q0, q1 := (*[8]byte)(p0[i:i+8:i+8]), (*[8]byte)(p1[i:i+8:i+8])
		sum += uint32(q0[0]) + uint32(q1[0])<<8
		binary.LittleEndian.PutUint32(o[0:], sum)
		sum += uint32(q0[1]) + uint32(q1[1])<<8
		binary.LittleEndian.PutUint32(o[4:], sum)
		sum += uint32(q0[2]) + uint32(q1[2])<<8
		binary.LittleEndian.PutUint32(o[8:], sum)
		sum += uint32(q0[3]) + uint32(q1[3])<<8
		binary.LittleEndian.PutUint32(o[12:], sum)
		sum += uint32(q0[4]) + uint32(q1[4])<<8
		binary.LittleEndian.PutUint32(o[16:], sum)
		sum += uint32(q0[5]) + uint32(q1[5])<<8
		binary.LittleEndian.PutUint32(o[20:], sum)
		sum += uint32(q0[6]) + uint32(q1[6])<<8
		binary.LittleEndian.PutUint32(o[24:], sum)
		sum += uint32(q0[7]) + uint32(q1[7])<<8
		binary.LittleEndian.PutUint32(o[28:], sum)
	}
}

// join4of4 sums lengths of any size.
func join4of4(offsets, p0, p1, p2, p3 []byte) {
	n := len(p0)
	p0, p1, p2, p3 = p0[:n:n], p1[:n:n], p2[:n:n], p3[:n:n]
	sum := binary.LittleEndian.Uint32(offsets)
	for i, j := 0, 4; i+8 <= n; i, j = i+8, j+32 {
		o := (*[32]byte)(offsets[j : j+32 : j+32])
		a := binary.LittleEndian.Uint64(p0[i : i+8 : i+8])
		b := binary.LittleEndian.Uint64(p1[i : i+8 : i+8])
		c := binary.LittleEndian.Uint64(p2[i : i+8 : i+8])
		d := binary.LittleEndian.Uint64(p3[i : i+8 : i+8])
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		sum += uint32(a)
		binary.LittleEndian.PutUint32(o[0:], sum)
		sum += uint32(b)
		binary.LittleEndian.PutUint32(o[4:], sum)
		sum += uint32(c)
		binary.LittleEndian.PutUint32(o[8:], sum)
		sum += uint32(d)
		binary.LittleEndian.PutUint32(o[12:], sum)
		sum += uint32(a >> 32)
		binary.LittleEndian.PutUint32(o[16:], sum)
		sum += uint32(b >> 32)
		binary.LittleEndian.PutUint32(o[20:], sum)
		sum += uint32(c >> 32)
		binary.LittleEndian.PutUint32(o[24:], sum)
		sum += uint32(d >> 32)
		binary.LittleEndian.PutUint32(o[28:], sum)
	}
}
