package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/testdata"
)

var update = flag.Bool("update", false, "write testdata/table.arrow anew")

// tablePath returns the path of the table that the README's commands use.
func tablePath(t testing.TB) string {
	return filepath.Join(testdata.Root(t), "testdata", "table.arrow")
}

// TestTable holds testdata/table.arrow against what arrow-go alone makes of it.
func TestTable(t *testing.T) {
	want := orders(t)
	if *update {
		require.NoError(t, os.WriteFile(tablePath(t), want, 0o644))
	}
	got, err := os.ReadFile(tablePath(t))
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "testdata/table.arrow is not what -update makes")
}

const (
	orderBatches = 3
	orderRows    = 200 // a batch
)

func ordersSchema() *arrow.Schema {
	note := arrow.NewMetadata([]string{"unit"}, []string{"EUR"})
	schema := arrow.NewMetadata([]string{"source"}, []string{"made up for examples"})
	return arrow.NewSchema([]arrow.Field{
		{Name: "order_id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "placed", Type: arrow.FixedWidthTypes.Timestamp_s},
		{Name: "customer", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "city", Type: arrow.BinaryTypes.String},
		{Name: "items", Type: arrow.ListOf(arrow.BinaryTypes.String)},
		{Name: "options", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String), Nullable: true},
		{Name: "quantity", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "price", Type: arrow.PrimitiveTypes.Float64, Metadata: note},
	}, &schema)
}

// orders returns the file of a table of orders, not compressed.
func orders(t testing.TB) []byte {
	schema := ordersSchema()
	rng := rand.New(rand.NewPCG(1, 2))
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, err)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for batch := range orderBatches {
		for i := range orderRows {
			appendOrder(b, rng, int64(batch*orderRows+i))
		}
		rec := b.NewRecordBatch()
		require.NoError(t, w.Write(rec))
		rec.Release()
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

func appendOrder(b *array.RecordBuilder, rng *rand.Rand, id int64) {
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	b.Field(0).(*array.Int64Builder).Append(100_000 + id)
	b.Field(1).(*array.TimestampBuilder).Append(arrow.Timestamp(1_750_000_000 + 137*id + rng.Int64N(60)))
	if customer := b.Field(2).(*array.StringBuilder); rng.IntN(10) == 0 {
		customer.AppendNull()
	} else {
		customer.Append(fmt.Sprintf("customer-%04d", rng.IntN(500)))
	}
	b.Field(3).(*array.StringBuilder).Append(pick("Amsterdam", "Berlin", "Kraków", "Lisboa", "Oslo", "Paris", "Roma", "Wien"))
	items := b.Field(4).(*array.ListBuilder)
	items.Append(true)
	for range 1 + rng.IntN(4) {
		items.ValueBuilder().(*array.StringBuilder).Append(pick("bread", "butter", "cheese", "coffee", "olives", "tea", "tomatoes"))
	}
	options := b.Field(5).(*array.MapBuilder)
	if rng.IntN(3) == 0 {
		options.AppendNull()
	} else {
		options.Append(true)
		options.KeyBuilder().(*array.StringBuilder).Append("delivery")
		options.ItemBuilder().(*array.StringBuilder).Append(pick("bicycle", "pickup", "van"))
		if rng.IntN(2) == 0 {
			options.KeyBuilder().(*array.StringBuilder).Append("gift")
			options.ItemBuilder().(*array.StringBuilder).Append(pick("yes", "no"))
		}
	}
	if quantity := b.Field(6).(*array.Int32Builder); rng.IntN(20) == 0 {
		quantity.AppendNull()
	} else {
		quantity.Append(1 + rng.Int32N(12))
	}
	b.Field(7).(*array.Float64Builder).Append(float64(rng.IntN(20_000)) / 100)
}
