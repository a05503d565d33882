package ipcx_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// forms calls do for each codec, with and without offsets as lengths. The level
// of zstd is the one that takes least time to start.
func forms(t *testing.T, do func(t *testing.T, codec ipcx.Codec, flag bool, opts []ipcx.Option)) {
	for _, codec := range codecs {
		t.Run(codec.String(), func(t *testing.T) {
			do(t, codec, false, []ipcx.Option{ipcx.WithCodec(codec), ipcx.WithZstdLevel(1)})
		})
		t.Run(codec.String()+" lengths", func(t *testing.T) {
			do(t, codec, true, []ipcx.Option{ipcx.WithCodec(codec), ipcx.WithZstdLevel(1), ipcx.WithOffsetsAsLengths(codec)})
		})
	}
}

// Every way to write gives the same bytes, and every way to read gives the
// batches back.
func TestRoundTrip(t *testing.T) {
	var tables []table
	for _, fields := range [][]arrow.Field{mappedFields(), arrowgen.UnmappedTypes()} {
		for some := range slices.Chunk(fields, 5) {
			tables = append(tables, everyState(t, "from "+some[0].Name, some...))
		}
	}
	tables = append(tables,
		dictionaryTable(t),
		metadataTable(t, "metadata", mappedFields()[10:20]...),
		metadataTable(t, "metadata beside dictionaries", arrowgen.UnmappedTypes()[10:]...),
		newTable(t, "no batches", tables[0].schema),
		newTable(t, "no columns", arrow.NewSchema(nil, nil),
			arrowgen.RecordBatch(1, nil, arrowgen.Options{Rows: 5}),
			arrowgen.RecordBatch(1, nil, arrowgen.Options{})))

	forms(t, func(t *testing.T, codec ipcx.Codec, flag bool, opts []ipcx.Option) {
		flagged := int64(0)
		for _, tab := range tables {
			plain := arrowWriteTable(t, tab)
			stream := writeEveryWay(t, tab, plain, opts)
			require.Equal(t, plain, arrowWriteTable(t, tab), "%s: writing changed the arrays", tab.name)
			flagged += readEveryWay(t, tab, stream)
		}
		require.Equal(t, flag, flagged > 0)
	})
}

// writeEveryWay writes tab, whose plain stream is plain.
func writeEveryWay(t *testing.T, tab table, plain []byte, opts []ipcx.Option) []byte {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	stream := writeTable(t, tab, append(opts, ipcx.WithAllocator(mem))...)

	// arrow-go's writer.
	var out bytes.Buffer
	pw := ipcx.NewPayloadWriter(&out, opts...)
	writeAll(t, ipc.NewWriterWithPayloadWriter(pw, ipc.WithSchema(tab.schema)), tab)
	require.Equal(t, stream, out.Bytes(), "%s: NewPayloadWriter", tab.name)

	// Plain bytes.
	enc, err := ipcx.NewEncoder(opts...)
	require.NoError(t, err)
	frames := cutStream(t, plain)
	for i, f := range frames {
		metadata, body := bytes.Clone(f.metadata), bytes.Clone(f.body)
		gotMetadata, gotBody, err := enc.Encode(metadata, body)
		require.NoError(t, err, tab.name)
		require.Equal(t, f, piece{metadata, body}, "%s: message %d: Encode wrote to its input", tab.name, i)
		frames[i] = piece{bytes.Clone(gotMetadata), bytes.Clone(gotBody)}
	}
	require.Equal(t, stream, joinStream(frames), "%s: Encode", tab.name)
	require.EqualValues(t, len(frames), enc.Stats().Messages)
	return stream
}

// readEveryWay reads stream, which must be tab, and returns how many flagged
// batches it has.
func readEveryWay(t *testing.T, tab table, stream []byte) (flagged int64) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	r := newReader(t, stream, ipcx.WithAllocator(mem))
	requireTable(t, tab, r)
	stats := r.Stats()
	require.EqualValues(t, len(tab.batches), stats.RecordBatches, tab.name)

	// arrow-go's reader.
	mr := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithAllocator(mem))
	ar, err := ipc.NewReaderFromMessageReader(mr, ipc.WithAllocator(mem))
	require.NoError(t, err, tab.name)
	requireTable(t, tab, ar)

	// Plain bytes.
	dec, err := ipcx.NewDecoder()
	require.NoError(t, err)
	defer dec.Close()
	frames := cutStream(t, stream)
	for i, f := range frames {
		metadata, body := bytes.Clone(f.metadata), bytes.Clone(f.body)
		gotMetadata, gotBody, err := dec.Decode(metadata, body)
		require.NoError(t, err, tab.name)
		require.Equal(t, f, piece{metadata, body}, "%s: message %d: Decode wrote to its input", tab.name, i)
		frames[i] = piece{bytes.Clone(gotMetadata), bytes.Clone(gotBody)}
	}
	requireTable(t, tab, arrowReader(t, joinStream(frames)))
	require.Equal(t, stats, dec.Stats(), tab.name)
	return stats.FlaggedBatches
}

// Random schemas have mixes that nobody thought of.
func TestRoundTripOfRandomSchemas(t *testing.T) {
	for seed := range uint64(60) {
		rng := newRand(seed)
		schema := arrowgen.RandomMappedSchema(rng, int(seed%5))
		if seed%4 == 0 {
			schema = arrowgen.RandomSchema(rng, int(seed%5))
		}
		var batches []arrow.RecordBatch
		for i := range seed % 4 {
			batches = append(batches, arrowgen.Batch(seed+i, schema, arrowgen.Options{
				Rows: rng.IntN(100), Nulls: float64(i) / 3, Sliced: i%2 == 0}))
		}
		tab := newTable(t, fmt.Sprint("seed ", seed), schema, batches...)
		codec := codecs[seed%3]
		opts := []ipcx.Option{ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codecs[:]...)}
		readEveryWay(t, tab, writeEveryWay(t, tab, arrowWriteTable(t, tab), opts))
	}
}
