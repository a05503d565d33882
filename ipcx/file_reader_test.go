package ipcx_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestFileReaderMethods holds every method against arrow-go's reader.
func TestFileReaderMethods(t *testing.T) {
	batches := generated(append(arrowgen.MappedTypes(), dictionaryFields()...), 20, false)
	data := arrowFile(t, batches)
	ar, err := ipc.NewFileReader(bytes.NewReader(data))
	require.NoError(t, err)
	defer ar.Close()
	for how, open := range openers {
		t.Run(how, func(t *testing.T) {
			f, err := open(t, data)
			require.NoError(t, err)
			require.Equal(t, ar.NumRecords(), f.NumRecords())
			require.Equal(t, ar.NumDictionaries(), f.NumDictionaries())
			require.Equal(t, ar.Version(), f.Version())
			require.Equal(t, ipcx.MetadataV5, f.Version())
			require.NoError(t, oracle.SameSchema(ar.Schema(), f.Schema()))

			for i := range batches {
				want, err := ar.RecordBatchAt(i)
				require.NoError(t, err)
				for name, get := range map[string]func() (arrow.RecordBatch, error){
					"RecordBatchAt": func() (arrow.RecordBatch, error) { return f.RecordBatchAt(i) },
					"RecordAt":      func() (arrow.RecordBatch, error) { return f.RecordAt(i) },
					"RecordBatch":   func() (arrow.RecordBatch, error) { return f.RecordBatch(i) },
					"Record":        func() (arrow.RecordBatch, error) { return f.Record(i) },
					"ReadAt":        func() (arrow.RecordBatch, error) { return f.ReadAt(int64(i)) },
				} {
					got, err := get()
					require.NoError(t, err, name)
					require.NoError(t, oracle.SameBatch(want, got), name)
				}
			}
			// What was read at random has no influence on Read.
			for i := range batches {
				want, err := ar.RecordBatchAt(i)
				require.NoError(t, err)
				got, err := f.Read()
				require.NoError(t, err)
				require.NoError(t, oracle.SameBatch(want, got))
			}
			for range 2 {
				got, err := f.Read()
				require.Equal(t, io.EOF, err)
				require.Nil(t, got)
			}
			require.NoError(t, f.Close())
		})
	}
}

func TestFileReaderRange(t *testing.T) {
	data := writeFile(t, []arrow.RecordBatch{smallBatch(), smallBatch()})
	for how, open := range openers {
		t.Run(how, func(t *testing.T) {
			f, err := open(t, data)
			require.NoError(t, err)
			defer f.Close()
			for _, i := range []int{-1, 2, math.MaxInt, math.MinInt} {
				for name, get := range map[string]func() (arrow.RecordBatch, error){
					"RecordBatchAt": func() (arrow.RecordBatch, error) { return f.RecordBatchAt(i) },
					"RecordAt":      func() (arrow.RecordBatch, error) { return f.RecordAt(i) },
					"RecordBatch":   func() (arrow.RecordBatch, error) { return f.RecordBatch(i) },
					"Record":        func() (arrow.RecordBatch, error) { return f.Record(i) },
					"ReadAt":        func() (arrow.RecordBatch, error) { return f.ReadAt(int64(i)) },
				} {
					rec, err := get()
					require.ErrorIs(t, err, arrow.ErrIndex, name)
					require.ErrorContains(t, err, "that has 2", name)
					require.Nil(t, rec)
				}
			}
			// It can be read on.
			rec, err := f.Read()
			require.NoError(t, err)
			require.Equal(t, int64(3), rec.NumRows())
		})
	}
}

func TestFileReaderClosed(t *testing.T) {
	data := writeFile(t, []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 3)}, ipcx.WithZstd())
	for how, open := range openers {
		t.Run(how, func(t *testing.T) {
			f, err := open(t, data)
			require.NoError(t, err)
			owned, err := f.RecordBatchAt(1)
			require.NoError(t, err)
			_, err = f.RecordBatch(0)
			require.NoError(t, err)
			require.NoError(t, f.Close())
			require.NoError(t, f.Close())

			for _, get := range []func() (arrow.RecordBatch, error){
				func() (arrow.RecordBatch, error) { return f.RecordBatchAt(0) },
				func() (arrow.RecordBatch, error) { return f.RecordBatch(0) },
				func() (arrow.RecordBatch, error) { return f.ReadAt(0) },
				f.Read,
			} {
				rec, err := get()
				require.ErrorContains(t, err, "closed")
				require.NotErrorIs(t, err, io.EOF)
				require.Nil(t, rec)
			}
			require.Equal(t, 2, f.NumRecords())
			require.Equal(t, 1, f.NumDictionaries())
			require.Equal(t, int64(2), f.Stats().RecordBatches)
			require.NoError(t, oracle.SameBatch(oracle.File(data).Batches[1], owned))
			owned.Release()
		})
	}
}

// TestFileReaderLeaks counts the memory of batches of every type, small ones and
// those of which an idle reader keeps nothing.
func TestFileReaderLeaks(t *testing.T) {
	for name, batches := range map[string][]arrow.RecordBatch{
		"small":               generated(append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...), 20, true),
		"nested dictionaries": nestedDictionaries(),
		"big":                 bigBatches(),
	} {
		want := oracle.File(writeFile(t, batches, ipcx.WithDictionaryDeltas(true)))
		require.NoError(t, want.Err)
		for _, v := range []variant{{"plain", ipcx.Uncompressed, false}, {"zstd", ipcx.Zstd, true}} {
			data := writeFile(t, batches, append(v.options(), ipcx.WithDictionaryDeltas(true))...)
			for how, open := range openers {
				t.Run(name+", "+v.name+", "+how, func(t *testing.T) {
					mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
					defer mem.AssertSize(t, 0)
					f, err := open(t, data, ipcx.WithAllocator(mem))
					require.NoError(t, err)
					for range 2 {
						for i := range batches {
							rec, err := f.RecordBatchAt(i)
							require.NoError(t, err)
							require.NoError(t, oracle.SameBatch(want.Batches[i], rec))
							rec.Release()
							if name == "big" {
								require.Less(t, mem.CurrentAlloc(), 1<<20, "a big batch is kept")
							}
						}
					}
					_, err = f.RecordBatch(1)
					require.NoError(t, err)
					last, err := f.Read()
					require.NoError(t, err)
					last.Retain()
					require.NoError(t, f.Close())
					require.NoError(t, oracle.SameBatch(want.Batches[0], last))
					last.Release()
				})
			}
		}
	}
}

// bigBatches are of every type, with bodies of more than 1 MiB each.
func bigBatches() []arrow.RecordBatch {
	wide := arrow.Field{Name: "wide", Type: &arrow.FixedSizeBinaryType{ByteWidth: 60 << 10}}
	fields := append(arrowgen.UnmappedTypes(), arrowgen.MappedTypes()...)
	return generated(append(fields, wide), 20, false)[1:]
}

// TestFileReaderOpensLittle counts what is read of a file when it is opened: its
// end, and the dictionaries.
func TestFileReaderOpensLittle(t *testing.T) {
	fields := append(arrowgen.MappedTypes(), dictionaryFields()...)
	for _, fields := range [][]arrow.Field{arrowgen.MappedTypes(), fields} {
		data := writeFile(t, generated(fields, 200, false), ipcx.WithZstd())
		footer, start := footerOf(t, data)
		need := int64(len(data) - start)
		for _, b := range footer.Dictionaries {
			need += int64(b.MetaDataLength) + b.BodyLength
		}
		file := newCounting(data)
		f, err := ipcx.NewFileReader(file)
		require.NoError(t, err)
		require.Equal(t, need, file.reset())

		// And then each batch, once.
		for i, b := range footer.RecordBatches {
			rec, err := f.RecordBatchAt(i)
			require.NoError(t, err)
			rec.Release()
			require.Equal(t, int64(b.MetaDataLength)+b.BodyLength, file.reset())
		}
		require.NoError(t, f.Close())
	}
}

// TestFileReaderSchema has readers that expect a schema.
func TestFileReaderSchema(t *testing.T) {
	data := writeFile(t, []arrow.RecordBatch{smallBatch()})
	for how, open := range openers {
		f, err := open(t, data, ipcx.WithSchema(smallBatch().Schema()), ipcx.WithDelayReadSchema(true))
		require.NoError(t, err, how)
		require.True(t, smallBatch().Schema().Equal(f.Schema()))
		require.NoError(t, f.Close())

		for _, delay := range []bool{false, true} {
			_, err = open(t, data, ipcx.WithSchema(dictionaryBatch(1, 3).Schema()), ipcx.WithDelayReadSchema(delay))
			require.Error(t, err, how)
		}
		_, err = open(t, data, ipcx.WithCodec(9))
		require.ErrorIs(t, err, ipcx.ErrOption)
	}
}

// TestFileReaderOffset has files that other bytes follow.
func TestFileReaderOffset(t *testing.T) {
	data := writeFile(t, []arrow.RecordBatch{smallBatch()})
	long := append(bytes.Clone(data), "ARROW1 and so on"...)
	want := oracle.File(data)
	for how := range openers {
		requireSame(t, want, drainFile(t, how, long, ipcx.WithFooterOffset(int64(len(data)))))
		requireSame(t, want, drainFile(t, how, data, ipcx.WithFooterOffset(0)))
		requireSame(t, want, drainFile(t, how, data, ipcx.WithFooterOffset(-5)))
		requireSame(t, want, drainFile(t, how, data, ipcx.WithFooterOffset(1<<40)))
		require.ErrorIs(t, drainFile(t, how, long).Err, ipcx.ErrNotArrow)
		require.ErrorIs(t, drainFile(t, how, data, ipcx.WithFooterOffset(100)).Err, ipcx.ErrNotArrow)
	}
}

// failing is a file whose bytes from one place on cannot be read.
type failing struct {
	*bytes.Reader
	from int64
	err  error
}

func (f *failing) ReadAt(p []byte, at int64) (int, error) {
	if n := f.from - at; n < int64(len(p)) {
		got, _ := f.Reader.ReadAt(p[:max(n, 0)], at)
		return got, f.err
	}
	return f.Reader.ReadAt(p, at)
}

func (f *failing) Seek(at int64, whence int) (int64, error) {
	if f.from < 0 {
		return 0, f.err
	}
	return f.Reader.Seek(at, whence)
}

// TestFileReaderFails has files that cannot be read in places.
func TestFileReaderFails(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 3), dictionaryBatch(0, 3)}
	boom := errors.New("boom")
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}} {
		data := writeFile(t, batches, opts...)
		_, err := ipcx.NewFileReader(&failing{bytes.NewReader(data), -1, boom})
		require.ErrorIs(t, err, boom)
		for _, projected := range [][]ipcx.Option{nil, {ipcx.WithColumns("number")}} {
			for _, cause := range []error{boom, io.EOF} {
				file := &failing{bytes.NewReader(data), int64(len(data)), cause}
				f, err := ipcx.NewFileReader(file, projected...)
				require.NoError(t, err)
				footer, _ := footerOf(t, data)
				for i, b := range footer.RecordBatches {
					for _, file.from = range []int64{b.Offset, b.Offset + int64(b.MetaDataLength) - 1, b.Offset + int64(b.MetaDataLength) + 1} {
						rec, err := f.RecordBatchAt(i)
						require.Nil(t, rec)
						require.ErrorContains(t, err, "ipcx: ")
						require.NotErrorIs(t, err, io.EOF)
						if cause == boom {
							require.ErrorIs(t, err, boom)
						} else {
							require.ErrorIs(t, err, io.ErrUnexpectedEOF)
						}
					}
					file.from = int64(len(data))
					rec, err := f.RecordBatchAt(i)
					require.NoError(t, err, "after an error")
					require.Equal(t, int64(5), rec.NumRows())
				}
				require.NoError(t, f.Close())
			}
		}
	}
}

// TestFileReaderBroken breaks one batch of a file: the others can be read.
func TestFileReaderBroken(t *testing.T) {
	batches := []arrow.RecordBatch{smallBatch(), smallBatch(), smallBatch()}
	data := writeFile(t, batches, ipcx.WithZstd())
	footer, _ := footerOf(t, data)
	for name, with := range map[string]byte{"no compressed bytes": 0x7F, "empty buffers": 0} {
		bad := bytes.Clone(data)
		body := blockOf(bad, footer.RecordBatches[1]).body
		for i := range body {
			body[i] = with
		}
		for how, open := range openers {
			t.Run(name+", "+how, func(t *testing.T) {
				f, err := open(t, bad)
				require.NoError(t, err)
				requireOneBroken(t, f, batches[0])
				require.NoError(t, f.Close())
			})
		}
	}
}

// requireOneBroken requires all batches of a file but the second one to be good.
func requireOneBroken(t *testing.T, f *ipcx.FileReader, good arrow.RecordBatch) {
	t.Helper()
	want := []arrow.RecordBatch{good}
	for range 2 {
		_, err := f.RecordBatchAt(1)
		require.ErrorContains(t, err, "ipcx: record batch 1: ")
		for _, i := range []int{0, 2} {
			rec, err := f.RecordBatchAt(i)
			require.NoError(t, err)
			requireEqual(t, want, []arrow.RecordBatch{rec})
		}
	}
	// Read goes on, too.
	var errs []error
	for range 4 {
		_, err := f.Read()
		errs = append(errs, err)
	}
	require.NoError(t, errs[0])
	require.ErrorContains(t, errs[1], "ipcx: record batch 1: ")
	require.NoError(t, errs[2])
	require.Equal(t, io.EOF, errs[3])
}

// poor is an allocator that has nothing to give, for a while.
type poor struct {
	memory.Allocator
	times int
}

func (p *poor) Allocate(size int) []byte {
	if p.times--; p.times >= 0 {
		panic("no memory")
	}
	return p.Allocator.Allocate(size)
}

// TestFileReaderRecovers has arrow-go fail over a batch that is all right, as it
// merges dictionaries. It can be read later.
func TestFileReaderRecovers(t *testing.T) {
	batches := generated(dictionaryFields(), 10, true)
	data := readOnly(t, writeFile(t, batches, ipcx.WithDictionaryDeltas(true)))
	f, err := ipcx.NewMappedFileReader(data, ipcx.WithAllocator(&poor{memory.NewGoAllocator(), 2}))
	require.NoError(t, err)
	for range 2 {
		_, err = f.RecordBatchAt(0)
		require.ErrorContains(t, err, "no memory")
	}
	requireSame(t, oracle.File(data), readBatches(f))
	require.NoError(t, f.Close())
}
