package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// compress gives one frame that states its content's size where the codec can.
func compress(t testing.TB, codec ipcx.Codec, p []byte) []byte {
	t.Helper()
	if codec == ipcx.LZ4Frame {
		return lz4Frame(t, p)
	}
	return zstdFrame(t, p)
}

func zstdFrame(t testing.TB, p []byte, opts ...zstd.EOption) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil, opts...)
	require.NoError(t, err)
	defer enc.Close()
	return enc.EncodeAll(p, nil)
}

func lz4Frame(t testing.TB, p []byte, opts ...lz4.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := lz4.NewWriter(&out)
	require.NoError(t, w.Apply(opts...))
	_, err := w.Write(p)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// dictionaryBatch has a column "word" of n rows, over a dictionary of the first
// size words of a fixed list, and a column "number".
func dictionaryBatch(seed, size int) arrow.RecordBatch {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "word", Type: dt}, {Name: "number", Type: arrow.PrimitiveTypes.Int64}}, nil)
	words := array.NewStringBuilder(memory.DefaultAllocator)
	words.AppendValues([]string{"oak", "elm", "ash", "fir", "yew", "bay"}[:size], nil)
	indices := array.NewInt8Builder(memory.DefaultAllocator)
	numbers := array.NewInt64Builder(memory.DefaultAllocator)
	for i := range 5 {
		indices.Append(int8((i + seed) % size))
		numbers.Append(int64(i * seed))
	}
	word := array.NewDictionaryArray(dt, indices.NewArray(), words.NewArray())
	return array.NewRecordBatch(schema, []arrow.Array{word, numbers.NewArray()}, 5)
}
