package ipcx_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// golden gives the golden files with an extension, by folder and name.
func golden(t *testing.T, ext string) map[string][]byte {
	dir := filepath.Join(testdata.ArrowTestData(t), "arrow-ipc-stream", "integration")
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"+ext))
	require.NoError(t, err)
	require.Greater(t, len(paths), 80)
	files := map[string][]byte{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		files[filepath.ToSlash(name)] = data
	}
	return files
}

func requireSame(t *testing.T, want, got oracle.Result) {
	t.Helper()
	require.NoError(t, got.Err)
	require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))
	require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
}

// TestGolden holds the reader against arrow-go's, on what other implementations
// have written since Arrow 0.14. arrow-go reads all of it: the big-endian files
// have no type that it fails to swap. For those see TestBigEndianRefused. On a
// big-endian machine some of the others are refused.
func TestGolden(t *testing.T) {
	t.Parallel()
	for name, data := range golden(t, ".stream") {
		t.Run(name, func(t *testing.T) {
			want := oracle.Stream(data)
			got := drainBytes(data)
			if foreignFile(name) && unswappable(got.Schema) {
				requireUnswappable(t, got)
				return
			}
			require.NoError(t, want.Err)
			requireSame(t, want, got)
			for i := range want.Batches {
				require.True(t, array.RecordEqual(want.Batches[i], got.Batches[i]))
			}
		})
	}
}

// requireUnswappable requires the error about data that cannot be swapped, unless
// there is none of it.
func requireUnswappable(t *testing.T, got oracle.Result) {
	t.Helper()
	if got.Err != nil || len(got.Batches) > 0 {
		require.ErrorIs(t, got.Err, ipcx.ErrUnsupported)
		require.ErrorContains(t, got.Err, "byte order")
		require.Empty(t, got.Batches)
	}
}

// TestGoldenForeignOrder leaves big-endian data as it is, and on a big-endian
// machine the other. Its arrays are of no use there, and arrow-go refuses many of
// them; then so does the reader, and after as many batches.
func TestGoldenForeignOrder(t *testing.T) {
	t.Parallel()
	given := 0
	for name, data := range golden(t, ".stream") {
		t.Run(name, func(t *testing.T) {
			want := oracle.Stream(data, ipc.WithEnsureNativeEndian(false))
			got := drainBytes(data, ipcx.WithEnsureNativeEndian(false))
			require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))

			flagged, err := convert(data, flaggedPlain()...)
			require.NoError(t, err)
			again := drainBytes(flagged, ipcx.WithEnsureNativeEndian(false))
			require.Equal(t, got.Err == nil, again.Err == nil, again.Err)
			require.NoError(t, oracle.SameBatches(got.Batches, again.Batches))
			if cutOffsets(name) {
				require.Error(t, got.Err)
				return
			}
			require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
			if want.Err != nil {
				require.True(t, foreignFile(name), want.Err)
				require.Error(t, got.Err)
				return
			}
			require.NoError(t, got.Err)
			given++
		})
	}
	if endian.IsBigEndian {
		require.Greater(t, given, 22)
	} else {
		require.Greater(t, given, 75)
	}
}

// TestGoldenConvert converts every golden stream and file to compressed and
// flagged streams, and those back to plain ones.
func TestGoldenConvert(t *testing.T) {
	t.Parallel()
	flagged := int64(0)
	run := func(name string, data []byte, want oracle.Result, modes map[string][]ipcx.Option) {
		t.Run(name, func(t *testing.T) {
			if foreignFile(name) && unswappable(want.Schema) {
				return // which is for TestGoldenConvertTwice
			}
			require.NoError(t, want.Err)
			for mode, opts := range modes {
				var out bytes.Buffer
				stats, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), opts...)
				require.NoError(t, err, mode)
				requireSame(t, want, drainBytes(out.Bytes()))
				flagged += stats.FlaggedBatches
				if stats.FlaggedBatches > 0 {
					require.Error(t, oracle.Stream(out.Bytes()).Err, "%s: arrow-go takes lengths for offsets", mode)
				}
				back, err := convert(out.Bytes())
				require.NoError(t, err, mode)
				requireSame(t, want, oracle.Stream(back))
			}
		})
	}
	for name, data := range golden(t, ".stream") {
		run(name, data, oracle.Stream(data), map[string][]ipcx.Option{
			"zstd, flagged": {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
			"LZ4":           {ipcx.WithLZ4()},
		})
	}
	for name, data := range golden(t, ".arrow_file") {
		run(name, data, oracle.File(data), map[string][]ipcx.Option{
			"LZ4, flagged": {ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame)},
		})
	}
	require.Greater(t, flagged, int64(60))
}

// TestGoldenConvertTwice requires the same bytes of a conversion there, back and
// there again.
func TestGoldenConvertTwice(t *testing.T) {
	t.Parallel()
	for name, data := range golden(t, ".stream") {
		there, err := convert(data, flaggedPlain()...)
		require.NoError(t, err, name)
		if got := drainBytes(there); foreignFile(name) && unswappable(got.Schema) {
			requireUnswappable(t, got)
		} else {
			requireSame(t, oracle.Stream(data), got)
		}
		back, err := convert(there)
		require.NoError(t, err, name)
		again, err := convert(back, flaggedPlain()...)
		require.NoError(t, err, name)
		require.Equal(t, there, again, name)
	}
}
