package ipcx_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// withMetadata gives a batch metadata of its own, and takes it over.
func withMetadata(rec arrow.RecordBatch, keysAndValues ...string) arrow.RecordBatch {
	defer rec.Release()
	var keys, values []string
	for i := 0; i < len(keysAndValues); i += 2 {
		keys = append(keys, keysAndValues[i])
		values = append(values, keysAndValues[i+1])
	}
	return array.NewRecordBatchWithMetadata(rec.Schema(), rec.Columns(), rec.NumRows(), arrow.NewMetadata(keys, values))
}

// metadataTable has batches with custom metadata, of fields.
func metadataTable(t testing.TB, name string, fields ...arrow.Field) table {
	t.Helper()
	meta := arrow.NewMetadata([]string{"b", "a", "b"}, []string{"1", "", "größe"})
	schema := arrow.NewSchema(fields, &meta)
	o := arrowgen.Options{Rows: 20, Nulls: 0.2}
	return newTable(t, name, schema,
		withMetadata(arrowgen.Batch(1, schema, o), "key", "value"),
		arrowgen.Batch(2, schema, o),
		withMetadata(arrowgen.Batch(3, schema, o), "z", "", "a", strings.Repeat("long ", 100), "z", "twice"),
		withMetadata(arrowgen.Batch(4, schema, arrowgen.Options{}), "rows", "none"))
}

// dictionaryTable has batches whose dictionaries grow, stay, and are replaced.
// There are several of them, some in nested fields.
func dictionaryTable(t testing.TB) table {
	t.Helper()
	var fields []arrow.Field
	for _, f := range arrowgen.UnmappedTypes() {
		if strings.Contains(f.Name, "dictionary") {
			fields = append(fields, f)
		}
	}
	require.Greater(t, len(fields), 3)
	schema := arrow.NewSchema(fields, nil)
	var batches []arrow.RecordBatch
	for i, o := range []arrowgen.Options{
		{Rows: 20, DictLen: 10},
		{Rows: 10, DictLen: 10, Nulls: 0.3},
		{Rows: 20, DictLen: 15},
		{Rows: 20, DictLen: 20, Sliced: true},
		{Rows: 20, DictLen: 5, DictSeed: 1},
		{Rows: 0, DictLen: 5, DictSeed: 1},
		{Rows: 9, DictLen: 6, DictSeed: 1},
	} {
		batches = append(batches, arrowgen.Batch(uint64(i), schema, o))
	}
	return newTable(t, "dictionaries", schema, batches...)
}

// Without a codec and without the option the bytes are arrow-go's.
func TestSameBytesAsArrowGo(t *testing.T) {
	tables := append(mappedTables(t), unmappedTables(t)...)
	tables = append(tables,
		dictionaryTable(t),
		metadataTable(t, "metadata", arrowgen.MappedTypes()...),
		metadataTable(t, "metadata and dictionaries", arrowgen.UnmappedTypes()...),
		newTable(t, "no columns", arrow.NewSchema(nil, nil), arrowgen.RecordBatch(1, nil, arrowgen.Options{Rows: 3})),
		newTable(t, "no batches", tables[0].schema))
	for _, tab := range tables {
		require.Equal(t, arrowWriteTable(t, tab), writeTable(t, tab), tab.name)
		// The option alone does nothing: there is no codec that it is on for.
		require.Equal(t, arrowWriteTable(t, tab), writeTable(t, tab, ipcx.WithOffsetsAsLengths()), tab.name)
		require.Equal(t,
			arrowWriteTable(t, tab, ipc.WithDictionaryDeltas(true)),
			writeTable(t, tab, ipcx.WithDictionaryDeltas(true)), tab.name)
	}
}

// Where nothing is rewritten the bytes are those with the option off.
func TestSameBytesWithAndWithoutOption(t *testing.T) {
	all := ipcx.WithOffsetsAsLengths(codecs[:]...)
	text := arrow.Field{Name: "text", Type: arrow.BinaryTypes.String}
	requireSame := func(tab table, codec ipcx.Codec, opt ipcx.Option) {
		t.Helper()
		off := writeTable(t, tab, ipcx.WithCodec(codec))
		on := writeTable(t, tab, ipcx.WithCodec(codec), opt)
		require.Equal(t, off, on, "%s, %v", tab.name, codec)
	}
	requireOther := func(tab table, codec ipcx.Codec, opt ipcx.Option) {
		t.Helper()
		off := writeTable(t, tab, ipcx.WithCodec(codec))
		on := writeTable(t, tab, ipcx.WithCodec(codec), opt)
		require.NotEqual(t, off, on, "%s, %v", tab.name, codec)
	}

	// Schemas without offsets.
	var without []arrow.Field
	for _, f := range mappedFields() {
		tab := everyState(t, f.Name, f)
		if layout.Of(tab.schema).HasOffsets() {
			requireOther(tab, ipcx.Uncompressed, all)
		} else {
			requireSame(tab, ipcx.Uncompressed, all)
			without = append(without, f)
		}
	}
	for _, codec := range codecs {
		schema := arrow.NewSchema(without, nil)
		rec := arrowgen.Batch(1, schema, arrowgen.Options{Rows: 30, Nulls: 0.1})
		requireSame(newTable(t, "without offsets", schema, rec), codec, all)
	}

	// Schemas with a type that is not mapped, wherever it stands.
	for _, f := range arrowgen.UnmappedTypes() {
		nested := arrow.Field{Name: "nested", Type: arrow.StructOf(text,
			arrow.Field{Name: "deep", Type: arrow.ListOf(f.Type), Nullable: true})}
		for where, fields := range map[string][]arrow.Field{
			"first": {f, text}, "last": {text, f}, "nested": {text, nested},
		} {
			schema := arrow.NewSchema(fields, nil)
			tab := newTable(t, f.Name+" "+where, schema, arrowgen.Batch(1, schema, arrowgen.Options{Rows: 30}))
			requireSame(tab, ipcx.Uncompressed, all)
			if where == "last" {
				requireSame(tab, ipcx.LZ4Frame, all)
				requireSame(tab, ipcx.Zstd, all)
			}
		}
	}

	// Codecs that the option does not name.
	tab := texts(t)
	for _, c := range []struct {
		named []ipcx.Codec
		on    ipcx.Codec
		same  bool
	}{
		{nil, ipcx.Uncompressed, true},
		{nil, ipcx.LZ4Frame, true},
		{nil, ipcx.Zstd, false},
		{codecs[:1], ipcx.Uncompressed, false},
		{codecs[:1], ipcx.LZ4Frame, true},
		{codecs[:1], ipcx.Zstd, true},
		{codecs[1:2], ipcx.Uncompressed, true},
		{codecs[1:2], ipcx.LZ4Frame, false},
		{codecs[1:2], ipcx.Zstd, true},
		{codecs[1:], ipcx.Uncompressed, true},
		{codecs[1:], ipcx.LZ4Frame, false},
		{codecs[1:], ipcx.Zstd, false},
	} {
		if c.same {
			requireSame(tab, c.on, ipcx.WithOffsetsAsLengths(c.named...))
		} else {
			requireOther(tab, c.on, ipcx.WithOffsetsAsLengths(c.named...))
		}
	}

	// Batches without rows.
	empty := func(name string, fields ...arrow.Field) table {
		schema := arrow.NewSchema(fields, nil)
		return newTable(t, name+" empty", schema,
			arrowgen.Batch(1, schema, arrowgen.Options{}),
			arrowgen.Batch(2, schema, arrowgen.Options{Sliced: true}))
	}
	for _, f := range mappedFields() {
		requireSame(empty(f.Name, f), ipcx.Uncompressed, all)
	}
	for _, codec := range codecs {
		requireSame(empty("all", mappedFields()...), codec, all)
	}
}

// The last option counts.
func TestLaterOptionsReplaceEarlierOnes(t *testing.T) {
	tab := everyState(t, "text", arrow.Field{Name: "text", Type: arrow.BinaryTypes.String})
	require.Equal(t,
		writeTable(t, tab, ipcx.WithZstd()),
		writeTable(t, tab, ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.Zstd), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame)))
}

// Concurrency changes no bytes.
func TestSameBytesForEveryConcurrency(t *testing.T) {
	// Enough bytes to start goroutines for.
	tab := firstColumns(t, dataset(t, "wide", 1, 1500), 40)
	forms(t, func(t *testing.T, codec ipcx.Codec, flag bool, opts []ipcx.Option) {
		one := writeTable(t, tab, append(opts, ipcx.WithCompressConcurrency(1))...)
		for _, n := range []int{0, 2, 4, 16} {
			got := writeTable(t, tab, append(opts, ipcx.WithCompressConcurrency(n))...)
			require.True(t, bytes.Equal(one, got), "%d goroutines: %d and %d bytes", n, len(one), len(got))
		}
		requireTable(t, tab, newReader(t, one))
	})
}
