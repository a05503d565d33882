package ipcx_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// dictionaryBatches counts the dictionary batches of a stream: all, the deltas,
// and those that replace an earlier one. None may be flagged.
func dictionaryBatches(t testing.TB, frames []piece) (all, deltas, replaced int64) {
	t.Helper()
	seen := map[int64]bool{}
	for _, f := range frames {
		msg := flatbuf.GetRootAsMessage(f.metadata, 0)
		if msg.HeaderType() != flatbuf.MessageHeaderDictionaryBatch {
			continue
		}
		var dict flatbuf.DictionaryBatch
		table := dict.Table()
		require.True(t, msg.Header(&table))
		dict.Init(table.Bytes, table.Pos)
		all++
		switch {
		case dict.IsDelta():
			deltas++
		case seen[dict.Id()]:
			replaced++
		}
		seen[dict.Id()] = true

		data := dict.Data(nil)
		if c := data.Compression(nil); c != nil {
			require.GreaterOrEqual(t, c.Codec(), flatbuf.CompressionType(0))
		}
		for _, b := range buffersOf(data) {
			require.GreaterOrEqual(t, b.Offset(), int64(0))
		}
	}
	return all, deltas, replaced
}

func TestDictionaries(t *testing.T) {
	tab := dictionaryTable(t)
	forms(t, func(t *testing.T, _ ipcx.Codec, _ bool, opts []ipcx.Option) {
		for _, deltas := range []bool{false, true} {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			opts := append(opts, ipcx.WithDictionaryDeltas(deltas), ipcx.WithAllocator(mem))
			stream := writeTable(t, tab, opts...)

			r := newReader(t, stream, ipcx.WithAllocator(mem))
			requireTable(t, tab, r)
			stats := r.Stats()
			all, grown, replaced := dictionaryBatches(t, cutStream(t, stream))
			require.Equal(t, deltas, grown > 0)
			require.Positive(t, replaced)
			require.Equal(t, []int64{all, grown, replaced},
				[]int64{stats.DictionaryBatches, stats.DictionaryDeltas, stats.ReplacedDictionaries})
			require.Zero(t, stats.FlaggedBatches)
		}
	})
}

// A dictionary may have dictionaries among its values.
func TestDictionariesOfDictionaries(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.LargeString}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "lists", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(words)}, Nullable: true},
		{Name: "pairs", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint64, ValueType: arrow.StructOf(
			arrow.Field{Name: "word", Type: words, Nullable: true},
			arrow.Field{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true})}, Nullable: true},
	}, nil)
	o := arrowgen.Options{Rows: 30, Nulls: 0.2}
	tab := newTable(t, "nested", schema, arrowgen.Batch(1, schema, o), arrowgen.Batch(2, schema, o))
	all, _, _ := dictionaryBatches(t, cutStream(t, arrowWriteTable(t, tab)))
	require.EqualValues(t, 4, all)

	forms(t, func(t *testing.T, _ ipcx.Codec, _ bool, opts []ipcx.Option) {
		readEveryWay(t, tab, writeEveryWay(t, tab, arrowWriteTable(t, tab), opts))
	})
}

// A dictionary batch whose columns have strings is compressed but not flagged,
// and neither are the record batches, whose schema is not mapped.
func TestStringsOfDictionariesAreNotFlagged(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "text", Type: arrow.BinaryTypes.String},
		{Name: "word", Type: words},
	}, nil)
	tab := newTable(t, "words", schema, arrowgen.Batch(1, schema, arrowgen.Options{Rows: 30}))
	for _, codec := range codecs {
		frames := cutStream(t, writeTable(t, tab, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec)))
		require.Len(t, frames, 3)
		requireTable(t, tab, arrowReader(t, joinStream(frames)))
	}
}

// What arrow-go refuses to read is an error here too: a stream that ends before
// its dictionaries, and one without any of them.
func TestMissingDictionaries(t *testing.T) {
	tab := dictionaryTable(t)
	frames := cutStream(t, writeTable(t, tab, ipcx.WithZstd()))
	for i, f := range frames {
		if kind := flatbuf.GetRootAsMessage(f.metadata, 0).HeaderType(); kind != flatbuf.MessageHeaderDictionaryBatch || i > 4 {
			continue
		}
		for what, stream := range map[string][]byte{
			"ends":    joinStream(frames[:i+1]),
			"missing": joinStream(append(append([]piece{}, frames[:i]...), frames[i+1:]...)),
		} {
			what := fmt.Sprintf("dictionary %d %s", i, what)
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			ours := newReader(t, stream, ipcx.WithAllocator(mem))
			theirs := arrowReader(t, stream, ipc.WithAllocator(memory.DefaultAllocator))
			for theirs.Next() {
				require.True(t, ours.Next(), what)
			}
			require.Error(t, theirs.Err(), what)
			require.False(t, ours.Next(), what)
			require.Error(t, ours.Err(), what)
			ours.Release()
			mem.AssertSize(t, 0)
		}
	}
}
