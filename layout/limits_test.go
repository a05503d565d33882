package layout_test

import (
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/layout"
)

func TestNoSchema(t *testing.T) {
	table := layout.Of(nil)
	require.Empty(t, table.Nodes())
	require.Empty(t, table.Variadic())
	require.NoError(t, table.Unmapped())
	require.False(t, table.HasOffsets())
	bufs, err := table.Buffers(layout.V5, nil)
	require.NoError(t, err)
	require.Empty(t, bufs)
}

func TestVersions(t *testing.T) {
	table := of(named("u", arrow.SparseUnionOf(nil, nil)))
	for v, want := range map[layout.Version]int{0: 2, 1: 2, 2: 2, layout.V4: 2, layout.V5: 1} {
		bufs, err := table.Buffers(v, nil)
		require.NoError(t, err)
		require.Len(t, bufs, want, "version %d", v)
	}
	for _, v := range []layout.Version{-1, 5, 1000, -32768} {
		_, err := table.Buffers(v, nil)
		require.ErrorIs(t, err, layout.ErrVersion)
	}
}

func TestVariadicCounts(t *testing.T) {
	const most = 1 << 24
	view := named("v", arrow.BinaryTypes.StringView)
	two := of(view, view)
	bad := [][]int64{nil, {1}, {1, 1, 1}, {-1, 1}, {1, -1}, {most, 1}, {most + 1, 0}, {1 << 62, 1 << 62}, {-1 << 63, 0}, {1, -1 << 63}}
	for _, counts := range bad {
		_, err := two.Buffers(layout.V5, counts)
		require.ErrorIs(t, err, layout.ErrVariadicCounts, "%d", counts)
		_, err = two.NumBuffers(layout.V5, counts)
		require.ErrorIs(t, err, layout.ErrVariadicCounts, "%d", counts)
	}
	n, err := two.NumBuffers(layout.V5, []int64{most - 1, 1})
	require.NoError(t, err)
	require.Equal(t, most+4, n)

	bufs, err := two.Buffers(layout.V5, []int64{0, 2})
	require.NoError(t, err)
	require.Len(t, bufs, 6)
	require.Equal(t, layout.Buffer{Role: layout.ViewData, Node: 1, Path: "v"}, bufs[5])
}

func TestDeepSchema(t *testing.T) {
	const depth = 20_000
	dt := arrow.DataType(arrow.BinaryTypes.LargeString)
	for range depth {
		dt = arrow.ListOf(dt)
	}
	table := of(named("column", dt))
	require.NoError(t, table.Unmapped())
	require.Len(t, table.Nodes(), depth+1)
	bufs, err := table.Buffers(layout.V5, nil)
	require.NoError(t, err)
	require.Len(t, bufs, 2*depth+3)

	last := bufs[len(bufs)-2]
	require.Equal(t, layout.Offsets64, last.Role)
	require.Equal(t, depth, last.Node)
	require.LessOrEqual(t, len(last.Path), 256)
	require.True(t, strings.HasPrefix(last.Path, "column.item.item."), last.Path)
	require.True(t, strings.HasSuffix(last.Path, ".item.item"), last.Path)
	require.Equal(t, 1, strings.Count(last.Path, "…"))
}

func TestLongNames(t *testing.T) {
	names := []string{strings.Repeat("é", 1000), "x" + strings.Repeat("é", 1000), strings.Repeat("東", 1000),
		"x" + strings.Repeat("東", 1000), "xx" + strings.Repeat("東", 1000), strings.Repeat("\xA5", 1000), strings.Repeat("\x00", 255)}
	for _, name := range names {
		table := of(named(name, arrow.ListOf(arrow.StructOf(named(name, arrow.Null)))))
		for _, n := range table.Nodes() {
			require.LessOrEqual(t, len(n.Path), 256)
			require.True(t, utf8.ValidString(n.Path), "%q", n.Path)
			require.Contains(t, n.Path, "…")
			if utf8.ValidString(name) && name[0] != 0 {
				require.NotContains(t, n.Path, `"`, "cut within a letter")
			}
		}
	}
	fits := strings.Repeat("n", 256)
	require.Equal(t, fits, of(named(fits, arrow.Null)).Nodes()[0].Path)
}

// A type that shares its children has more nodes than there is memory for.
func TestTooManyNodes(t *testing.T) {
	// 1024 structs with 1023 children each are just as many as there may be.
	const n = 1024
	children := make([]arrow.Field, n-1)
	for i := range children {
		children[i] = named("c", arrow.Null)
	}
	wide := arrow.StructOf(children...)
	fields := make([]arrow.Field, layout.MaxNodes/n)
	for i := range fields {
		fields[i] = named("s", wide)
	}
	table := of(fields...)
	require.NoError(t, table.Unmapped())
	require.Len(t, table.Nodes(), layout.MaxNodes)

	bomb := arrow.DataType(arrow.Null)
	for range 60 {
		bomb = arrow.StructOf(named("l", bomb), named("r", bomb))
	}
	table = of(append(fields, named("bomb", bomb))...)
	require.Empty(t, table.Nodes())
	require.ErrorIs(t, table.Unmapped(), layout.ErrUnmapped)
	bufs, err := table.Buffers(layout.V5, nil)
	require.ErrorIs(t, err, layout.ErrTooManyNodes)
	require.Nil(t, bufs)
	require.ErrorContains(t, err, "1048576 field nodes, field bomb is one too many")
}

// What is shared costs nothing, and an append to it goes elsewhere.
func TestSharedBuffers(t *testing.T) {
	table := of(arrowgen.MappedTypes()...)
	first, err := table.Buffers(layout.V5, nil)
	require.NoError(t, err)
	require.Equal(t, len(first), cap(first))
	allocs := testing.AllocsPerRun(10, func() {
		bufs, _ := table.Buffers(layout.V5, nil)
		if &bufs[0] != &first[0] {
			t.Error("made anew")
		}
	})
	require.Zero(t, allocs)
	require.Equal(t, len(table.Nodes()), cap(table.Nodes()))

	views := of(named("v", arrow.ListOf(arrow.BinaryTypes.StringView)), named("u", arrow.DenseUnionOf(nil, nil)))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			bufs, err := views.Buffers(layout.V5, []int64{int64(i)})
			if err != nil || len(bufs) != 6+i {
				t.Errorf("%d buffers, %v", len(bufs), err)
			}
		})
	}
	wg.Wait()
}

func TestRoles(t *testing.T) {
	seen := map[string]bool{}
	for r := layout.Validity; r <= layout.UnionOffsets; r++ {
		require.NotContains(t, r.String(), "(")
		require.False(t, seen[r.String()], r)
		seen[r.String()] = true
		require.Equal(t, r == layout.Offsets32 || r == layout.Offsets64, r.IsOffsets())
	}
	require.Equal(t, "Role(0)", layout.Role(0).String())
	require.Equal(t, "Role(200)", layout.Role(200).String())
}
