package ipcx_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

var updateFormat = flag.Bool("update", false, "write the golden files in testdata/format anew")

// formatCodecs are the codecs of the golden streams, which have their names.
var formatCodecs = []ipcx.Codec{ipcx.Uncompressed, ipcx.LZ4Frame, ipcx.Zstd}

// goldenSchema has mapped types of every layout.
func goldenSchema() *arrow.Schema {
	utf8, i32 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	return arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: utf8, Nullable: true},
		{Name: "note", Type: arrow.BinaryTypes.LargeString, Nullable: true},
		{Name: "key", Type: arrow.BinaryTypes.Binary, Nullable: true},
		{Name: "blob", Type: arrow.BinaryTypes.LargeBinary, Nullable: true},
		{Name: "lines", Type: arrow.ListOf(arrow.ListOf(utf8)), Nullable: true},
		{Name: "big", Type: arrow.LargeListOf(arrow.PrimitiveTypes.Int16), Nullable: true},
		{Name: "tags", Type: arrow.MapOf(utf8, i32), Nullable: true},
		{Name: "place", Type: arrow.StructOf(
			arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Float64},
			arrow.Field{Name: "label", Type: utf8, Nullable: true},
		), Nullable: true},
		{Name: "pair", Type: arrow.FixedSizeListOf(2, utf8), Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
		{Name: "nothing", Type: arrow.Null, Nullable: true},
	}, nil)
}

// goldenBatches are the record batches of every golden stream: a few rows with
// nulls and empties, no rows, and enough rows to compress, with lengths of more
// than one byte.
func goldenBatches(t testing.TB) []arrow.RecordBatch {
	t.Helper()
	few := `{"id": 1, "name": "one", "note": "first", "key": "AQI=", "blob": "", "lines": [["a", "bc"], []], "big": [1, -1], "tags": [{"key": "k", "value": 1}], "place": {"x": 0.5, "label": "here"}, "pair": ["l", "right"], "flag": true}
{"id": 2, "name": null, "note": null, "key": null, "blob": null, "lines": null, "big": null, "tags": null, "place": null, "pair": null, "flag": null}
{"id": 3, "name": "", "note": "", "key": "", "blob": "/w==", "lines": [], "big": [], "tags": [], "place": {"x": -2, "label": null}, "pair": ["", null], "flag": false}
{"id": 4, "name": "größer", "note": "last", "key": "AA==", "blob": "AAAA", "lines": [null, [null], [""]], "big": [null], "tags": [{"key": "", "value": null}, {"key": "z", "value": 9}], "place": {"x": 0, "label": ""}, "pair": [null, "r"], "flag": true}
`
	var many strings.Builder
	for i := range 40 {
		numbers := strings.TrimSuffix(strings.Repeat("7, ", i%4), ", ")
		fmt.Fprintf(&many, `{"id": %d, "name": "name %d", "note": "%s", "key": "AQID", "blob": "%s", "lines": [["%s"], ["x", "y"]], "big": [%s], "tags": [{"key": "n", "value": %d}], "place": {"x": %d, "label": "p%d"}, "pair": ["%d", "two"], "flag": %t}`+"\n",
			i, i*i, strings.Repeat("ab", i*5), strings.Repeat("AAAA", i%3), strings.Repeat("line ", i%7), numbers, i, i, i%2, i, i%3 == 0)
	}
	schema := goldenSchema()
	return []arrow.RecordBatch{batchOfRows(t, schema, few), batchOfRows(t, schema, ""), batchOfRows(t, schema, many.String())}
}

// describeBatches is what a person can read of them, a row a line.
func describeBatches(t testing.TB, batches []arrow.RecordBatch) string {
	t.Helper()
	var out strings.Builder
	for i, field := range batches[0].Schema().Fields() {
		fmt.Fprintf(&out, "field %d  %s: %s", i, field.Name, field.Type)
		if field.Nullable {
			out.WriteString(", nullable")
		}
		out.WriteString("\n")
	}
	for i, rec := range batches {
		fmt.Fprintf(&out, "\nbatch %d  %d rows\n", i, rec.NumRows())
		rows, err := rec.MarshalJSON()
		require.NoError(t, err)
		var lines []json.RawMessage
		require.NoError(t, json.Unmarshal(rows, &lines))
		for _, line := range lines {
			fmt.Fprintf(&out, "%s\n", line)
		}
	}
	return out.String()
}

// goldenFile reads a golden file. With -update it is written first, as now says
// unless it is nil.
func goldenFile(t testing.TB, name string, now func() []byte) []byte {
	t.Helper()
	path := filepath.Join(testdata.Root(t), "testdata", "format", name)
	if *updateFormat && now != nil {
		require.NoError(t, os.WriteFile(path, now(), 0o644))
	}
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func TestFormatGolden(t *testing.T) {
	batches := goldenBatches(t)
	plain := plainMessages(t, batches...)
	text := func() []byte { return []byte(describeBatches(t, batches)) }
	require.Equal(t, string(text()), string(goldenFile(t, "batches.txt", text)))

	for _, codec := range formatCodecs {
		t.Run(codec.String(), func(t *testing.T) {
			encode := func() []byte {
				return write(t, batches, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
			}
			data := goldenFile(t, codec.String()+".arrows", encode)
			if codec == ipcx.Uncompressed {
				require.True(t, bytes.Equal(data, encode()), "the writer no longer writes the bytes of none.arrows")
			}

			got := drainBytes(data)
			require.NoError(t, got.Err)
			require.Len(t, got.Batches, len(batches))
			for i, rec := range batches {
				require.True(t, array.RecordEqual(rec, got.Batches[i]), "batch %d", i)
			}
			require.Equal(t, string(text()), describeBatches(t, got.Batches))

			// What is written now has the same form, if not the same frames.
			for _, data := range [][]byte{data, encode()} {
				all := messages(t, data)
				require.Len(t, all, 4)
				for i, marked := range []bool{1: true, 3: true} {
					if i == 0 {
						continue // the schema
					}
					require.Equal(t, formCodec(codec, marked), codecByte(all[i]), "message %d", i)
					contents, err := readByTheText(goldenSchema(), all[i])
					require.NoError(t, err)
					requireContents(t, buffers(plain[i]), contents)
				}
			}
		})
	}
}

// formCodec is the value of BodyCompression.codec by the table in FORMAT.md, -1
// for none, as a byte.
func formCodec(codec ipcx.Codec, flagged bool) int {
	if !flagged {
		return map[ipcx.Codec]int{ipcx.Uncompressed: -1, ipcx.LZ4Frame: 0, ipcx.Zstd: 1}[codec]
	}
	return map[ipcx.Codec]int{ipcx.Uncompressed: 0xFF, ipcx.LZ4Frame: 0x80, ipcx.Zstd: 0x81}[codec]
}

// codecByte returns BodyCompression.codec of a record batch, -1 where nothing
// is compressed.
func codecByte(m raw) int {
	compression := rootTable(m.metadata).table(2).table(3)
	if compression.buf == nil {
		return -1
	}
	return int(compression.byte(0))
}
