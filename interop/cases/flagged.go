package cases

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
)

// Flagged returns the tables whose flagged forms have to be refused: every
// mapped type with offsets, alone and beside others, and those of Lookalikes.
// A batch is flagged unless it has no rows.
func Flagged() []Table {
	empty := arrowgen.Options{}
	some := arrowgen.Options{Rows: 33, Nulls: 0.4, Sliced: true}
	var tables []Table
	for _, f := range append(arrowgen.MappedTypes(), arrowgen.Nested(1)...) {
		if !hasOffsets(f.Type) {
			continue
		}
		tables = append(tables,
			Table{Name: f.Name, Batches: []arrow.RecordBatch{batch(1, arrowgen.Options{Rows: 40}, f), batch(2, some, f)}},
			Table{Name: f.Name + "_nulls", Batches: []arrow.RecordBatch{batch(3, arrowgen.Options{Rows: 9, Nulls: 1}, f)}})
	}
	all := append(arrowgen.MappedTypes(), arrowgen.Nested(1)...)
	tables = append(tables, Table{Name: "all_types", Batches: []arrow.RecordBatch{batch(4, empty, all...), batch(5, some, all...)}})
	var common []arrow.Field
	for _, f := range arrowgen.MappedTypes() {
		switch f.Name {
		case "int32", "utf8", "bool", "float64", "list", "binary", "struct":
			common = append(common, f)
		}
	}
	tables = append(tables, Table{Name: Common, Batches: []arrow.RecordBatch{batch(6, some, common...), batch(7, empty, common...)}})
	return append(tables, Lookalikes()...)
}

// hasOffsets says whether a mapped type has an offsets buffer, or a child that
// has one.
func hasOffsets(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case *arrow.StringType, *arrow.LargeStringType, *arrow.BinaryType, *arrow.LargeBinaryType,
		*arrow.ListType, *arrow.LargeListType, *arrow.MapType:
		return true
	case arrow.ExtensionType:
		return hasOffsets(dt.StorageType())
	case arrow.NestedType:
		for _, f := range dt.Fields() {
			if hasOffsets(f.Type) {
				return true
			}
		}
	}
	return false
}

// Lookalikes returns tables with one column each, whose lengths in byte planes
// make offsets that a reader would believe if it took them for such: from zero
// on, in order, and within the data. With n rows, n bytes of plane 0 come first,
// then n of plane 1, so a length can put any byte into the offset that it is
// wanted in:
//
//	n = 3    lengths  2, 0x400, 0x90000
//	planes   02 00 00 | 00 04 00 | 00 00 09 | 00 00 00
//	as four  02 00 00   00|04 00   00 00|09   00 00 00     offsets 0, 2, 4, 9
//
// Those without rows apart from one, and with nothing but empty values, are the
// same bytes either way: right by accident, and to be refused all the same.
func Lookalikes() []Table {
	two, three := []int64{0x50003, 0}, []int64{2, 0x400, 0x90000}
	four, eight := []int64{0x01010101, 0, 0, 0}, []int64{0x07050301, 0, 0, 0, 0x08060402, 0, 0, 0}
	null, int8s := arrow.Null, arrow.PrimitiveTypes.Int8
	return []Table{
		lookalike("lookalike_utf8_2", arrow.BinaryTypes.String, two),
		lookalike("lookalike_utf8_3", arrow.BinaryTypes.String, three),
		lookalike("lookalike_binary_3", arrow.BinaryTypes.Binary, three),
		lookalike("lookalike_list_3", arrow.ListOf(int8s), three),
		lookalike("lookalike_map_3", arrow.MapOf(int8s, int8s), three),
		lookalike("lookalike_list_4", arrow.ListOf(null), four),
		lookalike("lookalike_list_8", arrow.ListOf(null), eight),
		lookalike("lookalike_large_list_2", arrow.LargeListOf(null), []int64{0x5_0000_0003, 0}),
		lookalike("lookalike_utf8_1", arrow.BinaryTypes.String, []int64{5}),
		lookalike("lookalike_large_utf8_1", arrow.BinaryTypes.LargeString, []int64{5}),
		lookalike("lookalike_utf8_empty", arrow.BinaryTypes.String, make([]int64, 20)),
		lookalike("lookalike_large_binary_empty", arrow.BinaryTypes.LargeBinary, make([]int64, 20)),
		lookalike("lookalike_list_empty", arrow.ListOf(arrow.BinaryTypes.String), make([]int64, 20)),
		lookalike("lookalike_map_empty", arrow.MapOf(arrow.BinaryTypes.String, int8s), make([]int64, 20)),
	}
}

// lookalike makes a table of one batch with one column of values with the
// lengths given.
func lookalike(name string, dt arrow.DataType, lengths []int64) Table {
	width := 4
	if dt.Layout().Buffers[1].ByteWidth == 8 {
		width = 8
	}
	total := int64(0)
	offsets := make([]byte, 0, (len(lengths)+1)*width)
	for _, l := range append([]int64{0}, lengths...) {
		total += l
		for i := range width {
			offsets = append(offsets, byte(uint64(total)>>(8*i)))
		}
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(offsets)}
	var children []arrow.ArrayData
	if nested, ok := dt.(arrow.ListLikeType); ok {
		children = append(children, items(nested.Elem(), int(total)))
	} else {
		text := strings.Repeat("the quick brown fox ", int(total)/20+1)[:total]
		buffers = append(buffers, memory.NewBufferBytes([]byte(text)))
	}
	data := array.NewData(dt, len(lengths), buffers, children, 0, 0)
	column := array.MakeFromData(data)
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt, Nullable: true}}, nil)
	return Table{Name: name, Batches: []arrow.RecordBatch{
		array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(lengths)))}}
}

// items makes the values of lists. They are few, or cost nothing.
func items(dt arrow.DataType, n int) arrow.ArrayData {
	if dt.ID() == arrow.NULL {
		return array.NewNull(n).Data()
	}
	if dt, ok := dt.(*arrow.StructType); ok {
		var children []arrow.ArrayData
		for _, f := range dt.Fields() {
			children = append(children, items(f.Type, n))
		}
		return array.NewData(dt, n, []*memory.Buffer{nil}, children, 0, 0)
	}
	b := array.NewBuilder(memory.DefaultAllocator, dt)
	defer b.Release()
	for i := range n {
		switch b := b.(type) {
		case *array.Int8Builder:
			b.Append(int8(i))
		case *array.StringBuilder:
			b.Append("item")
		}
	}
	return b.NewArray().Data()
}
