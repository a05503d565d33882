package layout

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
)

// MaxNodes is the largest number of field nodes that a Table describes. A type
// can share its children, and so have exponentially more nodes than it takes
// memory; the bound keeps such a schema from taking all there is.
const MaxNodes = 1 << 20

// Node is a field node of a record batch message: a field of the schema, or a
// child of one.
type Node struct {
	Path   string         // the field, as the package comment describes it
	Type   arrow.DataType // of an extension, its storage; of a field with a dictionary, the dictionary type
	Column int            // index of the top-level field that the node belongs to
	Parent int            // index of the parent's node, -1 for a top-level field
}

// Table describes the field nodes and body buffers of the record batch messages
// of one schema. It never changes, and is safe for concurrent use.
type Table struct {
	nodes    []Node
	variadic []int
	// v5 and v4 are the buffers without any ViewData; they are one slice
	// unless the schema has a type that lost its validity in V5.
	v5, v4   []Buffer
	offsets  bool
	unmapped *UnmappedError
	// opaque is the reason why the buffers cannot be told, if they cannot.
	opaque *UnmappedError
}

// Of describes a schema. It takes any schema; nil is one without fields. What
// cannot be described is reported by [Table.Unmapped] and [Table.Buffers]: a
// type that Arrow got later than this package, and a schema of more than
// MaxNodes nodes, whose table has no nodes at all.
func Of(schema *arrow.Schema) *Table {
	b := builder{t: new(Table)}
	if schema != nil {
		b.t.nodes = make([]Node, 0, schema.NumFields())
		b.t.v5 = make([]Buffer, 0, 3*schema.NumFields())
		for i := range schema.NumFields() {
			f := schema.Field(i)
			if err := b.column(pending{name: f.Name, typ: f.Type, column: i, parent: -1}); err != nil {
				return &Table{unmapped: err, opaque: err}
			}
		}
	}
	return b.finish()
}

// Nodes gives the field nodes in message order. The slice is shared and must
// not be modified.
func (t *Table) Nodes() []Node { return t.nodes }

// Variadic gives, for each entry of a message's variadicBufferCounts, the index
// of the node that it belongs to. The slice is shared and must not be modified.
func (t *Table) Variadic() []int { return t.variadic }

// HasOffsets reports whether any buffer of the schema has the role Offsets32 or
// Offsets64.
func (t *Table) HasOffsets() bool { return t.offsets }

// Unmapped gives an *UnmappedError for the first node, in message order, whose
// type is not mapped, and nil if there is none. Not mapped are fields with a
// dictionary, binary and utf8 views, list views, unions, run-end encoded fields
// and types that this package does not know. An extension is judged by its
// storage.
func (t *Table) Unmapped() error {
	if t.unmapped == nil {
		return nil
	}
	return t.unmapped
}

// pending is a field that waits for its turn to become a node.
type pending struct {
	name           string
	typ            arrow.DataType
	column, parent int
}

// builder walks a schema. It keeps a stack of its own, because the depth of a
// schema is the caller's choice.
type builder struct {
	t     *Table
	stack []pending
	// split is set once v4 differs from v5 and has to be kept on its own.
	split bool
}

// column appends a top-level field and all that is below it. The error says
// that there were too many.
func (b *builder) column(f pending) *UnmappedError {
	t := b.t
	b.stack = append(b.stack[:0], f)
	for len(b.stack) > 0 {
		f = b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]

		node := Node{Type: storage(f.typ), Column: f.column, Parent: f.parent}
		if f.parent < 0 {
			node.Path = joinPath("", f.name)
		} else {
			node.Path = joinPath(t.nodes[f.parent].Path, f.name)
		}
		if len(t.nodes) == MaxNodes {
			return &UnmappedError{Path: node.Path, Type: node.Type, cause: ErrTooManyNodes}
		}

		index := len(t.nodes)
		t.nodes = append(t.nodes, node)
		for _, child := range slices.Backward(b.describe(index, node.Type)) {
			b.stack = append(b.stack, pending{name: child.Name, typ: child.Type, column: f.column, parent: index})
		}
	}
	return nil
}

func (b *builder) finish() *Table {
	t := b.t
	if !b.split {
		t.v4 = t.v5
	}
	// A caller that appends must not write into what others share.
	t.nodes, t.variadic = slices.Clip(t.nodes), slices.Clip(t.variadic)
	t.v5, t.v4 = slices.Clip(t.v5), slices.Clip(t.v4)
	return t
}

// storage is the type that an extension, or an extension of one, is stored as.
func storage(typ arrow.DataType) arrow.DataType {
	for {
		ext, ok := typ.(arrow.ExtensionType)
		if !ok {
			return typ
		}
		typ = ext.StorageType()
	}
}

// add appends a buffer of the given node.
func (b *builder) add(node int, role Role, width int) {
	buf := Buffer{Role: role, Node: node, Width: width, Path: b.t.nodes[node].Path}
	b.t.v5 = append(b.t.v5, buf)
	if b.split {
		b.t.v4 = append(b.t.v4, buf)
	}
	b.t.offsets = b.t.offsets || role.IsOffsets()
}

// addOldValidity appends a validity buffer that is there up to V4 only.
func (b *builder) addOldValidity(node int) {
	if !b.split {
		b.split = true
		b.t.v4 = slices.Clone(b.t.v5)
	}
	b.t.v4 = append(b.t.v4, Buffer{Role: Validity, Node: node, Path: b.t.nodes[node].Path})
}

// refuse notes that a node is not mapped, for the given reason if there is one
// beyond that.
func (b *builder) refuse(node int, cause error) {
	n := b.t.nodes[node]
	err := &UnmappedError{Path: n.Path, Type: n.Type, cause: cause}
	if b.t.unmapped == nil {
		b.t.unmapped = err
	}
	if cause != nil && b.t.opaque == nil {
		b.t.opaque = err
	}
}
