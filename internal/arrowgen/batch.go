package arrowgen

import (
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Options say what arrays to make. The zero value makes arrays without rows.
type Options struct {
	// Rows is the length of the arrays.
	Rows int
	// Nulls is the share of nulls in nullable fields, at every level: 0 for
	// none, 1 for all.
	Nulls float64
	// Sliced builds longer arrays and slices them, children included, so that
	// offsets start at neither zero nor the first value. Fields that arrow-go
	// cannot write when sliced are left whole; see the code for which.
	Sliced bool
	// Mem is where the memory comes from; nil is memory.DefaultAllocator.
	Mem memory.Allocator
	// DictSeed determines the values of dictionaries, together with their type
	// and nothing else. Batches with the same DictSeed share dictionaries by
	// value, whatever their seeds are.
	DictSeed uint64
	// DictLen is the number of values in a dictionary, 12 if it is 0, 100 at
	// most. A longer dictionary starts with the values of a shorter one.
	DictLen int
	// InlineViews keeps the values of views to 12 bytes, so that they need no
	// data buffers.
	InlineViews bool
}

// RecordBatch makes a record batch with the given fields. The caller releases
// it.
func RecordBatch(seed uint64, fields []arrow.Field, o Options) arrow.RecordBatch {
	return Batch(seed, arrow.NewSchema(fields, nil), o)
}

// Batch makes a record batch of the given schema. A column depends on its index,
// its type and the seed, not on the columns beside it. The caller releases the
// batch.
func Batch(seed uint64, schema *arrow.Schema, o Options) arrow.RecordBatch {
	cols := make([]arrow.Array, schema.NumFields())
	for i := range cols {
		f := schema.Field(i)
		cols[i] = column(rand.New(rand.NewPCG(seed, uint64(i))), f.Type, f.Nullable, o)
		defer cols[i].Release()
	}
	return array.NewRecordBatch(schema, cols, int64(o.Rows))
}

// Array makes one array, with nulls where the options say so. The caller
// releases it.
func Array(rng *rand.Rand, dt arrow.DataType, o Options) arrow.Array {
	return column(rng, dt, true, o)
}

func column(rng *rand.Rand, dt arrow.DataType, nullable bool, o Options) arrow.Array {
	g := &gen{Options: o, rng: rng}
	if g.Mem == nil {
		g.Mem = memory.DefaultAllocator
	}
	if g.DictLen == 0 {
		g.DictLen = 12
	}
	if g.DictLen < 0 || g.DictLen > 100 {
		panic("arrowgen: DictLen is out of range")
	}
	g.Sliced = o.Sliced && sliceable(dt)

	data := g.data(dt, o.Rows, nullable)
	defer data.Release()
	return array.MakeFromData(data)
}

// gen makes the data of one column.
type gen struct {
	Options
	rng   *rand.Rand
	depth int
}

// data makes n rows, sliced out of more if that is asked for.
func (g *gen) data(dt arrow.DataType, n int, nullable bool) arrow.ArrayData {
	if !g.Sliced {
		if n == 0 && g.rng.IntN(2) == 0 && buildable(dt) {
			return g.untouched(dt)
		}
		return g.build(dt, n, nullable)
	}
	before, after := 1+g.rng.IntN(4), g.rng.IntN(4)
	full := g.build(dt, before+n+after, nullable)
	defer full.Release()
	return array.NewSliceData(full, int64(before), int64(before+n))
}

// buildable reports whether a builder makes what is wanted of an empty array. It
// has no dictionary to share with other batches, leaves run-end encoded arrays
// in a state that is not valid, and makes storage of extensions in a union.
func buildable(dt arrow.DataType) bool {
	return !contains(dt, arrow.DICTIONARY) && !contains(dt, arrow.RUN_END_ENCODED) && !contains(dt, arrow.EXTENSION)
}

// untouched makes the array of a builder that nothing was appended to, which
// lacks buffers that an empty array otherwise has.
func (g *gen) untouched(dt arrow.DataType) arrow.ArrayData {
	b := array.NewBuilder(g.Mem, dt)
	defer b.Release()
	arr := b.NewArray()
	defer arr.Release()
	data := arr.Data()
	data.Retain()
	return data
}

// build makes n rows that start at offset zero.
func (g *gen) build(dt arrow.DataType, n int, nullable bool) arrow.ArrayData {
	g.depth++
	defer func() { g.depth-- }()

	switch dt := dt.(type) {
	case *arrow.NullType:
		return g.assemble(dt, n, n, []*memory.Buffer{nil})
	case *arrow.BooleanType:
		return g.booleans(dt, n, nullable)
	case *arrow.BinaryType, *arrow.StringType:
		return g.varWidth(dt, 4, n, nullable)
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		return g.varWidth(dt, 8, n, nullable)
	case arrow.BinaryViewDataType:
		return g.views(dt, n, nullable)
	case *arrow.MapType:
		return g.list(dt, 4, n, nullable)
	case *arrow.ListType:
		return g.list(dt, 4, n, nullable)
	case *arrow.LargeListType:
		return g.list(dt, 8, n, nullable)
	case *arrow.ListViewType:
		return g.listView(dt, 4, n, nullable)
	case *arrow.LargeListViewType:
		return g.listView(dt, 8, n, nullable)
	case *arrow.FixedSizeListType:
		return g.fixedSizeList(dt, n, nullable)
	case *arrow.StructType:
		return g.structs(dt, n, nullable)
	case *arrow.SparseUnionType:
		return g.sparseUnion(dt, n)
	case *arrow.DenseUnionType:
		return g.denseUnion(dt, n)
	case *arrow.RunEndEncodedType:
		return g.runEndEncoded(dt, n)
	case *arrow.DictionaryType:
		return g.dictionary(dt, n, nullable)
	case arrow.ExtensionType:
		return g.extension(dt, n, nullable)
	case arrow.FixedWidthDataType:
		return g.fixedWidth(dt, n, nullable)
	}
	panic("arrowgen: no arrays of type " + dt.String())
}

// contains reports whether a type is, or has in it, a type with the given id.
func contains(dt arrow.DataType, id arrow.Type) bool {
	if dt.ID() == id {
		return true
	}
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return contains(dt.StorageType(), id)
	case arrow.NestedType:
		for _, f := range dt.Fields() {
			if contains(f.Type, id) {
				return true
			}
		}
	}
	return false
}

// sliceable reports whether arrow-go 18.8.0 writes slices of the type. Of a
// dense union with an offset it reads type ids behind the slice's end, and of a
// list view with an offset it takes the smallest int for the largest: both end
// in a panic.
func sliceable(dt arrow.DataType) bool {
	return !contains(dt, arrow.DENSE_UNION) && !contains(dt, arrow.LIST_VIEW) && !contains(dt, arrow.LARGE_LIST_VIEW)
}
