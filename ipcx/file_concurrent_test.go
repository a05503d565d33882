package ipcx_test

import (
	"bytes"
	"io"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// inParallel has 8 goroutines call do, each with its own number.
func inParallel(do func(g int)) {
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() { do(g) })
	}
	wg.Wait()
}

// requireConcurrent reads every batch of f in 8 goroutines, rounds times, each
// from another one on, and looks at all of it while others read.
func requireConcurrent(t *testing.T, want []arrow.RecordBatch, f *ipcx.FileReader, rounds int) {
	t.Helper()
	require.Equal(t, len(want), f.NumRecords())
	inParallel(func(g int) {
		var held []arrow.RecordBatch
		for round := range rounds {
			for i := range want {
				i = (i + g) % len(want)
				rec, err := f.RecordBatchAt(i)
				if !assert.NoError(t, err) {
					return
				}
				if round == 0 {
					held = append(held, rec) // and compared below
					continue
				}
				assert.NoError(t, oracle.SameBatch(want[i], rec), "batch %d", i)
				rec.Release()
			}
		}
		for i, rec := range held {
			assert.NoError(t, oracle.SameBatch(want[(i+g)%len(want)], rec), "batch %d", (i+g)%len(want))
			rec.Release()
		}
	})
}

func TestFileReaderConcurrent(t *testing.T) {
	delta := ipcx.WithDictionaryDeltas(true)
	for name, batches := range map[string][]arrow.RecordBatch{
		"mapped types":        generated(arrowgen.MappedTypes(), 30, false),
		"dictionaries":        generated(dictionaryFields(), 30, false),
		"deltas":              generated(dictionaryFields(), 30, true),
		"nested dictionaries": nestedDictionaries(),
	} {
		want := oracle.File(writeFile(t, batches, delta))
		require.NoError(t, want.Err)
		for _, v := range []variant{{"plain", ipcx.Uncompressed, false}, {"plain, flagged", ipcx.Uncompressed, true}, {"zstd, flagged", ipcx.Zstd, true}} {
			if v.flag && v.codec == ipcx.Uncompressed && name != "mapped types" {
				continue // no schema with a dictionary is flagged
			}
			data := writeFile(t, batches, append(v.options(), delta)...)
			for how, open := range openers {
				t.Run(name+", "+v.name+", "+how, func(t *testing.T) {
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					defer mem.AssertSize(t, 0)
					f, err := open(t, data, ipcx.WithAllocator(mem))
					require.NoError(t, err)
					requireConcurrent(t, want.Batches, f, 2)
					require.NoError(t, f.Close())
				})
			}
		}
	}
}

// TestFileReaderConcurrentBig is about batches that idle readers do not keep.
func TestFileReaderConcurrentBig(t *testing.T) {
	batches := bigBatches()
	data := writeFile(t, batches, ipcx.WithLZ4())
	want := oracle.File(writeFile(t, batches))
	f, err := ipcx.NewFileReader(bytes.NewReader(data))
	require.NoError(t, err)
	requireConcurrent(t, want.Batches, f, 2)
	require.NoError(t, f.Close())
}

// TestFileReaderConcurrentErrors mixes readings that fail and that do not.
func TestFileReaderConcurrentErrors(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 3)}
	data := writeFile(t, batches, ipcx.WithZstd())
	footer, _ := footerOf(t, data)
	b := footer.RecordBatches[0]
	data[b.Offset+int64(b.MetaDataLength)+7] = 0x7F // of a length prefix
	for how, open := range openers {
		f, err := open(t, data)
		require.NoError(t, err)
		inParallel(func(int) {
			for range 5 {
				_, err := f.RecordBatchAt(0)
				assert.ErrorIs(t, err, ipcx.ErrCorrupt, how)
				_, err = f.RecordBatchAt(2)
				assert.ErrorIs(t, err, arrow.ErrIndex, how)
				rec, err := f.RecordBatchAt(1)
				if assert.NoError(t, err, how) {
					assert.Equal(t, int64(5), rec.NumRows())
					rec.Release()
				}
			}
		})
		require.Equal(t, int64(8*5), f.Stats().RecordBatches)
		require.NoError(t, f.Close())
	}
}

// TestFileReaderAheadLeaks closes a reader that has read batches ahead which
// nobody asked for.
func TestFileReaderAheadLeaks(t *testing.T) {
	batches := generated(dictionaryFields(), 20, true)
	data := writeFile(t, batches, ipcx.WithZstd(), ipcx.WithDictionaryDeltas(true))
	want := oracle.File(data)
	for how, open := range openers {
		for read := range len(batches) + 2 {
			mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
			f, err := open(t, data, ipcx.WithAllocator(mem), ipcx.WithReadAhead(2))
			require.NoError(t, err)
			for i := range read {
				rec, err := f.Read()
				if i >= len(batches) {
					require.Equal(t, io.EOF, err)
					continue
				}
				require.NoError(t, err, how)
				require.NoError(t, oracle.SameBatch(want.Batches[i], rec))
			}
			require.NoError(t, f.Close())
			mem.AssertSize(t, 0)
		}
	}
}
