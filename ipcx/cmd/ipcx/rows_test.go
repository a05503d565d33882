package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// nulls is a stream of record batches of so many rows of nulls, which take nothing.
func nulls(t testing.TB, rows ...int64) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.Null, Nullable: true}}, nil)
	var out bytes.Buffer
	require.NoError(t, ipc.NewWriter(&out, ipc.WithSchema(schema)).Close())
	out.Truncate(out.Len() - 8) // the end
	for _, n := range rows {
		b := flatbuffers.NewBuilder(0)
		b.Finish((&flatbuf.MessageT{
			Version: flatbuf.MetadataVersionV5,
			Header: &flatbuf.MessageHeaderT{Type: flatbuf.MessageHeaderRecordBatch, Value: &flatbuf.RecordBatchT{
				Length: n, Nodes: []*flatbuf.FieldNodeT{{Length: n, NullCount: n}},
			}},
		}).Pack(b))
		metadata := b.FinishedBytes()
		metadata = append(metadata, make([]byte, -len(metadata)&7)...)
		out.WriteString("\xFF\xFF\xFF\xFF")
		out.Write([]byte{byte(len(metadata)), byte(len(metadata) >> 8), 0, 0})
		out.Write(metadata)
	}
	return out.Bytes()
}

// Totals of rows that no int64 holds are errors that name the record batch.
func TestMoreRowsThanCanBeCounted(t *testing.T) {
	dir := t.TempDir()
	full := writeFile(t, filepath.Join(dir, "full.arrows"), nulls(t, math.MaxInt64-1, 1))
	over := writeFile(t, filepath.Join(dir, "over.arrows"), nulls(t, math.MaxInt64-1, 1, 1))
	negative := writeFile(t, filepath.Join(dir, "negative.arrows"), nulls(t, 5, -3))
	const says = "rows of record batches 0 to 2 come to more than 9223372036854775807"

	require.Equal(t, int64(math.MaxInt64), statOf(t, full).Rows)
	requireFails(t, exitFailed, []string{"stat", over}, over, says)
	requireFails(t, exitFailed, []string{"stat", negative}, "record batch 1 has -3 rows")

	// A conversion of several counts no further.
	to := filepath.Join(dir, "to")
	require.NoError(t, os.Mkdir(to, 0o777))
	var r result
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, "convert", "--json", full, over, to)), &r))
	for _, c := range r.Conversions {
		require.Equal(t, int64(math.MaxInt64), c.Rows)
	}
	require.Equal(t, int64(math.MaxInt64), r.Total.Rows)

	if strconv.IntSize < 64 {
		return // where a record batch cannot have as many
	}
	requireTool(t, "verify", full)
	requireFails(t, exitFailed, []string{"verify", over}, over, says)
	requireFails(t, exitFailed, []string{"bench", over}, over, says)
}
