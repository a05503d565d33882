package ipcx

import (
	"math"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/layout"
)

// WithZeroedNulls makes writers, [Encoder] and [Convert] store zeros in the
// value slots of null rows, which otherwise keep what the arrays hold there: what
// a builder's memory happened to hold, or values that were made null later. So
// equal data gives equal bytes, and nothing stale reaches a file.
//
// That goes for all types of a fixed width at every depth: booleans, numbers,
// decimals, times, fixed-size binaries, the indices of dictionaries, the headers
// of views, the offsets and sizes of list views; and for rows inside a struct or
// a fixed-size list that is null. The bytes of a null string or binary and the
// items of a null list stay, where there are any; builders make none.
//
// Zero is then also what arrow-go sends along behind the end of a slice.
//
// It takes a copy of each buffer that has to change. It does not reach the
// writer of [NewWriterWithPayloadWriter] over somebody else's payload writer,
// nor [GetRecordBatchPayload].
func WithZeroedNulls() Option {
	return func(c *config) { c.zeroNulls = true }
}

// zeroNulls clears the value slots of null rows. bufs are those of m, and roles
// what they hold. Where the lengths of a node and its buffers do not fit, it is
// left alone.
func (c *cleaner) zeroNulls(table *layout.Table, m *message, roles []layout.Buffer, bufs [][]byte) {
	total := int64(0)
	for _, p := range bufs {
		total += int64(len(p))
	}
	nodes := table.Nodes()
	for k, next := 0, 0; k < len(nodes); k++ {
		first := next
		for next < len(roles) && roles[next].Node == k {
			next++
		}
		n := m.nodes[k].length
		if n <= 0 || n > 8*total || n > math.MaxInt {
			continue // no rows, or more than any buffer has entries
		}
		if c.valid[k] = c.inherited(nodes, m, k, roles, bufs); first < next && roles[first].Role == layout.Validity {
			c.restrict(k, m.nodes[k], bufs[first])
		}
		if c.valid[k] == nil {
			continue
		}
		for i := first; i < next; i++ {
			c.zero(roles[i], i, int(n), c.valid[k], bufs)
		}
	}
}

// inherited returns the validity that the rows of node k have from its parent.
func (c *cleaner) inherited(nodes []layout.Node, m *message, k int, roles []layout.Buffer, bufs [][]byte) []byte {
	parent := nodes[k].Parent
	if parent < 0 || c.valid[parent] == nil {
		return nil
	}
	rows, n := m.nodes[parent].length, m.nodes[k].length
	switch dt := nodes[parent].Type.(type) {
	case *arrow.StructType, *arrow.SparseUnionType:
		if n == rows {
			return c.valid[parent]
		}
	case *arrow.FixedSizeListType:
		// rows is at most 8 times the bytes of the message, n as well. Of a list of
		// nulls there is nothing to zero: a mask for each would have no bound.
		size := int64(dt.Len())
		if size > 0 && rows <= math.MaxInt64/size && n == rows*size && n/8 <= bytesBelow(nodes, k, roles, bufs) {
			return spread(c.masks[k].Sized(int((n+7)/8)), c.valid[parent], int(rows), int(size))
		}
	}
	return nil
}

// bytesBelow is how many bytes the buffers of node k and of those below it have.
func bytesBelow(nodes []layout.Node, k int, roles []layout.Buffer, bufs [][]byte) (bytes int64) {
	end := k + 1
	for end < len(nodes) && nodes[end].Parent >= k {
		end++
	}
	first := sort.Search(len(roles), func(i int) bool { return roles[i].Node >= k })
	for i := first; i < len(roles) && roles[i].Node < end; i++ {
		bytes += int64(len(bufs[i]))
	}
	return bytes
}

// restrict takes the rows that are null by a node's own bitmap out of valid[k].
func (c *cleaner) restrict(k int, node fieldNode, bitmap []byte) {
	size := int((node.length + 7) / 8)
	if node.nulls == 0 || len(bitmap) < size {
		return
	}
	bitmap = bitmap[:size]
	if c.valid[k] == nil {
		c.valid[k] = bitmap
		return
	}
	// Where the rows are the parent's, so is the memory.
	mask := c.masks[k].Again(size)
	for i := range mask {
		mask[i] = c.valid[k][i] & bitmap[i]
	}
	c.valid[k] = mask
}

// zero clears the slots of null rows of buffer i, which has n rows.
func (c *cleaner) zero(role layout.Buffer, i, n int, valid []byte, bufs [][]byte) {
	switch role.Role {
	case layout.Bits:
		if len(bufs[i]) >= (n+7)/8 && anyBitOutside(bufs[i], valid, n) {
			keepBits(c.own(bufs, i), valid, n)
		}
	case layout.Values, layout.Views,
		layout.ListViewOffsets32, layout.ListViewOffsets64, layout.ListViewSizes32, layout.ListViewSizes64:
		width := role.Width
		if width <= 0 || len(bufs[i])/width < n {
			return
		}
		for from, to := range nullRuns(valid, n) {
			if !isZero(bufs[i][from*width : to*width]) {
				clearRuns(c.own(bufs, i), valid, n, width)
				return
			}
		}
	}
}

// clearRuns clears the slots of null rows.
func clearRuns(p, valid []byte, n, width int) {
	for from, to := range nullRuns(valid, n) {
		clear(p[from*width : to*width])
	}
}
