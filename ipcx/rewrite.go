package ipcx

import (
	"fmt"
	"math"

	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/planes"
)

// flaggedOffset is the high bit of Buffer.offset, the second mark of a flagged
// message.
const flaggedOffset = math.MinInt64

// rewritten says whether a buffer of length bytes, as it is before compression,
// is stored as planes in a flagged message. An error means that it cannot be:
// the offsets that its field node asks for do not fit it.
func rewritten(role layout.Buffer, node fieldNode, length int64) (bool, error) {
	if role.Role != layout.Offsets32 && role.Role != layout.Offsets64 {
		return false, nil
	}
	width := int64(role.Width)
	switch n := node.length; {
	case n < 0 || n > math.MaxInt/width-1:
		return false, fmt.Errorf("field node of %d rows", n)
	case n == 0:
		return false, nil
	case length < (n+1)*width:
		return false, fmt.Errorf("%d bytes are too short for %d offsets of %d bytes, %d bytes in all", length, n+1, width, (n+1)*width)
	}
	return true, nil
}

// split writes offsets, those of n rows, to dst as lengths in byte planes.
func split(role layout.Buffer, dst, offsets []byte, n int) error {
	if role.Role == layout.Offsets64 {
		return planes.SplitOffsets64(dst, offsets, n)
	}
	return planes.SplitOffsets32(dst, offsets, n)
}

// join undoes split.
func join(role layout.Buffer, dst, lengths []byte, n int) error {
	if role.Role == layout.Offsets64 {
		return planes.JoinOffsets64(dst, lengths, n)
	}
	return planes.JoinOffsets32(dst, lengths, n)
}
