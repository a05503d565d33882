package main

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// reader is what both readers have in common.
type reader interface {
	Next() bool
	RecordBatch() arrow.RecordBatch
	Err() error
	Release()
}

// ways are the readers that are compared.
var ways = []struct {
	name string
	open func(io.Reader) (reader, error)
}{
	{"arrow-go", func(r io.Reader) (reader, error) { return ipc.NewReader(r) }},
	{"ipcx", func(r io.Reader) (reader, error) { return ipcx.NewReader(r) }},
	{"ipcx-reuse", func(r io.Reader) (reader, error) { return ipcx.NewReader(r, ipcx.WithBufferReuse()) }},
}

const rowsPerBatch = 8192

// stringStream returns a stream of n batches of seven columns of strings.
func stringStream(tb testing.TB, n int, opts ...ipcx.Option) []byte {
	tb.Helper()
	d, ok := datasets.ByName("vocabulary")
	require.True(tb, ok)
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, append(opts, ipcx.WithSchema(d.Schema))...)
	for _, rec := range d.Batches(memory.NewGoAllocator(), n*rowsPerBatch, rowsPerBatch) {
		require.NoError(tb, w.Write(rec))
		rec.Release()
	}
	require.NoError(tb, w.Close())
	return out.Bytes()
}

// drain reads all batches, and returns how many there were and the bytes of their
// buffers. It releases each before it reads the next, unless they are to be held
// until the end.
func drain(tb testing.TB, r reader, hold bool) (batches, rows int64) {
	var held []arrow.RecordBatch
	for r.Next() {
		rec := r.RecordBatch()
		batches++
		rows += rec.NumRows()
		if hold {
			rec.Retain()
			held = append(held, rec)
		}
	}
	require.NoError(tb, r.Err())
	for _, rec := range held {
		rec.Release()
	}
	return batches, rows
}

// measured reports processor time, allocations and page faults of do, which handles that many
// batches and rows a round.
func measured(b *testing.B, do func() (batches, rows int64)) {
	b.Helper()
	do()
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	faults, cpu := usage()
	var batches, rows int64
	b.ResetTimer()
	for b.Loop() {
		n, r := do()
		batches, rows = batches+n, rows+r
	}
	b.StopTimer()
	faultsAfter, cpuAfter := usage()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows), "ns/row")
	b.ReportMetric(float64((cpuAfter-cpu).Nanoseconds())/float64(rows), "cpu-ns/row")
	b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(batches), "B/batch")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(batches), "allocs/batch")
	b.ReportMetric(float64(faultsAfter-faults)/float64(batches), "faults/batch")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkRead reads seven columns of strings, in batches of 8192 rows.
func BenchmarkRead(b *testing.B) {
	const batches = 64
	for _, codec := range []ipcx.Codec{ipcx.Uncompressed, ipcx.LZ4Frame, ipcx.Zstd} {
		stream := stringStream(b, batches, ipcx.WithCodec(codec))
		for _, way := range ways {
			for _, hold := range []bool{false, true} {
				name := codec.String() + "/" + way.name + "/released"
				if hold {
					name = codec.String() + "/" + way.name + "/held"
				}
				b.Run(name, func(b *testing.B) {
					measured(b, func() (int64, int64) {
						r, err := way.open(bytes.NewReader(stream))
						require.NoError(b, err)
						defer r.Release()
						return drain(b, r, hold)
					})
				})
			}
		}
	}
}

// TestReadAllocates holds what reading a batch of seven columns of strings
// allocates against the bytes of its decoded body and against arrow-go.
func TestReadAllocates(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates as well")
	}
	const batches = 128
	stream := stringStream(t, batches, ipcx.WithZstd())
	perBatch := func(open func(io.Reader) (reader, error)) (allocated, body int64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		r, err := open(bytes.NewReader(stream))
		require.NoError(t, err)
		n, _ := drain(t, r, false)
		require.EqualValues(t, batches, n)
		if r, ok := r.(*ipcx.Reader); ok {
			body = r.Stats().RawBodyBytes / batches
		}
		r.Release()
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc-before.TotalAlloc) / batches, body
	}
	theirs, _ := perBatch(ways[0].open)
	fresh, body := perBatch(ways[1].open)
	reused, _ := perBatch(ways[2].open)
	t.Logf("bytes a batch: %d decoded, arrow-go allocates %d, ipcx %d, with reuse %d", body, theirs, fresh, reused)
	require.LessOrEqual(t, 10*fresh, 11*body)
	require.LessOrEqual(t, 50*reused, theirs)
}
