package ipcx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// maxDepth is how deep arrow-go's loader goes into nested types.
const maxDepth = 64

// loadable checks that arrow-go's loader can make arrays of the batch at hand,
// whose decoded body is body and whose buffers are d.parts. The loader panics on
// counts and lengths that do not fit each other, and does not release then what
// it has retained: the body would be lost to its allocator.
//
// It looks at the metadata and, of strings and binaries, at the last offset. What
// the loader does not look at either is not checked, but for the lengths of
// flagged messages. Nothing is with [WithTrustedInput].
func (d *Decoder) loadable(body []byte) error {
	if !d.in.isBatch() || d.cfg.trusted {
		return nil
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
		if j >= len(roles) {
			break // more buffers than the schema has, which nobody looks at
		}
		var data int64
		if role := roles[j].Role; role.IsOffsets() && j+1 < len(roles) && roles[j+1].Role == layout.Bytes {
			data = d.parts[i+1].length
		}
		buffer := body[p.at : p.at+p.length]
		err := d.checkBuffer(table, roles[j], buffer, data)
		if err == nil && p.rewrite {
			err = d.checkLengths(table, roles[j], buffer, p.n, data, p.ordered)
		}
		if err != nil {
			return d.wrap(tag(ErrCorrupt, at(j, roles, err)))
		}
	}
	return nil
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
	if len(table.Variadic()) == 0 {
		variadic = nil // read by nobody
	}
	n, err := table.NumBuffers(version, variadic)
	if err != nil {
		return nil, nil, err
	}
	if len(d.in.buffers) < n {
		return nil, nil, fmt.Errorf("%d buffers where the schema has %d", len(d.in.buffers), n)
	}
	if got, want := len(d.in.nodes), len(table.Nodes()); got < want {
		return nil, nil, fmt.Errorf("%d field nodes where the schema has %d", got, want)
	}
	roles, err := table.Buffers(version, variadic)
	return table, roles, err
}

// checkNodes checks the field nodes of the columns that are wanted.
func (d *Decoder) checkNodes(table *layout.Table) error {
	nodes := table.Nodes()
	if !d.projects() {
		for i := range nodes {
			if err := d.checkNode(nodes, i); err != nil {
				return err
			}
		}
		return nil
	}
	for _, i := range d.sel.nodes {
		if err := d.checkNode(nodes, i); err != nil {
			return err
		}
	}
	return nil
}

func (d *Decoder) checkNode(nodes []layout.Node, i int) error {
	node, in := &nodes[i], d.in.nodes
	n, nulls := in[i].length, in[i].nulls
	if n < 0 {
		return fmt.Errorf("field %q: field node of %d rows", node.Path, n)
	}
	if node.Parent < 0 {
		if d.in.kind == flatbuf.MessageHeaderRecordBatch && n < d.in.rows {
			return fmt.Errorf("field %q: field node of %d rows in a batch of %d", node.Path, n, d.in.rows)
		}
	} else if nodes[node.Parent].Type.ID() == arrow.SPARSE_UNION && n < in[node.Parent].length {
		return fmt.Errorf("field %q: field node of %d rows in a sparse union of %d", node.Path, n, in[node.Parent].length)
	}
	switch node.Type.ID() {
	case arrow.SPARSE_UNION, arrow.DENSE_UNION:
		if d.in.version < flatbuf.MetadataVersionV5 && nulls != 0 {
			return fmt.Errorf("field %q: a union with %d nulls of its own, as before Arrow 1.0", node.Path, nulls)
		}
	case arrow.MAP:
		// Its entries and their keys follow it.
		for k := i + 1; k <= i+2 && k < len(nodes); k++ {
			if in[k].nulls != 0 {
				return fmt.Errorf("field %q: %d nulls among the entries or keys of a map", nodes[k].Path, in[k].nulls)
			}
		}
	case arrow.RUN_END_ENCODED:
		if i+1 < len(nodes) && in[i+1].nulls > 0 {
			return fmt.Errorf("field %q: %d nulls among run ends", nodes[i+1].Path, in[i+1].nulls)
		}
	}
	return nil
}

// checkBuffer checks a buffer against its field node. data is how many bytes the
// offsets of a string or binary can point at.
func (d *Decoder) checkBuffer(table *layout.Table, role layout.Buffer, p []byte, data int64) error {
	n := d.in.nodes[role.Node].length
	if n == 0 {
		return nil
	}
	node := &table.Nodes()[role.Node]
	switch role.Role {
	case layout.Values:
		if node.Type.ID() == arrow.FIXED_SIZE_BINARY {
			return nil
		}
		if width := int64(role.Width); int64(len(p))/width < n {
			return fmt.Errorf("%d bytes are too short for %d values of %d bytes", len(p), n, width)
		}
	case layout.Offsets32, layout.Offsets64:
		if id := node.Type.ID(); !isBinaryLike(id) {
			return nil
		}
		width := int64(role.Width)
		if int64(len(p))/width <= n {
			return fmt.Errorf("%d bytes are too short for %d offsets of %d bytes", len(p), n+1, width)
		}
		if d.foreign && d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
			return nil // of which no arrays are made until somebody asks
		}
		if last := d.offset(p[n*width:], role.Width); last > data {
			return fmt.Errorf("last offset is %d, where there are %d bytes of data", last, data)
		}
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
