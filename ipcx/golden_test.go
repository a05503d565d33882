package ipcx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

func TestX(t *testing.T) {
	for _, path := range golden(t, ".stream") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, native := range []bool{true, false} {
			want := oracle.Stream(data, ipc.WithEnsureNativeEndian(native))
			got := drainBytes(data, ipcx.WithEnsureNativeEndian(native))
			if want.Err != nil || got.Err != nil {
				t.Log(path, native, len(want.Batches), len(got.Batches), "\n", want.Err, "\n", got.Err)
			}
			if err := oracle.SameBatches(want.Batches, got.Batches); err != nil {
				t.Log(path, native, err)
			}
			for i := range min(len(want.Batches), len(got.Batches)) {
				if native && !array.RecordEqual(want.Batches[i], got.Batches[i]) {
					t.Log("RecordEqual", path)
				}
			}
		}
	}
	for _, path := range golden(t, ".arrow_file") {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		want := oracle.File(data)
		plain, err := convert(data)
		got := drainBytes(plain)
		if want.Err != nil || got.Err != nil || err != nil {
			t.Log(path, len(want.Batches), len(got.Batches), "\n", want.Err, "\n", got.Err, "\n", err)
		}
			if err := oracle.SameBatches(want.Batches, got.Batches); err != nil {
				t.Log(path, err)
			}
	}
}

func golden(t *testing.T, ext string) []string {
	dir := filepath.Join(testdata.ArrowTestData(t), "arrow-ipc-stream", "integration")
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*"+ext))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	return paths
}
var _ = strings.Contains
