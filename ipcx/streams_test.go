package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/datasets"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// codecs are all there are.
var codecs = [...]ipcx.Codec{ipcx.Uncompressed, ipcx.LZ4Frame, ipcx.Zstd}

// table is a schema and some record batches of it.
type table struct {
	name    string
	schema  *arrow.Schema
	batches []arrow.RecordBatch
}

// newTable makes a table that a test need not release.
func newTable(t testing.TB, name string, schema *arrow.Schema, batches ...arrow.RecordBatch) table {
	t.Cleanup(func() {
		for _, rec := range batches {
			rec.Release()
		}
	})
	return table{name, schema, batches}
}

// firstColumns cuts a table down to its first n columns.
func firstColumns(t testing.TB, tab table, n int) table {
	t.Helper()
	schema := arrow.NewSchema(tab.schema.Fields()[:n], nil)
	var batches []arrow.RecordBatch
	for _, rec := range tab.batches {
		batches = append(batches, array.NewRecordBatch(schema, rec.Columns()[:n], rec.NumRows()))
	}
	return newTable(t, tab.name, schema, batches...)
}

// dataset generates a table of internal/datasets in batches of one size.
func dataset(t testing.TB, name string, batches, rows int) table {
	t.Helper()
	set, ok := datasets.ByName(name)
	require.True(t, ok, name)
	return newTable(t, name, set.Schema, set.Batches(memory.DefaultAllocator, batches*rows, rows)...)
}

// everyState makes a table of fields that has a batch for each thing that may
// hold for arrays: nulls or none or nothing else, no rows, slices.
func everyState(t testing.TB, name string, fields ...arrow.Field) table {
	t.Helper()
	meta := arrow.MetadataFrom(map[string]string{"table": name, "empty": ""})
	schema := arrow.NewSchema(fields, &meta)
	var batches []arrow.RecordBatch
	for i, o := range []arrowgen.Options{
		{Rows: 33},
		{Rows: 70, Nulls: 0.3},
		{Rows: 0},
		{Rows: 9, Nulls: 1},
		{Rows: 50, Nulls: 0.2, Sliced: true},
		{Rows: 1},
		{Rows: 0, Sliced: true},
		{Rows: 40, Sliced: true},
	} {
		batches = append(batches, arrowgen.Batch(uint64(i), schema, o))
	}
	return newTable(t, name, schema, batches...)
}

// mappedFields are fields of each mapped type and of nestings of them.
func mappedFields() []arrow.Field {
	nested := arrowgen.Nested(1)
	for i := range nested {
		nested[i].Name = "nested_" + nested[i].Name
		nested[i].Metadata = arrow.MetadataFrom(map[string]string{"i": fmt.Sprint(i)})
	}
	return append(arrowgen.MappedTypes(), nested...)
}

// mappedTables has a table for each mapped field.
func mappedTables(t testing.TB) (tables []table) {
	t.Helper()
	for _, f := range mappedFields() {
		tables = append(tables, everyState(t, f.Name, f))
	}
	return tables
}

// unmappedTables has a table for each type that is not mapped, beside a string.
func unmappedTables(t testing.TB) (tables []table) {
	t.Helper()
	for _, f := range arrowgen.UnmappedTypes() {
		text := arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}
		tables = append(tables, everyState(t, f.Name, text, f))
	}
	return tables
}

// writeTable has a Writer write a table.
func writeTable(t testing.TB, tab table, opts ...ipcx.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, append([]ipcx.Option{ipcx.WithSchema(tab.schema)}, opts...)...)
	for _, rec := range tab.batches {
		require.NoError(t, w.Write(rec), tab.name)
	}
	require.NoError(t, w.Close(), tab.name)
	return out.Bytes()
}

// arrowWriteTable has arrow-go's writer write a table. Bits behind the last
// boolean are cleared, as they are here.
func arrowWriteTable(t testing.TB, tab table, opts ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	writeAll(t, ipc.NewWriter(&out, append([]ipc.Option{ipc.WithSchema(tab.schema)}, opts...)...), tab)
	return withoutTails(t, tab.schema, out.Bytes())
}

func writeAll(t testing.TB, w *ipc.Writer, tab table) {
	t.Helper()
	for _, rec := range tab.batches {
		require.NoError(t, w.Write(rec), tab.name)
	}
	require.NoError(t, w.Close(), tab.name)
}

// requireTable reads all of r, which it releases, and compares it with tab.
func requireTable(t testing.TB, tab table, r array.RecordReader) {
	t.Helper()
	defer r.Release()
	require.True(t, tab.schema.Equal(r.Schema()), "%s:\n%s\n%s", tab.name, tab.schema, r.Schema())
	require.True(t, tab.schema.Metadata().Equal(r.Schema().Metadata()), tab.name)
	for i, want := range tab.batches {
		require.True(t, r.Next(), "%s: batch %d: %v", tab.name, i, r.Err())
		got := r.RecordBatch()
		require.Equal(t, want.NumRows(), got.NumRows(), "%s: batch %d", tab.name, i)
		require.True(t, array.RecordEqual(want, got), "%s: batch %d:\n%s\n%s", tab.name, i, want, got)
		for j, col := range got.Columns() {
			require.Equal(t, want.Column(j).NullN(), col.NullN(), "%s: batch %d, column %d", tab.name, i, j)
		}
		require.Equal(t, customMetadata(want), customMetadata(got), "%s: batch %d", tab.name, i)
	}
	require.False(t, r.Next(), tab.name)
	require.NoError(t, r.Err(), tab.name)
}

// customMetadata returns a batch's own metadata, keys and values in turn.
func customMetadata(rec arrow.RecordBatch) (entries []string) {
	if rec, ok := rec.(arrow.RecordBatchWithMetadata); ok {
		m := rec.Metadata()
		for i, key := range m.Keys() {
			entries = append(entries, key, m.Values()[i])
		}
	}
	return entries
}

// newReader returns a Reader of a stream.
func newReader(t testing.TB, stream []byte, opts ...ipcx.Option) *ipcx.Reader {
	t.Helper()
	r, err := ipcx.NewReader(bytes.NewReader(stream), opts...)
	require.NoError(t, err)
	return r
}

// arrowReader returns arrow-go's reader of a stream.
func arrowReader(t testing.TB, stream []byte, opts ...ipc.Option) *ipc.Reader {
	t.Helper()
	r, err := ipc.NewReader(bytes.NewReader(stream), opts...)
	require.NoError(t, err)
	return r
}

// piece is a message of a stream.
type piece struct{ metadata, body []byte }

// bodyLength is what a message's metadata says about the length of its body.
func bodyLength(metadata []byte) int {
	msg := ipc.NewMessage(memory.NewBufferBytes(metadata), memory.NewBufferBytes(nil))
	defer msg.Release()
	return int(msg.BodyLen())
}

// cutStream takes a stream with its end-of-stream marker apart, into memory of
// its own.
func cutStream(t testing.TB, stream []byte) (frames []piece) {
	t.Helper()
	stream = bytes.Clone(stream)
	for {
		require.GreaterOrEqual(t, len(stream), 8, "no end of stream")
		require.Equal(t, "\xFF\xFF\xFF\xFF", string(stream[:4]))
		n := int(binary.LittleEndian.Uint32(stream[4:]))
		stream = stream[8:]
		if n == 0 {
			require.Empty(t, stream)
			return frames
		}
		require.Zero(t, n%8)
		body := bodyLength(stream[:n])
		frames = append(frames, piece{stream[:n:n], stream[n : n+body : n+body]})
		stream = stream[n+body:]
	}
}

// joinStream makes a stream of messages.
func joinStream(frames []piece) (stream []byte) {
	for _, f := range frames {
		pad := -len(f.metadata) & 7
		stream = append(stream, "\xFF\xFF\xFF\xFF"...)
		stream = binary.LittleEndian.AppendUint32(stream, uint32(len(f.metadata)+pad))
		stream = append(append(stream, f.metadata...), make([]byte, pad)...)
		stream = append(stream, f.body...)
	}
	return append(stream, "\xFF\xFF\xFF\xFF\x00\x00\x00\x00"...)
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }
