package planekernel

import "encoding/binary"

// join64 is join32 for offsets of 8 bytes.
func join64(offsets []byte, p *[8][]byte, from int) {
	n := len(p[0])
	for i := from; i < n; i += block {
		end := min(i+block, n)
		o := offsets[8*i : 8*end+8]
		switch {
		case !allZero(p[4][i:end]) || !allZero(p[5][i:end]) || !allZero(p[6][i:end]) || !allZero(p[7][i:end]):
			sum8of8(o, p, i, end)
		case !allZero(p[1][i:end]) || !allZero(p[2][i:end]) || !allZero(p[3][i:end]):
			sum4of8(o, p[0][i:end], p[1][i:end], p[2][i:end], p[3][i:end])
		default:
			sum1of8(o, p[0][i:end])
		}
	}
}

// sum1of8 sums lengths that are in plane 0 alone.
func sum1of8(offsets, p0 []byte) {
	n := len(p0)
	p0 = p0[:n:n]
	sum := binary.LittleEndian.Uint64(offsets)
	i := 0
	for ; i+chunk <= n; i += chunk {
		j := 8*i + 8
		o := (*[64]byte)(offsets[j : j+64 : j+64])
		l := (*[8]byte)(p0[i : i+8 : i+8])
		sum += uint64(l[0])
		binary.LittleEndian.PutUint64(o[0:], sum)
		sum += uint64(l[1])
		binary.LittleEndian.PutUint64(o[8:], sum)
		sum += uint64(l[2])
		binary.LittleEndian.PutUint64(o[16:], sum)
		sum += uint64(l[3])
		binary.LittleEndian.PutUint64(o[24:], sum)
		sum += uint64(l[4])
		binary.LittleEndian.PutUint64(o[32:], sum)
		sum += uint64(l[5])
		binary.LittleEndian.PutUint64(o[40:], sum)
		sum += uint64(l[6])
		binary.LittleEndian.PutUint64(o[48:], sum)
		sum += uint64(l[7])
		binary.LittleEndian.PutUint64(o[56:], sum)
	}
	for ; i < n; i++ {
		sum += uint64(p0[i])
		binary.LittleEndian.PutUint64(offsets[8*i+8:], sum)
	}
}

// sum2of8 sums lengths that are in planes 0 and 1 alone.
func sum2of8(offsets, p0, p1 []byte) {
	n := len(p0)
	p1 = p1[:n]
	sum := binary.LittleEndian.Uint64(offsets)
	o := offsets[8 : 8*n+8]
	for i := 0; i < n && len(o) >= 8; i++ {
		sum += uint64(p0[i]) | uint64(p1[i])<<8
		binary.LittleEndian.PutUint64(o, sum)
		o = o[8:]
	}
}

// sum4of8 sums lengths that are in planes 0 to 3 alone.
func sum4of8(offsets, p0, p1, p2, p3 []byte) {
	n := len(p0)
	p0, p1, p2, p3 = p0[:n:n], p1[:n:n], p2[:n:n], p3[:n:n]
	sum := binary.LittleEndian.Uint64(offsets)
	i := 0
	for ; i+chunk <= n; i += chunk {
		j := 8*i + 8
		o := (*[64]byte)(offsets[j : j+64 : j+64])
		a := binary.LittleEndian.Uint64(p0[i : i+8 : i+8])
		b := binary.LittleEndian.Uint64(p1[i : i+8 : i+8])
		c := binary.LittleEndian.Uint64(p2[i : i+8 : i+8])
		d := binary.LittleEndian.Uint64(p3[i : i+8 : i+8])
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		sum += uint64(uint32(a))
		binary.LittleEndian.PutUint64(o[0:], sum)
		sum += uint64(uint32(b))
		binary.LittleEndian.PutUint64(o[8:], sum)
		sum += uint64(uint32(c))
		binary.LittleEndian.PutUint64(o[16:], sum)
		sum += uint64(uint32(d))
		binary.LittleEndian.PutUint64(o[24:], sum)
		sum += a >> 32
		binary.LittleEndian.PutUint64(o[32:], sum)
		sum += b >> 32
		binary.LittleEndian.PutUint64(o[40:], sum)
		sum += c >> 32
		binary.LittleEndian.PutUint64(o[48:], sum)
		sum += d >> 32
		binary.LittleEndian.PutUint64(o[56:], sum)
	}
	for ; i < n; i++ {
		sum += uint64(p0[i]) | uint64(p1[i])<<8 | uint64(p2[i])<<16 | uint64(p3[i])<<24
		binary.LittleEndian.PutUint64(offsets[8*i+8:], sum)
	}
}

// sum8of8 sums lengths of any size, entries i to end.
func sum8of8(offsets []byte, p *[8][]byte, i, end int) {
	sum := binary.LittleEndian.Uint64(offsets)
	j := 8
	for ; i+chunk <= end; i, j = i+chunk, j+8*chunk {
		o := (*[64]byte)(offsets[j : j+64 : j+64])
		a := binary.LittleEndian.Uint64(p[0][i:])
		b := binary.LittleEndian.Uint64(p[1][i:])
		c := binary.LittleEndian.Uint64(p[2][i:])
		d := binary.LittleEndian.Uint64(p[3][i:])
		a, c = swap16(a, c)
		b, d = swap16(b, d)
		a, b = swap8(a, b)
		c, d = swap8(c, d)
		e := binary.LittleEndian.Uint64(p[4][i:])
		f := binary.LittleEndian.Uint64(p[5][i:])
		g := binary.LittleEndian.Uint64(p[6][i:])
		h := binary.LittleEndian.Uint64(p[7][i:])
		e, g = swap16(e, g)
		f, h = swap16(f, h)
		e, f = swap8(e, f)
		g, h = swap8(g, h)
		sum += uint64(uint32(a)) | e<<32
		binary.LittleEndian.PutUint64(o[0:], sum)
		sum += uint64(uint32(b)) | f<<32
		binary.LittleEndian.PutUint64(o[8:], sum)
		sum += uint64(uint32(c)) | g<<32
		binary.LittleEndian.PutUint64(o[16:], sum)
		sum += uint64(uint32(d)) | h<<32
		binary.LittleEndian.PutUint64(o[24:], sum)
		sum += a>>32 | e>>32<<32
		binary.LittleEndian.PutUint64(o[32:], sum)
		sum += b>>32 | f>>32<<32
		binary.LittleEndian.PutUint64(o[40:], sum)
		sum += c>>32 | g>>32<<32
		binary.LittleEndian.PutUint64(o[48:], sum)
		sum += d>>32 | h>>32<<32
		binary.LittleEndian.PutUint64(o[56:], sum)
	}
	for ; i < end; i, j = i+1, j+8 {
		var l uint64
		for k, q := range p {
			l |= uint64(q[i]) << (8 * k)
		}
		sum += l
		binary.LittleEndian.PutUint64(offsets[j:], sum)
	}
}
