package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// compareBytes compares what was written with a source, as --verify does.
func compareBytes(t *testing.T, src, written []byte) error {
	dir := t.TempDir()
	a := &app{}
	in, err := a.open(t.Context(), writeFile(t, filepath.Join(dir, "src"), src))
	require.NoError(t, err)
	defer in.close()
	f, err := os.Open(writeFile(t, filepath.Join(dir, "written"), written))
	require.NoError(t, err)
	defer f.Close()
	flags := &convertFlags{}
	c := &conversion{app: a, flags: flags}
	return c.compare(t.Context(), in, f)
}

// TestCompareFindsEveryByte changes bytes of the body of a table one by one.
func TestCompareFindsEveryByte(t *testing.T) {
	src := convertBytes(t, readFile(t, tablePath(t)))
	require.NoError(t, compareBytes(t, src, src))
	require.NoError(t, compareBytes(t, src, convertBytes(t, src, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths(), ipcx.WithFormat(ipcx.FileFormat))))

	at := bytes.Index(src, []byte("customer-0"))
	require.Positive(t, at)
	for i := range 10 {
		changed := bytes.Clone(src)
		changed[at+i] ^= 1
		err := compareBytes(t, src, changed)
		require.ErrorIs(t, err, errDifferent)
		require.ErrorContains(t, err, `record batch 0: column "customer": buffer 2 differs`)
	}
	require.ErrorContains(t, compareBytes(t, src, convertBytes(t, src, ipcx.WithColumns("city"))), "the schema is")
	require.ErrorIs(t, compareBytes(t, src, src[:len(src)/2]), io.ErrUnexpectedEOF)
}

func TestCompareCountsBatches(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{{Name: "f", Type: arrow.PrimitiveTypes.Float64}}, nil))
	defer b.Release()
	b.Field(0).(*array.Float64Builder).AppendValues([]float64{math.NaN(), math.Copysign(0, -1)}, nil)
	rec := b.NewRecordBatch()
	defer rec.Release()
	write := func(n int) []byte {
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(rec.Schema()))
		for range n {
			require.NoError(t, w.Write(rec))
		}
		require.NoError(t, w.Close())
		return out.Bytes()
	}
	require.NoError(t, compareBytes(t, write(2), write(2)), "NaN is as good as any value")
	for _, n := range []int{1, 3} {
		err := compareBytes(t, write(2), write(n))
		require.ErrorIs(t, err, errDifferent)
	}
}

// TestVerifyDeltas converts a stream with dictionary deltas to a file, which has
// all values of the dictionary from the start.
func TestVerifyDeltas(t *testing.T) {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: dt}}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema), ipc.WithDictionaryDeltas(true))
	for _, values := range []string{`["a","b"]`, `["a","b","c","d"]`} {
		dict, _, err := array.FromJSON(memory.DefaultAllocator, arrow.BinaryTypes.String, bytes.NewReader([]byte(values)))
		require.NoError(t, err)
		indices, _, err := array.FromJSON(memory.DefaultAllocator, dt.IndexType, bytes.NewReader([]byte(`[1,0]`)))
		require.NoError(t, err)
		rec := array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(dt, indices, dict)}, 2)
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	src := writeFile(t, filepath.Join(t.TempDir(), "deltas.arrows"), out.Bytes())
	require.Equal(t, int64(1), statOf(t, src).DictionaryDeltas)
	requireTool(t, "convert", "--verify", src, filepath.Join(t.TempDir(), "file.arrow"))
	requireTool(t, "convert", "--verify", src, filepath.Join(t.TempDir(), "stream.arrows"))
}
