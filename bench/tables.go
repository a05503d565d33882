package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
)

// source is a table to take rows of.
type source struct {
	name  string
	about string
	load  func(rows int) (arrow.RecordBatch, error) // the first rows of it, or all it has
}

// generated are the tables of internal/datasets.
func generated() (all []source) {
	for _, set := range datasets.All() {
		all = append(all, source{set.Name, set.About, func(rows int) (arrow.RecordBatch, error) {
			return set.Batches(memory.DefaultAllocator, rows, rows)[0], nil
		}})
	}
	return all
}

// stored are the Arrow files of a folder.
func stored(dir string) (all []source) {
	paths, _ := filepath.Glob(filepath.Join(dir, "*.arrow")) // the pattern is sound
	slices.Sort(paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".arrow")
		all = append(all, file(name, "a real table", path))
	}
	return all
}

// file is the table of an Arrow file.
func file(name, about, path string) source {
	return source{name, about, func(rows int) (arrow.RecordBatch, error) {
		batches, err := fileBatches(path, rows)
		if err != nil {
			return nil, err
		}
		return join(batches, rows)
	}}
}

// fileBatches reads the record batches of an Arrow file, until they have rows rows.
func fileBatches(path string, rows int) ([]arrow.RecordBatch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer r.Close()
	var batches []arrow.RecordBatch
	for i := 0; i < r.NumRecords() && rows > 0; i++ {
		rec, err := r.RecordBatchAt(i)
		if err != nil {
			return nil, fmt.Errorf("%s: record batch %d: %w", path, i, err)
		}
		batches = append(batches, rec)
		rows -= int(rec.NumRows())
	}
	if len(batches) == 0 {
		return nil, fmt.Errorf("%s: no record batch", path)
	}
	return batches, nil
}

// join makes one record batch of several, of at most rows rows.
func join(batches []arrow.RecordBatch, rows int) (arrow.RecordBatch, error) {
	n := int64(0)
	for _, b := range batches {
		n += b.NumRows()
	}
	columns := make([]arrow.Array, batches[0].NumCols())
	for i := range columns {
		parts := make([]arrow.Array, len(batches))
		for k, b := range batches {
			parts[k] = b.Column(i)
		}
		var err error
		if columns[i], err = array.Concatenate(parts, memory.DefaultAllocator); err != nil {
			return nil, err
		}
	}
	whole := array.NewRecordBatch(batches[0].Schema(), columns, n)
	return whole.NewSlice(0, min(n, int64(rows))), nil
}

// table is record batches to measure on, all of batchRows rows but the last.
type table struct {
	name      string
	batchRows int
	rows      int
	schema    *arrow.Schema
	batches   []arrow.RecordBatch
	path      string // the batches in an uncompressed Arrow file
}

// perBatch turns a figure of the whole table into one of a batch.
func (t *table) perBatch(n float64) float64 { return n / float64(len(t.batches)) }

// perRow turns a figure of the whole table into one of a row.
func (t *table) perRow(n float64) float64 { return n / float64(t.rows) }

// cut cuts a record batch into a table, by way of an uncompressed Arrow file in
// dir: what is read from it has no more memory behind it than its own rows.
func cut(whole arrow.RecordBatch, name string, batchRows int, dir string) (*table, error) {
	t := &table{name: name, batchRows: batchRows, rows: int(whole.NumRows()), schema: whole.Schema()}
	t.path = filepath.Join(dir, fmt.Sprintf("%s-%d.arrow", name, batchRows))
	f, err := os.Create(t.path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(t.schema))
	if err != nil {
		return nil, err
	}
	for from := int64(0); from < whole.NumRows(); from += int64(batchRows) {
		part := whole.NewSlice(from, min(from+int64(batchRows), whole.NumRows()))
		err := w.Write(part)
		part.Release()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.path, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	t.batches, err = fileBatches(t.path, t.rows)
	return t, err
}

// rowsFor says how many rows to measure on: whole batches that have about budget
// bytes together, and one at least. It is 0 where that one would have more than
// limit bytes.
func rowsFor(s source, batchRows, budget, limit int) (int, error) {
	const probe = 256
	rec, err := s.load(probe)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	var size counter
	w := ipc.NewWriter(&size, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		return 0, fmt.Errorf("%s: %w", s.name, err)
	}
	row := max(1, int(size)/int(rec.NumRows()))
	if row*batchRows > limit {
		return 0, nil
	}
	return max(1, budget/row/batchRows) * batchRows, nil
}

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
