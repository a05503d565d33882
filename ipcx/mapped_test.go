package ipcx_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// outside counts the bytes of an array's buffers that do not lie in memory.
// Those of dictionaries are counted apart.
func outside(mapped []byte, data arrow.ArrayData) (own, dictionaries int) {
	start := uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))
	for _, buf := range data.Buffers() {
		if buf == nil || buf.Len() == 0 {
			continue
		}
		at := uintptr(unsafe.Pointer(unsafe.SliceData(buf.Bytes())))
		if at < start || at+uintptr(buf.Len()) > start+uintptr(len(mapped)) {
			own += buf.Len()
		}
	}
	for _, child := range data.Children() {
		o, d := outside(mapped, child)
		own, dictionaries = own+o, dictionaries+d
	}
	if data.Dictionary() != nil && data.DataType().ID() == arrow.DICTIONARY {
		o, d := outside(mapped, data.Dictionary())
		dictionaries += o + d
	}
	return own, dictionaries
}

func outsideBatch(mapped []byte, rec arrow.RecordBatch) (own, dictionaries int) {
	for _, column := range rec.Columns() {
		o, d := outside(mapped, column.Data())
		own, dictionaries = own+o, dictionaries+d
	}
	return own, dictionaries
}

// TestMappedNotCopied looks where the buffers of batches lie.
func TestMappedNotCopied(t *testing.T) {
	fields := append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...)
	batches := generated(fields, 20, false)
	var all []int
	for i := len(fields) - 1; i >= 0; i-- {
		all = append(all, i)
	}
	for name, opts := range map[string][]ipcx.Option{
		"whole":    nil,
		"reversed": {ipcx.WithColumnIndexes(all...)},
		"some":     {ipcx.WithColumns("utf8", "utf8_view", "list_of_dictionary", "dense_union")},
	} {
		for _, v := range []variant{{"plain", ipcx.Uncompressed, false}, {"zstd", ipcx.Zstd, false}} {
			data := readOnly(t, writeFile(t, batches, v.options()...))
			f, err := ipcx.NewMappedFileReader(data, opts...)
			require.NoError(t, err)
			for i := range batches {
				rec, err := f.RecordBatchAt(i)
				require.NoError(t, err)
				own, dictionaries := outsideBatch(data, rec)
				if v.codec == ipcx.Uncompressed {
					require.Zero(t, own, "%s, %s", name, v.name)
					require.Zero(t, dictionaries, "%s, %s", name, v.name)
				} else {
					require.Greater(t, own, 100, "%s, %s", name, v.name)
					require.Positive(t, dictionaries)
				}
				rec.Release()
			}
			require.NoError(t, f.Close())
		}
	}
}

// TestMappedFlaggedCopied has the buffers of flagged batches in memory of their
// own, and beside them one that is not flagged in the mapping.
func TestMappedFlaggedCopied(t *testing.T) {
	schema := arrow.NewSchema(arrowgen.MappedTypes(), nil)
	empty := arrowgen.Batch(1, schema, arrowgen.Options{})
	full := arrowgen.Batch(2, schema, arrowgen.Options{Rows: 30})
	data := readOnly(t, writeFile(t, []arrow.RecordBatch{full, empty, full}, flaggedPlain()...))
	f, err := ipcx.NewMappedFileReader(data)
	require.NoError(t, err)
	for i, flagged := range []bool{true, false, true} {
		rec, err := f.RecordBatchAt(i)
		require.NoError(t, err)
		own, _ := outsideBatch(data, rec)
		require.Equal(t, flagged, own > 0)
	}
	require.Equal(t, int64(2), f.Stats().FlaggedBatches)
	require.NoError(t, f.Close())
}

// TestMappedBigEndian reads big-endian golden files, whose bytes have to be
// swapped, out of memory that cannot be written to, several times over.
func TestMappedBigEndian(t *testing.T) {
	files := 0
	for name, data := range golden(t, ".arrow_file") {
		if !strings.Contains(name, "bigendian") {
			continue
		}
		files++
		mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
		f, err := ipcx.NewMappedFileReader(readOnly(t, data), ipcx.WithAllocator(mem))
		require.NoError(t, err, name)
		for i := range f.NumRecords() {
			first, err := f.RecordBatchAt(i)
			require.NoError(t, err)
			again, err := f.RecordBatchAt(i)
			require.NoError(t, err)
			require.True(t, array.RecordEqual(first, again), name)
			first.Release()
			again.Release()
		}
		require.NoError(t, f.Close())
		mem.AssertSize(t, 0)
	}
	require.Greater(t, files, 10)
}

// millionRows is a file of a million rows, in batches of about n.
func millionRows(t testing.TB, n int) []byte {
	const rows = 1_000_000
	rng := rand.New(rand.NewPCG(1, 2))
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "text", Type: arrow.BinaryTypes.String},
	}, nil))
	var batches []arrow.RecordBatch
	for at := 0; at < rows; at += n {
		for i := range min(n, rows-at) {
			b.Field(0).(*array.Int64Builder).Append(int64(at + i))
			b.Field(1).(*array.StringBuilder).Append("row"[:rng.IntN(4)])
		}
		batches = append(batches, b.NewRecordBatch())
	}
	return arrowFile(t, batches)
}

// TestMappedAllocations holds what a batch of a mapped file of a million rows
// allocates against arrow-go.
func TestMappedAllocations(t *testing.T) {
	data := readOnly(t, millionRows(t, 8192))
	f, err := ipcx.NewMappedFileReader(data)
	require.NoError(t, err)
	defer f.Close()
	ar, err := ipc.NewMappedFileReader(data)
	require.NoError(t, err)
	defer ar.Close()
	require.Equal(t, 123, f.NumRecords())

	measure := func(at func(int) (arrow.RecordBatch, error)) (perBatch uint64) {
		var before, after runtime.MemStats
		const rounds = 5
		runtime.ReadMemStats(&before)
		for range rounds {
			for i := range f.NumRecords() {
				rec, err := at(i)
				if err != nil {
					t.Fatal(err)
				}
				rec.Release()
			}
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / uint64(rounds*f.NumRecords())
	}
	theirs, ours := measure(ar.RecordBatchAt), measure(f.RecordBatchAt)
	t.Logf("bytes allocated for a batch: arrow-go %d, ipcx %d", theirs, ours)
	require.Less(t, ours, theirs+4<<10, fmt.Sprint(theirs))
}
