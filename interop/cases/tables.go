package cases

import (
	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
)

// Table is a schema and record batches of it.
type Table struct {
	Name    string
	Batches []arrow.RecordBatch

	// Deltas has dictionaries that grow, to be written with deltas.
	Deltas bool
	// StreamOnly is set where a file cannot hold the table, because a dictionary
	// replaces another one.
	StreamOnly bool
}

// Schema returns the schema of the batches.
func (t *Table) Schema() *arrow.Schema { return t.Batches[0].Schema() }

// Plain is the name of the table that is small enough in its types that every
// implementation's values can be written down; see Rows.
const Plain = "plain"

// Deltas is the name of the table whose dictionary grows.
const Deltas = "dictionary_deltas"

// Common is the name of the flagged table with types that every implementation
// knows.
const Common = "common_types"

// Tables returns the tables to read: Plain, one for each type that arrow-go
// writes, nested types, and dictionaries that grow and that are replaced.
func Tables() []Table {
	tables := []Table{plain()}
	fields := append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...)
	for _, f := range append(fields, arrowgen.Nested(1)...) {
		tables = append(tables, Table{Name: f.Name, Batches: states(f)})
	}
	words := arrow.Field{Name: "word", Nullable: true, Type: &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}}
	deltas := Table{Name: Deltas, Deltas: true}
	replaced := Table{Name: "dictionary_replaced", StreamOnly: true}
	for i := range 3 {
		o := arrowgen.Options{Rows: 30 + i, Nulls: 0.2, DictLen: 10 + 10*i}
		deltas.Batches = append(deltas.Batches, batch(uint64(i), o, words))
		o.DictSeed = uint64(1 + i)
		replaced.Batches = append(replaced.Batches, batch(uint64(i), o, words))
	}
	return append(tables, deltas, replaced)
}

// states returns batches of one field without nulls, with some out of sliced
// arrays, without rows, and with nulls alone.
func states(f arrow.Field) []arrow.RecordBatch {
	var batches []arrow.RecordBatch
	for i, o := range []arrowgen.Options{
		{Rows: 40},
		{Rows: 33, Nulls: 0.4, Sliced: true},
		{},
		{Rows: 17, Nulls: 1},
	} {
		batches = append(batches, batch(uint64(i), o, f))
	}
	return batches
}

func batch(seed uint64, o arrowgen.Options, fields ...arrow.Field) arrow.RecordBatch {
	return arrowgen.RecordBatch(seed, fields, o)
}
