package datasets

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// nested stands for documents that were flattened into Arrow: one column,
// structs nested six deep, four strings at the bottom of it. One document in
// twenty lacks what is below the third level.
func nested() Dataset {
	const (
		depth    = 6
		optional = 4 // the level that may be null, counted from 1
		nullRate = 0.05
	)
	leaves := []string{"street", "city", "region", "postcode"}
	fields := make([]arrow.Field, len(leaves))
	for i, name := range leaves {
		fields[i] = arrow.Field{Name: name, Type: arrow.BinaryTypes.String}
	}
	levels := []string{"document", "order", "customer", "contact", "delivery", "address"}
	for level := depth; level > 1; level-- {
		fields = []arrow.Field{{
			Name:     levels[level-1],
			Type:     arrow.StructOf(fields...),
			Nullable: level == optional,
		}}
	}
	field := arrow.Field{Name: levels[0], Type: arrow.StructOf(fields...)}

	words := vocabulary(1000)
	return uniform("nested", "documents, strings six structs deep", 1, field, func(int) column {
		return func(rng *rand.Rand) func(array.Builder) {
			word := func() string { return words[rng.IntN(len(words))] }
			return func(b array.Builder) {
				s := b.(*array.StructBuilder)
				for level := 1; level < depth; level++ {
					s.Append(true)
					s = s.FieldBuilder(0).(*array.StructBuilder)
					if level+1 == optional && rng.Float64() < nullRate {
						s.AppendNull()
						return
					}
				}
				s.Append(true)
				leaf := func(i int, v string) { s.FieldBuilder(i).(*array.StringBuilder).Append(v) }
				leaf(0, fmt.Sprintf("%s street %d", word(), 1+rng.IntN(200)))
				leaf(1, word())
				leaf(2, words[rng.IntN(16)])
				leaf(3, fmt.Sprintf("%05d", rng.IntN(100_000)))
			}
		}
	})
}

// int64Keys stands for the foreign keys of a fact table: one column, random
// keys of a table of 2^18 rows, without nulls. It has no offsets at all.
func int64Keys() Dataset {
	const keys = 1 << 18
	field := arrow.Field{Name: "key", Type: arrow.PrimitiveTypes.Int64}
	return uniform("int64", "foreign keys below 2^18, no offsets", 1, field, func(int) column {
		return func(rng *rand.Rand) func(array.Builder) {
			return func(b array.Builder) { b.(*array.Int64Builder).Append(rng.Int64N(keys)) }
		}
	})
}

// lists stands for the tags of an item: one column, lists of 0 to 8 words from
// a vocabulary of 1000, one list in twenty null. It has offsets of two kinds
// and of two counts, those of the lists and those of the strings.
func lists() Dataset {
	const (
		maxLength = 8
		nullRate  = 0.05
	)
	field := arrow.Field{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}
	words := vocabulary(1000)
	return uniform("lists", "lists of words", 1, field, func(int) column {
		return func(rng *rand.Rand) func(array.Builder) {
			return func(b array.Builder) {
				l := b.(*array.ListBuilder)
				if rng.Float64() < nullRate {
					l.AppendNull()
					return
				}
				l.Append(true)
				values := l.ValueBuilder().(*array.StringBuilder)
				for range rng.IntN(maxLength + 1) {
					values.Append(words[rng.IntN(len(words))])
				}
			}
		}
	})
}

// wide stands for a denormalised table of measurements: 200 columns, in turn a
// word, a counter that grows, a measurement rounded to cents, a token, and a
// small number. Every third column is null in one row of ten.
func wide() Dataset {
	const (
		width    = 200
		nullRate = 0.1
	)
	d := Dataset{Name: "wide", About: "200 columns of strings, integers and doubles"}
	words := vocabulary(1000)
	kinds := []struct {
		name string
		of   arrow.DataType
		next column
	}{
		{"word", arrow.BinaryTypes.String, func(rng *rand.Rand) func(array.Builder) {
			return func(b array.Builder) { b.(*array.StringBuilder).Append(words[rng.IntN(len(words))]) }
		}},
		{"counter", arrow.PrimitiveTypes.Int64, func(rng *rand.Rand) func(array.Builder) {
			n := rng.Int64N(1_000_000)
			return func(b array.Builder) {
				n += rng.Int64N(10)
				b.(*array.Int64Builder).Append(n)
			}
		}},
		{"measure", arrow.PrimitiveTypes.Float64, func(rng *rand.Rand) func(array.Builder) {
			return func(b array.Builder) {
				cents := math.Round(10_000 * rng.NormFloat64())
				b.(*array.Float64Builder).Append((50_000 + cents) / 100)
			}
		}},
		{"token", arrow.BinaryTypes.String, func(rng *rand.Rand) func(array.Builder) {
			return func(b array.Builder) { b.(*array.StringBuilder).Append(token(rng, 4+rng.IntN(9))) }
		}},
		{"count", arrow.PrimitiveTypes.Int32, func(rng *rand.Rand) func(array.Builder) {
			return func(b array.Builder) { b.(*array.Int32Builder).Append(rng.Int32N(100)) }
		}},
	}
	fields := make([]arrow.Field, width)
	for i := range fields {
		k := kinds[i%len(kinds)]
		nullable := i%3 == 0
		fields[i] = arrow.Field{Name: fmt.Sprintf("%s_%d", k.name, i+1), Type: k.of, Nullable: nullable}
		if nullable {
			d.columns = append(d.columns, sometimesNull(k.next, nullRate))
		} else {
			d.columns = append(d.columns, k.next)
		}
	}
	d.Schema = arrow.NewSchema(fields, nil)
	return d
}

// sometimesNull replaces values of c by null at the given rate.
func sometimesNull(c column, rate float64) column {
	return func(rng *rand.Rand) func(array.Builder) {
		next := c(rng)
		return func(b array.Builder) {
			if rng.Float64() < rate {
				b.AppendNull()
				return
			}
			next(b)
		}
	}
}
