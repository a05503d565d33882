package ipcx

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/layout"
)

// checkLengths checks the offsets that were made of the lengths of a flagged
// message, those of n rows: none of the lengths may be negative, which offsets of
// a plain message show only to who looks at each, and the last offset must be
// inside of what they point into, data bytes or the entries of the child. ordered
// says that the former is known.
func (d *Decoder) checkLengths(table *layout.Table, role layout.Buffer, offsets []byte, n int, data int64, ordered bool) error {
	what := "bytes of data"
	if !isBinaryLike(table.Nodes()[role.Node].Type.ID()) {
		// The child of a list or map follows it.
		data, what = d.in.nodes[role.Node+1].length, "entries"
	}
	if first := d.offset(offsets, role.Width); first < 0 {
		return fmt.Errorf("first offset is %d", first)
	}
	if !ordered && (d.swaps || negativeLength(offsets, n, role.Width)) {
		at := func(i int) int64 { return d.offset(offsets[i*role.Width:], role.Width) }
		for i := range n {
			if at(i+1) < at(i) {
				return fmt.Errorf("row %d: offset %d after %d, which is a negative length", i, at(i+1), at(i))
			}
		}
	}
	if last := d.offset(offsets[n*role.Width:], role.Width); last > data {
		return fmt.Errorf("last offset is %d, where there are %d %s", last, data, what)
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
