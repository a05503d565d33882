package ipcx_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// projected has the given columns of a result alone.
func projected(full oracle.Result, columns ...int) oracle.Result {
	fields := make([]arrow.Field, len(columns))
	for i, column := range columns {
		fields[i] = full.Schema.Field(column)
	}
	md := full.Schema.Metadata()
	out := oracle.Result{Schema: arrow.NewSchemaWithEndian(fields, &md, full.Schema.Endianness())}
	for _, rec := range full.Batches {
		arrays := make([]arrow.Array, len(columns))
		for i, column := range columns {
			arrays[i] = rec.Column(column)
		}
		custom := rec.(arrow.RecordBatchWithMetadata).Metadata()
		out.Batches = append(out.Batches, array.NewRecordBatchWithMetadata(out.Schema, arrays, rec.NumRows(), custom))
	}
	return out
}

// projections are the ways to read some of the columns of a stream and of the
// file with the same batches.
var projections = map[string]func(t *testing.T, stream, file []byte, opts ...ipcx.Option) oracle.Result{
	"stream": func(_ *testing.T, stream, _ []byte, opts ...ipcx.Option) oracle.Result {
		return drainBytes(stream, opts...)
	},
	"reader": func(t *testing.T, _, file []byte, opts ...ipcx.Option) oracle.Result {
		return drainFile(t, "reader", file, opts...)
	},
	"mapped": func(t *testing.T, _, file []byte, opts ...ipcx.Option) oracle.Result {
		return drainFile(t, "mapped", file, opts...)
	},
	"converted stream": func(_ *testing.T, stream, _ []byte, opts ...ipcx.Option) oracle.Result {
		out, err := convert(stream, opts...)
		if err != nil {
			return oracle.Result{Err: err}
		}
		return oracle.Stream(out)
	},
	"converted file": func(_ *testing.T, _, file []byte, opts ...ipcx.Option) oracle.Result {
		out, err := convert(file, append(opts, ipcx.WithFormat(ipcx.FileFormat))...)
		if err != nil {
			return oracle.Result{Err: err}
		}
		return oracle.File(out)
	},
}

// requireProjected reads columns in every way.
func requireProjected(t *testing.T, full oracle.Result, stream, file []byte, columns []int) {
	t.Helper()
	want := projected(full, columns...)
	for how, read := range projections {
		got := read(t, stream, file, ipcx.WithColumnIndexes(columns...))
		require.NoError(t, got.Err, how)
		require.NoError(t, oracle.SameSchema(want.Schema, got.Schema), how)
		require.NoError(t, oracle.SameBatches(want.Batches, got.Batches), how)
	}
}

// TestProjectionTypes chooses a column of every type among others.
func TestProjectionTypes(t *testing.T) {
	before := arrow.Field{Name: "before", Type: arrow.BinaryTypes.String, Nullable: true}
	after := arrow.Field{Name: "after", Type: arrow.ListOf(arrow.BinaryTypes.StringView), Nullable: true}
	mapped := arrow.Field{Name: "after", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true}
	fields := slices.Concat(arrowgen.MappedTypes(), arrowgen.UnmappedTypes(), arrowgen.Nested(3))
	flagged := 0
	for i, f := range fields {
		t.Run(f.Name, func(t *testing.T) {
			for _, last := range []arrow.Field{after, mapped} {
				batches := generated([]arrow.Field{before, f, last}, 12, false)[1:]
				var opts []ipcx.Option
				if arrow.TypeEqual(last.Type, mapped.Type) {
					v := variants()[i%3*2+1]
					opts = append(opts, v.options()...)
				}
				var out bytes.Buffer
				w := ipcx.NewWriter(&out, opts...)
				for _, rec := range batches {
					require.NoError(t, w.Write(rec))
				}
				require.NoError(t, w.Close())
				flagged += int(w.Stats().FlaggedBatches)
				file := writeFile(t, batches, opts...)
				full := drainBytes(out.Bytes())
				require.NoError(t, full.Err)
				for _, columns := range [][]int{{1}, {2, 1}} {
					requireProjected(t, full, out.Bytes(), file, columns)
				}
			}
		})
	}
	require.Equal(t, 2*(len(arrowgen.MappedTypes())+len(arrowgen.Nested(3))), flagged)
}

// TestProjectionOrder chooses columns in several orders, by name and by place,
// with the metadata of schema and messages kept.
func TestProjectionOrder(t *testing.T) {
	batches := annotatedBatches()
	for _, v := range variants() {
		stream, file := write(t, batches, v.options()...), writeFile(t, batches, v.options()...)
		full := drainBytes(stream)
		for names, columns := range map[[3]string][]int{
			{"tags"}:                   {2},
			{"text"}:                   {1},
			{"tags", "number"}:         {2, 0},
			{"number", "tags"}:         {0, 2},
			{"number", "text", "tags"}: {0, 1, 2},
			{"tags", "text", "number"}: {2, 1, 0},
		} {
			requireProjected(t, full, stream, file, columns)
			want := projected(full, columns...)
			for how, read := range projections {
				got := read(t, stream, file, ipcx.WithColumns(names[:len(columns)]...))
				require.NoError(t, got.Err, how)
				require.NoError(t, oracle.SameBatches(want.Batches, got.Batches), "%s, %s: %v", how, v.name, names)
				require.Equal(t, "1", got.Schema.Metadata().Values()[1])
			}
		}
	}
}

// TestProjectionWithSchema has readers that expect the schema of the columns.
func TestProjectionWithSchema(t *testing.T) {
	batches := annotatedBatches()
	stream, file := write(t, batches), writeFile(t, batches)
	full := drainBytes(stream)
	want := projected(full, 1)
	for _, how := range []string{"stream", "reader", "mapped"} {
		read := projections[how]
		require.NoError(t, read(t, stream, file, ipcx.WithColumns("text"), ipcx.WithSchema(want.Schema)).Err, how)
		require.Error(t, read(t, stream, file, ipcx.WithColumns("text"), ipcx.WithSchema(full.Schema)).Err, how)
	}
	got := drainBytes(stream, ipcx.WithColumns("text"), ipcx.WithDelayReadSchema(true))
	require.NoError(t, got.Err)
	require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
}

// TestProjectionNone counts rows without any column.
func TestProjectionNone(t *testing.T) {
	batches := generated(append(arrowgen.MappedTypes(), dictionaryFields()...), 20, false)
	for _, v := range variants() {
		stream, file := write(t, batches, v.options()...), writeFile(t, batches, v.options()...)
		for how, read := range projections {
			for _, opt := range []ipcx.Option{ipcx.WithColumns(), ipcx.WithColumnIndexes()} {
				got := read(t, stream, file, opt)
				require.NoError(t, got.Err, how)
				require.Zero(t, got.Schema.NumFields())
				require.Len(t, got.Batches, 3)
				for i, rec := range got.Batches {
					require.Equal(t, batches[i].NumRows(), rec.NumRows())
					require.Zero(t, rec.NumCols())
				}
			}
		}
	}
}

func TestProjectionErrors(t *testing.T) {
	twice := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "b", Type: arrow.PrimitiveTypes.Int32},
		{Name: "a", Type: arrow.BinaryTypes.String},
	}, nil)
	batches := []arrow.RecordBatch{arrowgen.Batch(1, twice, arrowgen.Options{Rows: 3})}
	stream, file := write(t, batches), writeFile(t, batches)
	names, places := ipcx.WithColumns, ipcx.WithColumnIndexes
	for says, opts := range map[string][]ipcx.Option{
		`no column "c" among the 3`:                {names("b", "c")},
		`no column ""`:                             {names("")},
		`no column "A"`:                            {names("A")},
		`2 columns are named "a"`:                  {names("a")},
		`column 1 ("b") is asked for twice`:        {names("b", "b")},
		`column 2 ("a") is asked for twice`:        {places(2, 0, 2)},
		`column 3 of a schema that has 3`:          {places(0, 3)},
		`column -1 of a schema`:                    {places(-1)},
		`exclude each other`:                       {names("b"), places(1)},
		`WithColumns and WithColumnIndexes exclud`: {places(), names()},
	} {
		for how, read := range projections {
			err := read(t, stream, file, opts...).Err
			require.ErrorIs(t, err, ipcx.ErrOption, how)
			require.ErrorContains(t, err, says, how)
			require.Regexp(t, "^ipcx: ", err.Error())
			require.NotErrorIs(t, err, ipcx.ErrNotArrow, how)
			require.NotErrorIs(t, err, ipcx.ErrCorrupt, how)
		}
	}
	full := drainBytes(stream)
	requireProjected(t, full, stream, file, []int{2, 0})

	// The options do not share what they were given.
	columns := []int{1}
	opt := places(columns...)
	columns[0] = 7
	require.NoError(t, drainBytes(stream, opt).Err)
	chosen := []string{"b"}
	opt = names(chosen...)
	chosen[0] = "c"
	require.NoError(t, drainBytes(stream, opt).Err)
}

// TestProjectionDecoder has the message codec leave out columns.
func TestProjectionDecoder(t *testing.T) {
	all := messages(t, write(t, []arrow.RecordBatch{dictionaryBatch(1, 3)}, ipcx.WithZstd()))
	require.Len(t, all, 3)
	dec, err := ipcx.NewDecoder(ipcx.WithColumns("number"))
	require.NoError(t, err)
	defer dec.Close()
	var out []raw
	for i, m := range all {
		metadata, body, err := dec.Decode(m.metadata, m.body)
		require.NoError(t, err)
		if i == 1 {
			require.Nil(t, metadata, "a dictionary that no column has")
			require.Nil(t, body)
			continue
		}
		out = append(out, raw{bytes.Clone(metadata), bytes.Clone(body)})
	}
	got := oracle.Stream(stream(out...))
	require.NoError(t, got.Err)
	want := projected(drainBytes(stream(all...)), 1)
	require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))

	_, err = ipcx.NewDecoder(ipcx.WithColumns("number"), ipcx.WithColumnIndexes(0))
	require.ErrorIs(t, err, ipcx.ErrOption)
}

// TestProjectionDictionaries decodes only the dictionaries of chosen columns,
// those inside of others included.
func TestProjectionDictionaries(t *testing.T) {
	fields := dictionaryFields()
	batches := generated(fields, 15, true)
	opts := []ipcx.Option{ipcx.WithDictionaryDeltas(true), ipcx.WithZstd()}
	data, file := write(t, batches, opts...), writeFile(t, batches, opts...)
	for i := range fields {
		r, err := ipcx.NewReader(bytes.NewReader(data), ipcx.WithColumnIndexes(i))
		require.NoError(t, err)
		for r.Next() {
		}
		require.NoError(t, r.Err())
		require.Equal(t, int64(3), r.Stats().DictionaryBatches, fields[i].Name)
		r.Release()
		for how, open := range openers {
			f, err := open(t, file, ipcx.WithColumnIndexes(i))
			require.NoError(t, err)
			require.Equal(t, int64(3), f.Stats().DictionaryBatches, how)
			require.Equal(t, 3*len(fields), f.NumDictionaries())
			require.NoError(t, f.Close())
		}
	}

	nested := nestedDictionaries()
	with := array.NewRecordBatch(
		arrow.NewSchema(append(nested[0].Schema().Fields(), smallBatch().Schema().Field(0)), nil),
		[]arrow.Array{array.NewSlice(nested[0].Column(0), 0, 3), smallBatch().Column(0)}, 3)
	batches = []arrow.RecordBatch{with, with}
	data, file = write(t, batches), writeFile(t, batches)
	full := drainBytes(data)
	for column, dictionaries := range []int64{2, 0} {
		requireProjected(t, full, data, file, []int{column})
		f, err := ipcx.NewFileReader(bytes.NewReader(file), ipcx.WithColumnIndexes(column))
		require.NoError(t, err)
		require.Equal(t, dictionaries, f.Stats().DictionaryBatches)
		require.NoError(t, f.Close())
	}
}

// TestProjectionConcurrent reads some columns in several goroutines.
func TestProjectionConcurrent(t *testing.T) {
	fields := append(arrowgen.MappedTypes(), dictionaryFields()...)
	batches := generated(fields, 20, true)
	columns := []int{len(fields) - 1, 16, 3}
	for _, v := range []variant{{"plain", ipcx.Uncompressed, false}, {"zstd", ipcx.Zstd, false}} {
		file := writeFile(t, batches, append(v.options(), ipcx.WithDictionaryDeltas(true))...)
		want := projected(oracle.File(file), columns...)
		for _, open := range openers {
			f, err := open(t, file, ipcx.WithColumnIndexes(columns...))
			require.NoError(t, err)
			requireConcurrent(t, want.Batches, f, 2)
			require.NoError(t, f.Close())
		}
	}
}

// TestProjectionGolden reads columns of the golden files alone, metadata of
// version 4 and big-endian data included.
func TestProjectionGolden(t *testing.T) {
	files := golden(t, ".arrow_file")
	for name, stream := range golden(t, ".stream") {
		file, ok := files[name[:len(name)-len("stream")]+"arrow_file"]
		require.True(t, ok, name)
		inFile := oracle.File(file)
		if foreignFile(name) && unswappable(inFile.Schema) {
			continue
		}
		for how, full := range map[string]oracle.Result{"stream": oracle.Stream(stream), "reader": inFile, "mapped": inFile} {
			require.NoError(t, full.Err)
			columns := full.Schema.NumFields()
			for i := 0; i < columns; i += columns/4 + 1 {
				want := projected(full, i)
				got := projections[how](t, stream, file, ipcx.WithColumnIndexes(i))
				require.NoError(t, got.Err, "%s, %s, column %d", name, how, i)
				require.NoError(t, oracle.SameBatches(want.Batches, got.Batches), "%s, %s, column %d", name, how, i)
			}
		}
	}
}

// TestProjectionAnyOrder has buffers anywhere in the body, sharing bytes.
func TestProjectionAnyOrder(t *testing.T) {
	for _, opts := range [][]ipcx.Option{nil, flaggedPlain()} {
		all := messages(t, write(t, []arrow.RecordBatch{smallBatch()}, opts...))
		bufs := buffers(all[1])
		body := make([]byte, 1000)
		m := editedBatch(all[1], func(b *flatbuf.RecordBatchT) {
			flag := b.Buffers[0].Offset & (-1 << 63)
			for i, buf := range b.Buffers {
				at := int64(900 - 96*i) // from the back
				buf.Offset = at | flag
				copy(body[at:], bufs[i])
			}
			// Two that lie inside a longer one, and one that starts inside it
			// and is longer.
			b.Buffers[itemOffsets+1].Offset = b.Buffers[itemOffsets].Offset + 16
			b.Buffers[textData].Offset = b.Buffers[itemOffsets].Offset + 24
			b.Buffers[0].Offset = 1<<40 | flag // without bytes
		})
		m = edited(m, func(fb *flatbuf.MessageT) { fb.BodyLength = int64(len(body)) })
		m.body = body
		data, file := stream(all[0], m, all[1]), fileOf(all[0], m, all[1])
		full := drainBytes(data)
		require.NoError(t, full.Err)
		require.False(t, array.RecordEqual(full.Batches[0], full.Batches[1]), "the bytes are others now")
		for _, columns := range [][]int{{0}, {1}, {2}, {2, 1}, {1, 0}} {
			requireProjected(t, full, data, file, columns)
		}
	}
}

// TestProjectionMalformed has messages whose nodes or buffers are too many or
// too few for the schema.
func TestProjectionMalformed(t *testing.T) {
	all := messages(t, write(t, []arrow.RecordBatch{smallBatch()}))
	for name, change := range map[string]func(*flatbuf.RecordBatchT){
		"a node less":   func(b *flatbuf.RecordBatchT) { b.Nodes = b.Nodes[1:] },
		"a node more":   func(b *flatbuf.RecordBatchT) { b.Nodes = append(b.Nodes, b.Nodes[0]) },
		"a buffer less": func(b *flatbuf.RecordBatchT) { b.Buffers = b.Buffers[1:] },
		"a buffer more": func(b *flatbuf.RecordBatchT) { b.Buffers = append(b.Buffers, b.Buffers[0]) },
		"no buffers":    func(b *flatbuf.RecordBatchT) { b.Buffers = nil },
		"views":         func(b *flatbuf.RecordBatchT) { b.VariadicBufferCounts = []int64{1} },
		"outside":       func(b *flatbuf.RecordBatchT) { b.Buffers[textOffsets].Offset = 1 << 40 },
		"beyond":        func(b *flatbuf.RecordBatchT) { b.Buffers[textOffsets].Length += 200 },
	} {
		m := editedBatch(all[1], change)
		file := fileOf(all[0], m, all[1])
		for how := range openers {
			require.ErrorIs(t, drainFile(t, how, file, ipcx.WithColumns("text")).Err, ipcx.ErrCorrupt, "%s, %s", name, how)
		}
		for how, err := range everyWay([]raw{all[0], m}, ipcx.WithColumns("text")) {
			require.ErrorIs(t, err, ipcx.ErrCorrupt, "%s, %s", name, how)
			require.NotErrorIs(t, err, ipcx.ErrOption, "%s, %s", name, how)
		}
	}
}
