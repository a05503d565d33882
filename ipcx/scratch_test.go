package ipcx_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// numbersAndTexts has n rows of 24 bytes or so.
func numbersAndTexts(t testing.TB, n int, nulls bool) arrow.RecordBatch {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	defer b.Release()
	for i := range n {
		b.Field(0).(*array.Int64Builder).Append(int64(uint64(i) * 0x9E3779B97F4A7C15 >> 8))
		b.Field(1).(*array.StringBuilder).Append(fmt.Sprint("text ", i))
	}
	if !nulls {
		return b.NewRecordBatch()
	}
	// Null in the bitmaps alone, so that there are values to clear.
	rec := b.NewRecordBatch()
	defer rec.Release()
	var columns []arrow.Array
	for _, column := range rec.Columns() {
		bufs := append([]*memory.Buffer{}, column.Data().Buffers()...)
		bitmap := make([]byte, (n+7)/8)
		fill(bitmap, 0x55)
		bufs[0] = memory.NewBufferBytes(bitmap)
		columns = append(columns, array.MakeFromData(array.NewData(column.DataType(), n, bufs, nil, array.UnknownNullCount, 0)))
	}
	return array.NewRecordBatch(schema, columns, int64(n))
}

func scratchForms() map[string][]ipcx.Option {
	return map[string][]ipcx.Option{
		"none": {}, "none, lengths": {ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)},
		"lz4":  {ipcx.WithLZ4()},
		"zstd": {ipcx.WithZstd(), ipcx.WithZstdLevel(1)}, "zstd, lengths": {ipcx.WithZstd(), ipcx.WithZstdLevel(1), ipcx.WithOffsetsAsLengths()},
		"zeroed nulls": {ipcx.WithZeroedNulls()},
	}
}

// allocated returns how many bytes a call of do allocates, once it is in its
// stride.
func allocated(do func()) int {
	for range 10 {
		do()
	}
	const rounds = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range rounds {
		do()
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc-before.TotalAlloc) / rounds
}

// repeating is a stream of a schema and then one batch again and again.
type repeating struct {
	batch []byte
	rest  []byte
}

func newRepeating(t testing.TB, rec arrow.RecordBatch, opts ...ipcx.Option) *repeating {
	all := messages(t, write(t, []arrow.RecordBatch{rec}, opts...))
	return &repeating{batch: frame(all[1]), rest: append(frame(all[0]), frame(all[1])...)}
}

func (e *repeating) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.batch
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestSteadyState writes and reads batches of two megabytes. What each of them
// makes allocate is no more than the structs of its arrays and messages.
func TestSteadyState(t *testing.T) {
	if raceEnabled {
		t.Skip("the LZ4 library keeps its blocks in a sync.Pool")
	}
	const limit = 16 << 10
	rec := numbersAndTexts(t, 80_000, false)
	nulls := numbersAndTexts(t, 80_000, true)
	for form, opts := range scratchForms() {
		written := rec
		if form == "zeroed nulls" {
			written = nulls
		}
		w := ipcx.NewWriter(io.Discard, opts...)
		require.Less(t, allocated(func() { require.NoError(t, w.Write(written)) }), limit, "writing, %s", form)

		r, err := ipcx.NewReader(newRepeating(t, written, opts...), ipcx.WithBufferReuse())
		require.NoError(t, err)
		require.Less(t, allocated(func() { require.True(t, r.Next(), "%v", r.Err()) }), limit, "reading with reuse, %s", form)
		r.Release()

		// Without reuse it is the decoded body, and nothing else.
		r, err = ipcx.NewReader(newRepeating(t, written, opts...))
		require.NoError(t, err)
		body := 0
		bytes := allocated(func() {
			before := r.Stats().RawBodyBytes
			require.True(t, r.Next(), "%v", r.Err())
			body = int(r.Stats().RawBodyBytes - before)
		})
		require.Less(t, bytes, body+body/50+limit, "reading, %s", form)
		r.Release()
	}
}

// TestScratchAfterGiant has one large batch before a hundred small ones. The
// memory that is alive after them is what it would be without the large one.
func TestScratchAfterGiant(t *testing.T) {
	const limit = 1 << 20
	small, large := numbersAndTexts(t, 2000, true), numbersAndTexts(t, 400_000, true)
	alive := func() int64 {
		runtime.GC()
		runtime.GC()
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return int64(stats.HeapAlloc)
	}
	for _, form := range []string{"none, lengths", "lz4", "zstd, lengths"} {
		opts := append(scratchForms()[form], ipcx.WithZeroedNulls())
		streams := map[bool][]byte{}
		for _, giant := range []bool{false, true} {
			var batches []arrow.RecordBatch
			if giant {
				batches = append(batches, large)
			}
			for range 100 {
				batches = append(batches, small)
			}
			streams[giant] = write(t, batches, opts...)
		}
		writing := func(giant bool) int64 {
			w := ipcx.NewWriter(io.Discard, opts...)
			require.NoError(t, w.Write(small))
			if giant {
				require.NoError(t, w.Write(large))
			}
			for range 100 {
				require.NoError(t, w.Write(small))
			}
			defer runtime.KeepAlive(w)
			return alive()
		}
		reading := func(giant bool) int64 {
			r, err := ipcx.NewReader(bytes.NewReader(streams[giant]), ipcx.WithBufferReuse())
			require.NoError(t, err)
			defer r.Release()
			for r.Next() {
			}
			require.NoError(t, r.Err())
			return alive()
		}
		converting := func(giant bool) (at int64) {
			end := &atEnd{r: bytes.NewReader(streams[giant]), do: func() { at = alive() }}
			_, err := ipcx.Convert(context.Background(), io.Discard, end, opts...)
			require.NoError(t, err)
			return at
		}
		for what, do := range map[string]func(bool) int64{"writing": writing, "reading": reading, "converting": converting} {
			do(false) // what is made once
			without, with := do(false), do(true)
			require.Less(t, with-without, int64(limit), "%s, %s", what, form)
		}
	}
}

// atEnd calls do before the end of r is reported.
type atEnd struct {
	r  io.Reader
	do func()
}

func (a *atEnd) Read(p []byte) (int, error) {
	n, err := a.r.Read(p)
	if err == io.EOF && a.do != nil {
		a.do()
		a.do = nil
	}
	return n, err
}
