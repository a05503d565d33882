package arrowgen_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
)

func TestMain(m *testing.M) {
	// Readers then give back the extension, and not its storage.
	if err := arrow.RegisterExtensionType(arrowgen.ExtensionOf(arrow.Null)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// states are the options that every type goes through.
func states(mem memory.Allocator) map[string]arrowgen.Options {
	return map[string]arrowgen.Options{
		"plain":        {Rows: 33, Mem: mem},
		"nulls":        {Rows: 33, Nulls: 0.3, Mem: mem},
		"all null":     {Rows: 33, Nulls: 1, Mem: mem},
		"empty":        {Mem: mem},
		"sliced":       {Rows: 33, Nulls: 0.3, Sliced: true, Mem: mem},
		"sliced plain": {Rows: 70, Sliced: true, Mem: mem},
		"sliced empty": {Sliced: true, Mem: mem},
		"sliced null":  {Rows: 9, Nulls: 1, Sliced: true, Mem: mem},
		"inline":       {Rows: 33, InlineViews: true, Mem: mem},
	}
}

func allFields() []arrow.Field {
	fields := append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...)
	for _, f := range arrowgen.Nested(1) {
		f.Name = "nested_" + f.Name
		fields = append(fields, f)
	}
	return fields
}

// Every array is valid, keeps its options, leaves no memory behind and comes
// through arrow-go's writer and reader unchanged.
func TestArraysAreValid(t *testing.T) {
	for _, f := range allFields() {
		t.Run(f.Name, func(t *testing.T) {
			for name, o := range states(nil) {
				mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
				o.Mem = mem
				check(t, name, arrowgen.RecordBatch(7, []arrow.Field{f}, o), o)
				mem.AssertSize(t, 0)
			}
		})
	}
}

func TestRandomSchemasAreValid(t *testing.T) {
	ids := map[arrow.Type]bool{}
	for seed := range uint64(800) {
		rng := rand.New(rand.NewPCG(seed, 1))
		schema := arrowgen.RandomSchema(rng, int(seed%5))
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		o := arrowgen.Options{Rows: int(seed % 20), Nulls: float64(seed%5) / 4, Sliced: seed%3 == 0, Mem: mem}
		check(t, fmt.Sprint(seed, schema), arrowgen.Batch(seed, schema, o), o)
		mem.AssertSize(t, 0)
		for _, f := range schema.Fields() {
			ids[f.Type.ID()] = true
		}
	}
	for _, f := range append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...) {
		require.True(t, ids[f.Type.ID()], "%s never came up", f.Type)
	}
}

func check(t *testing.T, what string, rec arrow.RecordBatch, o arrowgen.Options) {
	t.Helper()
	defer rec.Release()
	require.EqualValues(t, o.Rows, rec.NumRows(), what)
	for i, col := range rec.Columns() {
		require.NoError(t, array.ValidateFull(col), what)
		if o.Nulls == 0 && col.DataType().ID() != arrow.NULL {
			require.Zero(t, col.NullN(), "%s: %s", what, rec.ColumnName(i))
		}
	}

	var buf bytes.Buffer
	w := ipc.NewWriter(&buf, ipc.WithSchema(rec.Schema()))
	require.NoError(t, w.Write(rec), what)
	require.NoError(t, w.Close(), what)
	r, err := ipc.NewReader(&buf)
	require.NoError(t, err, what)
	defer r.Release()
	got, err := r.Read()
	require.NoError(t, err, what)
	for i, col := range rec.Columns() {
		require.True(t, array.Equal(col, got.Column(i)), "%s: %s\n%s\n%s", what, rec.ColumnName(i), col, got.Column(i))
	}
}
