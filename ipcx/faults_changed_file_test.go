package ipcx_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// requireShorter requires the error about a file that was made shorter.
func requireShorter(t testing.TB, err error, args ...any) {
	t.Helper()
	requireFault(t, err, io.ErrUnexpectedEOF, args...)
	require.ErrorContains(t, err, "the file has become shorter", args...)
}

// TestFileCutWhileOpen makes a file shorter, to any length, after it was opened.
// Batches that are still there are read, and of the others there is an error.
func TestFileCutWhileOpen(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, whole := range faultFiles(t) {
		footer, _ := footerOf(t, whole)
		for how, opts := range map[string][]ipcx.Option{
			"all":        nil,
			"columns":    {ipcx.WithColumns("number")},
			"decompress": {ipcx.WithDecompressConcurrency(2)},
			"ahead":      {ipcx.WithReadAhead(2)},
		} {
			want := drainFile(t, "reader", whole, opts...)
			require.NoError(t, want.Err)
			_, path := folderOf(t, "a.arrow", whole)
			for n := len(whole) - 1; n > 0; n -= 23 * faultStep() {
				require.NoError(t, os.WriteFile(path, whole, 0o644))
				file, err := os.Open(path)
				require.NoError(t, err)
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				f, err := ipcx.NewFileReader(file, append(opts, ipcx.WithAllocator(mem))...)
				require.NoError(t, err)
				require.NoError(t, os.Truncate(path, int64(n)))
				for i, b := range footer.RecordBatches {
					rec, err := f.Read()
					head := b.Offset + int64(b.MetaDataLength)
					if end := head + b.BodyLength; int64(n) < head || int64(n) < end && how != "columns" {
						requireShorter(t, err, "%s, %s, batch %d, %d bytes", name, how, i, n)
						continue
					} else if int64(n) >= end {
						require.NoError(t, err, "%s, %s, batch %d, %d bytes", name, how, i, n)
					}
					if err == nil { // nothing that it needs was cut
						require.Equal(t, fmt.Sprint(want.Batches[i]), fmt.Sprint(rec))
					} else {
						requireShorter(t, err)
					}
				}
				require.NoError(t, f.Close())
				mem.AssertSize(t, 0)
				require.NoError(t, file.Close())
			}
		}
	}
}

// TestConvertCut makes the source of a conversion shorter while it goes on.
func TestConvertCut(t *testing.T) {
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithColumns("text")}} {
		whole := writeFile(t, smallBatches(3), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
		footer, _ := footerOf(t, whole)
		last := footer.RecordBatches[2]
		good, err := convert(whole, opts...)
		require.NoError(t, err)
		_, path := folderOf(t, "a.arrow", whole)
		for n := int(last.Offset) + int(last.MetaDataLength); n > 0; n -= 13 * faultStep() {
			require.NoError(t, os.WriteFile(path, whole, 0o644))
			file, err := os.Open(path)
			require.NoError(t, err)
			var out bytes.Buffer
			dst := &atByte{Writer: &out, n: 1, do: func() { require.NoError(t, os.Truncate(path, int64(n))) }}
			_, err = ipcx.Convert(context.Background(), dst, file, opts...)
			requireShorter(t, err, "%d bytes", n)
			require.True(t, bytes.HasPrefix(good, out.Bytes()))
			require.NoError(t, file.Close())
		}
	}
}

// TestStreamCutWhileOpen makes a stream shorter while it is read.
func TestStreamCutWhileOpen(t *testing.T) {
	whole := write(t, smallBatches(3), flaggedPlain()...)
	want := drainBytes(whole)
	positions := ends(t, whole)
	_, path := folderOf(t, "a.arrows", whole)
	for n := len(whole) - 9; n > 0; n -= 7 * faultStep() {
		require.NoError(t, os.WriteFile(path, whole, 0o644))
		file, err := os.Open(path)
		require.NoError(t, err)
		r, err := ipcx.NewReader(file)
		require.NoError(t, err)
		require.True(t, r.Next())
		require.NoError(t, os.Truncate(path, int64(n)))
		read := 1
		for r.Next() {
			require.Equal(t, fmt.Sprint(want.Batches[read]), fmt.Sprint(r.RecordBatch()))
			read++
		}
		if at, err := file.Seek(0, io.SeekCurrent); err == nil && positions[int(at)] == read && int(at) >= n {
			require.NoError(t, r.Err(), "between two messages, where a stream may end")
		} else {
			requireFault(t, r.Err(), io.ErrUnexpectedEOF, "%d bytes", n)
		}
		r.Release()
		require.NoError(t, file.Close())
	}
}

// TestFileGrown has files that grow: the open reader takes no notice, and what
// stands there is no longer an Arrow file by its end.
func TestFileGrown(t *testing.T) {
	for name, whole := range faultFiles(t) {
		want := drainFile(t, "reader", whole)
		_, path := folderOf(t, "a.arrow", whole)
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		require.NoError(t, err)
		f, err := ipcx.NewFileReader(file)
		require.NoError(t, err)
		_, err = file.WriteAt(bytes.Repeat([]byte("more "), 100), int64(len(whole)))
		require.NoError(t, err)
		requireSame(t, want, readBatches(f))
		require.NoError(t, f.Close())

		_, err = ipcx.NewFileReader(file)
		require.ErrorIs(t, err, ipcx.ErrNotArrow, name)
		f, err = ipcx.NewFileReader(file, ipcx.WithFooterOffset(int64(len(whole))))
		require.NoError(t, err)
		requireSame(t, want, readBatches(f))
		require.NoError(t, f.Close())
		require.NoError(t, file.Close())
	}
}

// TestFileReplaced puts another file in the place of one that is open: by a
// rename, of which an open reader knows nothing, and by writing over it, where
// messages that are not what the footer has are an error.
func TestFileReplaced(t *testing.T) {
	files := faultFiles(t)
	for name, whole := range files {
		for other, data := range files {
			if name == other || strings.HasPrefix(name, "flagged") && strings.HasPrefix(other, "flagged") {
				continue
			}
			want := drainFile(t, "reader", whole)
			for _, rename := range []bool{true, false} {
				if rename && runtime.GOOS == "windows" {
					continue // it does not let go of a file that is open
				}
				dir, path := folderOf(t, "a.arrow", whole)
				file, err := os.Open(path)
				require.NoError(t, err)
				f, err := ipcx.NewFileReader(file)
				require.NoError(t, err)
				if rename {
					src := filepath.Join(dir, "b.arrow")
					require.NoError(t, os.WriteFile(src, data, 0o644))
					_, err = ipcx.ConvertFile(context.Background(), path, src)
					require.NoError(t, err)
					requireSame(t, want, readBatches(f))
				} else {
					require.NoError(t, os.WriteFile(path, data, 0o644))
					for i := range f.NumRecords() {
						_, err := f.RecordBatchAt(i)
						require.Error(t, err, "%s under %s", other, name)
						require.Regexp(t, "^ipcx: ", err.Error())
					}
				}
				require.NoError(t, f.Close())
				require.NoError(t, file.Close())
			}
		}
	}
}
