package ipcx

import (
	"errors"
	"fmt"
	"slices"
	"sort"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/brief"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// projection is which columns a reader was asked for.
type projection struct {
	byName  []string
	byIndex []int
	names   bool // WithColumns was given, with byName
	indexes bool // WithColumnIndexes was given, with byIndex
}

// WithColumns has readers and [Convert] read the columns of these names alone,
// in this order. The schema has only them, and nested fields come whole. The
// others are not decompressed, nor, from a file, read; dictionaries that only
// they use are neither. No names are no columns, just rows to count.
//
// A name that is not there, or there more than once, is an error that carries
// ErrOption where the schema is read.
func WithColumns(names ...string) Option {
	names = slices.Clone(names)
	return func(c *config) {
		c.projection.names, c.projection.byName = true, names
		c.projection.check(c)
	}
}

// WithColumnIndexes is [WithColumns] by the columns' places in the schema, from
// 0 on.
func WithColumnIndexes(indexes ...int) Option {
	indexes = slices.Clone(indexes)
	return func(c *config) {
		c.projection.indexes, c.projection.byIndex = true, indexes
		c.projection.check(c)
	}
}

func (p *projection) check(c *config) {
	if p.names && p.indexes {
		c.fail("WithColumns and WithColumnIndexes exclude each other")
	}
}

func (p *projection) asked() bool { return p.names || p.indexes }

// columns returns the indices of the columns asked for.
func (p *projection) columns(schema *arrow.Schema) ([]int, error) {
	columns := slices.Clone(p.byIndex)
	for _, name := range p.byName {
		switch found := schema.FieldIndices(name); len(found) {
		case 1:
			columns = append(columns, found[0])
		case 0:
			return nil, fmt.Errorf("WithColumns: no column %q among the %d of the schema", name, schema.NumFields())
		default:
			return nil, fmt.Errorf("WithColumns: %d columns are named %q: choose by WithColumnIndexes", len(found), name)
		}
	}
	for i, column := range columns {
		switch {
		case column < 0 || column >= schema.NumFields():
			return nil, fmt.Errorf("WithColumnIndexes: column %d of a schema that has %d", column, schema.NumFields())
		case slices.Contains(columns[:i], column):
			return nil, fmt.Errorf("column %d (%q) is asked for twice", column, brief.Text(schema.Field(column).Name))
		}
	}
	return columns, nil
}

// selection is the part of a stream that a projection leaves.
type selection struct {
	table        *layout.Table
	columns      []int
	schema       []byte // metadata of the reduced schema message
	dictionaries map[int64]struct{}

	// of the message at hand
	nodes    []int // indices into the message's field nodes
	buffers  []int // and into its buffers
	variadic []int // and into its variadic buffer counts
}

// selectColumns applies cfg's projection to a schema message.
func selectColumns(p *projection, metadata []byte) (*selection, error) {
	schema, err := schemaOf(metadata)
	if err != nil {
		return nil, tag(ErrUnsupported, err)
	}
	s := &selection{table: layout.Of(schema), dictionaries: make(map[int64]struct{})}
	if s.columns, err = p.columns(schema); err != nil {
		return nil, tag(ErrOption, err)
	}
	fb := flatbuf.GetRootAsMessage(metadata, 0)
	var full flatbuf.Schema
	table := full.Table()
	if !fb.Header(&table) {
		return nil, tag(ErrCorrupt, errors.New("schema message without a schema"))
	}
	full.Init(table.Bytes, table.Pos)
	for _, column := range s.columns {
		var field flatbuf.Field
		full.Fields(&field, column)
		s.collect(&field)
	}

	mb := metadataBuilder{b: flatbuffers.NewBuilder(1024)}
	copied, err := flatbuf.CopyColumns(mb.b, &full, s.columns)
	if err != nil {
		return nil, err
	}
	var m message
	if err := m.parse(metadata); err != nil {
		return nil, err
	}
	m.bodyLength = 0
	s.schema = mb.message(&m, copied)
	return s, nil
}

// collect notes the dictionaries of a field and of its children, those of a
// dictionary's own values among them.
func (s *selection) collect(field *flatbuf.Field) {
	if dict := field.Dictionary(nil); dict != nil {
		s.dictionaries[dict.Id()] = struct{}{}
	}
	for i := range field.ChildrenLength() {
		var child flatbuf.Field
		field.Children(&child, i)
		s.collect(&child)
	}
}

// with is s, with the memory that other has for a message.
func (s *selection) with(other *selection) selection {
	c := *s
	c.nodes, c.buffers, c.variadic = other.nodes, other.buffers, other.variadic
	return c
}

// message finds the nodes and buffers of the columns in a record batch.
func (s *selection) message(m *message) error {
	nodes := s.table.Nodes()
	if len(nodes) != len(m.nodes) {
		return tag(ErrCorrupt, fmt.Errorf("%d field nodes where the schema has %d", len(m.nodes), len(nodes)))
	}
	roles, err := bufferRoles(s.table, m)
	if err != nil {
		return err
	}
	variadic := s.table.Variadic()
	s.nodes, s.buffers, s.variadic = s.nodes[:0], s.buffers[:0], s.variadic[:0]
	for _, column := range s.columns {
		s.nodes = appendRange(s.nodes, len(nodes), column, func(i int) int { return nodes[i].Column })
		s.buffers = appendRange(s.buffers, len(roles), column, func(i int) int { return nodes[roles[i].Node].Column })
		s.variadic = appendRange(s.variadic, len(variadic), column, func(i int) int { return nodes[variadic[i]].Column })
	}
	return nil
}

// bufferRoles returns what each buffer of m holds. Variadic counts that lie cost
// nothing.
func bufferRoles(table *layout.Table, m *message) ([]layout.Buffer, error) {
	n, err := table.NumBuffers(layout.Version(m.version), m.variadic)
	if err != nil {
		return nil, tag(ErrCorrupt, err)
	}
	if n != len(m.buffers) {
		return nil, tag(ErrCorrupt, fmt.Errorf("%d buffers where the schema has %d", len(m.buffers), n))
	}
	return table.Buffers(layout.Version(m.version), m.variadic)
}

// appendRange appends every i below n for which columnOf is column. Nodes,
// buffers and counts stand column by column.
func appendRange(dst []int, n, column int, columnOf func(int) int) []int {
	for i := sort.Search(n, func(i int) bool { return columnOf(i) >= column }); i < n && columnOf(i) == column; i++ {
		dst = append(dst, i)
	}
	return dst
}
