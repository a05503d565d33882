package cases

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// row is a row of the table Plain. An implementation's values are held against
// these, not against what arrow-go made of them.
type row struct {
	ID   int64    `json:"id"`
	Name *string  `json:"name"`
	Kind string   `json:"kind"`
	Size *int32   `json:"size"`
	Tags []string `json:"tags"`
}

const plainBatches, plainRows = 3, 1000

// kinds are the values of the dictionary, the same in every batch.
func kinds() []string {
	return []string{"airport", "heliport", "", "Flugplatz für Segler"}
}

// Rows returns the rows of batch i of the table Plain, each to be marshalled as
// a JSON object.
func Rows(i int) []any {
	var rows []any
	for _, r := range plainBatch(i) {
		rows = append(rows, r)
	}
	return rows
}

func plainBatch(i int) []row {
	kinds := kinds()
	rows := make([]row, plainRows)
	for j := range rows {
		n := i*plainRows + j
		rows[j] = row{ID: int64(n) * 1_000_003, Kind: kinds[(n/3)%len(kinds)]}
		if n%7 != 3 {
			name := fmt.Sprintf("%s-%d", strings.Repeat("ab", n%9), n)
			rows[j].Name = &name
		}
		if n%5 != 1 {
			size := int32(n%200 - 100)
			rows[j].Size = &size
		}
		if n%11 != 4 {
			rows[j].Tags = slices.Repeat([]string{"x", "yy"}, n%3)
		}
		if n%11 != 4 && rows[j].Tags == nil {
			rows[j].Tags = []string{}
		}
	}
	return rows
}

func plain() Table {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "kind", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
		{Name: "size", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	}, nil)
	table := Table{Name: Plain}
	for i := range plainBatches {
		table.Batches = append(table.Batches, build(schema, plainBatch(i)))
	}
	return table
}

func build(schema *arrow.Schema, rows []row) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	values := array.NewStringBuilder(memory.DefaultAllocator)
	values.AppendValues(kinds(), nil)
	dictionary := b.Field(2).(*array.BinaryDictionaryBuilder)
	if err := dictionary.InsertStringDictValues(values.NewStringArray()); err != nil {
		panic(err)
	}
	tags := b.Field(4).(*array.ListBuilder)
	for _, r := range rows {
		b.Field(0).(*array.Int64Builder).Append(r.ID)
		appendOr(b.Field(1).(*array.StringBuilder), r.Name)
		if err := dictionary.AppendString(r.Kind); err != nil {
			panic(err)
		}
		appendOr(b.Field(3).(*array.Int32Builder), r.Size)
		tags.Append(r.Tags != nil)
		for _, t := range r.Tags {
			tags.ValueBuilder().(*array.StringBuilder).Append(t)
		}
	}
	return b.NewRecordBatch()
}

func appendOr[T any](b interface {
	Append(T)
	AppendNull()
}, v *T) {
	if v == nil {
		b.AppendNull()
		return
	}
	b.Append(*v)
}
