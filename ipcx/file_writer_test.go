package ipcx_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// annotatedBatches have metadata in their schema, in a field and in the
// messages.
func annotatedBatches() []arrow.RecordBatch {
	plain := smallBatch()
	fields := plain.Schema().Fields()
	fields[1].Metadata = arrow.NewMetadata([]string{"unit"}, []string{"words"})
	md := arrow.NewMetadata([]string{"b", "a", "empty"}, []string{"2", "1", ""})
	schema := arrow.NewSchema(fields, &md)
	var batches []arrow.RecordBatch
	for _, md := range []arrow.Metadata{
		arrow.NewMetadata([]string{"batch", "note"}, []string{"first", ""}),
		{},
		arrow.NewMetadata([]string{"batch"}, []string{"third"}),
	} {
		batches = append(batches, array.NewRecordBatchWithMetadata(schema, plain.Columns(), plain.NumRows(), md))
	}
	return batches
}

// fileCases are batches to write, by what is special about them.
func fileCases() map[string][]arrow.RecordBatch {
	return map[string][]arrow.RecordBatch{
		"mapped types":        generated(arrowgen.MappedTypes(), 40, false),
		"nested types":        generated(arrowgen.Nested(0), 30, false),
		"unmapped types":      generated(arrowgen.UnmappedTypes(), 40, false),
		"few rows":            generated(arrowgen.MappedTypes(), 0, false),
		"metadata":            annotatedBatches(),
		"nested dictionaries": nestedDictionaries(),
		"no columns": {
			array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 3),
			array.NewRecordBatch(arrow.NewSchema(nil, nil), nil, 0),
		},
	}
}

// TestFileWriterBytes holds the bytes of files against arrow-go's: equal up to
// the footer, which says the same.
func TestFileWriterBytes(t *testing.T) {
	for name, batches := range fileCases() {
		t.Run(name, func(t *testing.T) {
			want, got := arrowFile(t, batches), writeFile(t, batches)
			wantFooter, wantEnd := footerOf(t, want)
			gotFooter, gotEnd := footerOf(t, got)
			require.Equal(t, wantEnd, gotEnd)
			require.True(t, bytes.Equal(want[:wantEnd], got[:gotEnd]), "the messages differ")
			require.Len(t, gotFooter.RecordBatches, len(batches))
			require.Equal(t, wantFooter, gotFooter)
		})
	}
}

// TestFileWriterRead has arrow-go read what was written, or refuse it where
// there are flagged messages, and this package read all of it.
func TestFileWriterRead(t *testing.T) {
	flagged := 0
	for name, batches := range fileCases() {
		want := oracle.File(arrowFile(t, batches))
		require.NoError(t, want.Err)
		for _, v := range variants() {
			t.Run(name+", "+v.name, func(t *testing.T) {
				var out bytes.Buffer
				w, err := ipcx.NewFileWriter(&out, append(v.options(), ipcx.WithSchema(batches[0].Schema()))...)
				require.NoError(t, err)
				for _, rec := range batches {
					require.NoError(t, w.Write(rec))
				}
				require.NoError(t, w.Close())

				got := oracle.File(out.Bytes())
				if w.Stats().FlaggedBatches == 0 {
					requireSame(t, want, got)
				} else {
					empty := 0 // batches without rows, which come first
					for batches[empty].NumRows() == 0 {
						empty++
					}
					require.Equal(t, int64(len(batches)-empty), w.Stats().FlaggedBatches)
					require.Error(t, got.Err)
					require.Len(t, got.Batches, empty, "arrow-go takes lengths for offsets")
					flagged++
				}
				for how := range openers {
					res := drainFile(t, how, out.Bytes())
					requireSame(t, want, res)
					requireEqual(t, batches, res.Batches)
				}
			})
		}
	}
	require.Equal(t, 4*3, flagged) // mapped types, nested types, few rows, metadata
}

// TestFileWriterIsStream has the stream inside a file: between the magic and
// the footer it is what Writer writes.
func TestFileWriterIsStream(t *testing.T) {
	batches := generated(arrowgen.MappedTypes(), 20, false)
	for _, v := range variants() {
		file := writeFile(t, batches, v.options()...)
		_, end := footerOf(t, file)
		require.Equal(t, write(t, batches, v.options()...), file[8:end], v.name)
	}
}

func TestFileWriterDeltas(t *testing.T) {
	fields := dictionaryFields()
	require.Len(t, fields, 6)
	batches := generated(fields, 40, true)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			file := writeFile(t, batches, append(v.options(), ipcx.WithDictionaryDeltas(true))...)
			footer, _ := footerOf(t, file)
			require.Len(t, footer.Dictionaries, 3*len(fields))

			got := oracle.File(file)
			require.NoError(t, got.Err)
			requireValues(t, batches, got.Batches)
			for how := range openers {
				res := drainFile(t, how, file)
				require.NoError(t, res.Err)
				requireSame(t, got, res)
			}
		})
	}
}

func TestFileWriterReplacement(t *testing.T) {
	first, same, other := dictionaryBatch(1, 3), dictionaryBatch(2, 3), dictionaryBatch(3, 5)
	shrunk := dictionaryBatch(1, 2)
	for name, bad := range map[string]struct {
		opts []ipcx.Option
		rec  arrow.RecordBatch
	}{
		"grown":             {nil, other},
		"shrunk":            {nil, shrunk},
		"shrunk for deltas": {[]ipcx.Option{ipcx.WithDictionaryDeltas(true)}, shrunk},
		"compressed":        {[]ipcx.Option{ipcx.WithZstd()}, other},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w, err := ipcx.NewFileWriter(&out, bad.opts...)
			require.NoError(t, err)
			require.NoError(t, w.Write(first))
			require.NoError(t, w.Write(same))
			before := out.Len()

			err = w.Write(bad.rec)
			require.ErrorIs(t, err, ipcx.ErrReplacement)
			require.ErrorContains(t, err, "dictionary 0 ")
			require.Equal(t, before, out.Len(), "something of the refused batch was written")
			require.Error(t, w.Write(first))
			require.Equal(t, before, out.Len())

			require.NoError(t, w.Close())
			require.NoError(t, w.Close())
			require.Error(t, w.Write(first))
			res := oracle.File(out.Bytes())
			require.NoError(t, res.Err)
			requireEqual(t, []arrow.RecordBatch{first, same}, res.Batches)
			for how := range openers {
				requireSame(t, res, drainFile(t, how, out.Bytes()))
			}
		})
	}
}

func TestFileWriterMetadata(t *testing.T) {
	batches := annotatedBatches()
	md := arrow.NewMetadata([]string{"writer", "empty"}, []string{"me", ""})
	for _, v := range variants() {
		file := writeFile(t, batches, append(v.options(), ipcx.WithFooterMetadata(md))...)
		footer, _ := footerOf(t, file)
		require.Len(t, footer.CustomMetadata, 2)
		require.Equal(t, "writer", footer.CustomMetadata[0].Key)
		require.Equal(t, "me", footer.CustomMetadata[0].Value)
		for how, open := range openers {
			f, err := open(t, file)
			require.NoError(t, err)
			require.Equal(t, md, f.FooterMetadata(), how)
			require.NoError(t, oracle.SameSchema(batches[0].Schema(), f.Schema()))
			res := readBatches(f)
			require.NoError(t, res.Err)
			requireEqual(t, batches, res.Batches)
			require.NoError(t, f.Close())
		}
	}
	f, err := ipcx.NewFileReader(bytes.NewReader(writeFile(t, batches)))
	require.NoError(t, err)
	require.Zero(t, f.FooterMetadata().Len())
	require.NoError(t, f.Close())
}

// TestFileWriterSchema has writers that were not given a schema.
func TestFileWriterSchema(t *testing.T) {
	batches := generated(arrowgen.MappedTypes(), 10, false)
	var out bytes.Buffer
	w, err := ipcx.NewFileWriter(&out)
	require.NoError(t, err)
	require.NoError(t, w.Write(batches[0]))
	written := out.Len()
	require.Error(t, w.Write(smallBatch()), "a batch of another schema")
	require.Equal(t, written, out.Len())
	require.NoError(t, w.Write(batches[1]))
	require.NoError(t, w.Write(batches[2]))
	require.NoError(t, w.Close())
	require.Equal(t, writeFile(t, batches), out.Bytes())

	out.Reset()
	w, err = ipcx.NewFileWriter(&out)
	require.NoError(t, err)
	err = w.Close()
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.Equal(t, err, w.Close())
	require.Zero(t, out.Len())
}

func TestFileWriterEmpty(t *testing.T) {
	for _, fields := range [][]arrow.Field{nil, arrowgen.MappedTypes(), arrowgen.UnmappedTypes()} {
		schema := arrow.NewSchema(fields, nil)
		for _, v := range variants() {
			var out, want bytes.Buffer
			w, err := ipcx.NewFileWriter(&out, append(v.options(), ipcx.WithSchema(schema))...)
			require.NoError(t, err)
			require.NoError(t, w.Close())

			aw, err := ipc.NewFileWriter(&want, ipc.WithSchema(schema))
			require.NoError(t, err)
			require.NoError(t, aw.Close())
			_, end := footerOf(t, want.Bytes())
			require.Equal(t, want.Bytes()[:end], out.Bytes()[:end])

			res := oracle.File(out.Bytes())
			require.NoError(t, res.Err)
			for how := range openers {
				requireSame(t, res, drainFile(t, how, out.Bytes()))
			}
		}
	}
}

func TestFileWriterClosed(t *testing.T) {
	rec := smallBatch()
	var out bytes.Buffer
	w, err := ipcx.NewFileWriter(&out)
	require.NoError(t, err)
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	written := out.Len()
	require.ErrorContains(t, w.Write(rec), "closed")
	require.NoError(t, w.Close())
	require.ErrorContains(t, w.Write(rec), "closed")
	require.Equal(t, written, out.Len())
	requireEqual(t, []arrow.RecordBatch{rec}, oracle.File(out.Bytes()).Batches)
}

func TestFileWriterOptions(t *testing.T) {
	for _, opt := range []ipcx.Option{ipcx.WithCodec(9), ipcx.WithZstdLevel(0), ipcx.WithAllocator(nil)} {
		w, err := ipcx.NewFileWriter(io.Discard, opt)
		require.ErrorIs(t, err, ipcx.ErrOption)
		require.Nil(t, w)
	}
}
