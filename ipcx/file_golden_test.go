package ipcx_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestGoldenFiles reads the golden files from a reader, from memory that cannot
// be written to, and in several goroutines.
func TestGoldenFiles(t *testing.T) {
	bigEndian, dictionaries := 0, 0
	for name, data := range golden(t, ".arrow_file") {
		t.Run(name, func(t *testing.T) {
			want := oracle.File(data)
			ar, err := ipc.NewFileReader(bytes.NewReader(data))
			require.NoError(t, err)
			if foreignFile(name) && unswappable(ar.Schema()) {
				for how := range openers {
					requireUnswappable(t, drainFile(t, how, data))
				}
				return
			}
			require.NoError(t, want.Err)
			for how, open := range openers {
				f, err := open(t, data)
				require.NoError(t, err)
				require.Equal(t, ar.Version(), f.Version())
				require.Equal(t, ar.NumDictionaries(), f.NumDictionaries())
				requireSame(t, want, readBatches(f))
				if how == "reader" || strings.Contains(name, "bigendian") {
					requireConcurrent(t, want.Batches, f, 1)
				}
				require.NoError(t, f.Close())
			}
			if ar.NumDictionaries() > 0 {
				dictionaries++
			}
		})
		if strings.Contains(name, "bigendian") {
			bigEndian++
		}
	}
	require.Greater(t, bigEndian, 10)
	require.Greater(t, dictionaries, 10)
}

// TestGoldenFilesForeignOrder leaves data of the other byte order as it is, and a
// mapping of it is not copied then.
func TestGoldenFilesForeignOrder(t *testing.T) {
	for name, data := range golden(t, ".arrow_file") {
		if !foreignFile(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			want := oracle.File(data, ipc.WithEnsureNativeEndian(false))
			for how := range openers {
				got := drainFile(t, how, data, ipcx.WithEnsureNativeEndian(false))
				if want.Err != nil || cutOffsets(name) {
					require.Error(t, got.Err)
					continue
				}
				requireSame(t, want, got)
			}
		})
	}
}

// TestFuzzedFiles reads files that broke Arrow C++ once: the batches that
// arrow-go gives, or an error.
func TestFuzzedFiles(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(testdata.ArrowTestData(t), "arrow-ipc-file", "*"))
	require.NoError(t, err)
	require.Greater(t, len(paths), 20)
	for _, path := range paths {
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := oracle.File(data)
			for how, open := range openers {
				got := bounded(t, func() oracle.Result { return drainForward(t, how, data) })
				requireSameOrError(t, want, got)

				// One column after the other: none must be read wrong for another
				// one that is broken.
				f, err := open(t, data)
				if err != nil {
					continue
				}
				columns := f.Schema().NumFields()
				require.NoError(t, f.Close())
				for i := range columns {
					bounded(t, func() oracle.Result { return drainForward(t, how, data, ipcx.WithColumnIndexes(i)) })
				}
			}
		})
	}
}

// drainForward reads the batches of a file up to the first error.
func drainForward(t *testing.T, how string, data []byte, opts ...ipcx.Option) oracle.Result {
	f, err := openers[how](t, data, opts...)
	if err != nil {
		return oracle.Result{Err: err}
	}
	defer f.Close()
	res := oracle.Result{Schema: f.Schema()}
	for i := range f.NumRecords() {
		rec, err := f.RecordBatchAt(i)
		if err != nil {
			res.Err = err
			break
		}
		res.Batches = append(res.Batches, rec)
	}
	return res
}
