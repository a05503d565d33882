package verifytest

import (
	"bytes"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Schemas returns schemas with every type and every ornament that arrow-go can
// write.
func Schemas() map[string]*arrow.Schema {
	var fields []arrow.Field
	for _, t := range Types() {
		fields = append(fields, arrow.Field{Name: t.Name(), Type: t, Nullable: len(fields)%2 == 0})
	}
	metadata := arrow.NewMetadata([]string{"empty", "", "key"}, []string{"", "no key", "värde"})
	extension := arrow.NewMetadata(
		[]string{"ARROW:extension:name", "ARROW:extension:metadata", "other"},
		[]string{"arrowplanes.test.unknown", "", "x"})
	one := arrow.Field{Name: "", Type: arrow.PrimitiveTypes.Int64, Metadata: metadata}
	return map[string]*arrow.Schema{
		"types":  arrow.NewSchema(fields, nil),
		"nested": arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.StructOf(fields...), Metadata: metadata}}, nil),
		"empty":  arrow.NewSchema(nil, nil),
		"metadata": arrow.NewSchema([]arrow.Field{
			one, {Name: "list", Type: arrow.ListOfField(one)}, {Name: "", Type: arrow.Null, Metadata: extension},
		}, &metadata),
		"big-endian": arrow.NewSchemaWithEndian([]arrow.Field{one}, nil, endian.BigEndian),
	}
}

// Types returns one or more of every type of arrow-go's.
func Types() []arrow.DataType {
	i32, str := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	pair := []arrow.Field{{Name: "a", Type: i32}, {Name: "b", Type: str, Nullable: true}}
	types := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, i32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.BinaryTypes.Binary, str, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.LargeString,
		arrow.BinaryTypes.BinaryView, arrow.BinaryTypes.StringView,
		&arrow.FixedSizeBinaryType{ByteWidth: 7},
		&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: -3},
		&arrow.Decimal128Type{Precision: 38, Scale: 10}, &arrow.Decimal256Type{Precision: 76, Scale: 0},
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64,
		arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time32ms,
		arrow.FixedWidthTypes.Time64us, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Duration_s, arrow.FixedWidthTypes.Duration_ms,
		arrow.FixedWidthTypes.Duration_us, arrow.FixedWidthTypes.Duration_ns,
		&arrow.TimestampType{Unit: arrow.Second}, &arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "UTC"},
		&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Tallinn"}, &arrow.TimestampType{Unit: arrow.Nanosecond},
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		arrow.ListOf(i32), arrow.ListOfNonNullable(arrow.ListOf(str)), arrow.LargeListOf(i32),
		arrow.FixedSizeListOf(3, i32), arrow.ListViewOf(i32), arrow.LargeListViewOf(str),
		arrow.MapOf(str, i32), arrow.StructOf(pair...), arrow.StructOf(),
		arrow.SparseUnionOf(pair, []arrow.UnionTypeCode{0, 1}), arrow.DenseUnionOf(pair, []arrow.UnionTypeCode{7, 5}),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, str),
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: str},
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint64, ValueType: arrow.ListOf(str), Ordered: true},
	}
	sorted := arrow.MapOf(str, i32)
	sorted.KeysSorted = true
	return append(types, sorted)
}

// Batches returns streams with record batches: uncompressed, compressed, and
// with dictionaries, views and metadata of their own.
func Batches() (map[string][]byte, error) {
	mem := memory.DefaultAllocator
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "d", Type: dictionary},
		{Name: "v", Type: arrow.BinaryTypes.StringView},
	}, nil)
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	for _, s := range []string{"one", "two", "longer than twelve bytes"} {
		b.Field(0).(*array.StringBuilder).Append(s)
		if err := b.Field(1).(*array.BinaryDictionaryBuilder).AppendString(s); err != nil {
			return nil, err
		}
		b.Field(2).(*array.StringViewBuilder).Append(s)
	}
	plain := b.NewRecordBatch()
	defer plain.Release()
	record := array.NewRecordBatchWithMetadata(schema, plain.Columns(), plain.NumRows(),
		arrow.NewMetadata([]string{"batch"}, []string{""}))
	defer record.Release()

	streams := make(map[string][]byte)
	for name, options := range map[string][]ipc.Option{
		"plain": nil, "zstd": {ipc.WithZstd()}, "lz4": {ipc.WithLZ4()},
	} {
		var stream bytes.Buffer
		w := ipc.NewWriter(&stream, append(options, ipc.WithSchema(schema))...)
		if err := w.Write(record); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		streams[name] = stream.Bytes()
	}
	return streams, nil
}
