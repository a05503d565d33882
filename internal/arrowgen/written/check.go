package written

import (
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"

	"github.com/arrowplanes/arrowplanes/layout"
)

// Check writes a record batch with arrow-go and holds the layout of its schema
// against the message.
func Check(rec arrow.RecordBatch) error {
	m, err := Write(rec)
	if err != nil {
		return fmt.Errorf("written: arrow-go: %w", err)
	}
	t := layout.Of(rec.Schema())
	for i, col := range rec.Columns() {
		if err := m.checkColumn(t, i, col); err != nil {
			return err
		}
	}
	return m.Check(rec.Schema())
}

func (m *Message) checkColumn(t *layout.Table, column int, col arrow.Array) error {
	for i, n := range t.Nodes() {
		if n.Column != column || n.Parent >= 0 {
			continue
		}
		if got := (Node{int64(col.Len()), int64(col.NullN())}); i >= len(m.Nodes) || m.Nodes[i] != got {
			return fmt.Errorf("written: column %d is %+v, node %d is another one", column, got, i)
		}
		return nil
	}
	return fmt.Errorf("written: column %d has no node", column)
}

// Check holds the layout of a schema against the message.
func (m *Message) Check(schema *arrow.Schema) error {
	t := layout.Of(schema)
	if err := m.checkNodes(schema, t); err != nil {
		return err
	}
	bufs, err := t.Buffers(m.Version, m.Variadic)
	if err != nil {
		return err
	}
	if len(bufs) != len(m.Buffers) {
		return fmt.Errorf("written: the message has %d buffers, its layout %d", len(m.Buffers), len(bufs))
	}
	if n, err := t.NumBuffers(m.Version, m.Variadic); err != nil || n != len(bufs) {
		return fmt.Errorf("written: %d buffers counted, %d listed, %v", n, len(bufs), err)
	}
	for i, b := range bufs {
		if b.Path != t.Nodes()[b.Node].Path {
			return fmt.Errorf("written: buffer %d is of %s, its node is %s", i, b.Path, t.Nodes()[b.Node].Path)
		}
		c := checker{m: m, nodes: t.Nodes(), bufs: bufs, i: i, Buffer: b}
		if err := c.check(); err != nil {
			return fmt.Errorf("written: buffer %d (%s of %s, n=%d, %d bytes): %w",
				i, b.Role, b.Path, m.Nodes[b.Node].Length, len(m.Buffers[i]), err)
		}
	}
	return nil
}

// checkNodes walks the schema by itself and compares.
func (m *Message) checkNodes(schema *arrow.Schema, t *layout.Table) error {
	var want []layout.Node
	var walk func(f arrow.Field, column, parent int)
	walk = func(f arrow.Field, column, parent int) {
		dt := f.Type
		for dt.ID() == arrow.EXTENSION {
			dt = dt.(arrow.ExtensionType).StorageType()
		}
		want = append(want, layout.Node{Type: dt, Column: column, Parent: parent})
		parent = len(want) - 1
		if nested, ok := dt.(arrow.NestedType); ok {
			for _, c := range nested.Fields() {
				walk(c, column, parent)
			}
		}
	}
	for i, f := range schema.Fields() {
		walk(f, i, -1)
	}

	got := t.Nodes()
	if len(got) != len(want) || len(m.Nodes) != len(want) {
		return fmt.Errorf("written: %d nodes in the schema, %d in the message, %d in the layout", len(want), len(m.Nodes), len(got))
	}
	for i, w := range want {
		g := got[i]
		if g.Column != w.Column || g.Parent != w.Parent || !arrow.TypeEqual(g.Type, w.Type) {
			return fmt.Errorf("written: node %d is %+v, want %+v", i, g, w)
		}
		if err := m.checkLength(got, i); err != nil {
			return fmt.Errorf("written: node %d (%s): %w", i, g.Path, err)
		}
	}
	return nil
}

// checkLength compares a node with its parent, where the parent's type alone
// determines the length of its children.
func (m *Message) checkLength(nodes []layout.Node, i int) error {
	want := m.Length
	if p := nodes[i].Parent; p >= 0 {
		want = m.Nodes[p].Length
		switch dt := nodes[p].Type.(type) {
		case *arrow.StructType, *arrow.SparseUnionType:
		case *arrow.FixedSizeListType:
			want *= int64(dt.Len())
		default:
			return nil
		}
	}
	if m.Nodes[i].Length != want {
		return fmt.Errorf("length %d, want %d", m.Nodes[i].Length, want)
	}
	return nil
}

// checker checks one buffer.
type checker struct {
	m     *Message
	nodes []layout.Node
	bufs  []layout.Buffer
	i     int
	layout.Buffer
}

func (c *checker) check() error {
	n := c.m.Nodes[c.Node].Length
	switch c.Role {
	case layout.Validity:
		return c.validity(n)
	case layout.Bits:
		return c.atLeast(bitutil.BytesForBits(n))
	case layout.Values:
		if err := c.atLeast(n * int64(c.Width)); err != nil {
			return err
		}
		return c.runEnds(n)
	case layout.Bytes, layout.ViewData:
		return nil // measured by the offsets and views that point into it
	case layout.Offsets32, layout.Offsets64:
		return c.offsets(n)
	case layout.Views:
		if err := c.atLeast(n * int64(c.Width)); err != nil {
			return err
		}
		return c.views(n)
	case layout.ListViewOffsets32, layout.ListViewOffsets64:
		if err := c.atLeast(n * int64(c.Width)); err != nil {
			return err
		}
		return c.listViews(n)
	case layout.ListViewSizes32, layout.ListViewSizes64:
		return c.atLeast(n * int64(c.Width))
	case layout.TypeIDs:
		if err := c.atLeast(n); err != nil {
			return err
		}
		return c.union(n)
	case layout.UnionOffsets:
		return c.atLeast(n * 4)
	}
	return fmt.Errorf("unknown role")
}

// atLeast checks that a buffer has what it needs and no more than padding.
func (c *checker) atLeast(need int64) error {
	have := int64(len(c.m.Buffers[c.i]))
	if have < need || have > (need+63)&^63 {
		return fmt.Errorf("needs %d bytes", need)
	}
	return nil
}

func (c *checker) validity(n int64) error {
	bitmap, nulls := c.m.Buffers[c.i], c.m.Nodes[c.Node].Nulls
	if len(bitmap) == 0 && nulls == 0 {
		return nil
	}
	if c.m.Exact && nulls == 0 {
		return fmt.Errorf("no nulls, but a bitmap")
	}
	if err := c.atLeast(bitutil.BytesForBits(n)); err != nil {
		return err
	}
	if got := n - int64(bitutil.CountSetBits(bitmap, 0, int(n))); got != nulls {
		return fmt.Errorf("%d nulls in the bitmap, %d in the node", got, nulls)
	}
	return nil
}

// integer reads entry k of a buffer with the checker's width.
func (c *checker) integer(buf []byte, k int64) int64 {
	switch c.Width {
	case 2:
		return int64(int16(c.m.Order.Uint16(buf[2*k:])))
	case 4:
		return int64(int32(c.m.Order.Uint32(buf[4*k:])))
	}
	return int64(c.m.Order.Uint64(buf[8*k:]))
}

// children gives the indices of the node's children.
func (c *checker) children() []int {
	var list []int
	for i := c.Node + 1; i < len(c.nodes); i++ {
		if c.nodes[i].Parent == c.Node {
			list = append(list, i)
		}
	}
	return list
}

func (c *checker) offsets(n int64) error {
	buf := c.m.Buffers[c.i]
	var last int64
	switch {
	case n == 0 && len(buf) == 0:
	case c.m.Exact && int64(len(buf)) != (n+1)*int64(c.Width), int64(len(buf)) < (n+1)*int64(c.Width):
		return fmt.Errorf("needs %d bytes", (n+1)*int64(c.Width))
	default:
		for i := range n + 1 {
			if o := c.integer(buf, i); o < last {
				return fmt.Errorf("offset %d is %d, after %d", i, o, last)
			} else {
				last = o
			}
		}
	}
	end := int64(0)
	if kids := c.children(); len(kids) == 1 {
		end = c.m.Nodes[kids[0]].Length
	} else if c.i+1 < len(c.bufs) && c.bufs[c.i+1].Role == layout.Bytes && c.bufs[c.i+1].Node == c.Node {
		end = int64(len(c.m.Buffers[c.i+1]))
	} else {
		return fmt.Errorf("neither bytes nor a child to point into")
	}
	if c.m.Exact && last != end || last > end {
		return fmt.Errorf("the last offset is %d, the end %d", last, end)
	}
	return nil
}

func (c *checker) views(n int64) error {
	for i := range n {
		v := c.m.Buffers[c.i][16*i : 16*i+16]
		size := int64(c.m.Order.Uint32(v))
		if size <= 12 {
			continue
		}
		k, at := c.i+1+int(c.m.Order.Uint32(v[8:])), int64(c.m.Order.Uint32(v[12:]))
		if k >= len(c.bufs) || c.bufs[k].Role != layout.ViewData || c.bufs[k].Node != c.Node || at+size > int64(len(c.m.Buffers[k])) {
			return fmt.Errorf("view %d points at bytes %d to %d of buffer %d", i, at, at+size, k)
		}
	}
	return nil
}

func (c *checker) listViews(n int64) error {
	kids := c.children()
	sizes := c.bufs[c.i+1]
	if len(kids) != 1 || sizes.Role != c.Role+2 || sizes.Node != c.Node {
		return fmt.Errorf("followed by %s, with %d children", sizes.Role, len(kids))
	}
	for i := range n {
		at, size := c.integer(c.m.Buffers[c.i], i), c.integer(c.m.Buffers[c.i+1], i)
		if end := c.m.Nodes[kids[0]].Length; at < 0 || size < 0 || at+size > end {
			return fmt.Errorf("list view %d is at %d to %d of %d", i, at, at+size, end)
		}
	}
	return nil
}

func (c *checker) union(n int64) error {
	dt := c.nodes[c.Node].Type.(arrow.UnionType)
	kids := c.children()
	for i := range n {
		k := slices.Index(dt.TypeCodes(), int8(c.m.Buffers[c.i][i]))
		if k < 0 {
			return fmt.Errorf("type id %d is %d", i, int8(c.m.Buffers[c.i][i]))
		}
		if dt.Mode() == arrow.SparseMode {
			continue
		}
		at := int64(int32(c.m.Order.Uint32(c.m.Buffers[c.i+1][4*i:])))
		if end := c.m.Nodes[kids[k]].Length; at < 0 || at >= end {
			return fmt.Errorf("union value %d is at %d of %d", i, at, end)
		}
	}
	return nil
}

// runEnds checks that the run ends of a run-end encoded field end where the
// field does.
func (c *checker) runEnds(n int64) error {
	p := c.nodes[c.Node].Parent
	if p < 0 || c.nodes[p].Type.ID() != arrow.RUN_END_ENCODED || c.Node != p+1 {
		return nil
	}
	want, last := c.m.Nodes[p].Length, int64(0)
	if n > 0 {
		last = c.integer(c.m.Buffers[c.i], n-1)
	}
	if last < want {
		return fmt.Errorf("the last run ends at %d of %d", last, want)
	}
	return nil
}
