package ipcx

import (
	"fmt"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// viewCounts is how many fields of views the batches of a stream have, and so how
// many variadic buffer counts. arrow-go reads that many, whether they are there
// or not, and makes room for as many buffers as they say.
type viewCounts struct {
	batch        int           // of a record batch
	dictionaries map[int64]int // of a dictionary batch, by the dictionary's id; none where it is absent
}

// countViews counts the views of a schema message, which has been verified.
func countViews(metadata []byte) viewCounts {
	var (
		v      viewCounts
		schema flatbuf.Schema
		table  = schema.Table()
		field  flatbuf.Field
	)
	if !flatbuf.GetRootAsMessage(metadata, 0).Header(&table) {
		return v
	}
	schema.Init(table.Bytes, table.Pos)
	for i := range schema.FieldsLength() {
		schema.Fields(&field, i)
		v.batch += v.field(&field)
	}
	return v
}

// field returns how many views a field adds to the batches that it is in, which
// is none where a dictionary has its values.
func (v *viewCounts) field(field *flatbuf.Field) int {
	n := 0
	if t := field.TypeType(); t == flatbuf.TypeUtf8View || t == flatbuf.TypeBinaryView {
		n = 1
	}
	var child flatbuf.Field
	for i := range field.ChildrenLength() {
		field.Children(&child, i)
		n += v.field(&child)
	}
	dictionary := field.Dictionary(nil)
	if dictionary == nil {
		return n
	}
	if n > 0 {
		if v.dictionaries == nil {
			v.dictionaries = make(map[int64]int)
		}
		v.dictionaries[dictionary.Id()] = n
	}
	return 0
}

// check checks the variadic buffer counts of a batch. A flagged one is refused for
// having any.
func (v *viewCounts) check(m *message) error {
	want := v.batch
	if m.kind == flatbuf.MessageHeaderDictionaryBatch {
		want = v.dictionaries[m.id]
	}
	if m.flagged() {
		return nil
	}
	if len(m.variadic) != want {
		return tag(ErrCorrupt, fmt.Errorf("%d variadic buffer counts, where the schema has %d fields of views", len(m.variadic), want))
	}
	left := int64(len(m.buffers))
	for i, n := range m.variadic {
		if n < 0 || n > left {
			return tag(ErrCorrupt, fmt.Errorf("variadic buffer count %d is %d, where %d of %d buffers are left", i, n, left, len(m.buffers)))
		}
		left -= n
	}
	return nil
}
