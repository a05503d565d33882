package arrowgen

import (
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
)

// RandomSchema makes a schema of up to five fields of any types, nested up to
// depth levels deep; 0 is no nesting at all. Names may be empty, repeated, or
// have dots and letters beyond ASCII in them.
func RandomSchema(rng *rand.Rand, depth int) *arrow.Schema {
	return arrow.NewSchema(randomFields(rng, depth, false), nil)
}

// RandomMappedSchema is RandomSchema with nothing but mapped types.
func RandomMappedSchema(rng *rand.Rand, depth int) *arrow.Schema {
	return arrow.NewSchema(randomFields(rng, depth, true), nil)
}

func randomFields(rng *rand.Rand, depth int, mapped bool) []arrow.Field {
	names := [...]string{"a", "b", "value", "first name", "a.b", "größe", "", "item", `"`}
	fields := make([]arrow.Field, rng.IntN(6))
	for i := range fields {
		fields[i] = field(names[rng.IntN(len(names))], randomType(rng, rng.IntN(depth+1), mapped))
		// A field of nulls that is not nullable has no valid values.
		fields[i].Nullable = rng.IntN(4) != 0 || contains(fields[i].Type, arrow.NULL)
	}
	return fields
}

// randomLeaf draws a type without children that is neither null nor a
// dictionary.
func randomLeaf(rng *rand.Rand, mapped bool) arrow.DataType {
	if !mapped && rng.IntN(6) == 0 {
		if rng.IntN(2) == 0 {
			return arrow.BinaryTypes.StringView
		}
		return arrow.BinaryTypes.BinaryView
	}
	if rng.IntN(3) == 0 {
		return arrow.BinaryTypes.String
	}
	leaves := MappedTypes()
	for {
		dt := leaves[rng.IntN(len(leaves))].Type
		_, nested := dt.(arrow.NestedType)
		if !nested && dt.ID() != arrow.NULL && dt.ID() != arrow.EXTENSION {
			return dt
		}
	}
}

func randomType(rng *rand.Rand, depth int, mapped bool) arrow.DataType {
	if depth <= 0 {
		switch {
		case rng.IntN(12) == 0:
			return arrow.Null
		case !mapped && rng.IntN(8) == 0:
			indices := [...]arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint16,
				arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}
			return &arrow.DictionaryType{IndexType: indices[rng.IntN(len(indices))], ValueType: randomLeaf(rng, true)}
		}
		return randomLeaf(rng, mapped)
	}

	inner := randomType(rng, rng.IntN(depth), mapped)
	kinds := 12
	if mapped {
		kinds = 7
	}
	switch rng.IntN(kinds) {
	case 0, 1:
		return arrow.ListOf(inner)
	case 2:
		return arrow.LargeListOfField(arrow.Field{Name: "element", Type: inner, Nullable: true})
	case 3:
		return arrow.FixedSizeListOf(1+rng.Int32N(3), inner)
	case 4:
		return mapOf(randomLeaf(rng, mapped), inner)
	case 5:
		return arrow.StructOf(randomFields(rng, depth-1, mapped)...)
	case 6:
		return extensionOver(inner)
	case 7:
		return arrow.ListViewOf(inner)
	case 8:
		return arrow.LargeListViewOf(inner)
	case 9, 10:
		fields := append(randomFields(rng, depth-1, mapped), field("last", inner))
		codes := make([]arrow.UnionTypeCode, len(fields))
		for i := range codes {
			codes[i] = arrow.UnionTypeCode(7*i + rng.IntN(7))
		}
		mode := arrow.SparseMode
		if rng.IntN(2) == 0 {
			mode = arrow.DenseMode
		}
		return arrow.UnionOf(mode, fields, codes)
	}
	ends := [...]arrow.DataType{arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64}
	return arrow.RunEndEncodedOf(ends[rng.IntN(len(ends))], randomLeaf(rng, mapped))
}

// extensionOver makes an extension, unless it would be one that arrow-go cannot
// handle: it does not write one of a dictionary, looks for dictionaries through
// a single one alone, and takes valid ones of nulls and unions for invalid.
func extensionOver(dt arrow.DataType) arrow.DataType {
	switch dt.ID() {
	case arrow.DICTIONARY, arrow.EXTENSION, arrow.NULL, arrow.DENSE_UNION, arrow.SPARSE_UNION:
		return dt
	}
	return ExtensionOf(dt)
}

// deepType nests mapped types exactly depth levels deep.
func deepType(rng *rand.Rand, depth int) arrow.DataType {
	if depth == 0 {
		return randomLeaf(rng, true)
	}
	inner := deepType(rng, depth-1)
	switch rng.IntN(5) {
	case 0:
		return arrow.LargeListOf(inner)
	case 1:
		return arrow.FixedSizeListOf(2, inner)
	case 2:
		return mapOf(randomLeaf(rng, true), inner)
	case 3:
		return arrow.StructOf(field("side", randomLeaf(rng, true)), field("down", inner))
	}
	return arrow.ListOf(inner)
}
