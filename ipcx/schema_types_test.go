package ipcx_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

func typeT(number flatbuf.Type, value any) *flatbuf.TypeT {
	return &flatbuf.TypeT{Type: number, Value: value}
}

func fieldT(typ *flatbuf.TypeT, children ...*flatbuf.FieldT) *flatbuf.FieldT {
	return &flatbuf.FieldT{Name: "x", Type: typ, Children: children}
}

// schemaOfFields is a schema message of fields.
func schemaOfFields(fields ...*flatbuf.FieldT) raw {
	b := flatbuffers.NewBuilder(1024)
	b.Finish((&flatbuf.MessageT{
		Version: flatbuf.MetadataVersionV5,
		Header:  &flatbuf.MessageHeaderT{Type: flatbuf.MessageHeaderSchema, Value: &flatbuf.SchemaT{Fields: fields}},
	}).Pack(b))
	return raw{metadata: b.FinishedBytes()}
}

// everySchemaDoor reads a schema by everything that reads one.
func everySchemaDoor(t *testing.T, schema raw) map[string]error {
	stream, file := stream(schema), footed(schema)
	errs := map[string]error{
		"NewReader":  drainBytes(stream).Err,
		"validation": drainBytes(stream, ipcx.WithValidation()).Err,
		"trusted":    drainBytes(stream, ipcx.WithTrustedInput()).Err,
		"delayed":    drainBytes(stream, ipcx.WithDelayReadSchema(true)).Err,
		"columns":    drainBytes(stream, ipcx.WithColumnIndexes(0)).Err,
	}
	visit := func(*ipcx.MessageInfo) error { return nil }
	_, errs["Decoder.Decode"] = decodeAll([]raw{schema})
	_, errs["Convert"] = convert(stream)
	_, errs["Convert of a file"] = convert(file)
	_, errs["zeroed nulls"] = convert(stream, ipcx.WithZeroedNulls())
	errs["Inspect"] = ipcx.Inspect(context.Background(), bytes.NewReader(stream), visit)
	errs["Inspect of a file"] = ipcx.Inspect(context.Background(), bytes.NewReader(file), visit)
	for how := range openers {
		errs["a file, "+how] = drainFile(t, how, file).Err
	}
	return errs
}

// TestSchemaTypes has types that Arrow does not have. arrow-go takes some of them,
// and panics where a value is looked at.
func TestSchemaTypes(t *testing.T) {
	number := func() *flatbuf.FieldT {
		return fieldT(typeT(flatbuf.TypeInt, &flatbuf.IntT{BitWidth: 32, IsSigned: true}))
	}
	structOf := func(children ...*flatbuf.FieldT) *flatbuf.FieldT {
		return fieldT(typeT(flatbuf.TypeStruct_, &flatbuf.Struct_T{}), children...)
	}
	nullable := func(f *flatbuf.FieldT) *flatbuf.FieldT { f.Nullable = true; return f }
	integer := func(bits int32) *flatbuf.TypeT { return typeT(flatbuf.TypeInt, &flatbuf.IntT{BitWidth: bits}) }
	decimal := func(bits, digits int32) *flatbuf.TypeT {
		return typeT(flatbuf.TypeDecimal, &flatbuf.DecimalT{BitWidth: bits, Precision: digits})
	}
	clock := func(bits int32, unit flatbuf.TimeUnit) *flatbuf.TypeT {
		return typeT(flatbuf.TypeTime, &flatbuf.TimeT{BitWidth: bits, Unit: unit})
	}
	binary := func(width int32) *flatbuf.TypeT {
		return typeT(flatbuf.TypeFixedSizeBinary, &flatbuf.FixedSizeBinaryT{ByteWidth: width})
	}
	list := func(size int32) *flatbuf.TypeT {
		return typeT(flatbuf.TypeFixedSizeList, &flatbuf.FixedSizeListT{ListSize: size})
	}
	union := func(mode flatbuf.UnionMode, ids ...int32) *flatbuf.FieldT {
		return fieldT(typeT(flatbuf.TypeUnion, &flatbuf.UnionT{Mode: mode, TypeIds: ids}), number(), number())
	}
	mapOf := func(children ...*flatbuf.FieldT) *flatbuf.FieldT {
		return fieldT(typeT(flatbuf.TypeMap, &flatbuf.MapT{}), children...)
	}
	runs := func(children ...*flatbuf.FieldT) *flatbuf.FieldT {
		return fieldT(typeT(flatbuf.TypeRunEndEncoded, &flatbuf.RunEndEncodedT{}), children...)
	}
	encoded := func(f *flatbuf.FieldT, bits int32) *flatbuf.FieldT {
		f.Dictionary = &flatbuf.DictionaryEncodingT{IndexType: &flatbuf.IntT{BitWidth: bits, IsSigned: true}}
		return f
	}
	for says, f := range map[string]*flatbuf.FieldT{
		"type(Int).bitWidth: 7 bits, not 8, 16, 32 or 64":                             fieldT(integer(7)),
		"type(Int).bitWidth: -8 bits":                                                 fieldT(integer(-8)),
		"dictionary.indexType.bitWidth: 24 bits":                                      encoded(number(), 24),
		"type(FloatingPoint).precision: 3, outside of 0 to 2":                         fieldT(typeT(flatbuf.TypeFloatingPoint, &flatbuf.FloatingPointT{Precision: 3})),
		"type(FloatingPoint).precision: -1, outside of 0 to 2":                        fieldT(typeT(flatbuf.TypeFloatingPoint, &flatbuf.FloatingPointT{Precision: -1})),
		"type(Date).unit: 2, outside of 0 to 1":                                       fieldT(typeT(flatbuf.TypeDate, &flatbuf.DateT{Unit: 2})),
		"type(Time).unit: 4, outside of 0 to 3":                                       fieldT(clock(64, 4)),
		"type(Time).bitWidth: 32 bits, not 64 as for unit NANOSECOND":                 fieldT(clock(32, flatbuf.TimeUnitNANOSECOND)),
		"type(Time).bitWidth: 64 bits, not 32 as for unit SECOND":                     fieldT(clock(64, flatbuf.TimeUnitSECOND)),
		"type(Timestamp).unit: 4, outside of 0 to 3":                                  fieldT(typeT(flatbuf.TypeTimestamp, &flatbuf.TimestampT{Unit: 4})),
		"type(Duration).unit: 4, outside of 0 to 3":                                   fieldT(typeT(flatbuf.TypeDuration, &flatbuf.DurationT{Unit: 4})),
		"type(Interval).unit: 3, outside of 0 to 2":                                   fieldT(typeT(flatbuf.TypeInterval, &flatbuf.IntervalT{Unit: 3})),
		"type(Decimal).bitWidth: 512 bits, not 32, 64, 128 or 256":                    fieldT(decimal(512, 10)),
		"type(Decimal).precision: 2147483647 digits, outside of 0 to 38 for 128 bits": fieldT(decimal(128, 1<<31-1)),
		"precision: 10 digits, outside of 0 to 9":                                     fieldT(decimal(32, 10)),
		"precision: 19 digits, outside of 0 to 18":                                    fieldT(decimal(64, 19)),
		"precision: 77 digits, outside of 0 to 76":                                    fieldT(decimal(256, 77)),
		"precision: -1 digits, outside of 0 to 9":                                     encoded(fieldT(decimal(32, -1)), 8),
		"type(FixedSizeBinary).byteWidth: -1 bytes, less than 0":                      fieldT(binary(-1)),
		"fields[0].children[0].type(FixedSizeBinary).byteWidth: -3 bytes":             structOf(fieldT(binary(-3))),
		"fields[0].type(FixedSizeBinary).byteWidth: -4 bytes":                         encoded(fieldT(binary(-4)), 8),
		"type(FixedSizeList).listSize: -2 entries, less than 0":                       fieldT(list(-2), number()),
		"children: 0 fields, not 1 as FixedSizeList has":                              fieldT(list(2)),
		"children: 0 fields, not 1 as ListView has":                                   fieldT(typeT(flatbuf.TypeListView, &flatbuf.ListViewT{})),
		"children: 2 fields, not 1 as LargeListView has":                              fieldT(typeT(flatbuf.TypeLargeListView, &flatbuf.LargeListViewT{}), number(), number()),
		"children: 0 fields, not 1 as List has":                                       fieldT(typeT(flatbuf.TypeList, &flatbuf.ListT{})),
		"children: 0 fields, not 1 as LargeList has":                                  fieldT(typeT(flatbuf.TypeLargeList, &flatbuf.LargeListT{})),
		"type(Union).mode: 2, outside of 0 to 1":                                      union(2),
		"typeIds: 1 type ids of 2 children":                                           union(flatbuf.UnionModeDense, 1),
		"typeIds: type id 5 of child 1, which an earlier one has":                     union(flatbuf.UnionModeSparse, 5, 5),
		"typeIds: type id 128 of child 1, outside of 0 to 127":                        union(flatbuf.UnionModeDense, 0, 128),
		"typeIds: type id -1 of child 0, outside of 0 to 127":                         union(flatbuf.UnionModeDense, -1, 2),
		"children: 129 fields, more than a Union has type ids, 128":                   fieldT(typeT(flatbuf.TypeUnion, &flatbuf.UnionT{}), manyOf(number(), 129)...),
		"children: 0 fields, not 1 as Map has":                                        mapOf(),
		"children[0]: entries of a Map are Int, not Struct_":                          mapOf(number()),
		"children[0]: entries of a Map are a dictionary, not Struct_":                 mapOf(encoded(structOf(number(), number()), 8)),
		"children[0].children: 1 fields, not 2 as the entries of a Map have":          mapOf(structOf(number())),
		"children[0].nullable: entries of a Map that may be null":                     mapOf(nullable(structOf(number(), number()))),
		"children[0].children[0].nullable: keys of a Map that may be null":            mapOf(structOf(nullable(number()), number())),
		"children: 1 fields, not 2 as RunEndEncoded has":                              runs(number()),
		"children[0]: run ends of 8 bits (signed: false)":                             runs(fieldT(integer(8)), number()),
		"children[0]: run ends of 32 bits (signed: false), not of 16, 32 or 64 bits":  runs(fieldT(integer(32)), number()),
		"children[0]: run ends are Struct_, not Int":                                  runs(structOf(), number()),
		"children[0]: run ends are a dictionary, not Int":                             runs(encoded(number(), 8), number()),
	} {
		for door, err := range everySchemaDoor(t, schemaOfFields(f)) {
			require.ErrorIs(t, err, ipcx.ErrCorrupt, "%s: %s", door, says)
			require.ErrorContains(t, err, says, door)
			require.Regexp(t, `^ipcx: .*verify: (Message\.header\(Schema\)|Footer\.schema)\.fields\[0\]\.`, err.Error(), door)
		}
	}
	// What is at the ends of the ranges is read.
	for name, f := range map[string]*flatbuf.FieldT{
		"decimal32(9)":         fieldT(decimal(32, 9)),
		"decimal64(18)":        fieldT(decimal(64, 18)),
		"decimal128(38)":       fieldT(decimal(128, 38)),
		"decimal256(76)":       fieldT(decimal(256, 76)),
		"decimal128(1)":        fieldT(decimal(128, 1)),
		"decimal32(0)":         fieldT(decimal(32, 0)),
		"no bytes":             fieldT(binary(0)),
		"lists of one":         fieldT(list(1), number()),
		"type ids 127 and 0":   union(flatbuf.UnionModeDense, 127, 0),
		"128 types":            fieldT(typeT(flatbuf.TypeUnion, &flatbuf.UnionT{}), manyOf(number(), 128)...),
		"values of a map":      mapOf(structOf(number(), nullable(number()))),
		"time in milliseconds": fieldT(clock(32, flatbuf.TimeUnitMILLISECOND)),
		"time in microseconds": fieldT(clock(64, flatbuf.TimeUnitMICROSECOND)),
		"run ends":             runs(number(), number()),
	} {
		for door, err := range everySchemaDoor(t, schemaOfFields(f)) {
			require.NoError(t, err, "%s: %s", door, name)
		}
	}
}

func manyOf(f *flatbuf.FieldT, n int) []*flatbuf.FieldT {
	all := make([]*flatbuf.FieldT, n)
	for i := range all {
		all[i] = f
	}
	return all
}

// Writers do not write what no reader here takes.
func TestWritingTypesThatAreNone(t *testing.T) {
	for says, dt := range map[string]arrow.DataType{
		"byteWidth: -1 bytes":     &arrow.FixedSizeBinaryType{ByteWidth: -1},
		"precision: 39 digits":    &arrow.Decimal128Type{Precision: 39},
		"precision: 1000 digits,": arrow.ListOf(&arrow.Decimal256Type{Precision: 1000}),
	} {
		var out bytes.Buffer
		err := ipcx.NewWriter(&out, ipcx.WithSchema(arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt}}, nil))).Close()
		require.ErrorIs(t, err, ipcx.ErrCorrupt)
		require.ErrorContains(t, err, says)
		require.Zero(t, out.Len())
	}
}
