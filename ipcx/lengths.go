package ipcx

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/layout"
)

// checkLengths checks offsets whose first and last one have been checked: none may
// be below the one before it, a negative length, which shows only to who looks at
// each. In flagged messages they are made of lengths, and were looked at.
func (d *Decoder) checkLengths(role layout.Buffer, offsets []byte) error {
	n := int(d.in.nodes[role.Node].length)
	if !d.swaps && !negativeLength(offsets, n, role.Width) {
		return nil
	}
	at := func(i int) int64 { return d.offset(offsets[i*role.Width:], role.Width) }
	for i := range n {
		if at(i+1) < at(i) {
			return fmt.Errorf("row %d: offset %d after %d, which is a negative length", i, at(i+1), at(i))
		}
	}
	return nil
}

// negativeLength says whether any of the offsets of n rows is below the one before
// it, or below 0.
func negativeLength(offsets []byte, n, width int) bool {
	// Signs are collected, without a branch for each row. Between two that are
	// not negative the difference does not overflow.
	if width == 8 {
		sign, p := int64(0), arrow.GetData[int64](offsets[:(n+1)*8])
		for i, o := range p[1:] {
			sign |= o | (o - p[i])
		}
		return sign|p[0] < 0
	}
	sign, p := int32(0), arrow.GetData[int32](offsets[:(n+1)*4])
	for i, o := range p[1:] {
		sign |= o | (o - p[i])
	}
	return sign|p[0] < 0
}
