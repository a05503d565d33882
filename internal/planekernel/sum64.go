package planekernel

import "encoding/binary"

// Sum1of8 is Sum1of4 for offsets of 8 bytes.
func Sum1of8(offsets, p0 []byte, add uint64) {
	n := len(p0)
	sum := binary.LittleEndian.Uint64(offsets)
	o := offsets[8 : 8*n+8]
	for len(p0) >= chunk && len(o) >= 8*chunk {
		p, q := (*[chunk]byte)(p0), (*[8 * chunk]byte)(o)
		sum += uint64(p[0]) + add
		binary.LittleEndian.PutUint64(q[0:], sum)
		sum += uint64(p[1]) + add
		binary.LittleEndian.PutUint64(q[8:], sum)
		sum += uint64(p[2]) + add
		binary.LittleEndian.PutUint64(q[16:], sum)
		sum += uint64(p[3]) + add
		binary.LittleEndian.PutUint64(q[24:], sum)
		sum += uint64(p[4]) + add
		binary.LittleEndian.PutUint64(q[32:], sum)
		sum += uint64(p[5]) + add
		binary.LittleEndian.PutUint64(q[40:], sum)
		sum += uint64(p[6]) + add
		binary.LittleEndian.PutUint64(q[48:], sum)
		sum += uint64(p[7]) + add
		binary.LittleEndian.PutUint64(q[56:], sum)
		p0, o = p0[chunk:], o[8*chunk:]
	}
	for i, l := range p0 {
		sum += uint64(l) + add
		binary.LittleEndian.PutUint64(o[8*i:], sum)
	}
}

// Sum2of8 is Sum2of4 for offsets of 8 bytes.
func Sum2of8(offsets, p0, p1 []byte, add uint64) {
	n := len(p0)
	p1 = p1[:n]
	sum := binary.LittleEndian.Uint64(offsets)
	o := offsets[8 : 8*n+8]
	for i := 0; i < n && len(o) >= 8; i++ {
		sum += uint64(p0[i]) + uint64(p1[i])<<8 + add
		binary.LittleEndian.PutUint64(o, sum)
		o = o[8:]
	}
}

// Sum8of8 is Sum4of4 for offsets of 8 bytes and all eight planes.
func Sum8of8(offsets []byte, p *[8][]byte) {
	n := len(p[0])
	p0, p1, p2, p3 := p[0], p[1][:n], p[2][:n], p[3][:n]
	p4, p5, p6, p7 := p[4][:n], p[5][:n], p[6][:n], p[7][:n]
	sum := binary.LittleEndian.Uint64(offsets)
	o := offsets[8 : 8*n+8]
	for i := 0; i < n && len(o) >= 8; i++ {
		low := uint32(p0[i]) | uint32(p1[i])<<8 | uint32(p2[i])<<16 | uint32(p3[i])<<24
		high := uint32(p4[i]) | uint32(p5[i])<<8 | uint32(p6[i])<<16 | uint32(p7[i])<<24
		sum += uint64(low) | uint64(high)<<32
		binary.LittleEndian.PutUint64(o, sum)
		o = o[8:]
	}
}
