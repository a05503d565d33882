package ipcx

import (
	"math"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// cleaner keeps bytes that mean nothing from being stored: bits that nobody wrote,
// and with WithZeroedNulls the value slots of null rows and everything that stands
// in a buffer behind its last entry.
//
//	values of 3 rows, 4 bytes each    |aaaa|bbbb|cccc|????????????????|
//	validity 1 0 1                    |aaaa|0000|cccc|0000000000000000|
//
// Buffers belong to arrays or to the caller, so that one that has to change is
// copied first.
type cleaner struct {
	table        *layout.Table // nil where the schema cannot be described
	dictionaries dictionaries
	nulls        bool // WithZeroedNulls

	copies []readbuf.Buffer // by buffer
	owned  []bool           // whether a buffer of the message at hand is a copy
	valid  [][]byte         // by node: the rows that are not null, nor inside a null; nil for all
	masks  []readbuf.Buffer // the memory behind some of valid
}

// clean replaces those of bufs, the buffers of the batch m, that have to change.
// The copies are valid until the next call. tails says whether to look behind the
// last entries, as the buffers of arrays need. It returns whether anything changed.
func (c *cleaner) clean(m *message, bufs [][]byte, tails bool) (changed bool) {
	if !tails && !c.nulls {
		return false
	}
	table := c.table
	if m.kind == flatbuf.MessageHeaderDictionaryBatch {
		table = c.dictionaries[m.id].table
	}
	if table == nil || len(m.nodes) != len(table.Nodes()) {
		return false
	}
	roles, err := bufferRoles(table, m)
	if err != nil || len(roles) != len(bufs) {
		return false
	}
	c.begin(len(bufs), len(m.nodes))
	for i, role := range roles {
		c.cutTail(bufs, i, role, m.nodes[role.Node].length)
	}
	if c.nulls {
		c.zeroNulls(table, m, roles, bufs)
	}
	for _, own := range c.owned {
		changed = changed || own
	}
	return changed
}

// cutTail clears what stands in buffer i behind its last entry: with
// WithZeroedNulls all of it, and otherwise the bits of a last byte of booleans
// that nobody wrote. The rest of what arrow-go sends along are rows of the arrays,
// behind the end of a slice.
func (c *cleaner) cutTail(bufs [][]byte, i int, role layout.Buffer, n int64) {
	end, ok := content(role, n)
	if !ok || end/8 >= int64(len(bufs[i])) {
		return
	}
	if !c.nulls {
		if role.Role == layout.Bits && bufs[i][end/8]>>(end%8) != 0 && end%8 != 0 {
			c.own(bufs, i)[end/8] &= 1<<(end%8) - 1
		}
		return
	}
	if !zeroFrom(bufs[i], end) {
		clearFrom(c.own(bufs, i), end)
	}
}

// begin makes ready for a message, and has the scratch that the last ones did
// not need noticed.
func (c *cleaner) begin(buffers, nodes int) {
	for i := range c.copies {
		c.copies[i].Sized(0)
	}
	for i := range c.masks {
		c.masks[i].Sized(0)
	}
	if len(c.copies) < buffers {
		c.copies = append(c.copies, make([]readbuf.Buffer, buffers-len(c.copies))...)
		c.owned = make([]bool, len(c.copies))
	}
	if len(c.masks) < nodes {
		c.masks = append(c.masks, make([]readbuf.Buffer, nodes-len(c.masks))...)
		c.valid = make([][]byte, len(c.masks))
	}
	clear(c.owned)
	clear(c.valid)
}

// own returns buffer i as one that can be written to.
func (c *cleaner) own(bufs [][]byte, i int) []byte {
	if !c.owned[i] {
		p := c.copies[i].Sized(len(bufs[i]))
		copy(p, bufs[i])
		bufs[i], c.owned[i] = p, true
	}
	return bufs[i]
}

// content returns how many bits of a buffer are the entries of n rows, if that
// follows from n.
func content(role layout.Buffer, n int64) (bits int64, ok bool) {
	width := int64(1)
	switch role.Role {
	case layout.Validity, layout.Bits:
	case layout.Bytes, layout.ViewData:
		return 0, false
	case layout.Offsets32, layout.Offsets64:
		n = min(n, math.MaxInt64-1) + 1
		fallthrough
	default:
		width = 8 * int64(role.Width)
	}
	if n < 0 || width < 0 || width > 0 && n > math.MaxInt64/width {
		return 0, false
	}
	return n * width, true
}

// zeroFrom says whether all of p from one of its bits on is zero.
func zeroFrom(p []byte, bit int64) bool {
	p = p[bit/8:]
	return p[0]>>(bit%8) == 0 && isZero(p[1:])
}

// clearFrom clears p from one of its bits on.
func clearFrom(p []byte, bit int64) {
	p = p[bit/8:]
	p[0] &= 1<<(bit%8) - 1
	clear(p[1:])
}
