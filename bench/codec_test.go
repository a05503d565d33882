package bench

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// table is record batches to measure on.
type table struct {
	name    string
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	rows    int
}

// tables are the generated datasets and, where they are, the real ones.
func tables(b *testing.B) (all []table) {
	b.Helper()
	for _, set := range datasets.All() {
		t := table{name: set.Name, schema: set.Schema, rows: 8 * rowsPerBatch}
		t.batches = set.Batches(memory.DefaultAllocator, t.rows, rowsPerBatch)
		all = append(all, t)
	}
	for _, path := range testdata.Tables(b) {
		all = append(all, open(b, path))
	}
	return all
}

// BenchmarkWriteTables and BenchmarkReadTables hold ipcx against arrow-go on the same
// batches, zstd at arrow-go's level:
//
//	go test ./bench -run '^$' -bench 'Tables' -count 10 -cpu 1,2
func BenchmarkWriteTables(b *testing.B) {
	for _, t := range tables(b) {
		b.Run(t.name+"/arrow", func(b *testing.B) {
			for b.Loop() {
				var n counter
				w := ipc.NewWriter(&n, ipc.WithSchema(t.schema), ipc.WithZstd())
				writeTable(b, w, t)
				b.ReportMetric(float64(n)/float64(t.rows), "B/row")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.rows), "ns/row")
		})
		b.Run(t.name+"/ours", func(b *testing.B) {
			for b.Loop() {
				var n counter
				w := ipcx.NewWriter(&n, ipcx.WithSchema(t.schema), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
				writeTable(b, w, t)
				b.ReportMetric(float64(n)/float64(t.rows), "B/row")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.rows), "ns/row")
		})
	}
}

func BenchmarkReadTables(b *testing.B) {
	for _, t := range tables(b) {
		var theirs, ours bytes.Buffer
		writeTable(b, ipc.NewWriter(&theirs, ipc.WithSchema(t.schema), ipc.WithZstd()), t)
		writeTable(b, ipcx.NewWriter(&ours, ipcx.WithSchema(t.schema), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()), t)
		b.Run(t.name+"/arrow", func(b *testing.B) {
			for b.Loop() {
				r, err := ipc.NewReader(bytes.NewReader(theirs.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
				r.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.rows), "ns/row")
		})
		b.Run(t.name+"/ours", func(b *testing.B) {
			for b.Loop() {
				r, err := ipcx.NewReader(bytes.NewReader(ours.Bytes()))
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				if r.Err() != nil {
					b.Fatal(r.Err())
				}
				r.Release()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.rows), "ns/row")
		})
	}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

type recordWriter interface {
	Write(arrow.RecordBatch) error
	io.Closer
}

func writeTable(b *testing.B, w recordWriter, t table) {
	b.Helper()
	for _, rec := range t.batches {
		if err := w.Write(rec); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

// open reads the batches of an Arrow file.
func open(b *testing.B, path string) table {
	b.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		b.Fatal(err)
	}
	t := table{name: strings.TrimSuffix(filepath.Base(path), ".arrow"), schema: r.Schema()}
	for i := range r.NumRecords() {
		rec, err := r.RecordBatchAt(i)
		if err != nil {
			b.Fatal(err)
		}
		t.batches = append(t.batches, rec)
		t.rows += int(rec.NumRows())
	}
	return t
}
