package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// fromJSON makes a record batch of one column, named x.
func fromJSON(t testing.TB, dt arrow.DataType, json string) arrow.RecordBatch {
	t.Helper()
	col, _, err := array.FromJSON(memory.DefaultAllocator, dt, strings.NewReader(json))
	require.NoError(t, err)
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt, Nullable: true}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{col}, int64(col.Len()))
}

// int64s is int32s for the large types.
func int64s(values ...int64) (p []byte) {
	for _, v := range values {
		p = binary.LittleEndian.AppendUint64(p, uint64(v))
	}
	return p
}

// invalid is a batch with one thing wrong.
type invalid struct {
	name    string
	typ     arrow.DataType
	json    string
	buffers map[int][]byte              // what to put in place of some
	batch   func(*flatbuf.RecordBatchT) // what to change besides
	path    string                      // of the error
	row     int64
	says    string
	early   string // what the reader says, which refuses it without validation too
}

// viewOf is a view of a value elsewhere.
func viewOf(size int32, prefix string, index, offset int32) []byte {
	return append(append(int32s(size), prefix...), int32s(index, offset)...)
}

func invalids() []invalid {
	utf8, large := arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString
	list := arrow.ListOf(arrow.PrimitiveTypes.Int8)
	largeList := arrow.LargeListOf(arrow.PrimitiveTypes.Int8)
	fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int8, Nullable: true}, {Name: "b", Type: utf8, Nullable: true}}
	dense := arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{3, 7})
	sparse := arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{3, 7})
	runs := arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int8)
	length := func(node int, n int64) func(*flatbuf.RecordBatchT) {
		return func(b *flatbuf.RecordBatchT) { b.Nodes[node].Length = n }
	}
	return []invalid{
		{name: "utf8 offsets go back", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(0, 2, 1, 3)}, path: "x", row: 1, says: "offset 1 after 2"},
		{name: "utf8 offsets start below 0", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(-1, 1, 2, 3)}, path: "x", row: 0, says: "offset -1", early: "first offset is -1"},
		{name: "utf8 offsets end outside", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(0, 1, 2, 4)}, early: "last offset is 4, where there are 3 bytes of data"},
		{name: "utf8 offsets end before they start", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(3, 1, 2, 1)}, path: "x", row: 0, says: "offset 1 after 3", early: "last offset is 1, after 3"},
		{name: "large utf8 offsets go back", typ: large, json: `["a","b","c"]`, buffers: map[int][]byte{1: int64s(0, 2, 1, 3)}, path: "x", row: 1, says: "offset 1 after 2"},
		{name: "large binary offsets go far", typ: arrow.BinaryTypes.LargeBinary, json: `["YQ==","Yg==","Yw=="]`, buffers: map[int][]byte{1: int64s(0, 1<<62, -1<<63, 3)}, path: "x", row: 1, says: "after 4611686018427387904"},
		{name: "utf8 that is not", typ: utf8, json: `["a","é","c"]`, buffers: map[int][]byte{2: []byte("a\xc3cc")}, path: "x", row: 1, says: `no UTF-8: "\xc3c" at byte 0`},
		{name: "utf8 cut in a character", typ: utf8, json: `["a","é","c"]`, buffers: map[int][]byte{1: int32s(0, 2, 3, 4)}, path: "x", row: 0, says: "no UTF-8"},
		{name: "large utf8 that is not", typ: large, json: `["ab"]`, buffers: map[int][]byte{2: []byte("a\xff")}, path: "x", row: 0, says: `no UTF-8: "\xff" at byte 1`},
		{name: "list offsets go back", typ: list, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int32s(0, 2, 1, 3)}, path: "x", row: 1, says: "offset 1 after 2"},
		{name: "list offsets end outside", typ: list, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int32s(0, 1, 2, 4)}, path: "x", row: 2, says: "offset 4 into 3 entries", early: "last offset is 4, where there are 3 entries"},
		{name: "list offsets too short", typ: list, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int32s(0, 1, 2)}, path: "x", row: -1, says: "12 bytes are too short for 4", early: "12 bytes are too short for 4 offsets of 4 bytes"},
		{name: "large list offsets go back", typ: largeList, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int64s(0, 2, 1, 3)}, path: "x", row: 1, says: "offset 1 after 2"},
		{name: "inside a list", typ: arrow.ListOf(utf8), json: `[["a"],["b","c"]]`, buffers: map[int][]byte{3: int32s(0, 2, 1, 3)}, path: "x.item", row: 1, says: "offset 1 after 2"},
		{name: "inside a map", typ: arrow.MapOf(utf8, arrow.PrimitiveTypes.Int8), json: `[[{"key":"a","value":1}]]`, buffers: map[int][]byte{5: []byte("\xff")}, path: "x.entries.key", row: 0, says: "no UTF-8"},
		{name: "validity too short", typ: arrow.PrimitiveTypes.Int8, json: `[1,null,3,4,5,6,7,8,9]`, buffers: map[int][]byte{0: {0xFD}}, path: "x", row: -1, says: "validity: 1 bytes are too short for 9 bits", early: "validity: 1 bytes are too short for 9 bits"},
		{name: "nulls that are none", typ: arrow.PrimitiveTypes.Int8, json: `[1,null,3]`, buffers: map[int][]byte{0: {0xFF}}, path: "x", row: -1, says: "1 nulls where validity has 0"},
		{name: "too many nulls", typ: arrow.PrimitiveTypes.Int8, json: `[1,null,3]`, batch: func(b *flatbuf.RecordBatchT) { b.Nodes[0].NullCount = 4 }, path: "x", row: -1, says: "4 nulls in 3 rows", early: "4 nulls in 3 rows"},
		{name: "bits too short", typ: arrow.FixedWidthTypes.Boolean, json: `[true,false,true,true,true,true,true,true,true]`, buffers: map[int][]byte{1: {1}}, path: "x", row: -1, says: "values: 1 bytes are too short for 9 bits", early: "bits: 1 bytes are too short for 9 bits"},
		{name: "fixed size binary too short", typ: &arrow.FixedSizeBinaryType{ByteWidth: 3}, json: `["YWJj","YWJj"]`, buffers: map[int][]byte{1: []byte("abcab")}, path: "x", row: -1, says: "values: 5 bytes are too short for 2 entries of 3", early: "values: 5 bytes are too short for 2 entries of 3 bytes"},
		{name: "struct child too short", typ: arrow.StructOf(fields...), json: `[{"a":1,"b":"x"},{"a":2,"b":"y"}]`, batch: length(1, 1), path: "x.a", row: -1, says: "1 entries below 2", early: "field node of 1 rows in a struct of 2"},
		{name: "fixed size list child too short", typ: arrow.FixedSizeListOf(2, arrow.PrimitiveTypes.Int8), json: `[[1,2],[3,4]]`, batch: length(1, 3), path: "x.item", row: -1, says: "3 entries below 2 lists of 2", early: "field node of 3 rows in 2 lists of 2"},
		{name: "list view outside", typ: arrow.ListViewOf(arrow.PrimitiveTypes.Int8), json: `[[1],[2,3]]`, buffers: map[int][]byte{2: int32s(1, 3)}, path: "x", row: 1, says: "list of 3 entries at 1 of 3"},
		{name: "list view of negative size", typ: arrow.ListViewOf(arrow.PrimitiveTypes.Int8), json: `[[1],[2,3]]`, buffers: map[int][]byte{2: int32s(-1, 2)}, path: "x", row: 0, says: "list of -1 entries"},
		{name: "large list view that overflows", typ: arrow.LargeListViewOf(arrow.PrimitiveTypes.Int8), json: `[[1],[2,3]]`, buffers: map[int][]byte{1: int64s(0, 1<<62), 2: int64s(1, 1<<62)}, path: "x", row: 1, says: "of 3"},
		{name: "empty list view far out", typ: arrow.ListViewOf(arrow.PrimitiveTypes.Int8), json: `[[1],[]]`, buffers: map[int][]byte{1: int32s(0, 9)}, path: "x", row: 1, says: "list of 0 entries at 9 of 1"},
		{name: "list view sizes too short", typ: arrow.ListViewOf(arrow.PrimitiveTypes.Int8), json: `[[1],[2,3]]`, buffers: map[int][]byte{2: int32s(1)}, path: "x", row: -1, says: "sizes: 4 bytes", early: "list view sizes32: 4 bytes are too short for 2 entries of 4 bytes"},
		{name: "view of negative size", typ: arrow.BinaryTypes.BinaryView, json: `["YQ==","Yg=="]`, buffers: map[int][]byte{1: append(viewOf(1, "a\x00\x00\x00", 0, 0), viewOf(-9, "abcd", 0, 0)...)}, path: "x", row: 1, says: "view of -9 bytes"},
		{name: "view into no buffer", typ: arrow.BinaryTypes.StringView, json: `["a value of twenty by"]`, buffers: map[int][]byte{1: viewOf(20, "a va", 1, 0)}, path: "x", row: 0, says: "view into buffer 1 of 1"},
		{name: "view that ends outside", typ: arrow.BinaryTypes.StringView, json: `["a value of twenty by"]`, buffers: map[int][]byte{1: viewOf(20, "a va", 0, 1)}, path: "x", row: 0, says: "view of 20 bytes at 1 of a buffer of 20"},
		{name: "view with another prefix", typ: arrow.BinaryTypes.StringView, json: `["a value of twenty by"]`, buffers: map[int][]byte{1: viewOf(20, "b va", 0, 0)}, path: "x", row: 0, says: "begins with 62207661, of data that begins with 61207661"},
		{name: "view with bytes behind", typ: arrow.BinaryTypes.StringView, json: `["a"]`, buffers: map[int][]byte{1: viewOf(1, "ab\x00\x00", 0, 0)}, path: "x", row: 0, says: "0x62 behind"},
		{name: "view of no UTF-8", typ: arrow.BinaryTypes.StringView, json: `["a"]`, buffers: map[int][]byte{1: viewOf(1, "\xff\x00\x00\x00", 0, 0)}, path: "x", row: 0, says: "no UTF-8"},
		{name: "unknown type id", typ: sparse, json: `[[3,1],[7,"b"]]`, buffers: map[int][]byte{0: {3, 4}}, path: "x", row: 1, says: "type id 4"},
		{name: "negative type id", typ: dense, json: `[[3,1],[7,"b"]]`, buffers: map[int][]byte{0: {0x83, 7}}, path: "x", row: 0, says: "type id -125"},
		{name: "type ids too short", typ: dense, json: `[[3,1],[7,"b"]]`, buffers: map[int][]byte{0: {3}}, path: "x", row: -1, says: "type ids: 1 bytes", early: "type ids: 1 bytes are too short for 2 entries of 1 bytes"},
		{name: "union offset outside", typ: dense, json: `[[3,1],[7,"b"]]`, buffers: map[int][]byte{1: int32s(0, 1)}, path: "x", row: 1, says: "offset 1 into 1 entries of type id 7"},
		{name: "union offset below 0", typ: dense, json: `[[3,1],[7,"b"]]`, buffers: map[int][]byte{1: int32s(-1, 0)}, path: "x", row: 0, says: "offset -1"},
		{name: "union offsets go back", typ: dense, json: `[[3,1],[3,2]]`, buffers: map[int][]byte{1: int32s(1, 0)}, path: "x", row: 1, says: "offset 0 after 1"},
		{name: "run ends do not increase", typ: runs, json: `[1,1,2]`, buffers: map[int][]byte{1: {3, 0, 3, 0}}, path: "x", row: 1, says: "run end 3 after 3"},
		{name: "run ends start at 0", typ: runs, json: `[1,1,2]`, buffers: map[int][]byte{1: {0, 0, 3, 0}}, path: "x", row: 0, says: "run end 0 after 0"},
		{name: "run ends end early", typ: runs, json: `[1,1,2]`, buffers: map[int][]byte{1: {1, 0, 2, 0}}, path: "x", row: -1, says: "runs end at 2 of 3 rows", early: "runs end at 2 of 3 rows"},
		{name: "fewer values than runs", typ: runs, json: `[1,1,2]`, batch: length(2, 1), path: "x", row: -1, says: "2 run ends of 1 values", early: "field node of 1 rows in a column of run ends of 2"},
		{name: "no runs", typ: runs, json: `[1,1,2]`, batch: length(1, 0), path: "x", row: -1, says: "runs end at 0 of 3 rows", early: "no run ends for 3 rows"},
		{name: "runs of unknown nulls", typ: runs, json: `[1,1,2]`, batch: func(b *flatbuf.RecordBatchT) { b.Nodes[0].NullCount = -1 }, early: "-1 nulls of a type that has none"},
		{name: "inside a struct in a list", typ: arrow.ListOf(arrow.StructOf(fields...)), json: `[[{"a":1,"b":"x"}]]`, buffers: map[int][]byte{7: []byte("\xff")}, path: "x.item.b", row: 0, says: "no UTF-8"},
		{name: "inside an extension", typ: arrowgen.ExtensionOf(arrow.ListOf(utf8)), buffers: map[int][]byte{4: []byte("\xff")}, path: "x.item", row: 0, says: "no UTF-8"},
	}
}

// of makes the messages of a stream with the fault in it.
func (c *invalid) of(t testing.TB) []raw {
	t.Helper()
	var rec arrow.RecordBatch
	if ext, ok := c.typ.(arrow.ExtensionType); ok {
		storage := fromJSON(t, ext.StorageType(), `[["a"]]`)
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: ext, Nullable: true}}, nil)
		rec = array.NewRecordBatch(schema, []arrow.Array{array.NewExtensionArrayWithStorage(ext, storage.Column(0))}, 1)
	} else {
		rec = fromJSON(t, c.typ, c.json)
	}
	all := messages(t, write(t, []arrow.RecordBatch{rec, rec}))
	require.Len(t, all, 3)
	good := drainBytes(stream(all...), ipcx.WithValidation())
	require.NoError(t, good.Err)
	require.Len(t, good.Batches, 2)

	m := all[2]
	stored := buffers(m)
	for i, p := range c.buffers {
		require.Less(t, i, len(stored))
		stored[i] = p
	}
	m = rebody(m, stored...)
	if c.batch != nil {
		m = editedBatch(m, c.batch)
	}
	all[2] = m
	return all
}

// requireInvalid requires the error that validation gives.
func (c *invalid) requireInvalid(t testing.TB, err error, args ...any) {
	t.Helper()
	require.ErrorIs(t, err, ipcx.ErrCorrupt, args...)
	if c.early != "" {
		require.ErrorContains(t, err, c.early, args...)
		return
	}
	c.requireFound(t, err, args...)
}

// requireFound is requireInvalid where nothing but validation looks.
func (c *invalid) requireFound(t testing.TB, err error, args ...any) {
	t.Helper()
	var e *ipcx.InvalidError
	require.True(t, errors.As(err, &e), "%v %v", err, args)
	require.Equal(t, ipcx.InvalidError{Batch: 1, Column: 0, Path: c.path, Row: c.row, Err: e.Err}, *e, args...)
	require.ErrorContains(t, e.Err, c.says, args...)
	require.ErrorContains(t, err, "ipcx: record batch 1: field ", args...)
}

// Every rule that validation asks for is asked for by stream, file and mapped
// readers, and is not asked for without it, but where the reader must.
func TestValidationFinds(t *testing.T) {
	for _, c := range invalids() {
		t.Run(c.name, func(t *testing.T) {
			plain := stream(c.of(t)...)
			without := drainBytes(plain)
			if c.early != "" {
				require.ErrorContains(t, without.Err, c.early)
			} else {
				require.NoError(t, without.Err)
				require.Len(t, without.Batches, 2)
			}
			if c.says != "" {
				theirs, err := ipcx.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(plain)), ipcx.WithValidation())
				require.NoError(t, err)
				defer theirs.Release()
				require.True(t, theirs.Next())
				require.False(t, theirs.Next())
				c.requireFound(t, theirs.Err())
			}
			got := drainBytes(plain, ipcx.WithValidation())
			require.Len(t, got.Batches, 1)
			c.requireInvalid(t, got.Err)
			c.requireInvalid(t, drainBytes(plain, ipcx.WithValidation(), ipcx.WithReadAhead(2)).Err)

			for name, opts := range map[string][]ipcx.Option{
				"plain":   {},
				"zstd":    {ipcx.WithZstd()},
				"flagged": {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
			} {
				file, err := convert(plain, append(opts, ipcx.WithFormat(ipcx.FileFormat))...)
				if name == "flagged" && err == nil {
					c.requireFlagged(t, file)
					continue
				}
				require.NoError(t, err)
				c.requireInvalid(t, readEither(file, ipcx.WithValidation()).Err, name)
				mapped, err := ipcx.NewMappedFileReader(file, ipcx.WithValidation())
				require.NoError(t, err)
				_, err = mapped.RecordBatchAt(1)
				c.requireInvalid(t, err, name)
				_, err = mapped.RecordBatchAt(0)
				require.NoError(t, err)
				require.NoError(t, mapped.Close())
			}
		})
	}
}

// requireFlagged requires a flagged file to be refused, with validation or by the
// checks of lengths already.
func (c *invalid) requireFlagged(t testing.TB, file []byte) {
	t.Helper()
	err := readEither(file, ipcx.WithValidation()).Err
	require.ErrorIs(t, err, ipcx.ErrCorrupt)
	if e := new(ipcx.InvalidError); !errors.As(err, &e) {
		if c.early != "" && !strings.Contains(c.early, "offset") {
			require.ErrorContains(t, err, c.early)
		} else {
			require.Regexp(t, "offset|too short", err.Error())
		}
		require.Error(t, readEither(file).Err)
	}
}

// Readers read by their calls in turn: the batch that is not valid is not given.
func TestValidationEndsTheStream(t *testing.T) {
	c := invalids()[0]
	all := c.of(t)
	rd, err := ipcx.NewReader(bytes.NewReader(stream(all[0], all[2], all[1])), ipcx.WithValidation())
	require.NoError(t, err)
	defer rd.Release()
	require.False(t, rd.Next())
	require.Nil(t, rd.RecordBatch())
	require.Nil(t, rd.Record())
	require.ErrorIs(t, rd.Err(), ipcx.ErrCorrupt)
	require.False(t, rd.Next())
	_, err = rd.Read()
	require.Equal(t, rd.Err(), err)
	require.EqualError(t, err, `ipcx: record batch 0: field "x", row 1: offset 1 after 2`)
}

// A dictionary is checked, and the indices into it.
func TestValidationOfDictionaries(t *testing.T) {
	for _, index := range []arrow.DataType{
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
	} {
		t.Run(index.String(), func(t *testing.T) {
			dt := &arrow.DictionaryType{IndexType: index, ValueType: arrow.BinaryTypes.String}
			rec := fromJSON(t, dt, `["a","b",null,"a"]`)
			all := messages(t, write(t, []arrow.RecordBatch{rec}))
			require.Equal(t, []string{"Schema", "DictionaryBatch", "RecordBatch"}, []string{kindOf(all[0]), kindOf(all[1]), kindOf(all[2])})
			require.NoError(t, drainBytes(stream(all...), ipcx.WithValidation()).Err)

			width := index.(arrow.FixedWidthDataType).Bytes()
			indices := func(row int, b byte) raw {
				stored := buffers(all[2])
				stored[1] = bytes.Clone(stored[1])
				stored[1][row*width] = b
				return rebody(all[2], stored...)
			}
			out := stream(all[0], all[1], indices(1, 2))
			require.NoError(t, drainBytes(out).Err)
			require.EqualError(t, drainBytes(out, ipcx.WithValidation()).Err, `ipcx: record batch 0: field "x", row 1: index 2 into a dictionary of 2`)
			file, err := convert(out, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd())
			require.NoError(t, err)
			require.ErrorContains(t, readEither(file, ipcx.WithValidation()).Err, "index 2 into a dictionary of 2")
			require.NoError(t, drainBytes(stream(all[0], all[1], indices(2, 2)), ipcx.WithValidation()).Err, "behind a null")

			stored := buffers(all[2])
			stored[1] = bytes.Repeat([]byte{0xFF}, 4*width)
			require.ErrorContains(t, drainBytes(stream(all[0], all[1], rebody(all[2], stored...)), ipcx.WithValidation()).Err, "into a dictionary of 2")

			stored = buffers(all[1])
			stored[2] = []byte("a\xff")
			require.EqualError(t, drainBytes(stream(all[0], rebody(all[1], stored...), all[2]), ipcx.WithValidation()).Err,
				`ipcx: record batch 0: field "x.dictionary", row 1: 1 bytes that are no UTF-8: "\xff" at byte 0`)
		})
	}
}

// What is behind nulls is nobody's, and may be anything that is in bounds.
func TestValidationLeavesNullsAlone(t *testing.T) {
	for _, c := range []invalid{
		{typ: arrow.BinaryTypes.String, json: `["a",null,"c"]`, buffers: map[int][]byte{1: int32s(0, 1, 2, 3), 2: []byte("a\xffc")}},
		{typ: arrow.BinaryTypes.LargeString, json: `["a",null,"c"]`, buffers: map[int][]byte{1: int64s(0, 1, 2, 3), 2: []byte("a\xffc")}},
		{typ: arrow.BinaryTypes.StringView, json: `["a",null]`, buffers: map[int][]byte{1: append(viewOf(1, "a\x00\x00\x00", 0, 0), viewOf(-1, "\xff\xff\xff\xff", 9, 9)...)}},
	} {
		all := c.of(t)
		require.NoError(t, drainBytes(stream(all...), ipcx.WithValidation()).Err, c.typ)
	}
}

// What builders make is valid, of every type and in every state.
func TestValidationOfGoodData(t *testing.T) {
	fields := append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...)
	fields = append(fields, arrowgen.Nested(7)...)
	for _, o := range []arrowgen.Options{{}, {Rows: 1}, {Rows: 70, Nulls: 0.3}, {Rows: 33, Nulls: 1}, {Rows: 20, Nulls: 0.2, Sliced: true}} {
		for _, f := range fields {
			rec := arrowgen.RecordBatch(3, []arrow.Field{f}, o)
			plain := write(t, []arrow.RecordBatch{rec})
			name := fmt.Sprintf("%s, %+v", f.Name, o)
			require.NoError(t, drainBytes(plain, ipcx.WithValidation()).Err, name)
			for _, opts := range [][]ipcx.Option{{ipcx.WithOffsetsAsLengths(), ipcx.WithZstd()}, {ipcx.WithFormat(ipcx.FileFormat)}} {
				small, err := convert(plain, opts...)
				require.NoError(t, err)
				got := readEither(small, ipcx.WithValidation())
				require.NoError(t, got.Err, name)
				require.True(t, same([]arrow.RecordBatch{rec}, got.Batches), name)
			}
			rec.Release()
		}
	}
}

func TestValidationExcludesTrust(t *testing.T) {
	plain := write(t, smallBatches(1))
	err := drainBytes(plain, ipcx.WithTrustedInput(), ipcx.WithValidation()).Err
	require.ErrorIs(t, err, ipcx.ErrOption)
	_, err = ipcx.NewMappedFileReader(plain, ipcx.WithValidation(), ipcx.WithTrustedInput())
	require.ErrorIs(t, err, ipcx.ErrOption)
}
