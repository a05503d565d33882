package planeframe

import (
	"bytes"
	"encoding/binary"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// These choose the kernel for a width, and are all that this package knows of
// kernels. offsets are n+1, the first one included.

// constant reports whether all lengths are the same, and which one.
func constant(offsets []byte, width int) (length uint64, ok bool) {
	if width == 4 {
		l, ok := planekernel.Constant32(offsets)
		return uint64(l), ok
	}
	return planekernel.Constant64(offsets)
}

// split writes the planes, and reports whether it wrote those above plane 0. It
// does not where they are zero.
func split(low, high, offsets []byte, width int) (wroteHigh bool) {
	if width == 4 {
		return planekernel.Split32(low, high, offsets)
	}
	return planekernel.Split64(low, high, offsets)
}

// fill writes the offsets after the first one, all lengths being the same.
func fill(offsets []byte, length uint64, width int) {
	if width == 4 {
		planekernel.Fill32(offsets, uint32(length))
	} else {
		planekernel.Fill64(offsets, length)
	}
}

// sum writes the offsets after the first one. The planes are of as many bytes
// each as there are lengths; those from used on are zero and not looked at.
func sum(offsets []byte, p *[8][]byte, used, width int) {
	switch {
	case width == 4 && used == 1:
		planekernel.Sum1of4(offsets, p[0])
	case width == 4 && used == 2:
		planekernel.Sum2of4(offsets, p[0], p[1])
	case width == 4:
		planekernel.Sum4of4(offsets, p[0], p[1], p[2], p[3])
	case used == 1:
		planekernel.Sum1of8(offsets, p[0])
	case used == 2:
		planekernel.Sum2of8(offsets, p[0], p[1])
	default:
		planekernel.Sum8of8(offsets, p)
	}
}

// summed is the number of planes that sum looks at when it is told that there
// are that many.
func summed(used, width int) int {
	if used <= 2 {
		return used
	}
	return width
}

// sameBytes reports whether p, which is not empty, is one byte again and again.
func sameBytes(p []byte) (v byte, ok bool) {
	v = p[0]
	if len(p) >= 16 && binary.LittleEndian.Uint64(p) != binary.LittleEndian.Uint64(p[8:]) {
		return 0, false
	}
	return v, bytes.Equal(p[1:], p[:len(p)-1])
}
