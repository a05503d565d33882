package ipcx_test

import (
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestVariadicCounts has record batches and dictionary batches whose variadic
// buffer counts lie: too few, too many, and such that arrow-go would make room
// for 100 GB.
func TestVariadicCounts(t *testing.T) {
	view, i32 := arrow.BinaryTypes.StringView, arrow.PrimitiveTypes.Int32
	field := func(dt arrow.DataType) arrow.Field { return arrow.Field{Name: "f", Type: dt, Nullable: true} }
	for name, c := range map[string]struct {
		fields []arrow.Field
		batch  int // the message with the counts
		counts int
	}{
		"views":                         {[]arrow.Field{field(view), field(i32), field(arrow.BinaryTypes.BinaryView)}, 1, 2},
		"nested":                        {[]arrow.Field{field(arrow.ListOf(view)), field(arrow.StructOf(field(view), field(i32)))}, 1, 2},
		"the values of a dictionary":    {[]arrow.Field{field(&arrow.DictionaryType{IndexType: i32, ValueType: view})}, 1, 1},
		"beside such a dictionary":      {[]arrow.Field{field(view), field(&arrow.DictionaryType{IndexType: i32, ValueType: view})}, 2, 1},
		"in the values of a dictionary": {[]arrow.Field{field(&arrow.DictionaryType{IndexType: i32, ValueType: arrow.ListOf(view)})}, 1, 1},
	} {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}} {
			rec := arrowgen.RecordBatch(1, c.fields, arrowgen.Options{Rows: 20})
			all := messages(t, write(t, []arrow.RecordBatch{rec}, opts...))
			got := drainBytes(stream(all...))
			require.NoError(t, got.Err, name)
			require.Len(t, batchOf(flatbuf.GetRootAsMessage(all[c.batch].metadata, 0).UnPack()).VariadicBufferCounts, c.counts, name)
			for what, change := range map[string]func([]int64) []int64{
				"none":        func([]int64) []int64 { return nil },
				"one less":    func(n []int64) []int64 { return n[1:] },
				"one more":    func(n []int64) []int64 { return append(n, 0) },
				"negative":    func(n []int64) []int64 { n[0] = -1; return n },
				"huge":        func(n []int64) []int64 { n[0] = 0x300000000; return n },
				"the largest": func(n []int64) []int64 { n[len(n)-1] = math.MaxInt64; return n },
				"the least":   func(n []int64) []int64 { n[0] = math.MinInt64; return n },
			} {
				bad := slices.Clone(all)
				bad[c.batch] = editedBatch(bad[c.batch], func(b *flatbuf.RecordBatchT) {
					b.VariadicBufferCounts = change(b.VariadicBufferCounts)
				})
				n := cost(func() {
					for way, err := range everyWay(bad) {
						require.ErrorIs(t, err, ipcx.ErrCorrupt, "%s, %s: %s", name, what, way)
						require.ErrorContains(t, err, "variadic", "%s, %s: %s", name, what, way)
					}
				})
				require.Less(t, n, 16<<20, "%s, %s", name, what)
			}
		}
	}
}
