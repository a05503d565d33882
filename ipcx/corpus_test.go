package ipcx_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

const (
	corpusTime   = 2 * time.Second // for one reading of a hostile file
	corpusMemory = 64 << 20        // bytes allocated in one reading
)

// TestCorpus reads the inputs that broke Arrow C++ once: the same batches that
// arrow-go gives, or an error. It goes through the reader and the conversion,
// with memory and time bounded.
func TestCorpus(t *testing.T) {
	root := testdata.ArrowTestData(t)
	refused, given := 0, 0
	for _, folder := range []string{"arrow-ipc-stream", "arrow-ipc-file", "arrow-ipc-tensor-stream", "forward-compatibility"} {
		paths, err := filepath.Glob(filepath.Join(root, folder, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, paths, folder)
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				continue // the folder of golden files
			}
			t.Run(folder+"/"+filepath.Base(path), func(t *testing.T) {
				got := bounded(t, func() oracle.Result { return drainBytes(data) })
				requireSameOrError(t, asFar(data, got, false), got)

				file := strings.HasPrefix(string(data), "ARROW1")
				got = bounded(t, func() oracle.Result { return drainConverted(data) })
				requireSameOrError(t, asFar(data, got, file), got)
				if got.Err != nil {
					refused++
				} else {
					given++
				}
				got = bounded(t, func() oracle.Result {
					return drainConverted(data, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
				})
				requireSameOrError(t, asFar(data, got, file), got)
			})
		}
	}
	require.Greater(t, refused, 50)
	t.Logf("%d refused, %d read", refused, given)
}

// asFar has arrow-go read as many batches as were given before an error. What
// comes then may cost it 2 GiB of pointers, the garbage collector half a minute,
// and a machine of 32 bits all of its memory.
func asFar(data []byte, got oracle.Result, file bool) oracle.Result {
	n := len(got.Batches)
	switch {
	case got.Err != nil && n == 0:
		return oracle.Result{}
	case file:
		return oracle.FileBatches(data, func(i int) bool { return got.Err == nil || i < n })
	case got.Err != nil:
		return oracle.StreamBatches(data, n)
	}
	return oracle.Stream(data)
}

// drainConverted reads a stream or file by converting it first.
func drainConverted(data []byte, opts ...ipcx.Option) oracle.Result {
	out, err := convert(data, opts...)
	res := drainBytes(out)
	if err != nil {
		res.Err = err
	}
	return res
}

// requireSameOrError requires the batches that arrow-go gives, as far as they
// go, and no more than it gives without an error.
func requireSameOrError(t *testing.T, want, got oracle.Result) {
	t.Helper()
	n := min(len(want.Batches), len(got.Batches))
	require.NoError(t, oracle.SameBatches(want.Batches[:n], got.Batches[:n]))
	if got.Err == nil {
		require.NoError(t, want.Err, "read without an error")
		require.Len(t, got.Batches, len(want.Batches))
		require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))
	}
}

// bounded runs do and requires it to keep within the bounds.
func bounded(t *testing.T, do func() oracle.Result) oracle.Result {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	res := do()
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	require.Less(t, took, corpusTime)
	require.False(t, ipcx.IsPanic(res.Err), "%v", res.Err)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(corpusMemory))
	return res
}
