package ipcx_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// concurrent is the options that use goroutines in a reader.
func concurrent() map[string][]ipcx.Option {
	return map[string][]ipcx.Option{
		"ahead":             {ipcx.WithReadAhead(1)},
		"far ahead":         {ipcx.WithReadAhead(64)},
		"decompress":        {ipcx.WithDecompressConcurrency(4)},
		"ahead, decompress": {ipcx.WithReadAhead(3), ipcx.WithDecompressConcurrency(2)},
	}
}

// ownGoroutine is how many rows of ids make a batch that is decoded in a goroutine of
// its own.
const ownGoroutine = 2_000

func TestConcurrentReadersGiveTheSame(t *testing.T) {
	defer goleak.VerifyNone(t)
	tables := []table{
		everyState(t, "mapped", mappedFields()...),
		everyState(t, "unmapped", arrowgen.UnmappedTypes()...),
		dataset(t, "random-strings", 5, 2_000),
	}
	for _, tab := range tables {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()}, {ipcx.WithLZ4()}} {
			stream := writeTable(t, tab, opts...)
			file := writeFile(t, tab.batches, append(opts, ipcx.WithDictionaryDeltas(true))...)
			for name, opts := range concurrent() {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				opts := append(opts, ipcx.WithAllocator(mem))
				r := newReader(t, stream, opts...)
				requireTable(t, tab, r)
				require.Equal(t, int64(len(tab.batches)), r.Stats().RecordBatches, name)
				r.Release()

				f, err := ipcx.NewFileReader(bytes.NewReader(file), opts...)
				require.NoError(t, err)
				for _, want := range tab.batches {
					got, err := f.Read()
					require.NoError(t, err)
					requireValues(t, []arrow.RecordBatch{want}, []arrow.RecordBatch{got})
				}
				_, err = f.Read()
				require.ErrorIs(t, err, io.EOF)
				require.NoError(t, f.Close())
				mem.AssertSize(t, 0)
			}
		}
	}
}

// Wherever a reader stops, and however much was read ahead by then, nothing is
// left.
func TestReadAheadStops(t *testing.T) {
	defer goleak.VerifyNone(t)
	var stream []byte
	for _, rows := range []int{100, ownGoroutine} {
		tab := dataset(t, "ids", 9, rows)
		stream = writeTable(t, tab, ipcx.WithZstd())
		file := writeFile(t, tab.batches, ipcx.WithZstd())
		for read := range len(tab.batches) {
			for _, n := range []int{1, 2, 100} {
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				opts := []ipcx.Option{ipcx.WithReadAhead(n), ipcx.WithAllocator(mem)}
				r := newReader(t, stream, opts...)
				f, err := ipcx.NewFileReader(bytes.NewReader(file), opts...)
				require.NoError(t, err)
				for range read {
					require.True(t, r.Next())
					_, err := f.Read()
					require.NoError(t, err)
				}
				r.Release()
				require.NoError(t, f.Close())
				mem.AssertSize(t, 0)
			}
		}
	}
	// One that never started.
	r := newReader(t, stream, ipcx.WithReadAhead(2), ipcx.WithDelayReadSchema(true))
	r.Release()
	mr := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithReadAhead(2))
	mr.Release()
}

// An error comes where it would come without reading ahead: after all batches
// before it.
func TestReadAheadErrors(t *testing.T) {
	defer goleak.VerifyNone(t)
	tab := dataset(t, "ids", 5, 100)
	stream := writeTable(t, tab, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	broken := errors.New("broken wire")
	for at := 0; at < len(stream); at += 97 {
		source := func() io.Reader {
			return io.MultiReader(bytes.NewReader(stream[:at]), iotest.ErrReader(broken))
		}
		want := drain(source())
		for name, opts := range concurrent() {
			got := drain(source(), opts...)
			require.Len(t, got.Batches, len(want.Batches), name)
			require.ErrorIs(t, got.Err, broken)
			require.Equal(t, want.Err.Error(), got.Err.Error(), name)
		}
	}
	// The end stays the end, an error stays an error.
	mr := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithReadAhead(2))
	defer mr.Release()
	for {
		if _, err := mr.Message(); err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
	}
	_, err := mr.Message()
	require.ErrorIs(t, err, io.EOF)
}

// Bodies are decoded side by side, and yet what one of them has wrong comes behind
// the batches before it, and is all that comes.
func TestReadAheadErrorInBody(t *testing.T) {
	defer goleak.VerifyNone(t)
	tab := dataset(t, "ids", 6, ownGoroutine)
	whole := writeTable(t, tab, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	type outcome struct {
		batches []arrow.RecordBatch
		err     string
		stats   ipcx.Stats
	}
	read := func(stream []byte, opts ...ipcx.Option) (o outcome) {
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		r := newReader(t, stream, append(opts, ipcx.WithAllocator(mem))...)
		for r.Next() {
			rec := r.RecordBatch()
			rec.Retain()
			o.batches = append(o.batches, rec)
		}
		if err := r.Err(); err != nil {
			require.ErrorIs(t, err, ipcx.ErrCorrupt)
			o.err = err.Error()
		}
		o.stats = r.Stats()
		r.Release()
		t.Cleanup(func() {
			for _, rec := range o.batches {
				rec.Release()
			}
			mem.AssertSize(t, 0)
		})
		return o
	}
	for broken := range len(tab.batches) + 1 {
		all := messages(t, bytes.Clone(whole))
		if broken < len(tab.batches) {
			data := buffers(all[1+broken])[8] // of the third column
			require.Greater(t, len(data), 100)
			clear(data[12:60])
		}
		damaged := stream(all...)
		for _, columns := range [][]ipcx.Option{nil, {ipcx.WithColumnIndexes(2, 5)}, {ipcx.WithColumnIndexes(5)}} {
			want := read(damaged, columns...)
			if columns == nil && broken < len(tab.batches) {
				require.Len(t, want.batches, broken)
				require.NotEmpty(t, want.err)
			}
			for name, opts := range concurrent() {
				got := read(damaged, append(opts, columns...)...)
				requireValues(t, want.batches, got.batches)
				require.Equal(t, want.err, got.err, name)
				require.Equal(t, want.stats, got.stats, name)
			}
		}
	}
}

// A message lives until the next one, or as long as it is retained.
func TestReadAheadMessages(t *testing.T) {
	stream := writeTable(t, dataset(t, "ids", 5, 100), ipcx.WithZstd())
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	mr := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithReadAhead(3), ipcx.WithAllocator(mem))
	var kept []*ipc.Message
	for {
		msg, err := mr.Message()
		if err != nil {
			break
		}
		msg.Retain()
		kept = append(kept, msg)
	}
	mr.Release()
	require.Len(t, kept, 6)
	for _, msg := range kept[1:] {
		require.Positive(t, msg.BodyLen())
		require.Equal(t, ipc.MessageRecordBatch, msg.Type())
		msg.Release()
	}
	mem.AssertSize(t, 0)
}

// Of several buffers that are broken, the error names the first, in however
// many goroutines they are decompressed.
func TestConcurrentErrorIsTheFirst(t *testing.T) {
	batch := arrowgen.RecordBatch(1, firstColumns(t, dataset(t, "random-strings", 1, 20_000), 7).schema.Fields(), arrowgen.Options{Rows: 20_000})
	defer batch.Release()
	tab := newTable(t, "", batch.Schema(), batch)
	all := messages(t, writeTable(t, tab, ipcx.WithZstd()))
	for _, i := range []int{5, 8, 14} {
		buf := buffers(all[1])[i]
		require.Greater(t, len(buf), 100)
		clear(buf[12:60])
	}
	want := drainBytes(stream(all...))
	require.ErrorContains(t, want.Err, "buffer 5")
	for range 20 {
		got := drainBytes(stream(all...), ipcx.WithDecompressConcurrency(4))
		require.EqualError(t, got.Err, want.Err.Error())
	}
}
