package ipcx

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/brief"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// dictionaries are those of a schema, by id.
type dictionaries map[int64]dictionary

// dictionary is where the dictionary of an id belongs.
type dictionary struct {
	column int
	table  *layout.Table // of one column, its values
}

// dictionariesOf returns the dictionaries of the schema in a schema message, whose
// layout is table.
func dictionariesOf(metadata []byte, schema *arrow.Schema, table *layout.Table) dictionaries {
	if table.Unmapped() == nil {
		return nil // as any field with a dictionary is not mapped
	}
	d := make(dictionaries)
	var fb flatbuf.Schema
	header := fb.Table()
	if !flatbuf.GetRootAsMessage(metadata, 0).Header(&header) {
		return d
	}
	fb.Init(header.Bytes, header.Pos)
	for column := range fb.FieldsLength() {
		var field flatbuf.Field
		fb.Fields(&field, column)
		d.collect(&field, schema.Field(column).Type, column, schema.Field(column).Name)
	}
	return d
}

// haveUnions says whether there are unions among the values of a dictionary.
func (d dictionaries) haveUnions(id int64) bool {
	table := d[id].table
	return table != nil && slices.ContainsFunc(table.Nodes(), func(n layout.Node) bool { return isUnion(n.Type) })
}

// collect notes the dictionaries of a field and of its children.
func (d dictionaries) collect(field *flatbuf.Field, dt arrow.DataType, column int, path string) {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		dt = ext.StorageType()
	}
	if dict, ok := dt.(*arrow.DictionaryType); ok {
		dt = dict.ValueType
		if fb := field.Dictionary(nil); fb != nil {
			values := arrow.NewSchema([]arrow.Field{{Name: path, Type: dt, Nullable: true}}, nil)
			d[fb.Id()] = dictionary{column, layout.Of(values)}
		}
	}
	path = brief.Text(path) // or a long name is copied for each child
	nested, ok := dt.(arrow.NestedType)
	if !ok {
		return
	}
	for k, child := range nested.Fields() {
		var fb flatbuf.Field
		if k < field.ChildrenLength() && field.Children(&fb, k) {
			d.collect(&fb, child.Type, column, path+"."+child.Name)
		}
	}
}
