package planekernel

// Sum1of4 writes the offsets of 4 bytes after the first one, length i being
// p0[i]. The planes above are zero.
func Sum1of4(offsets, p0 []byte) { fastest.Sum1of4(offsets, p0) }

// Sum1of4 is the function [Sum1of4].
func (s Set) Sum1of4(offsets, p0 []byte) {
	offsets = offsets[:4*len(p0)+4]
	done := s.machine.sum1of4(offsets, p0)
	sum1of4(offsets[4*done:], p0[done:])
}

// Sum2of4 is [Sum1of4] with plane 1 as well.
func Sum2of4(offsets, p0, p1 []byte) { fastest.Sum2of4(offsets, p0, p1) }

// Sum2of4 is the function [Sum2of4].
func (s Set) Sum2of4(offsets, p0, p1 []byte) {
	n := len(p0)
	offsets = offsets[:4*n+4]
	p := [2][]byte{p0, p1[:n]}
	done := s.machine.sum2of4(offsets, &p)
	sum2of4(offsets[4*done:], p0[done:], p1[done:n])
}

// Sum4of4 is [Sum1of4] with all four planes.
func Sum4of4(offsets, p0, p1, p2, p3 []byte) { fastest.Sum4of4(offsets, p0, p1, p2, p3) }

// Sum4of4 is the function [Sum4of4].
func (s Set) Sum4of4(offsets, p0, p1, p2, p3 []byte) {
	n := len(p0)
	offsets = offsets[:4*n+4]
	p := [4][]byte{p0, p1[:n], p2[:n], p3[:n]}
	done := s.machine.sum4of4(offsets, &p)
	sum4of4(offsets[4*done:], p0[done:], p1[done:n], p2[done:n], p3[done:n])
}

// Sum1of8 is [Sum1of4] for offsets of 8 bytes.
func Sum1of8(offsets, p0 []byte) { fastest.Sum1of8(offsets, p0) }

// Sum1of8 is the function [Sum1of8].
func (s Set) Sum1of8(offsets, p0 []byte) {
	offsets = offsets[:8*len(p0)+8]
	done := s.machine.sum1of8(offsets, p0)
	sum1of8(offsets[8*done:], p0[done:])
}

// Sum2of8 is [Sum2of4] for offsets of 8 bytes.
func Sum2of8(offsets, p0, p1 []byte) { fastest.Sum2of8(offsets, p0, p1) }

// Sum2of8 is the function [Sum2of8].
func (s Set) Sum2of8(offsets, p0, p1 []byte) {
	n := len(p0)
	offsets = offsets[:8*n+8]
	p := [2][]byte{p0, p1[:n]}
	done := s.machine.sum2of8(offsets, &p)
	sum2of8(offsets[8*done:], p0[done:], p1[done:n])
}

// Sum8of8 is [Sum4of4] for offsets of 8 bytes and all eight planes.
func Sum8of8(offsets []byte, p *[8][]byte) { fastest.Sum8of8(offsets, p) }

// Sum8of8 is the function [Sum8of8].
func (s Set) Sum8of8(offsets []byte, p *[8][]byte) {
	n := len(p[0])
	offsets = offsets[:8*n+8]
	q := *p
	for j := range q {
		q[j] = q[j][:n]
	}
	done := s.machine.sum8of8(offsets, &q)
	sum8of8(offsets[8*done:], &q, done, n)
}
