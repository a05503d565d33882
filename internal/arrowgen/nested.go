package arrowgen

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maxItems bounds the items of all lists of one array, so that deep nesting
// does not multiply without end.
const maxItems = 2000

// items draws how many items a list has.
func (g *gen) items(null bool, sofar int) int {
	switch {
	case sofar > maxItems, null && g.rng.IntN(4) != 0:
		return 0
	case g.depth > 2:
		return g.rng.IntN(3)
	}
	return g.rng.IntN(5)
}

// list makes lists and maps. When slices are asked for, items stand before the
// first list and after the last one.
func (g *gen) list(dt arrow.ListLikeType, width, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	total := 0
	if g.Sliced {
		total = g.rng.IntN(3)
	}
	offsets := []int{total}
	for i := range n {
		total += g.items(isNull(bitmap, i), total)
		offsets = append(offsets, total)
	}
	if g.Sliced {
		total += g.rng.IntN(3)
	}
	elem := dt.ElemField()
	var child arrow.ArrayData
	if dt.ID() == arrow.MAP {
		// arrow-go takes keys and items from the entries without regard to an
		// offset of the entries, and wants no nulls among entries and keys.
		child = g.build(elem.Type, total, false)
	} else {
		child = g.data(elem.Type, total, elem.Nullable)
	}
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap, g.integers(width, offsets)}, child)
}

// listView makes lists that overlap and come in any order.
func (g *gen) listView(dt arrow.VarLenListLikeType, width, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	total := min(n+n/2, maxItems)
	offsets, sizes := make([]int, n), make([]int, n)
	for i := range n {
		sizes[i] = min(g.items(isNull(bitmap, i), 0), total)
		offsets[i] = g.rng.IntN(total - sizes[i] + 1)
	}
	elem := dt.ElemField()
	child := g.data(elem.Type, total, elem.Nullable)
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap, g.integers(width, offsets), g.integers(width, sizes)}, child)
}

func (g *gen) fixedSizeList(dt *arrow.FixedSizeListType, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	elem := dt.ElemField()
	child := g.data(elem.Type, n*int(dt.Len()), elem.Nullable)
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap}, child)
}

func (g *gen) structs(dt *arrow.StructType, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap}, g.fields(dt, n)...)
}

func (g *gen) fields(dt arrow.NestedType, n int) []arrow.ArrayData {
	children := make([]arrow.ArrayData, dt.NumFields())
	for i, f := range dt.Fields() {
		children[i] = g.data(f.Type, n, f.Nullable)
	}
	return children
}
