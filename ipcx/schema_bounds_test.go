package ipcx_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// sharedSchema makes a schema message of as many of the one field that build
// makes, which they share.
func sharedSchema(times int, build func(b *flatbuffers.Builder) flatbuffers.UOffsetT) raw {
	b := flatbuffers.NewBuilder(1024)
	field := build(b)
	flatbuf.SchemaStartFieldsVector(b, times)
	for range times {
		b.PrependUOffsetT(field)
	}
	fields := b.EndVector(times)
	flatbuf.SchemaStart(b)
	flatbuf.SchemaAddFields(b, fields)
	schema := flatbuf.SchemaEnd(b)
	flatbuf.MessageStart(b)
	flatbuf.MessageAddVersion(b, flatbuf.MetadataVersionV5)
	flatbuf.MessageAddHeaderType(b, flatbuf.MessageHeaderSchema)
	flatbuf.MessageAddHeader(b, schema)
	b.Finish(flatbuf.MessageEnd(b))
	return raw{metadata: b.FinishedBytes()}
}

// lists makes a field of lists in lists, of numbers at depth 0.
func lists(b *flatbuffers.Builder, depth int) flatbuffers.UOffsetT {
	var field flatbuffers.UOffsetT
	for i := range depth + 1 {
		var typ, children flatbuffers.UOffsetT
		number := flatbuf.TypeList
		if i == 0 {
			number = flatbuf.TypeInt
			flatbuf.IntStart(b)
			flatbuf.IntAddBitWidth(b, 32)
			typ = flatbuf.IntEnd(b)
		} else {
			flatbuf.FieldStartChildrenVector(b, 1)
			b.PrependUOffsetT(field)
			children = b.EndVector(1)
			flatbuf.ListStart(b)
			typ = flatbuf.ListEnd(b)
		}
		flatbuf.FieldStart(b)
		flatbuf.FieldAddTypeType(b, number)
		flatbuf.FieldAddType(b, typ)
		flatbuf.FieldAddChildren(b, children)
		field = flatbuf.FieldEnd(b)
	}
	return field
}

// footed makes a file of a schema message alone. Its footer is built by hand: the
// object interface would go down a schema of any depth.
func footed(m raw) []byte {
	out := append([]byte("ARROW1\x00\x00"), frame(m)...)
	var schema flatbuf.Schema
	table := schema.Table()
	flatbuf.GetRootAsMessage(m.metadata, 0).Header(&table)
	// A footer that has the message's bytes in front of it can point at its schema.
	b := flatbuffers.NewBuilder(1024)
	for len(b.Bytes)-int(b.Offset()) < len(m.metadata) {
		b = flatbuffers.NewBuilder(2 * len(b.Bytes))
	}
	for i := len(m.metadata) - 1; i >= 0; i-- {
		b.PrependByte(m.metadata[i])
	}
	start := b.Offset()
	flatbuf.FooterStart(b)
	flatbuf.FooterAddVersion(b, flatbuf.MetadataVersionV5)
	flatbuf.FooterAddSchema(b, start-table.Pos)
	b.Finish(flatbuf.FooterEnd(b))
	footer := b.FinishedBytes()
	out = append(out, "\xFF\xFF\xFF\xFF\x00\x00\x00\x00"...)
	out = append(out, footer...)
	return append(out, append(int32s(int32(len(footer))), "ARROW1"...)...)
}

// structsInDictionary is a dictionary of structs of n fields.
func structsInDictionary(n int) arrow.DataType {
	return &arrow.DictionaryType{
		IndexType: arrow.PrimitiveTypes.Int8,
		ValueType: arrow.StructOf(slices.Repeat([]arrow.Field{{Name: "x", Type: arrow.Null}}, n)...),
	}
}

// inDictionary is the schema message of a column of such a dictionary, by arrow-go.
func inDictionary(t *testing.T, n int) raw {
	t.Helper()
	var out bytes.Buffer
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: structsInDictionary(n)}}, nil)
	require.NoError(t, ipc.NewWriter(&out, ipc.WithSchema(schema)).Close())
	return messages(t, out.Bytes())[0]
}

// TestSchemaBounds has schemas that are nested without reason, or have more fields
// than anybody, in few bytes.
func TestSchemaBounds(t *testing.T) {
	for name, c := range map[string]struct {
		schema raw
		says   string
		is     error
	}{
		"10,000 deep":          {sharedSchema(1, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return lists(b, 10_000) }), "nested deeper than 72 tables", ipcx.ErrLimit},
		"a million":            {sharedSchema(1_000_000, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return lists(b, 0) }), "more than 131072 fields", ipcx.ErrLimit},
		"a million in fields":  {sharedSchema(40_000, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return lists(b, 24) }), "share more than 8 times", ipcx.ErrCorrupt},
		"4097 in a dictionary": {inDictionary(t, 4097), "more than 4096 fields inside of dictionaries", ipcx.ErrLimit},
	} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, cost(func() {
				errs := map[string]error{}
				_, errs["Decoder.Decode"] = decodeAll([]raw{c.schema})
				_, errs["Convert"] = convert(stream(c.schema))
				errs["NewReader"] = drainBytes(stream(c.schema)).Err
				file := footed(c.schema)
				for how := range openers {
					errs["a file, "+how] = drainFile(t, how, file).Err
				}
				_, errs["Convert of a file"] = convert(file)
				for door, err := range errs {
					require.ErrorIs(t, err, c.is, door)
					require.ErrorContains(t, err, c.says, door)
				}
			}), 40*len(c.schema.metadata)+1<<20)
		})
	}
	// What is within the bounds by hand is read, so that it is they that refuse.
	for _, m := range []raw{
		sharedSchema(1, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return lists(b, 64) }),
		sharedSchema(60, func(b *flatbuffers.Builder) flatbuffers.UOffsetT { return lists(b, 24) }),
		inDictionary(t, 4096),
	} {
		require.NoError(t, drainBytes(stream(m)).Err)
		require.NoError(t, drainFile(t, "mapped", footed(m)).Err)
	}
}

// TestWideSchema has a record batch of 10,000 columns.
func TestWideSchema(t *testing.T) {
	const wide = 10_000
	number := fromJSON(t, arrow.PrimitiveTypes.Int8, `[1,2,3]`).Column(0)
	fields, columns := make([]arrow.Field, wide), make([]arrow.Array, wide)
	for i := range fields {
		fields[i], columns[i] = arrow.Field{Name: "c" + strconv.Itoa(i), Type: arrow.PrimitiveTypes.Int8}, number
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, 3)
	plain := write(t, []arrow.RecordBatch{rec})
	file, err := convert(plain, ipcx.WithFormat(ipcx.FileFormat))
	require.NoError(t, err)
	require.True(t, same([]arrow.RecordBatch{rec}, drainBytes(plain, ipcx.WithValidation()).Batches))
	for how := range openers {
		require.True(t, same([]arrow.RecordBatch{rec}, drainFile(t, how, file).Batches), how)
	}
}

// A long name is not copied for each of the fields below it.
func TestLongNameOfManyFields(t *testing.T) {
	const wide, long = 2000, 1 << 18
	var fields []arrow.Field
	for range wide {
		fields = append(fields, arrow.Field{Name: "x", Type: arrow.Null, Nullable: true})
	}
	rec := arrowgen.RecordBatch(3, []arrow.Field{
		{Name: strings.Repeat("n", long), Type: arrow.StructOf(fields...)},
		{Name: "view", Type: arrow.BinaryTypes.StringView},
	}, arrowgen.Options{Rows: 2})
	data := write(t, []arrow.RecordBatch{rec})
	allocated := cost(func() { require.NoError(t, drainBytes(data).Err) })
	require.Less(t, allocated, 40*long)
}

// TestWritingBeyondSchemaBounds has writers refuse what no reader here takes.
func TestWritingBeyondSchemaBounds(t *testing.T) {
	deep := arrow.DataType(arrow.Null)
	for range 70 {
		deep = arrow.ListOf(deep)
	}
	for name, c := range map[string]struct {
		fields []arrow.Field
		says   string
	}{
		"wide": {slices.Repeat([]arrow.Field{{Name: "x", Type: arrow.Null}}, 1<<17+1), "message 0: verify: Message.header(Schema).fields[131072]: more than 131072 fields"},
		"deep": {[]arrow.Field{{Name: "x", Type: deep}}, "nested deeper than 72 tables"},
		"wide in a dictionary": {[]arrow.Field{{Name: "x", Type: structsInDictionary(4097)}},
			"message 0: verify: Message.header(Schema).fields[0].children[4096]: more than 4096 fields inside of dictionaries"},
	} {
		var stream, file bytes.Buffer
		schema := arrow.NewSchema(c.fields, nil)
		err := ipcx.NewWriter(&stream, ipcx.WithSchema(schema)).Close()
		require.ErrorIs(t, err, ipcx.ErrLimit, name)
		require.ErrorContains(t, err, c.says, name)
		require.Zero(t, stream.Len(), name)
		w, err := ipcx.NewFileWriter(&file, ipcx.WithSchema(schema))
		if err == nil {
			err = w.Close()
		}
		require.ErrorIs(t, err, ipcx.ErrLimit, name)
	}
}
