package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

// produced is a table that a producer fills, column by column and in bulk where
// the builder can.
type produced struct {
	name   string
	fields []arrow.Field
	fill   func(b []array.Builder, v *values)
	held   bool // each batch is held until the next one is made
}

// values are the values of one batch.
type values struct {
	valid   []bool // nil for no nulls
	ints    []int32
	longs   []int64
	doubles []float64
	dates   []arrow.Date32
	small   []decimal128.Num
	large   []decimal128.Num
	texts   []string
}

func newValues(n int, nulls bool) *values {
	rng := rand.New(rand.NewPCG(1, 2))
	v := &values{}
	for i := range n {
		v.ints = append(v.ints, rng.Int32())
		v.longs = append(v.longs, rng.Int64())
		v.doubles = append(v.doubles, rng.Float64())
		v.dates = append(v.dates, arrow.Date32(rng.IntN(20000)))
		v.small = append(v.small, decimal128.FromI64(rng.Int64N(1e17)))
		v.large = append(v.large, decimal128.New(rng.Int64N(1e17), rng.Uint64()))
		v.texts = append(v.texts, "value "+strconv.Itoa(rng.IntN(1e6)))
		if nulls {
			v.valid = append(v.valid, i%2 == 0)
		}
	}
	return v
}

func fillFixed(b []array.Builder, v *values) {
	b[0].(*array.Int32Builder).AppendValues(v.ints, v.valid)
	b[1].(*array.Int64Builder).AppendValues(v.longs, v.valid)
	b[2].(*array.Float64Builder).AppendValues(v.doubles, v.valid)
}

func producedTables() []produced {
	field := func(name string, dt arrow.DataType) arrow.Field {
		return arrow.Field{Name: name, Type: dt, Nullable: true}
	}
	fixed := []arrow.Field{
		field("int", arrow.PrimitiveTypes.Int32),
		field("long", arrow.PrimitiveTypes.Int64),
		field("double", arrow.PrimitiveTypes.Float64),
	}
	return []produced{
		{name: "int-long-double", fields: fixed, fill: fillFixed},
		{name: "int-long-double-held", fields: fixed, fill: fillFixed, held: true},
		{name: "half-null", fields: fixed, fill: fillFixed},
		{name: "decimal18", fields: []arrow.Field{field("d", &arrow.Decimal128Type{Precision: 18, Scale: 2})},
			fill: func(b []array.Builder, v *values) { b[0].(*array.Decimal128Builder).AppendValues(v.small, v.valid) }},
		{name: "decimal38", fields: []arrow.Field{field("d", &arrow.Decimal128Type{Precision: 38, Scale: 10})},
			fill: func(b []array.Builder, v *values) { b[0].(*array.Decimal128Builder).AppendValues(v.large, v.valid) }},
		{name: "struct", fields: []arrow.Field{field("s", arrow.StructOf(append(fixed[:3:3], field("date", arrow.FixedWidthTypes.Date32))...))},
			fill: func(b []array.Builder, v *values) {
				s := b[0].(*array.StructBuilder)
				for range v.ints {
					s.Append(true)
				}
				fillFixed([]array.Builder{s.FieldBuilder(0), s.FieldBuilder(1), s.FieldBuilder(2)}, v)
				s.FieldBuilder(3).(*array.Date32Builder).AppendValues(v.dates, v.valid)
			}},
		{name: "strings", fields: []arrow.Field{field("t", arrow.BinaryTypes.String)},
			fill: func(b []array.Builder, v *values) { b[0].(*array.StringBuilder).AppendValues(v.texts, v.valid) }},
		{name: "list", fields: []arrow.Field{field("l", arrow.ListOf(arrow.PrimitiveTypes.Int32))},
			fill: func(b []array.Builder, v *values) {
				l := b[0].(*array.ListBuilder)
				items := l.ValueBuilder().(*array.Int32Builder)
				for i := range v.ints {
					l.Append(true)
					items.AppendValues(v.ints[i:min(i+4, len(v.ints))], nil)
				}
			}},
	}
}

// BenchmarkProducer fills record batches, with the plain builder and with one that
// takes its memory from a readbuf.Allocator.
func BenchmarkProducer(b *testing.B) {
	for _, table := range producedTables() {
		for _, rows := range []int{256, 8192, 65536} {
			v := newValues(rows, table.name == "half-null")
			for _, way := range []string{"plain", "reuse"} {
				b.Run(fmt.Sprintf("%s/%d/%s", table.name, rows, way), func(b *testing.B) {
					mem := memory.Allocator(memory.NewGoAllocator())
					if way == "reuse" {
						mem = new(readbuf.Allocator)
					}
					builder := array.NewRecordBuilder(mem, arrow.NewSchema(table.fields, nil))
					defer builder.Release()
					var last arrow.RecordBatch
					measured(b, func() (int64, int64) {
						for _, column := range builder.Fields() {
							column.Reserve(rows)
						}
						table.fill(builder.Fields(), v)
						rec := builder.NewRecordBatch()
						if table.held {
							rec, last = last, rec
						}
						if rec != nil {
							rec.Release()
						}
						return 1, int64(rows)
					})
				})
			}
		}
	}
}
