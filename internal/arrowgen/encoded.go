package arrowgen

import (
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// typeIDs draws a child for each of n values, and counts the values of each.
func (g *gen) typeIDs(dt arrow.UnionType, n int) (ids *memory.Buffer, chosen, counts []int) {
	ids = g.zeroed(n)
	chosen, counts = make([]int, n), make([]int, dt.NumFields())
	for i := range n {
		c := g.rng.IntN(len(counts))
		ids.Bytes()[i] = byte(dt.TypeCodes()[c])
		chosen[i] = c
		counts[c]++
	}
	return ids, chosen, counts
}

func (g *gen) sparseUnion(dt *arrow.SparseUnionType, n int) arrow.ArrayData {
	ids, _, _ := g.typeIDs(dt, n)
	return g.assemble(dt, n, 0, []*memory.Buffer{nil, ids}, g.fields(dt, n)...)
}

func (g *gen) denseUnion(dt *arrow.DenseUnionType, n int) arrow.ArrayData {
	ids, chosen, counts := g.typeIDs(dt, n)
	children := make([]arrow.ArrayData, len(counts))
	for i, f := range dt.Fields() {
		children[i] = g.data(f.Type, counts[i], f.Nullable)
	}
	offsets, next := make([]int, n), make([]int, len(counts))
	for i, c := range chosen {
		offsets[i] = next[c]
		next[c]++
	}
	return g.assemble(dt, n, 0, []*memory.Buffer{nil, ids, g.integers(4, offsets)}, children...)
}

func (g *gen) runEndEncoded(dt *arrow.RunEndEncodedType, n int) arrow.ArrayData {
	width := dt.RunEnds().(arrow.FixedWidthDataType).Bytes()
	if width == 2 && n > math.MaxInt16 {
		panic("arrowgen: int16 run ends for more than 32767 values")
	}
	var ends []int
	for end := 0; end < n; {
		end = min(end+1+g.rng.IntN(5), n)
		ends = append(ends, end)
	}
	buf := g.zeroed(width * len(ends))
	for i, end := range ends {
		putInt(buf.Bytes()[i*width:], width, end)
	}
	runEnds := g.assemble(dt.RunEnds(), len(ends), 0, []*memory.Buffer{nil, buf})
	values := g.data(dt.Encoded(), len(ends), dt.ValueNullable)
	return g.assemble(dt, n, 0, []*memory.Buffer{nil}, runEnds, values)
}

func (g *gen) dictionary(dt *arrow.DictionaryType, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	width := dt.Bytes()
	indices := g.zeroed(n * width)
	for i := range n {
		if !isNull(bitmap, i) {
			putInt(indices.Bytes()[i*width:], width, g.rng.IntN(g.DictLen))
		}
	}
	data := g.assemble(dt, n, nulls, []*memory.Buffer{bitmap, indices})

	h := fnv.New64a()
	h.Write([]byte(dt.ValueType.String()))
	own := &gen{
		Options: Options{Mem: g.Mem, DictSeed: g.DictSeed, DictLen: g.DictLen, InlineViews: g.InlineViews},
		rng:     rand.New(rand.NewPCG(g.DictSeed, h.Sum64())),
	}
	values := own.build(dt.ValueType, g.DictLen, false)
	data.SetDictionary(values)
	values.Release()
	return data
}

func (g *gen) extension(dt arrow.ExtensionType, n int, nullable bool) arrow.ArrayData {
	s := g.build(dt.StorageType(), n, nullable)
	defer s.Release()
	data := array.NewData(dt, s.Len(), s.Buffers(), s.Children(), s.NullN(), s.Offset())
	if dict, ok := s.Dictionary().(*array.Data); ok && dict != nil {
		data.SetDictionary(dict)
	}
	return data
}
