package arrowgen

import (
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
)

func field(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: true}
}

func required(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt}
}

// MappedTypes gives one field for each type whose layout is mapped, and a few
// more where a type has parameters that matter. The names are all different.
func MappedTypes() []arrow.Field {
	fields := []arrow.Field{
		field("null", arrow.Null),
		field("bool", arrow.FixedWidthTypes.Boolean),
		field("int8", arrow.PrimitiveTypes.Int8),
		field("int16", arrow.PrimitiveTypes.Int16),
		field("int32", arrow.PrimitiveTypes.Int32),
		field("int64", arrow.PrimitiveTypes.Int64),
		field("uint8", arrow.PrimitiveTypes.Uint8),
		field("uint16", arrow.PrimitiveTypes.Uint16),
		field("uint32", arrow.PrimitiveTypes.Uint32),
		field("uint64", arrow.PrimitiveTypes.Uint64),
		required("int64_required", arrow.PrimitiveTypes.Int64),
		field("float16", arrow.FixedWidthTypes.Float16),
		field("float32", arrow.PrimitiveTypes.Float32),
		field("float64", arrow.PrimitiveTypes.Float64),
		field("binary", arrow.BinaryTypes.Binary),
		field("large_binary", arrow.BinaryTypes.LargeBinary),
		field("utf8", arrow.BinaryTypes.String),
		field("large_utf8", arrow.BinaryTypes.LargeString),
		required("utf8_required", arrow.BinaryTypes.String),
		field("fixed_size_binary", &arrow.FixedSizeBinaryType{ByteWidth: 5}),
		field("decimal32", &arrow.Decimal32Type{Precision: 7, Scale: 2}),
		field("decimal64", &arrow.Decimal64Type{Precision: 15, Scale: 2}),
		field("decimal128", &arrow.Decimal128Type{Precision: 30, Scale: 4}),
		field("decimal256", &arrow.Decimal256Type{Precision: 60, Scale: 4}),
		field("date32", arrow.FixedWidthTypes.Date32),
		field("date64", arrow.FixedWidthTypes.Date64),
		field("time32_s", arrow.FixedWidthTypes.Time32s),
		field("time32_ms", arrow.FixedWidthTypes.Time32ms),
		field("time64_us", arrow.FixedWidthTypes.Time64us),
		field("time64_ns", arrow.FixedWidthTypes.Time64ns),
	}
	for _, unit := range []arrow.TimeUnit{arrow.Second, arrow.Millisecond, arrow.Microsecond, arrow.Nanosecond} {
		fields = append(fields,
			field("timestamp_"+unit.String(), &arrow.TimestampType{Unit: unit}),
			field("timestamp_utc_"+unit.String(), &arrow.TimestampType{Unit: unit, TimeZone: "UTC"}),
			field("duration_"+unit.String(), &arrow.DurationType{Unit: unit}))
	}
	return append(fields,
		field("interval_month", arrow.FixedWidthTypes.MonthInterval),
		field("interval_day_time", arrow.FixedWidthTypes.DayTimeInterval),
		field("interval_month_day_nano", arrow.FixedWidthTypes.MonthDayNanoInterval),
		field("list", arrow.ListOf(arrow.BinaryTypes.String)),
		field("list_required_items", arrow.ListOfNonNullable(arrow.PrimitiveTypes.Int16)),
		field("large_list", arrow.LargeListOf(arrow.PrimitiveTypes.Float32)),
		field("fixed_size_list", arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32)),
		field("map", mapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int64)),
		field("struct", arrow.StructOf(
			field("a", arrow.BinaryTypes.String),
			required("b", arrow.PrimitiveTypes.Int32),
			field("c", arrow.FixedWidthTypes.Boolean))),
		field("struct_empty", arrow.StructOf()),
		field("extension_utf8", ExtensionOf(arrow.BinaryTypes.String)),
		field("extension_int32", ExtensionOf(arrow.PrimitiveTypes.Int32)),
		field("extension_list", ExtensionOf(arrow.ListOf(arrow.BinaryTypes.Binary))),
		field("extension_uuid", ExtensionOf(&arrow.FixedSizeBinaryType{ByteWidth: 16})),
		field("extension_bool8", ExtensionOf(arrow.PrimitiveTypes.Int8)),
	)
}

// UnmappedTypes gives one field for each type whose layout is not mapped, and
// some with such a type inside. The names are all different. There is no
// extension directly over a dictionary, which arrow-go cannot write.
func UnmappedTypes() []arrow.Field {
	union := []arrow.Field{
		field("i", arrow.PrimitiveTypes.Int32),
		field("s", arrow.BinaryTypes.String),
		field("b", arrow.FixedWidthTypes.Boolean),
	}
	codes := []arrow.UnionTypeCode{5, 0, 42}
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	return []arrow.Field{
		field("utf8_view", arrow.BinaryTypes.StringView),
		field("binary_view", arrow.BinaryTypes.BinaryView),
		field("list_of_views", arrow.ListOf(arrow.BinaryTypes.StringView)),
		field("list_view", arrow.ListViewOf(arrow.BinaryTypes.String)),
		field("large_list_view", arrow.LargeListViewOf(arrow.PrimitiveTypes.Int32)),
		field("dense_union", arrow.DenseUnionOf(union, codes)),
		field("sparse_union", arrow.SparseUnionOf(union, codes)),
		field("struct_of_union", arrow.StructOf(
			field("a", arrow.BinaryTypes.String),
			field("u", arrow.SparseUnionOf(union, codes)))),
		field("run_end_encoded", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String)),
		field("run_end_encoded_int64", arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64)),
		field("dictionary", words),
		field("dictionary_int64", &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Uint32, ValueType: arrow.PrimitiveTypes.Int64, Ordered: true}),
		field("list_of_dictionary", arrow.ListOf(words)),
		field("struct_of_dictionary", arrow.StructOf(
			field("n", arrow.PrimitiveTypes.Int32),
			field("word", words))),
		field("map_to_dictionary", mapOf(arrow.BinaryTypes.String, words)),
		field("extension_list_of_dictionary", ExtensionOf(arrow.ListOf(words))),
		field("extension_view", ExtensionOf(arrow.BinaryTypes.StringView)),
	}
}

// Nested gives fields of mapped types in nestings that people have, and one of
// random mapped types six deep that follows from the seed.
func Nested(seed uint64) []arrow.Field {
	utf8 := arrow.BinaryTypes.String
	six := arrow.ListOf(arrow.StructOf(
		field("key", arrow.PrimitiveTypes.Int64),
		field("maps", mapOf(utf8, arrow.ListOf(arrow.StructOf(
			field("text", utf8),
			field("deep", arrow.ListOf(utf8))))))))
	rng := rand.New(rand.NewPCG(seed, 6))
	random := deepType(rng, 6)
	return []arrow.Field{
		field("list_struct_map_list_struct_list", six),
		field("struct_of_lists", arrow.StructOf(
			field("texts", arrow.ListOf(utf8)),
			required("numbers", arrow.ListOf(arrow.PrimitiveTypes.Int64)),
			field("flags", arrow.LargeListOf(arrow.FixedWidthTypes.Boolean)))),
		field("large_list_of_large_utf8", arrow.LargeListOf(arrow.BinaryTypes.LargeString)),
		field("map_utf8_list_of_map", mapOf(utf8, arrow.ListOf(mapOf(arrow.PrimitiveTypes.Int32, utf8)))),
		field("fixed_size_list_of_lists", arrow.FixedSizeListOf(2, arrow.ListOf(arrow.BinaryTypes.Binary))),
		field("list_of_fixed_size_list", arrow.ListOf(arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Uint16))),
		field("list_of_extension", arrow.ListOf(ExtensionOf(arrow.StructOf(field("x", utf8), field("nothing", arrow.Null))))),
		field("list_list_list_list_list_list", deepList(6, utf8)),
		field("random", random),
	}
}

func deepList(depth int, dt arrow.DataType) arrow.DataType {
	for range depth {
		dt = arrow.ListOf(dt)
	}
	return dt
}

// mapOf makes the map type exactly as arrow-go's reader does; the one that
// arrow.MapOf makes differs inside, and so do large lists of it.
func mapOf(key, item arrow.DataType) arrow.DataType {
	return arrow.MapOfFields(required("key", key), field("value", item))
}
