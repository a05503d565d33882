// Package datasets generates the tables that sizes and speed are measured on,
// so that tests and benchmarks speak of the same data.
//
// Every table is made from fixed seeds: a row is the same in every run and on
// every machine, however many rows are generated and however they are cut into
// batches.
//
//	rows      |0.....................................rows-1|
//	batches   |rowsPerBatch|rowsPerBatch|rowsPerBatch|rest |
package datasets

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// A Dataset is a table that can be generated with any number of rows.
type Dataset struct {
	Name   string        // what ByName finds it by, fit for the name of a benchmark
	About  string        // one line: the real data that it stands for
	Schema *arrow.Schema // of every batch

	columns []column // one per field of Schema
}

// A column starts the generator of one column: a function that appends the
// value of the next row to a builder of the column's type. All chance comes
// from rng, so that the column depends on nothing but its seed.
type column func(rng *rand.Rand) func(array.Builder)

// All returns every dataset: the four tables of seven string columns that
// plain offsets weigh most on, then the others.
func All() []Dataset {
	return []Dataset{
		ids(),
		varyingIDs(),
		vocabularyWords(),
		randomStrings(),
		nested(),
		int64Keys(),
		lists(),
		wide(),
	}
}

// ByName returns the dataset of that name, and whether there is one.
func ByName(name string) (Dataset, bool) {
	for _, d := range All() {
		if d.Name == name {
			return d, true
		}
	}
	return Dataset{}, false
}

// Batches generates the first rows rows of the table, cut into batches of
// rowsPerBatch rows, of which the last may be shorter. If rowsPerBatch is less
// than 1 all rows are in one batch; if rows is less than 1 there is no batch.
// The memory comes from mem, and the caller releases each batch.
func (d Dataset) Batches(mem memory.Allocator, rows, rowsPerBatch int) []arrow.RecordBatch {
	if rowsPerBatch < 1 {
		rowsPerBatch = rows
	}
	generators := make([]func(array.Builder), len(d.columns))
	for i, c := range d.columns {
		generators[i] = c(rand.New(rand.NewPCG(seed(d.Name), uint64(i))))
	}
	b := array.NewRecordBuilder(mem, d.Schema)
	defer b.Release()

	var batches []arrow.RecordBatch
	for rows > 0 {
		n := min(rows, rowsPerBatch)
		rows -= n
		for i, next := range generators {
			f := b.Field(i)
			f.Reserve(n)
			for range n {
				next(f)
			}
		}
		batches = append(batches, b.NewRecordBatch())
	}
	return batches
}

// seed turns a dataset's name into a seed, so that no two share their chance.
func seed(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// uniform describes a table of n columns of one type, whose generators differ
// by seed and by the number of the column.
func uniform(name, about string, n int, field arrow.Field, c func(i int) column) Dataset {
	d := Dataset{Name: name, About: about}
	fields := make([]arrow.Field, n)
	for i := range fields {
		fields[i] = field
		if n > 1 {
			fields[i].Name = fmt.Sprintf("%s_%d", field.Name, i+1)
		}
		d.columns = append(d.columns, c(i))
	}
	d.Schema = arrow.NewSchema(fields, nil)
	return d
}
