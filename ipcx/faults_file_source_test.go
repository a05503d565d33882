package ipcx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// oddFile is a file whose ReadAt is what a test wants, except for the magic at its
// start, which says that it is a file.
type oddFile struct {
	*bytes.Reader
	readAt func(r *bytes.Reader, p []byte, at int64) (int, error)
}

func (f *oddFile) ReadAt(p []byte, at int64) (int, error) {
	if at == 0 && len(p) == len(ipcx.Magic) {
		return f.Reader.ReadAt(p, at)
	}
	return f.readAt(f.Reader, p, at)
}

func (f *oddFile) Read([]byte) (int, error) { panic("a file is read where it is asked for") }

// fileDoor is a way to read a file by its footer.
type fileDoor struct {
	name string
	read func(r ipcx.ReadAtSeeker, mem memory.Allocator) (string, error)
}

func fileDoors() []fileDoor {
	all := []fileDoor{
		{"at", atDoor()},
		{"at, columns", atDoor(ipcx.WithColumns("number"))},
		{"in order", orderDoor()},
		{"ahead", orderDoor(ipcx.WithReadAhead(2))},
		{"ahead, decompress", orderDoor(ipcx.WithReadAhead(3), ipcx.WithDecompressConcurrency(2))},
	}
	for _, d := range pipeDoors() {
		all = append(all, fileDoor{d.name, func(r ipcx.ReadAtSeeker, mem memory.Allocator) (string, error) { return d.read(r, mem) }})
	}
	return append(all, fileDoor{"Convert, columns", func(r ipcx.ReadAtSeeker, _ memory.Allocator) (string, error) {
		var out bytes.Buffer
		_, err := ipcx.Convert(context.Background(), &out, r, ipcx.WithColumnIndexes(1))
		return out.String(), err
	}})
}

// atDoor reads a file's batches by their numbers.
func atDoor(opts ...ipcx.Option) func(ipcx.ReadAtSeeker, memory.Allocator) (string, error) {
	return func(r ipcx.ReadAtSeeker, mem memory.Allocator) (string, error) {
		f, err := ipcx.NewFileReader(r, append(opts, ipcx.WithAllocator(mem))...)
		if err != nil {
			return "", err
		}
		defer f.Close()
		var out strings.Builder
		for i := range f.NumRecords() {
			rec, err := f.RecordBatchAt(i)
			if err != nil {
				return out.String(), err
			}
			fmt.Fprintln(&out, rec)
			rec.Release()
		}
		return out.String(), nil
	}
}

// orderDoor reads a file's batches one after the other.
func orderDoor(opts ...ipcx.Option) func(ipcx.ReadAtSeeker, memory.Allocator) (string, error) {
	return func(r ipcx.ReadAtSeeker, mem memory.Allocator) (string, error) {
		f, err := ipcx.NewFileReader(r, append(opts, ipcx.WithAllocator(mem))...)
		if err != nil {
			return "", err
		}
		defer f.Close()
		var out strings.Builder
		for {
			rec, err := f.Read()
			if err == io.EOF {
				return out.String(), nil
			}
			if err != nil {
				return out.String(), err
			}
			fmt.Fprintln(&out, rec)
		}
	}
}

// through reads a file by a door and requires all memory to come back.
func (d fileDoor) through(t testing.TB, r ipcx.ReadAtSeeker) (string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	got, err := d.read(r, mem)
	mem.AssertSize(t, 0)
	return got, err
}

// faultFiles are small files to read with faults, by name.
func faultFiles(t testing.TB) map[string][]byte {
	return map[string][]byte{
		"plain":        writeFile(t, faultBatches(), ipcx.WithDictionaryDeltas(true)),
		"flagged":      writeFile(t, smallBatches(2), flaggedPlain()...),
		"flagged zstd": writeFile(t, smallBatches(2), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()),
	}
}

// TestOddFiles has files whose ReadAt does what io.ReaderAt allows, and what it
// does not.
func TestOddFiles(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, whole := range faultFiles(t) {
		for _, d := range fileDoors() {
			want, err := d.through(t, bytes.NewReader(whole))
			require.NoError(t, err, d.name)
			for _, odd := range []struct {
				how    string
				readAt func(r *bytes.Reader, p []byte, at int64) (int, error)
				cause  error // nil where the file can be read
			}{
				{"the end along with data", func(r *bytes.Reader, p []byte, at int64) (int, error) {
					n, _ := r.ReadAt(p, at)
					return n, io.EOF
				}, nil},
				{"an error along with all data", func(r *bytes.Reader, p []byte, at int64) (int, error) {
					n, _ := r.ReadAt(p, at)
					return n, errFault
				}, nil},
				{"half, and no error", func(r *bytes.Reader, p []byte, at int64) (int, error) { return r.ReadAt(p[:len(p)/2], at) }, io.ErrUnexpectedEOF},
				{"half, and the end", func(r *bytes.Reader, p []byte, at int64) (int, error) {
					n, _ := r.ReadAt(p[:len(p)/2], at)
					return n, io.EOF
				}, io.ErrUnexpectedEOF},
				{"nothing", func(*bytes.Reader, []byte, int64) (int, error) { return 0, nil }, io.ErrUnexpectedEOF},
				{"more than all", func(r *bytes.Reader, p []byte, at int64) (int, error) { return len(p) + 1, nil }, io.ErrUnexpectedEOF},
				{"less than nothing", func(*bytes.Reader, []byte, int64) (int, error) { return -1, nil }, io.ErrUnexpectedEOF},
			} {
				got, err := d.through(t, &oddFile{bytes.NewReader(whole), odd.readAt})
				if odd.cause == nil {
					require.NoError(t, err, "%s, %s, %s", name, d.name, odd.how)
					require.Equal(t, want, got, "%s, %s, %s", name, d.name, odd.how)
					continue
				}
				requireFault(t, err, odd.cause, "%s, %s, %s", name, d.name, odd.how)
			}
		}
	}
}

// TestFileFailsAnywhere has files of which one byte cannot be read, wherever it
// is: a footer that can be read, and batches that cannot.
func TestFileFailsAnywhere(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, whole := range faultFiles(t) {
		footer, start := footerOf(t, whole)
		blocks := append(footer.Dictionaries, footer.RecordBatches...)
		needed := func(n int) bool {
			for _, b := range blocks {
				if at := int64(n) - b.Offset; at >= 0 && at < int64(b.MetaDataLength)+b.BodyLength {
					return true
				}
			}
			return n >= start
		}
		for i, d := range fileDoors() {
			want, err := d.through(t, bytes.NewReader(whole))
			require.NoError(t, err, d.name)
			step := 3 * faultStep()
			for n := i % step; n < len(whole); n += step {
				failed := false
				got, err := d.through(t, &oddFile{bytes.NewReader(whole), func(r *bytes.Reader, p []byte, at int64) (int, error) {
					if at <= int64(n) && int64(n) < at+int64(len(p)) {
						failed = true
						return int(int64(n) - at), errFault
					}
					return r.ReadAt(p, at)
				}})
				if !failed { // nobody came to it
					require.True(t, !needed(n) || strings.Contains(d.name, "columns"), "%s, %s, byte %d", name, d.name, n)
					require.NoError(t, err, "%s, %s, byte %d", name, d.name, n)
					require.Equal(t, want, got, "%s, %s, byte %d", name, d.name, n)
					continue
				}
				requireFault(t, err, errFault, "%s, %s, byte %d", name, d.name, n)
				require.Truef(t, len(got) < len(want) && want[:len(got)] == got, "%s, %s, byte %d: other data", name, d.name, n)
			}
		}
	}
}

// TestFileFailsOnce has a file that fails at one call and can be read again at the
// next: what was asked for then is missing, and nothing else.
func TestFileFailsOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, whole := range faultFiles(t) {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithColumns("number")}, {ipcx.WithDecompressConcurrency(2)}} {
			for call := 0; ; call++ {
				calls := 0
				mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
				f, err := ipcx.NewFileReader(&oddFile{bytes.NewReader(whole), func(r *bytes.Reader, p []byte, at int64) (int, error) {
					if calls++; calls == call+1 {
						return 0, errFault
					}
					return r.ReadAt(p, at)
				}}, append(opts, ipcx.WithAllocator(mem))...)
				if err != nil {
					requireFault(t, err, errFault, "%s, call %d", name, call)
					mem.AssertSize(t, 0)
					continue
				}
				failed := 0
				for i := range f.NumRecords() {
					rec, err := f.RecordBatchAt(i)
					if err != nil {
						requireFault(t, err, errFault, "%s, call %d", name, call)
						require.Contains(t, err.Error(), fmt.Sprintf("record batch %d", i))
						failed++
						rec, err = f.RecordBatchAt(i)
						require.NoError(t, err, "%s, call %d", name, call)
					}
					want, err := ipcx.NewFileReader(bytes.NewReader(whole), opts...)
					require.NoError(t, err)
					wanted, err := want.RecordBatch(i)
					require.NoError(t, err)
					require.Equal(t, fmt.Sprint(wanted), fmt.Sprint(rec), "%s, call %d", name, call)
					require.NoError(t, want.Close())
					rec.Release()
				}
				require.NoError(t, f.Close())
				mem.AssertSize(t, 0)
				if calls <= call {
					require.Greater(t, call, 4)
					break
				}
				require.Equal(t, 1, failed, "%s, call %d", name, call)
			}
		}
	}
}

// TestFileCannotSeek has files that cannot say how long they are.
func TestFileCannotSeek(t *testing.T) {
	whole := faultFiles(t)["flagged"]
	_, err := ipcx.NewFileReader(&failing{bytes.NewReader(whole), -1, errFault})
	requireFault(t, err, errFault)
	// A conversion reads such a file as it does a pipe.
	var out bytes.Buffer
	_, err = ipcx.Convert(context.Background(), &out, &failing{bytes.NewReader(whole), -1, errors.ErrUnsupported})
	require.NoError(t, err)
	want, err := convert(whole)
	require.NoError(t, err)
	require.Equal(t, want, out.Bytes())
}
