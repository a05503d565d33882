package fuzz

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// Limits for inputs that nobody has checked, low enough for many at a time.
func limits(opts ...ipcx.Option) []ipcx.Option {
	return append([]ipcx.Option{ipcx.WithDecodedSizeLimit(16 << 20), ipcx.WithBodySizeLimit(16 << 20)}, opts...)
}

// schemas are small schemas with all that matters to a reader.
func schemas() map[string][]arrow.Field {
	str, i32 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	field := func(dt arrow.DataType) arrow.Field { return arrow.Field{Name: "f", Type: dt, Nullable: true} }
	return map[string][]arrow.Field{
		"texts":      {field(str), field(arrow.BinaryTypes.LargeBinary), field(i32)},
		"list":       {field(arrow.ListOf(str))},
		"map":        {field(arrow.MapOf(str, i32))},
		"struct":     {field(arrow.StructOf(field(str), field(arrow.FixedWidthTypes.Boolean)))},
		"nothing":    {field(arrow.Null), field(arrow.FixedSizeListOf(2, i32))},
		"dictionary": {field(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: str}), field(str)},
		"views":      {field(arrow.BinaryTypes.StringView), field(arrow.ListViewOf(i32))},
		"unions":     {field(arrow.DenseUnionOf([]arrow.Field{field(i32), field(str)}, []arrow.UnionTypeCode{0, 1}))},
		"run-end":    {field(arrow.RunEndEncodedOf(i32, str))},
	}
}

// modes are all that a writer can do to a body.
func modes() map[string][]ipcx.Option {
	return map[string][]ipcx.Option{
		"plain":         nil,
		"LZ4":           {ipcx.WithLZ4()},
		"zstd":          {ipcx.WithZstd()},
		"flagged":       {ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)},
		"LZ4, flagged":  {ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame)},
		"zstd, flagged": {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
	}
}

// streams are small streams of two batches for each schema, in the given modes.
func streams(f testing.TB, modes map[string][]ipcx.Option) [][]byte {
	var all [][]byte
	for _, schema := range slices.Sorted(maps.Keys(schemas())) {
		fields := schemas()[schema]
		for _, mode := range slices.Sorted(maps.Keys(modes)) {
			opts := modes[mode]
			var out bytes.Buffer
			w := ipcx.NewWriter(&out, slices.Concat(opts, []ipcx.Option{ipcx.WithDictionaryDeltas(true)})...)
			for rows := 3; rows >= 0; rows -= 3 {
				// The dictionary of the second batch goes on where the first one's ended.
				rec := arrowgen.RecordBatch(uint64(rows), fields, arrowgen.Options{Rows: rows, Nulls: 0.3, DictLen: 9 - rows})
				require.NoError(f, w.Write(rec))
				rec.Release()
			}
			require.NoError(f, w.Close())
			all = append(all, out.Bytes())
		}
	}
	return all
}

// drain reads a stream. A panic is not recovered.
func drain(data []byte, opts ...ipcx.Option) (res oracle.Result, stats ipcx.Stats) {
	r, err := ipcx.NewReader(bytes.NewReader(data), limits(opts...)...)
	if err != nil {
		return oracle.Result{Err: err}, ipcx.Stats{}
	}
	res.Schema = r.Schema()
	for r.Next() {
		rec := r.RecordBatch()
		rec.Retain()
		res.Batches = append(res.Batches, rec)
	}
	res.Err, stats = r.Err(), r.Stats()
	if res.Err == nil {
		// After a dictionary delta that it could not add, arrow-go's reader
		// releases the dictionary twice, though the batches still hold it.
		r.Release()
	}
	return res, stats
}

func convert(data []byte, opts ...ipcx.Option) ([]byte, error) {
	var out bytes.Buffer
	_, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), limits(opts...)...)
	return out.Bytes(), err
}

// addEdits adds an input without an edit and some with one.
func addEdits(f *testing.F, add func(edit)) {
	f.Helper()
	add(edit{message: noEdit})
	for field := uint8(1); field <= batchFields; field++ {
		add(edit{1, field, field % 4, 1})
		add(edit{1, field, 1, -1 << 63})
	}
	for field := uint8(1); field <= schemaFields; field++ {
		add(edit{0, field, 0, 1})
	}
}
