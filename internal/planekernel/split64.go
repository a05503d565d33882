package planekernel

import "encoding/binary"

// split64 is split32 for offsets of 8 bytes.
func split64(p *[8][]byte, from int, offsets []byte, wroteHigh bool) bool {
	n := len(p[0])
	groups := n - (n-from)%group
	for i := from; i < groups; i += block {
		end := min(i+block, groups)
		one := i + split1of8(p[0][i:end], offsets[8*i:8*end+8])
		if one == end && !wroteHigh {
			continue
		}
		zero := i
		if !wroteHigh {
			zero, wroteHigh = 0, true
		}
		for _, q := range p[1:4] {
			clear(q[zero:one])
		}
		four := one + split4of8(p[0][one:end], p[1][one:end], p[2][one:end], p[3][one:end], offsets[8*one:8*end+8])
		for _, q := range p[4:] {
			clear(q[zero:four])
		}
		split8of8(p, four, end, offsets[8*four:8*end+8])
	}

	var lengths [group]uint64
	var all uint64
	for i := groups; i < n; i++ {
		l := binary.LittleEndian.Uint64(offsets[8*i+8:]) - binary.LittleEndian.Uint64(offsets[8*i:])
		lengths[i-groups] = l
		all |= l
	}
	if all >= 1<<8 && !wroteHigh {
		wroteHigh = true
		for _, q := range p[1:] {
			clear(q[:groups])
		}
	}
	for i := groups; i < n; i++ {
		l := lengths[i-groups]
		p[0][i] = byte(l)
		if wroteHigh {
			for j, q := range p[1:] {
				q[i] = byte(l >> (8*j + 8))
			}
		}
	}
	return wroteHigh
}

// cut64 gives the eight planes of n entries that lie in low and high.
func cut64(low, high []byte) (p [8][]byte) {
	n := len(low)
	p[0] = low
	for j := range 7 {
		p[j+1] = high[j*n : (j+1)*n]
	}
	return p
}

// split1of8 writes plane 0 for as long as all lengths of a group are below
// 1<<8, and returns for how many entries that was.
func split1of8(p0, offsets []byte) int {
	n := len(p0)
	for len(p0) >= 8 && len(offsets) >= 72 {
		o := (*[72]byte)(offsets)
		o0 := binary.LittleEndian.Uint64(o[0:])
		o1 := binary.LittleEndian.Uint64(o[8:])
		o2 := binary.LittleEndian.Uint64(o[16:])
		o3 := binary.LittleEndian.Uint64(o[24:])
		o4 := binary.LittleEndian.Uint64(o[32:])
		o5 := binary.LittleEndian.Uint64(o[40:])
		o6 := binary.LittleEndian.Uint64(o[48:])
		o7 := binary.LittleEndian.Uint64(o[56:])
		o8 := binary.LittleEndian.Uint64(o[64:])
		l0, l1, l2, l3 := o1-o0, o2-o1, o3-o2, o4-o3
		l4, l5, l6, l7 := o5-o4, o6-o5, o7-o6, o8-o7
		if l0|l1|l2|l3|l4|l5|l6|l7 >= 1<<8 {
			break
		}
		p := (*[8]byte)(p0)
		p[0], p[1], p[2], p[3] = byte(l0), byte(l1), byte(l2), byte(l3)
		p[4], p[5], p[6], p[7] = byte(l4), byte(l5), byte(l6), byte(l7)
		p0, offsets = p0[8:], offsets[64:]
	}
	return n - len(p0)
}

// split4of8 writes planes 0 to 3 for as long as all lengths of a group are
// below 1<<32, and returns for how many entries that was.
func split4of8(p0, p1, p2, p3, offsets []byte) int {
	n := len(p0)
	p0, p1, p2, p3 = p0[:n:n], p1[:n:n], p2[:n:n], p3[:n:n]
	i := 0
	for ; i+8 <= n && len(offsets) >= 72; i += 8 {
		o := (*[72]byte)(offsets)
		o0 := binary.LittleEndian.Uint64(o[0:])
		o1 := binary.LittleEndian.Uint64(o[8:])
		o2 := binary.LittleEndian.Uint64(o[16:])
		o3 := binary.LittleEndian.Uint64(o[24:])
		o4 := binary.LittleEndian.Uint64(o[32:])
		o5 := binary.LittleEndian.Uint64(o[40:])
		o6 := binary.LittleEndian.Uint64(o[48:])
		o7 := binary.LittleEndian.Uint64(o[56:])
		o8 := binary.LittleEndian.Uint64(o[64:])
		l0, l1, l2, l3 := o1-o0, o2-o1, o3-o2, o4-o3
		l4, l5, l6, l7 := o5-o4, o6-o5, o7-o6, o8-o7
		if (l0|l1|l2|l3|l4|l5|l6|l7)>>32 != 0 {
			break
		}
		a := l0 | l4<<32
		b := l1 | l5<<32
		c := l2 | l6<<32
		d := l3 | l7<<32
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		binary.LittleEndian.PutUint64(p0[i:i+8:i+8], a)
		binary.LittleEndian.PutUint64(p1[i:i+8:i+8], b)
		binary.LittleEndian.PutUint64(p2[i:i+8:i+8], c)
		binary.LittleEndian.PutUint64(p3[i:i+8:i+8], d)
		offsets = offsets[64:]
	}
	return i
}

// split8of8 writes all eight planes of lengths of any size, entries i to end.
func split8of8(p *[8][]byte, i, end int, offsets []byte) {
	for ; i+8 <= end && len(offsets) >= 72; i += 8 {
		o := (*[72]byte)(offsets)
		o0 := binary.LittleEndian.Uint64(o[0:])
		o1 := binary.LittleEndian.Uint64(o[8:])
		o2 := binary.LittleEndian.Uint64(o[16:])
		o3 := binary.LittleEndian.Uint64(o[24:])
		o4 := binary.LittleEndian.Uint64(o[32:])
		o5 := binary.LittleEndian.Uint64(o[40:])
		o6 := binary.LittleEndian.Uint64(o[48:])
		o7 := binary.LittleEndian.Uint64(o[56:])
		o8 := binary.LittleEndian.Uint64(o[64:])
		l0, l1, l2, l3 := o1-o0, o2-o1, o3-o2, o4-o3
		l4, l5, l6, l7 := o5-o4, o6-o5, o7-o6, o8-o7
		a := uint64(uint32(l0)) | l4<<32
		b := uint64(uint32(l1)) | l5<<32
		c := uint64(uint32(l2)) | l6<<32
		d := uint64(uint32(l3)) | l7<<32
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		binary.LittleEndian.PutUint64(p[0][i:], a)
		binary.LittleEndian.PutUint64(p[1][i:], b)
		binary.LittleEndian.PutUint64(p[2][i:], c)
		binary.LittleEndian.PutUint64(p[3][i:], d)
		a = l0>>32 | l4>>32<<32
		b = l1>>32 | l5>>32<<32
		c = l2>>32 | l6>>32<<32
		d = l3>>32 | l7>>32<<32
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		binary.LittleEndian.PutUint64(p[4][i:], a)
		binary.LittleEndian.PutUint64(p[5][i:], b)
		binary.LittleEndian.PutUint64(p[6][i:], c)
		binary.LittleEndian.PutUint64(p[7][i:], d)
		offsets = offsets[64:]
	}
}
