package main

import (
	"bytes"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// columnFile is the path of a stream of a column.
func columnFile(t *testing.T, data arrow.ArrayData) string {
	t.Helper()
	column := array.MakeFromData(data)
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: column.DataType(), Nullable: true}}, nil)
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, ipcx.WithSchema(schema))
	require.NoError(t, w.Write(array.NewRecordBatch(schema, []arrow.Array{column}, int64(column.Len()))))
	require.NoError(t, w.Close())
	return writeFile(t, filepath.Join(t.TempDir(), "x.arrows"), out.Bytes())
}

func int32s(all ...int32) *memory.Buffer {
	return memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(all))
}

// views is list views, each of which shows all of the values but for the first,
// which is empty.
func views(n int, values arrow.ArrayData) arrow.ArrayData {
	offsets, sizes := make([]int32, n), make([]int32, n)
	for i := range sizes[1:] {
		sizes[1+i] = int32(values.Len())
	}
	return array.NewData(arrow.ListViewOf(values.DataType()), n, []*memory.Buffer{nil, int32s(offsets...), int32s(sizes...)}, []arrow.ArrayData{values}, 0, 0)
}

// TestCatLongRow has rows of more values than there is memory for, in a few bytes.
func TestCatLongRow(t *testing.T) {
	nulls := func(n int) arrow.ArrayData { return array.NewData(arrow.Null, n, nil, nil, n, 0) }
	word := bytes.Repeat([]byte("w"), 1<<20)
	words := array.NewData(arrow.BinaryTypes.String, 1, []*memory.Buffer{nil, int32s(0, int32(len(word))), memory.NewBufferBytes(word)}, nil, 0, 0)
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: words.DataType()}
	indices := array.NewDataWithDictionary(dictionary, 1000, []*memory.Buffer{nil, int32s(make([]int32, 1000)...)}, 0, 0, words)
	for name, c := range map[string]struct {
		data   arrow.ArrayData
		before int
	}{
		"list views of list views": {views(100, views(100, views(100, views(100, nulls(100))))), 1},
		"list views of words":      {views(2, indices), 1},
		"a fixed-size list": {array.NewData(arrow.FixedSizeListOf(math.MaxInt32, arrow.Null), 1, []*memory.Buffer{nil},
			[]arrow.ArrayData{nulls(math.MaxInt32)}, 0, 0), 0},
	} {
		t.Run(name, func(t *testing.T) {
			path := columnFile(t, c.data)
			for _, format := range []string{"csv", "json", "table"} {
				args := []string{"cat", "--format", format, path}
				requireFails(t, exitFailed, args, "x.arrows: record batch 0: row ", `column "x": more than 536870912 bytes in one row`)
				lines := strings.Count(tool(args...).stdout, "\n")
				switch format {
				case "csv":
					require.Equal(t, 1+c.before, lines)
				case "json":
					require.Equal(t, c.before, lines)
				}
			}
		})
	}
	// A word of them alone is printed.
	require.Len(t, requireTool(t, "cat", "--header=false", columnFile(t, words)), len(word)+1)
}

// TestCatTableMost has more rows than a table may have.
func TestCatTableMost(t *testing.T) {
	path := columnFile(t, array.NewData(arrow.Null, 1<<20, nil, nil, 1<<20, 0))
	out := requireTool(t, "cat", "--format", "table", "-n", "-1", path)
	require.Equal(t, 1<<18+3, strings.Count(out, "\n"))
	require.True(t, strings.HasSuffix(out, "\nnull\n... 262,144 rows shown, there are more: --format csv prints all\n"))
}

// TestCatNulls has nulls that a validity bitmap says nothing of.
func TestCatNulls(t *testing.T) {
	bitmap := memory.NewBufferBytes([]byte{0b01})
	words := array.NewData(arrow.BinaryTypes.String, 2, []*memory.Buffer{bitmap, int32s(0, 1, 1), memory.NewBufferBytes([]byte("w"))}, nil, 1, 0)
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: words.DataType()}
	ends := array.NewData(arrow.PrimitiveTypes.Int32, 2, []*memory.Buffer{nil, int32s(1, 2)}, nil, 0, 0)
	for _, data := range []arrow.ArrayData{
		array.NewDataWithDictionary(dictionary, 2, []*memory.Buffer{nil, int32s(0, 1)}, 0, 0, words),
		array.NewData(arrow.RunEndEncodedOf(ends.DataType(), words.DataType()), 2, []*memory.Buffer{nil}, []arrow.ArrayData{ends, words}, 0, 0),
	} {
		require.Equal(t, "w\nNULL\n", requireTool(t, "cat", "--header=false", "--null", "NULL", columnFile(t, data)), data.DataType())
	}
	require.Equal(t, "NULL\n", requireTool(t, "cat", "--header=false", "--null", "NULL", columnFile(t, array.NewData(arrow.Null, 1, nil, nil, 1, 0))))
}
