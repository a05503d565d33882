package planekernel

import "encoding/binary"

// join32 is Join32 for entries from on; those before are done.
func join32(offsets []byte, p *[4][]byte, from int) {
	n := len(p[0])
	for i := from; i < n; i += block {
		end := min(i+block, n)
		o, q0, q1, q2, q3 := offsets[4*i:4*end+4], p[0][i:end], p[1][i:end], p[2][i:end], p[3][i:end]
		switch {
		case !allZero(q2) || !allZero(q3):
			sum4of4(o, q0, q1, q2, q3)
		case !allZero(q1):
			sum2of4(o, q0, q1)
		default:
			sum1of4(o, q0)
		}
	}
}

// sum1of4 sums lengths that are in plane 0 alone. One addition an entry, each
// waiting for the one before, is all that holds it up: adding up several
// lengths at once inside a word was tried and is slower.
func sum1of4(offsets, p0 []byte) {
	n := len(p0)
	p0 = p0[:n:n]
	sum := binary.LittleEndian.Uint32(offsets)
	i := 0
	for ; i+chunk <= n; i += chunk {
		j := 4*i + 4
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
	for ; i < n; i++ {
		sum += uint32(p0[i])
		binary.LittleEndian.PutUint32(offsets[4*i+4:], sum)
	}
}

// sum2of4 sums lengths that are in planes 0 and 1 alone.
func sum2of4(offsets, p0, p1 []byte) {
	n := len(p0)
	p0, p1 = p0[:n:n], p1[:n:n]
	sum := binary.LittleEndian.Uint32(offsets)
	i := 0
	for ; i+chunk <= n; i += chunk {
		j := 4*i + 4
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
	for ; i < n; i++ {
		sum += uint32(p0[i]) | uint32(p1[i])<<8
		binary.LittleEndian.PutUint32(offsets[4*i+4:], sum)
	}
}

// sum4of4 sums lengths of any size.
func sum4of4(offsets, p0, p1, p2, p3 []byte) {
	n := len(p0)
	p0, p1, p2, p3 = p0[:n:n], p1[:n:n], p2[:n:n], p3[:n:n]
	sum := binary.LittleEndian.Uint32(offsets)
	i := 0
	for ; i+chunk <= n; i += chunk {
		j := 4*i + 4
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
	for ; i < n; i++ {
		sum += uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
		binary.LittleEndian.PutUint32(offsets[4*i+4:], sum)
	}
}
