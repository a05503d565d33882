package arrowgen_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
)

// dirty hands out memory that was used for something else.
type dirty struct{ memory.Allocator }

func (d dirty) Allocate(n int) []byte { return stain(d.Allocator.Allocate(n), 0) }

func (d dirty) Reallocate(n int, b []byte) []byte {
	return stain(d.Allocator.Reallocate(n, b), len(b))
}

func stain(b []byte, from int) []byte {
	for i := min(from, len(b)); i < len(b); i++ {
		b[i] = 0xA5
	}
	return b
}

// encoded has arrow-go write a stream, with clean memory of its own.
func encoded(t *testing.T, seed uint64, fields []arrow.Field, o arrowgen.Options) []byte {
	t.Helper()
	rec := arrowgen.RecordBatch(seed, fields, o)
	defer rec.Release()
	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(rec.Schema()))
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	return buf.Bytes()
}

// The same arguments give the same bytes, whatever was in memory before, and
// another seed gives others.
func TestSeedsDetermine(t *testing.T) {
	for _, f := range allFields() {
		for name, o := range states(nil) {
			want := encoded(t, 7, []arrow.Field{f}, o)
			o.Mem = dirty{memory.DefaultAllocator}
			got := encoded(t, 7, []arrow.Field{f}, o)
			require.True(t, bytes.Equal(want, got), "%s, %s", f.Name, name)
			if name == "plain" && f.Type.ID() != arrow.NULL && f.Name != "struct_empty" {
				require.NotEqual(t, want, encoded(t, 8, []arrow.Field{f}, o), f.Name)
			}
		}
	}
}

func TestSlicesStartAnywhere(t *testing.T) {
	fields := []arrow.Field{
		{Name: "s", Type: arrow.BinaryTypes.String},
		{Name: "l", Type: arrow.ListOf(arrow.PrimitiveTypes.Int64)},
		{Name: "st", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8})},
	}
	rec := arrowgen.RecordBatch(1, fields, arrowgen.Options{Rows: 20, Sliced: true})
	defer rec.Release()
	for _, col := range rec.Columns() {
		require.NotZero(t, col.Data().Offset())
		for _, child := range col.Data().Children() {
			require.NotZero(t, child.Offset())
		}
	}
	require.NotZero(t, rec.Column(0).(*array.String).ValueOffset(0))
	require.Greater(t, len(rec.Column(0).Data().Buffers()[2].Bytes()), len(rec.Column(0).(*array.String).ValueBytes()))
}

func TestNullsShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for share, want := range map[float64][2]int{0: {0, 0}, 0.5: {400, 600}, 1: {1000, 1000}} {
		arr := arrowgen.Array(rng, arrow.BinaryTypes.String, arrowgen.Options{Rows: 1000, Nulls: share})
		require.GreaterOrEqual(t, arr.NullN(), want[0])
		require.LessOrEqual(t, arr.NullN(), want[1])
		arr.Release()
	}
	required := []arrow.Field{{Name: "r", Type: arrow.BinaryTypes.String}}
	rec := arrowgen.RecordBatch(1, required, arrowgen.Options{Rows: 10, Nulls: 1})
	defer rec.Release()
	require.Zero(t, rec.Column(0).NullN())
}

func TestViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	long := arrowgen.Array(rng, arrow.BinaryTypes.StringView, arrowgen.Options{Rows: 100})
	defer long.Release()
	require.Greater(t, len(long.Data().Buffers()), 4, "more than two data buffers")
	short := arrowgen.Array(rng, arrow.BinaryTypes.StringView, arrowgen.Options{Rows: 100, InlineViews: true})
	defer short.Release()
	require.Len(t, short.Data().Buffers(), 2)
}

// Batches share dictionaries by value; another seed makes others, and a longer
// dictionary starts with the shorter one.
func TestDictionaries(t *testing.T) {
	dict := func(seed uint64, o arrowgen.Options) arrow.Array {
		dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
		arr := arrowgen.Array(rand.New(rand.NewPCG(seed, 0)), dt, o)
		t.Cleanup(arr.Release)
		return arr.(*array.Dictionary).Dictionary()
	}
	first := dict(1, arrowgen.Options{Rows: 5})
	require.Equal(t, 12, first.Len())
	require.True(t, array.Equal(first, dict(2, arrowgen.Options{Rows: 50, Nulls: 0.5, Sliced: true})))
	require.False(t, array.Equal(first, dict(1, arrowgen.Options{Rows: 5, DictSeed: 1})))
	longer := dict(3, arrowgen.Options{Rows: 5, DictLen: 20})
	require.True(t, array.SliceEqual(first, 0, 12, longer, 0, 12))
}

func TestMappedSchemas(t *testing.T) {
	for seed := range uint64(200) {
		schema := arrowgen.RandomMappedSchema(rand.New(rand.NewPCG(seed, 0)), 4)
		for _, f := range schema.Fields() {
			for _, id := range []arrow.Type{arrow.DICTIONARY, arrow.STRING_VIEW, arrow.LIST_VIEW, arrow.DENSE_UNION, arrow.RUN_END_ENCODED} {
				require.False(t, contains(f.Type, id), f.Type)
			}
		}
	}
}

func contains(dt arrow.DataType, id arrow.Type) bool {
	if dt.ID() == id {
		return true
	}
	if nested, ok := dt.(arrow.NestedType); ok {
		for _, f := range nested.Fields() {
			if contains(f.Type, id) {
				return true
			}
		}
	}
	return false
}
