package ipcx

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// maxDepth is how deep arrow-go's loader goes into nested types.
const maxDepth = 64

// loadable checks that arrow-go's loader can make arrays of the batch at hand,
// whose decoded body is body and whose buffers are d.parts, and that they have an
// entry in every buffer for each of their rows. The loader panics on counts and
// lengths that do not fit each other, and does not release then what it has
// retained: the body would be lost to its allocator. What it does not look at, the
// accessors of arrays do.
//
// It looks at the metadata and, of offsets and run ends, at the first and the last.
// All of them are looked at in flagged messages and in dictionaries, which arrow-go
// joins by their offsets. Nothing is with [WithTrustedInput].
func (d *Decoder) loadable(body []byte) error {
	if !d.in.isBatch() || d.cfg.trusted {
		return nil
	}
	if d.cfg.validate || d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
		if err := d.overlap(); err != nil {
			return err
		}
	}
	desc := d.describe()
	if desc.err != nil {
		return nil // for the loader to say
	}
	table, roles, err := d.loaded(desc)
	if err != nil {
		return d.wrap(tag(ErrCorrupt, err))
	}
	if table == nil {
		return nil
	}
	if err := d.checkNodes(table); err != nil {
		return d.wrap(tag(ErrCorrupt, err))
	}
	for i, p := range d.parts {
		j := d.pick(i)
		var data int64
		if role := roles[j]; role.Role.IsOffsets() {
			data = d.pointedAt(table, role, i)
		}
		buffer := body[p.at : p.at+p.length]
		err := d.checkBuffer(table, roles[j], buffer, data)
		if err == nil && (p.rewrite && !p.ordered && !d.foreign || d.joins(roles[j])) {
			err = d.checkLengths(roles[j], buffer)
		}
		if err != nil {
			return d.wrap(tag(ErrCorrupt, at(j, roles, err)))
		}
	}
	return nil
}

// pointedAt returns how much the offsets in part i can point at: bytes of data, or
// the entries of the child of a list or map. Both follow them.
func (d *Decoder) pointedAt(table *layout.Table, role layout.Buffer, i int) int64 {
	if isBinaryLike(table.Nodes()[role.Node].Type.ID()) {
		return d.parts[i+1].length
	}
	return d.in.nodes[role.Node+1].length
}

// joins says whether a buffer has offsets that arrow-go would join with others.
func (d *Decoder) joins(role layout.Buffer) bool {
	return d.in.kind == flatbuf.MessageHeaderDictionaryBatch && !d.foreign &&
		role.Role.IsOffsets() && d.in.nodes[role.Node].length > 0
}

// loaded returns the layout that the batch has to have, and what its buffers
// hold; no table where that is not known.
func (d *Decoder) loaded(desc *description) (*layout.Table, []layout.Buffer, error) {
	table := desc.table
	if d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
		table = desc.dictionaries[d.in.id].table
	} else if deep := desc.deep; deep >= 0 && (!d.projects() || slices.Contains(d.sel.columns, deep)) {
		return nil, nil, fmt.Errorf("column %d is nested more than %d types deep", deep, maxDepth)
	}
	if table == nil {
		return nil, nil, nil
	}
	version, variadic := layout.Version(d.in.version), d.in.variadic
	n, err := table.NumBuffers(version, variadic)
	if err != nil {
		return nil, nil, err
	}
	if len(d.in.buffers) != n {
		return nil, nil, fmt.Errorf("%d buffers where the schema has %d", len(d.in.buffers), n)
	}
	if got, want := len(d.in.nodes), len(table.Nodes()); got != want {
		return nil, nil, fmt.Errorf("%d field nodes where the schema has %d", got, want)
	}
	roles, err := table.Buffers(version, variadic)
	return table, roles, err
}

// checkNodes checks the field nodes of the columns that are wanted.
func (d *Decoder) checkNodes(table *layout.Table) error {
	nodes := table.Nodes()
	if rows := d.in.rows; d.in.kind == flatbuf.MessageHeaderRecordBatch && (rows < 0 || rows > math.MaxInt) {
		return fmt.Errorf("a batch of %d rows", rows)
	}
	for i := range d.wantedNodes() {
		if err := d.checkNode(nodes, i); err != nil {
			return err
		}
	}
	return nil
}

// wantedNodes are the field nodes of the batch at hand that are of columns asked
// for, by their index.
func (d *Decoder) wantedNodes() iter.Seq[int] {
	return func(yield func(int) bool) {
		if d.projects() {
			for _, i := range d.sel.nodes {
				if !yield(i) {
					return
				}
			}
			return
		}
		for i := range d.in.nodes {
			if !yield(i) {
				return
			}
		}
	}
}

func (d *Decoder) checkNode(nodes []layout.Node, i int) error {
	node, in := &nodes[i], d.in.nodes
	n, nulls := in[i].length, in[i].nulls
	if n < 0 {
		return fmt.Errorf("field %q: field node of %d rows", node.Path, n)
	}
	if n > math.MaxInt {
		return fmt.Errorf("field %q: field node of %d rows, more than this machine counts, %d", node.Path, n, math.MaxInt)
	}
	if node.Parent >= 0 {
		if err := checkChild(nodes, in, i); err != nil {
			return err
		}
	} else if d.in.kind == flatbuf.MessageHeaderRecordBatch && n < d.in.rows {
		return fmt.Errorf("field %q: field node of %d rows in a batch of %d", node.Path, n, d.in.rows)
	}
	switch id := node.Type.ID(); id {
	case arrow.NULL:
		return nil // all of them are, whatever the count says
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		if d.in.version < flatbuf.MetadataVersionV5 && nulls != 0 {
			return fmt.Errorf("field %q: a union with %d nulls of its own, as before Arrow 1.0", node.Path, nulls)
		}
		return nil
	}
	if nulls > n || nulls < math.MinInt {
		return fmt.Errorf("field %q: %d nulls in %d rows", node.Path, nulls, n)
	}
	switch node.Type.ID() {
	case arrow.MAP:
		// Its entries and their keys follow it.
		for k := i + 1; k <= i+2 && k < len(nodes); k++ {
			if in[k].nulls != 0 {
				return fmt.Errorf("field %q: %d nulls among the entries or keys of a map", nodes[k].Path, in[k].nulls)
			}
		}
	case arrow.RUN_END_ENCODED:
		if nulls < 0 {
			return fmt.Errorf("field %q: %d nulls of a type that has none of its own", node.Path, nulls)
		}
		if i+1 < len(nodes) && in[i+1].nulls > 0 {
			return fmt.Errorf("field %q: %d nulls among run ends", nodes[i+1].Path, in[i+1].nulls)
		}
	}
	return nil
}

// checkChild checks that a child has an entry for each that its parent has in it.
func checkChild(nodes []layout.Node, in []fieldNode, i int) error {
	child, parent := &nodes[i], nodes[i].Parent
	need, what := in[parent].length, ""
	switch dt := nodes[parent].Type.(type) {
	case *arrow.StructType:
		what = "struct"
	case *arrow.SparseUnionType:
		what = "sparse union"
	case *arrow.FixedSizeListType:
		size := int64(dt.Len())
		if size > 0 && in[i].length/size < need {
			return fmt.Errorf("field %q: field node of %d rows in %d lists of %d", child.Path, in[i].length, need, size)
		}
		return nil
	case *arrow.RunEndEncodedType:
		// Behind the run ends come as many values.
		if need, what = in[parent+1].length, "column of run ends"; i == parent+1 {
			if need == 0 && in[parent].length > 0 {
				return fmt.Errorf("field %q: no run ends for %d rows", child.Path, in[parent].length)
			}
			return nil
		}
	default:
		return nil
	}
	if in[i].length < need {
		return fmt.Errorf("field %q: field node of %d rows in a %s of %d", child.Path, in[i].length, what, need)
	}
	return nil
}

// checkBuffer checks a buffer against its field node. data is how much offsets can
// point at.
func (d *Decoder) checkBuffer(table *layout.Table, role layout.Buffer, p []byte, data int64) error {
	n := d.in.nodes[role.Node].length
	if n == 0 {
		return nil
	}
	node := &table.Nodes()[role.Node]
	switch role.Role {
	case layout.Validity:
		if d.in.nodes[role.Node].nulls == 0 {
			return nil // read by nobody
		}
		fallthrough
	case layout.Bits:
		if need := n/8 + (n%8+7)/8; int64(len(p)) < need {
			return fmt.Errorf("%d bytes are too short for %d bits", len(p), n)
		}
	case layout.Bytes, layout.ViewData:
	case layout.Offsets32, layout.Offsets64:
		width := int64(role.Width)
		if int64(len(p))/width <= n {
			return fmt.Errorf("%d bytes are too short for %d offsets of %d bytes", len(p), n+1, width)
		}
		return d.checkEnds(node, role, p, data)
	default:
		if width := int64(role.Width); width > 0 && int64(len(p))/width < n {
			return fmt.Errorf("%d bytes are too short for %d entries of %d bytes", len(p), n, width)
		}
		if role.Role == layout.Values && node.Parent == role.Node-1 && node.Parent >= 0 {
			if ree, ok := table.Nodes()[node.Parent].Type.(*arrow.RunEndEncodedType); ok && !d.foreign {
				return d.checkRuns(ree, role, p)
			}
		}
	}
	return nil
}

// checkEnds checks the first and the last of offsets.
func (d *Decoder) checkEnds(node *layout.Node, role layout.Buffer, p []byte, data int64) error {
	what := "bytes of data"
	if !isBinaryLike(node.Type.ID()) {
		if what = "entries"; d.foreign {
			return nil // in an order that nobody here reads
		}
	}
	if d.foreign && d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
		return nil // of which no arrays are made until somebody asks
	}
	n, width := d.in.nodes[role.Node].length, int64(role.Width)
	first, last := d.offset(p, role.Width), d.offset(p[n*width:], role.Width)
	switch {
	case last > data:
		return fmt.Errorf("last offset is %d, where there are %d %s", last, data, what)
	case d.foreign:
	case first < 0:
		return fmt.Errorf("first offset is %d", first)
	case last < first:
		return fmt.Errorf("last offset is %d, after %d", last, first)
	}
	return nil
}

// checkRuns checks that run ends reach as far as there are rows.
func (d *Decoder) checkRuns(ree *arrow.RunEndEncodedType, role layout.Buffer, p []byte) error {
	var (
		n    = d.in.nodes[role.Node].length
		rows = d.in.nodes[role.Node-1].length
		at   = p[(n-1)*int64(role.Width):]
		last int64
	)
	switch ree.RunEnds().ID() {
	case arrow.INT16:
		last = int64(int16(binary.NativeEndian.Uint16(at)))
	default:
		last = d.offset(at, role.Width)
	}
	if last < rows {
		return fmt.Errorf("runs end at %d of %d rows", last, rows)
	}
	return nil
}

func isBinaryLike(id arrow.Type) bool {
	switch id {
	case arrow.BINARY, arrow.STRING, arrow.LARGE_BINARY, arrow.LARGE_STRING:
		return true
	}
	return false
}

// offset reads an offset, whose bytes may be still to be swapped.
func (d *Decoder) offset(p []byte, width int) int64 {
	if width == 8 {
		v := binary.NativeEndian.Uint64(p)
		if d.swaps {
			v = bits.ReverseBytes64(v)
		}
		return int64(v)
	}
	v := binary.NativeEndian.Uint32(p)
	if d.swaps {
		v = bits.ReverseBytes32(v)
	}
	return int64(int32(v))
}

// tooDeep returns the first column that arrow-go's loader finds too deep, -1 if
// there is none.
func tooDeep(table *layout.Table) int {
	nodes := table.Nodes()
	depth := make([]int32, len(nodes))
	for i, node := range nodes {
		if node.Parent < 0 {
			continue
		}
		if depth[i] = depth[node.Parent] + 1; depth[i] > maxDepth {
			return node.Column
		}
	}
	return -1
}
