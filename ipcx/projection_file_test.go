package ipcx_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/datasets"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// storedColumns gives the stored bytes of each column in the record batch with
// the metadata given, as places in its body.
func storedColumns(t *testing.T, schema *arrow.Schema, metadata []byte) (columns [][]*flatbuf.BufferT) {
	t.Helper()
	fb := flatbuf.GetRootAsMessage(metadata, 0).UnPack()
	batch := batchOf(fb)
	table := layout.Of(schema)
	roles, err := table.Buffers(layout.Version(fb.Version), batch.VariadicBufferCounts)
	require.NoError(t, err)
	require.Len(t, batch.Buffers, len(roles))
	columns = make([][]*flatbuf.BufferT, schema.NumFields())
	for i, b := range batch.Buffers {
		b.Offset &^= -1 << 63
		column := table.Nodes()[roles[i].Node].Column
		columns[column] = append(columns[column], b)
	}
	return columns
}

// blockOf gives the metadata and the body of a block.
func blockOf(file []byte, b *flatbuf.BlockT) raw {
	start := b.Offset + int64(b.MetaDataLength)
	return raw{metadata: file[b.Offset+8 : start], body: file[start : start+b.BodyLength]}
}

// needed adds up what reading some columns of a file needs: footer, metadata and
// the stored bytes of the columns. dictionaries says whether those are needed,
// too.
func needed(t *testing.T, schema *arrow.Schema, file []byte, dictionaries bool, columns ...int) (n int64) {
	t.Helper()
	footer, start := footerOf(t, file)
	n = int64(len(file) - start)
	for _, b := range footer.Dictionaries {
		n += int64(b.MetaDataLength)
		if dictionaries {
			n += b.BodyLength
		}
	}
	for _, b := range footer.RecordBatches {
		n += int64(b.MetaDataLength)
		stored := storedColumns(t, schema, blockOf(file, b).metadata)
		for _, column := range columns {
			for _, buf := range stored[column] {
				n += buf.Length
			}
		}
	}
	return n
}

// TestProjectionReadsLittle counts the bytes that are read of a file for some
// columns: within 5 % of what they need.
func TestProjectionReadsLittle(t *testing.T) {
	wide, ok := datasets.ByName("wide")
	require.True(t, ok)
	batches := wide.Batches(memory.DefaultAllocator, 1000, 500)
	last := wide.Schema.NumFields() - 1
	for _, v := range variants() {
		if v.codec != ipcx.Uncompressed && !v.flag {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			file := writeFile(t, batches, v.options()...)
			for _, columns := range [][]int{{}, {0}, {last}, {1, 2}, {last, 3}, {5, 0, 3}} {
				requireReadsLittle(t, wide.Schema, file, columns)
			}
		})
	}
	t.Run("real tables", func(t *testing.T) {
		for _, path := range testdata.Tables(t) {
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			file, err := convert(data, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
			require.NoError(t, err)
			schema := drainFile(t, "reader", file).Schema
			n := schema.NumFields()
			for i := 0; i < n; i += n/2 + 1 {
				requireReadsLittle(t, schema, file, []int{i, (i + 2) % n})
			}
		}
	})
}

func requireReadsLittle(t *testing.T, schema *arrow.Schema, file []byte, columns []int) {
	t.Helper()
	if len(columns) == 2 && columns[0] == columns[1] {
		columns = columns[:1]
	}
	need := needed(t, schema, file, false, columns...)
	src := newCounting(file)
	f, err := ipcx.NewFileReader(src, ipcx.WithColumnIndexes(columns...))
	require.NoError(t, err)
	require.NoError(t, readBatches(f).Err)
	require.NoError(t, f.Close())
	// The end of the file in two calls, then for each batch its metadata and each
	// column, whose buffers lie side by side.
	require.LessOrEqual(t, src.calls.Load(), int64(2+f.NumRecords()*(1+len(columns))))
	got := src.reset()
	require.GreaterOrEqual(t, got, need)
	require.LessOrEqual(t, float64(got), 1.05*float64(need), "columns %v: %d bytes read, %d needed of %d", columns, got, need, len(file))

	_, err = src.Seek(0, io.SeekStart)
	require.NoError(t, err)
	_, err = ipcx.Convert(context.Background(), io.Discard, src, ipcx.WithColumnIndexes(columns...))
	require.NoError(t, err)
	got = src.reset()
	require.LessOrEqual(t, float64(got), 1.05*float64(need)+6, "columns %v converted: %d bytes read, %d needed of %d", columns, got, need, len(file))
}

// TestProjectionReadsNoDictionary does not read the dictionaries that columns
// left out have.
func TestProjectionReadsNoDictionary(t *testing.T) {
	fields := append(dictionaryFields(), arrow.Field{Name: "number", Type: arrow.PrimitiveTypes.Int64})
	file := writeFile(t, generated(fields, 200, false))
	schema := drainFile(t, "reader", file).Schema
	for _, columns := range [][]int{{len(fields) - 1}, {}} {
		src := newCounting(file)
		f, err := ipcx.NewFileReader(src, ipcx.WithColumnIndexes(columns...))
		require.NoError(t, err)
		require.NoError(t, readBatches(f).Err)
		need := needed(t, schema, file, false, columns...)
		require.Equal(t, need, src.reset())
		require.NoError(t, f.Close())

		_, err = src.Seek(0, io.SeekStart)
		require.NoError(t, err)
		_, err = ipcx.Convert(context.Background(), io.Discard, src, ipcx.WithColumnIndexes(columns...))
		require.NoError(t, err)
		require.Equal(t, need+6, src.reset(), "and the magic at the start")
	}
}

// spoil overwrites what a batch stores for the columns that keep does not have,
// with bytes that are no compressed data.
func spoil(t *testing.T, schema *arrow.Schema, m raw, keep []int) {
	t.Helper()
	for column, stored := range storedColumns(t, schema, m.metadata) {
		if slices.Contains(keep, column) {
			continue
		}
		for _, b := range stored {
			for i := range b.Length {
				m.body[b.Offset+i] = 0x7F
			}
		}
	}
}

func spoilBody(m raw) {
	for i := range m.body {
		m.body[i] = 0x7F
	}
}

// TestProjectionSkips breaks the compressed bytes of all columns but some, which
// can still be read.
func TestProjectionSkips(t *testing.T) {
	fields := slices.Concat(arrowgen.MappedTypes(), arrowgen.Nested(2))
	all := append(slices.Clone(fields), dictionaryFields()...)
	for name, fields := range map[string][]arrow.Field{"mapped types": fields, "and dictionaries": all} {
		batches := generated(fields, 20, false)
		for _, v := range variants() {
			if v.codec == ipcx.Uncompressed || v.flag != (name == "mapped types") {
				continue
			}
			t.Run(name+", "+v.name, func(t *testing.T) {
				wholeFile, wholeStream := writeFile(t, batches, v.options()...), write(t, batches, v.options()...)
				full := drainFile(t, "reader", wholeFile)
				require.NoError(t, full.Err)
				for _, keep := range [][]int{{0, 20}, {60, 46}} {
					file, data := bytes.Clone(wholeFile), bytes.Clone(wholeStream)
					footer, _ := footerOf(t, file)
					for _, b := range footer.Dictionaries {
						spoilBody(blockOf(file, b))
					}
					for _, b := range footer.RecordBatches {
						spoil(t, full.Schema, blockOf(file, b), keep)
					}
					for _, m := range messages(t, data)[1:] {
						if flatbuf.GetRootAsMessage(m.metadata, 0).HeaderType() == flatbuf.MessageHeaderDictionaryBatch {
							spoilBody(m)
						} else {
							spoil(t, full.Schema, m, keep)
						}
					}
					requireProjected(t, full, data, file, keep)
					for how, read := range projections {
						require.Error(t, read(t, data, file).Err, how)
						require.Error(t, read(t, data, file, ipcx.WithColumnIndexes(keep[0], 1)).Err, how)
					}
				}
			})
		}
	}
}

// TestProjectionSkipsPlain is TestProjectionSkips for bytes that are not
// compressed, where what is broken is only seen in the values.
func TestProjectionSkipsPlain(t *testing.T) {
	batches := generated(arrowgen.MappedTypes(), 20, false)
	full := drainBytes(write(t, batches))
	for _, opts := range [][]ipcx.Option{nil, flaggedPlain()} {
		data, file := write(t, batches, opts...), writeFile(t, batches, opts...)
		keep := []int{16, 3}
		footer, _ := footerOf(t, file)
		for _, b := range footer.RecordBatches {
			spoil(t, full.Schema, blockOf(file, b), keep)
		}
		for _, m := range messages(t, data)[1:] {
			spoil(t, full.Schema, m, keep)
		}
		requireProjected(t, full, data, file, keep)
	}
}

// BenchmarkProjection reads all 14 columns of a flagged file, and two of the
// numeric ones, which should take a quarter of the time at most.
func BenchmarkProjection(b *testing.B) {
	dir := filepath.Dir(testdata.Tables(b)[0])
	data, err := os.ReadFile(filepath.Join(dir, "birdstrikes.arrow"))
	if err != nil {
		b.Skip(err)
	}
	file, err := convert(data, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	require.NoError(b, err)
	f, err := ipcx.NewFileReader(bytes.NewReader(file))
	require.NoError(b, err)
	var numeric []string
	for _, field := range f.Schema().Fields() {
		if arrow.IsInteger(field.Type.ID()) || arrow.IsFloating(field.Type.ID()) {
			numeric = append(numeric, field.Name)
		}
	}
	require.GreaterOrEqual(b, len(numeric), 2)
	run := func(name string, opts ...ipcx.Option) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f, err := ipcx.NewFileReader(bytes.NewReader(file), opts...)
				if err != nil {
					b.Fatal(err)
				}
				for i := range f.NumRecords() {
					rec, err := f.RecordBatchAt(i)
					if err != nil {
						b.Fatal(err)
					}
					rec.Release()
				}
				f.Close()
			}
		})
	}
	run("all")
	run("two", ipcx.WithColumns(numeric[:2]...))
}
