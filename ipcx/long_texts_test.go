package ipcx_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// An error has the start and the end of a long value of a stranger's, and not all of
// it with its escapes.
func TestLongValueOfReservedKey(t *testing.T) {
	long := "a" + strings.Repeat("\x00", 1<<20) + "z"
	all := flaggedSmall(t)
	all[2] = edited(all[2], func(fb *flatbuf.MessageT) {
		fb.CustomMetadata = append(fb.CustomMetadata, &flatbuf.KeyValueT{Key: "arrowplanes.encodings", Value: long})
	})
	for door, err := range everyWay(all) {
		require.ErrorIs(t, err, ipcx.ErrUnsupported, door)
		require.ErrorContains(t, err, `arrowplanes.encodings="a\x00`, door)
		require.ErrorContains(t, err, `\x00…\x00`, door)
		require.ErrorContains(t, err, `\x00z"`, door)
		require.Less(t, len(err.Error()), 2000, door)
	}

	rec := smallBatch()
	rec = array.NewRecordBatchWithMetadata(rec.Schema(), rec.Columns(), rec.NumRows(), arrow.NewMetadata([]string{"arrowplanes.encodings"}, []string{long}))
	var out bytes.Buffer
	err := ipcx.NewWriter(&out, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()).Write(rec)
	require.ErrorContains(t, err, "the key is reserved")
	require.Less(t, len(err.Error()), 2000)
}

// So does one of long names, be it one name or the names of many fields.
func TestLongNamesOfWhatIsInvalid(t *testing.T) {
	for _, name := range []string{strings.Repeat("\x01", 1<<20), "x"} {
		dt := arrow.BinaryTypes.String
		bad := fromJSON(t, dt, `["a"]`).Column(0).Data().(*array.Data).Copy()
		bad.Buffers()[2].Bytes()[0] = 0xFF // no UTF-8
		column, depth := array.MakeFromData(bad), 50
		for range depth {
			s, err := array.NewStructArray([]arrow.Array{column}, []string{name})
			require.NoError(t, err)
			column = s
		}
		schema := arrow.NewSchema([]arrow.Field{{Name: "first", Type: column.DataType()}}, nil)
		data := write(t, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{column}, 1)})
		err := drainBytes(data, ipcx.WithValidation(), ipcx.WithMetadataSizeLimit(1<<30)).Err
		var invalid *ipcx.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.LessOrEqual(t, len(invalid.Path), 256)
		require.Less(t, len(err.Error()), 2000)
		require.True(t, strings.HasPrefix(invalid.Path, "first."+name[:1]), invalid.Path)
		if name == "x" {
			require.Equal(t, "first"+strings.Repeat(".x", depth), invalid.Path)
		}
	}

	name := strings.Repeat("\x01", 1<<20)
	number := fromJSON(t, arrow.PrimitiveTypes.Int8, `[1]`).Column(0)
	rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: name, Type: number.DataType()}}, nil), []arrow.Array{number}, 1)
	err := drainBytes(write(t, []arrow.RecordBatch{rec}), ipcx.WithColumnIndexes(0, 0)).Err
	require.ErrorContains(t, err, "is asked for twice")
	require.Less(t, len(err.Error()), 2000)
}

// So do those of dictionaries that a field of a long name has.
func TestLongNamesOfDictionaries(t *testing.T) {
	encoded := func(name string, id int64, children ...*flatbuf.FieldT) *flatbuf.FieldT {
		f := fieldT(typeT(flatbuf.TypeStruct_, &flatbuf.Struct_T{}), children...)
		f.Name, f.Dictionary = name, &flatbuf.DictionaryEncodingT{Id: id, IndexType: &flatbuf.IntT{BitWidth: 8, IsSigned: true}}
		return f
	}
	long := strings.Repeat("\x01", 1<<20)
	for says, schema := range map[string]raw{
		"dictionary 1 refers to itself":                      schemaOfFields(encoded("x", 1, encoded(long, 1))),
		"has dictionaries among its values: 2, and in field": schemaOfFields(encoded("x", 1, encoded("y", 2)), encoded(long, 1, encoded("y", 3))),
	} {
		for door, err := range everySchemaDoor(t, schema) {
			require.ErrorIs(t, err, ipcx.ErrCorrupt, door)
			require.ErrorContains(t, err, says, door)
			require.Less(t, len(err.Error()), 2000, door)
		}
	}
}
