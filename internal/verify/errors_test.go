package verify_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
	"github.com/arrowplanes/arrowplanes/internal/verify/verifytest"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"
)

// image is a record batch message with two buffers, byte by byte.
//
//	0   root: 20
//	4   vtable of Message: 14 bytes, table of 24; slots
//	20  Message
//	44  vtable of RecordBatch: 10 bytes, table of 16
//	56  RecordBatch
//	72  buffers: 2 entries of 16 bytes
func image() []byte {
	buf := make([]byte, 108)
	put := func(at int, vs ...uint16) {
		for i, v := range vs {
			binary.LittleEndian.PutUint16(buf[at+2*i:], v)
		}
	}
	put(0, 20)
	put(4, 14, 24, 4, 6, 8, 12, 0)
	put(20, 16)
	put(24, 4)  // version
	put(26, 3)  // header_type
	put(28, 28) // header
	put(32, 32) // bodyLength
	put(44, 10, 16, 4, 0, 12)
	put(56, 12)
	put(68, 4) // buffers
	put(72, 2)
	return buf
}

func TestErrorsTellWhereAndWhy(t *testing.T) {
	const header = "Message.header(RecordBatch)"
	for _, test := range []struct {
		name string
		at   int
		to   []byte
		want string // "" for no error
	}{
		{"as it is", 0, nil, ""},
		{"no root", -1, nil, "Message: 3 bytes, too few for the offset of the root, 4"},
		{"root passes the end", 0, []byte{105}, "Message: table at 105 passes the end, 108 bytes"},
		{"root far away", 0, []byte{0xFF, 0xFF, 0xFF, 0xFF}, "Message: table at 4294967295 passes the end, 108 bytes"},
		{"vtable before the start", 20, []byte{21}, "Message: vtable at -1 is outside of 108 bytes"},
		{"vtable after the end", 20, []byte{0xAB, 0xFF, 0xFF, 0xFF}, "Message: vtable at 105 is outside of 108 bytes"},
		{"vtable far before", 20, []byte{0, 0, 0, 0x7F}, "Message: vtable at -2130706412 is outside of 108 bytes"},
		{"vtable far after", 20, []byte{0, 0, 0, 0x80}, "Message: vtable at 2147483668 is outside of 108 bytes"},
		{"vtable behind the table", 56, []byte{0xCC, 0xFF, 0xFF, 0xFF}, header + ": vtable at 108 is outside of 108 bytes"},
		{"vtable is the table", 20, []byte{0, 0, 0, 0}, "Message: vtable at 20 has 0 bytes, not an even number from 4 on"},
		{"vtable too short", 4, []byte{2}, "Message: vtable at 4 has 2 bytes, not an even number from 4 on"},
		{"vtable of an odd size", 44, []byte{9}, header + ": vtable at 44 has 9 bytes, not an even number from 4 on"},
		{"vtable passes the end", 4, []byte{106}, "Message: vtable of 106 bytes at 4 passes the end, 108 bytes"},
		{"vtable up to the end", 4, []byte{104}, ""},
		{"size of a smaller table with the same vtable", 46, []byte{3}, ""},
		{"size of a larger table with the same vtable", 46, []byte{53}, ""},
		{"table up to the end", 46, []byte{52}, ""},
		{"member on the vtable's offset", 8, []byte{3}, "Message.version: 2 bytes at 3 of the table at 20 pass its start or the end, 108 bytes"},
		{"scalar passes the end", 14, []byte{81}, "Message.bodyLength: 8 bytes at 81 of the table at 20 pass its start or the end, 108 bytes"},
		{"scalar up to the end", 14, []byte{80}, ""},
		{"byte passes the end", 10, []byte{88}, "Message.header_type: 1 bytes at 88 of the table at 20 pass its start or the end, 108 bytes"},
		{"offset passes the end", 12, []byte{85}, "Message.header: 4 bytes at 85 of the table at 20 pass its start or the end, 108 bytes"},
		{"nothing at all", 4, []byte{4}, "Message.header: is required and absent"},
		{"no type number", 10, []byte{0}, "Message.header: has a table and no type number"},
		{"type number none", 26, []byte{0}, "Message.header: has a table and no type number"},
		{"type number without a table", 12, []byte{0}, "Message.header: has type number 3 and no table"},
		{"unknown type number", 26, []byte{6}, ""},
		{"unknown type number, bad table", 28, []byte{77, 0, 0, 0}, header + ": table at 105 passes the end, 108 bytes"},
		{"vector passes the end", 68, []byte{37}, header + ".buffers: vector at 105 passes the end, 108 bytes"},
		{"empty vector at the end", 68, []byte{36}, ""},
		{"entries pass the end", 72, []byte{3}, header + ".buffers: 3 entries of 16 bytes at 76 pass the end, 108 bytes"},
		{"entries overflow", 72, []byte{1, 0, 0, 0x10}, header + ".buffers: 268435457 entries of 16 bytes at 76 pass the end, 108 bytes"},
		{"as many entries as can be", 72, []byte{255, 255, 255, 255}, header + ".buffers: 4294967295 entries of 16 bytes at 76 pass the end, 108 bytes"},
	} {
		t.Run(test.name, func(t *testing.T) {
			buf := image()
			if test.at < 0 {
				buf = buf[:3]
			} else {
				copy(buf[test.at:], test.to)
			}
			err := verify.Message(buf)
			if test.want != "" {
				require.EqualError(t, err, "verify: "+test.want)
				return
			}
			require.NoError(t, err)
			require.NoError(t, verifytest.ReadMessage(buf))
		})
	}

	unknown := image()
	unknown[26], unknown[28] = 200, 77
	require.EqualError(t, verify.Message(unknown), "verify: Message.header(200): table at 105 passes the end, 108 bytes")
	require.EqualError(t, verify.Footer(nil), "verify: Footer: 0 bytes, too few for the offset of the root, 4")
}

// build finishes a schema message around one field, made by f.
func build(f func(b *flatbuffers.Builder) flatbuffers.UOffsetT) []byte {
	b := flatbuffers.NewBuilder(0)
	field := f(b)
	flatbuf.SchemaStartFieldsVector(b, 1)
	b.PrependUOffsetT(field)
	fields := b.EndVector(1)
	flatbuf.SchemaStart(b)
	flatbuf.SchemaAddFields(b, fields)
	schema := flatbuf.SchemaEnd(b)
	flatbuf.MessageStart(b)
	flatbuf.MessageAddHeaderType(b, flatbuf.MessageHeaderSchema)
	flatbuf.MessageAddHeader(b, schema)
	b.Finish(flatbuf.MessageEnd(b))
	return b.FinishedBytes()
}

// structField adds a field of type Struct_ whose children are all the same.
func structField(b *flatbuffers.Builder, child flatbuffers.UOffsetT, times int) flatbuffers.UOffsetT {
	flatbuf.FieldStartChildrenVector(b, times)
	for range times {
		b.PrependUOffsetT(child)
	}
	children := b.EndVector(times)
	flatbuf.Struct_Start(b)
	typ := flatbuf.Struct_End(b)
	flatbuf.FieldStart(b)
	flatbuf.FieldAddTypeType(b, flatbuf.TypeStruct_)
	flatbuf.FieldAddType(b, typ)
	flatbuf.FieldAddChildren(b, children)
	return flatbuf.FieldEnd(b)
}

func intField(b *flatbuffers.Builder) flatbuffers.UOffsetT {
	flatbuf.IntStart(b)
	flatbuf.IntAddBitWidth(b, 32)
	typ := flatbuf.IntEnd(b)
	flatbuf.FieldStart(b)
	flatbuf.FieldAddTypeType(b, flatbuf.TypeInt)
	flatbuf.FieldAddType(b, typ)
	return flatbuf.FieldEnd(b)
}

// nested gives fields inside each other, the given number in all.
func nested(fields int) []byte {
	return build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		f := intField(b)
		for range fields - 1 {
			f = structField(b, f, 1)
		}
		return f
	})
}

func TestRequiredMembers(t *testing.T) {
	noType := build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		flatbuf.FieldStart(b)
		inner := flatbuf.FieldEnd(b)
		return structField(b, inner, 1)
	})
	require.EqualError(t, verify.Message(noType),
		"verify: Message.header(Schema).fields[0].children[0].type: is required and absent")

	noIndexType := build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		flatbuf.DictionaryEncodingStart(b)
		d := flatbuf.DictionaryEncodingEnd(b)
		flatbuf.Utf8Start(b)
		typ := flatbuf.Utf8End(b)
		flatbuf.FieldStart(b)
		flatbuf.FieldAddTypeType(b, flatbuf.TypeUtf8)
		flatbuf.FieldAddType(b, typ)
		flatbuf.FieldAddDictionary(b, d)
		return flatbuf.FieldEnd(b)
	})
	require.EqualError(t, verify.Message(noIndexType),
		"verify: Message.header(Schema).fields[0].dictionary.indexType: is required and absent")

	b := flatbuffers.NewBuilder(0)
	b.Finish((&flatbuf.MessageT{Header: &flatbuf.MessageHeaderT{
		Type: flatbuf.MessageHeaderDictionaryBatch, Value: &flatbuf.DictionaryBatchT{Id: 1},
	}}).Pack(b))
	require.EqualError(t, verify.Message(b.FinishedBytes()),
		"verify: Message.header(DictionaryBatch).data: is required and absent")

	b = flatbuffers.NewBuilder(0)
	b.Finish((&flatbuf.FooterT{}).Pack(b))
	require.NoError(t, verify.Footer(b.FinishedBytes()))
	require.NoError(t, verifytest.ReadFooter(b.FinishedBytes()))
}

func TestDepth(t *testing.T) {
	// Message, Schema and the innermost Int are tables, too.
	const most = verify.MaxDepth - 3
	require.NoError(t, verify.Message(nested(most)))
	require.NoError(t, verifytest.ReadMessage(nested(most)))
	require.ErrorContains(t, verify.Message(nested(most+1)), "nested deeper than 72 tables")
	require.ErrorContains(t, verify.Message(nested(10_000)), "nested deeper than 72 tables")

	// A footer's schema is as deep as a message's.
	for fields, want := range map[int]string{most: "", most + 1: "nested deeper than 72 tables"} {
		b := flatbuffers.NewBuilder(0)
		b.Finish((&flatbuf.FooterT{
			Schema: flatbuf.GetRootAsMessage(nested(fields), 0).UnPack().Header.Value.(*flatbuf.SchemaT),
		}).Pack(b))
		if err := verify.Footer(b.FinishedBytes()); want == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want)
		}
	}

	var typ arrow.DataType = arrow.BinaryTypes.String
	for range 64 {
		typ = arrow.ListOf(typ)
	}
	m, err := verifytest.SchemaMetadata(arrow.NewSchema([]arrow.Field{{Type: typ}}, nil))
	require.NoError(t, err)
	require.NoError(t, verify.Message(m))
}

func TestFieldsAreCounted(t *testing.T) {
	of := func(fields int) []byte {
		shared := build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			return structField(b, intField(b), fields-1)
		})
		return append(shared, make([]byte, 1<<20)...) // or they share too much
	}
	require.NoError(t, verify.Message(of(verify.MaxFields)))
	require.EqualError(t, verify.Message(of(verify.MaxFields+1)),
		"verify: Message.header(Schema).fields[0].children[131071]: more than 131072 fields")
}

// annotatedField makes a field of nulls whose custom metadata is n times kv.
func annotatedField(b *flatbuffers.Builder, kv flatbuffers.UOffsetT, n int) flatbuffers.UOffsetT {
	flatbuf.FieldStartCustomMetadataVector(b, n)
	for range n {
		b.PrependUOffsetT(kv)
	}
	metadata := b.EndVector(n)
	flatbuf.NullStart(b)
	typ := flatbuf.NullEnd(b)
	flatbuf.FieldStart(b)
	flatbuf.FieldAddTypeType(b, flatbuf.TypeNull)
	flatbuf.FieldAddType(b, typ)
	flatbuf.FieldAddCustomMetadata(b, metadata)
	return flatbuf.FieldEnd(b)
}

func TestSharing(t *testing.T) {
	bomb := func(levels, width int) []byte {
		return build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			f := intField(b)
			for range levels {
				f = structField(b, f, width)
			}
			return f
		})
	}
	for _, shape := range [][2]int{{60, 2}, {30, 3}, {2, 3000}, {60, 100}} {
		// Unbounded, most of these would take longer than the test may.
		require.ErrorContains(t, verify.Message(bomb(shape[0], shape[1])), "share more than 8 times", "%v", shape)
	}
	require.NoError(t, verify.Message(bomb(1, 1000)))
	require.NoError(t, verify.Message(bomb(5, 3)))

	// One long value that many fields share, as a frugal writer would.
	shared := func(length int) []byte {
		return build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			value := b.CreateByteString(make([]byte, length))
			flatbuf.KeyValueStart(b)
			flatbuf.KeyValueAddValue(b, value)
			return annotatedField(b, flatbuf.KeyValueEnd(b), 100)
		})
	}
	require.NoError(t, verify.Message(shared(500)))
	require.ErrorContains(t, verify.Message(shared(1<<20)), "custom_metadata[8].value: tables and vectors share more than 8 times")
}

// TestCopiesAreCounted has metadata that is small where tables are shared, and long
// in a copy, where none is. Its tables say that they have 4 bytes.
func TestCopiesAreCounted(t *testing.T) {
	const entries = 10_000
	passed := 0
	for fields := range 12 {
		m := build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			empty := b.CreateString("")
			flatbuf.KeyValueStart(b)
			flatbuf.KeyValueAddKey(b, empty)
			flatbuf.KeyValueAddValue(b, empty)
			return structField(b, annotatedField(b, flatbuf.KeyValueEnd(b), entries), fields)
		})
		var header flatbuffers.Table
		flatbuf.GetRootAsMessage(m, 0).Header(&header)
		var schema flatbuf.Schema
		schema.Init(header.Bytes, header.Pos)
		if fields > 0 {
			var outer, field flatbuf.Field
			var kv flatbuf.KeyValue
			schema.Fields(&outer, 0)
			outer.Children(&field, 0)
			field.CustomMetadata(&kv, 0)
			table := kv.Table()
			vtable := table.Pos - flatbuffers.UOffsetT(table.GetSOffsetT(table.Pos))
			require.EqualValues(t, 12, binary.LittleEndian.Uint16(m[vtable+2:]))
			binary.LittleEndian.PutUint16(m[vtable+2:], 4)
		}
		if err := verify.Message(m); err != nil {
			require.ErrorContains(t, err, "share more than 8 times", "%d fields", fields)
			continue
		}
		b := flatbuffers.NewBuilder(0)
		_, err := flatbuf.CopySchema(b, &schema)
		require.NoError(t, err)
		require.LessOrEqual(t, int(b.Offset()), verify.MaxShare*len(m)+64<<10, "%d fields", fields)
		passed++
	}
	require.Contains(t, []int{2, 3, 4}, passed)
}

// TestMaxCopy has metadata of more bytes than Go's builder of FlatBuffers can copy.
func TestMaxCopy(t *testing.T) {
	m := func(size int) error {
		return verify.Message(build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
			value := b.CreateByteString(make([]byte, size))
			flatbuf.KeyValueStart(b)
			flatbuf.KeyValueAddValue(b, value)
			return annotatedField(b, flatbuf.KeyValueEnd(b), 8)
		}))
	}
	require.NoError(t, m(63<<20))
	err := m(65 << 20)
	require.ErrorContains(t, err, "tables and vectors of more than 536870912 bytes")
	var problem *verify.Error
	require.ErrorAs(t, err, &problem)
	require.True(t, problem.Limit)
}

// A path is told in one line, however long it is.
func TestLongPath(t *testing.T) {
	deep := build(func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		f := intField(b)
		for range 100 {
			f = structField(b, f, 1)
		}
		return f
	})
	err := verify.Message(deep)
	require.ErrorContains(t, err, "verify: Message.header(Schema).fields[0].children[0].")
	require.ErrorContains(t, err, "…")
	require.ErrorContains(t, err, ".children[0].type(13): nested deeper than 72 tables")
	require.Less(t, len(err.Error()), 350)
	var problem *verify.Error
	require.ErrorAs(t, err, &problem)
	require.True(t, problem.Limit)
	require.Greater(t, strings.Count(problem.Path, ".children[0]"), 60)
}
