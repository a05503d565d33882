package planekernel

import "encoding/binary"

// Sum1of4 writes the offsets of 4 bytes after the first one. Length i is
// p0[i] + add: add is what the planes above, constant ones, put on every length.
func Sum1of4(offsets, p0 []byte, add uint32) {
	n := len(p0)
	sum := binary.LittleEndian.Uint32(offsets)
	o := offsets[4 : 4*n+4]
	for len(p0) >= chunk && len(o) >= 4*chunk {
		p, q := (*[chunk]byte)(p0), (*[4 * chunk]byte)(o)
		sum += uint32(p[0]) + add
		binary.LittleEndian.PutUint32(q[0:], sum)
		sum += uint32(p[1]) + add
		binary.LittleEndian.PutUint32(q[4:], sum)
		sum += uint32(p[2]) + add
		binary.LittleEndian.PutUint32(q[8:], sum)
		sum += uint32(p[3]) + add
		binary.LittleEndian.PutUint32(q[12:], sum)
		sum += uint32(p[4]) + add
		binary.LittleEndian.PutUint32(q[16:], sum)
		sum += uint32(p[5]) + add
		binary.LittleEndian.PutUint32(q[20:], sum)
		sum += uint32(p[6]) + add
		binary.LittleEndian.PutUint32(q[24:], sum)
		sum += uint32(p[7]) + add
		binary.LittleEndian.PutUint32(q[28:], sum)
		p0, o = p0[chunk:], o[4*chunk:]
	}
	for i, l := range p0 {
		sum += uint32(l) + add
		binary.LittleEndian.PutUint32(o[4*i:], sum)
	}
}

// Sum2of4 is Sum1of4 with lengths p0[i] + p1[i]<<8 + add.
func Sum2of4(offsets, p0, p1 []byte, add uint32) {
	n := len(p0)
	p1 = p1[:n]
	sum := binary.LittleEndian.Uint32(offsets)
	o := offsets[4 : 4*n+4]
	for len(p0) >= chunk && len(p1) >= chunk && len(o) >= 4*chunk {
		p, r, q := (*[chunk]byte)(p0), (*[chunk]byte)(p1), (*[4 * chunk]byte)(o)
		sum += (uint32(p[0]) | uint32(r[0])<<8) + add
		binary.LittleEndian.PutUint32(q[0:], sum)
		sum += (uint32(p[1]) | uint32(r[1])<<8) + add
		binary.LittleEndian.PutUint32(q[4:], sum)
		sum += (uint32(p[2]) | uint32(r[2])<<8) + add
		binary.LittleEndian.PutUint32(q[8:], sum)
		sum += (uint32(p[3]) | uint32(r[3])<<8) + add
		binary.LittleEndian.PutUint32(q[12:], sum)
		sum += (uint32(p[4]) | uint32(r[4])<<8) + add
		binary.LittleEndian.PutUint32(q[16:], sum)
		sum += (uint32(p[5]) | uint32(r[5])<<8) + add
		binary.LittleEndian.PutUint32(q[20:], sum)
		sum += (uint32(p[6]) | uint32(r[6])<<8) + add
		binary.LittleEndian.PutUint32(q[24:], sum)
		sum += (uint32(p[7]) | uint32(r[7])<<8) + add
		binary.LittleEndian.PutUint32(q[28:], sum)
		p0, p1, o = p0[chunk:], p1[chunk:], o[4*chunk:]
	}
	for i, l := range p0 {
		sum += (uint32(l) | uint32(p1[i])<<8) + add
		binary.LittleEndian.PutUint32(o[4*i:], sum)
	}
}

// Sum4of4 is Sum1of4 with all four planes.
func Sum4of4(offsets, p0, p1, p2, p3 []byte) {
	n := len(p0)
	p1, p2, p3 = p1[:n], p2[:n], p3[:n]
	sum := binary.LittleEndian.Uint32(offsets)
	o := offsets[4 : 4*n+4]
	for i := 0; i < n && len(o) >= 4; i++ {
		sum += uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
		binary.LittleEndian.PutUint32(o, sum)
		o = o[4:]
	}
}
