package flatbuf_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify/verifytest"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"
)

// schemaMessages gives the metadata of real schema messages.
func schemaMessages(t *testing.T) map[string][]byte {
	t.Helper()
	messages := make(map[string][]byte)
	for name, s := range verifytest.Schemas() {
		m, err := verifytest.SchemaMetadata(s)
		require.NoError(t, err)
		messages[name] = m
	}
	if dir := os.Getenv("ARROW_TEST_DATA"); dir != "" {
		paths, err := filepath.Glob(filepath.Join(dir, "arrow-ipc-stream/integration/*/*.stream"))
		require.NoError(t, err)
		require.NotEmpty(t, paths, "%s has no golden streams", dir)
		for _, path := range paths {
			stream, err := os.ReadFile(path)
			require.NoError(t, err)
			messages[path] = verifytest.Messages(stream)[0]
		}
	} else {
		t.Log("ARROW_TEST_DATA is not set: no golden streams")
	}
	return messages
}

func schemaOf(t *testing.T, metadata []byte) *flatbuf.Schema {
	t.Helper()
	m := flatbuf.GetRootAsMessage(metadata, 0)
	var header flatbuffers.Table
	require.True(t, m.Header(&header))
	require.Equal(t, flatbuf.MessageHeaderSchema, m.HeaderType())
	var s flatbuf.Schema
	s.Init(header.Bytes, header.Pos)
	return &s
}

// decode has arrow-go read a schema message.
func decode(t *testing.T, metadata []byte) *arrow.Schema {
	t.Helper()
	stream := binary.LittleEndian.AppendUint32([]byte{0xFF, 0xFF, 0xFF, 0xFF}, uint32(len(metadata)))
	r, err := ipc.NewReader(bytes.NewReader(append(stream, metadata...)))
	require.NoError(t, err)
	defer r.Release()
	return r.Schema()
}

// message finishes a schema message.
func message(b *flatbuffers.Builder, schema flatbuffers.UOffsetT) []byte {
	flatbuf.MessageStart(b)
	flatbuf.MessageAddVersion(b, flatbuf.MetadataVersionV5)
	flatbuf.MessageAddHeaderType(b, flatbuf.MessageHeaderSchema)
	flatbuf.MessageAddHeader(b, schema)
	b.Finish(flatbuf.MessageEnd(b))
	return b.FinishedBytes()
}

func TestUnPackAndPackGiveTheSameSchema(t *testing.T) {
	for name, metadata := range schemaMessages(t) {
		t.Run(name, func(t *testing.T) {
			m := flatbuf.GetRootAsMessage(metadata, 0).UnPack()
			b := flatbuffers.NewBuilder(0)
			b.Finish(m.Pack(b))
			packed := b.FinishedBytes()
			require.Equal(t, m, flatbuf.GetRootAsMessage(packed, 0).UnPack())
			requireSameSchema(t, decode(t, metadata), decode(t, packed))
		})
	}
}

func TestCopySchema(t *testing.T) {
	for name, metadata := range schemaMessages(t) {
		t.Run(name, func(t *testing.T) {
			s := schemaOf(t, metadata)
			b := flatbuffers.NewBuilder(0)
			schema, err := flatbuf.CopySchema(b, s)
			require.NoError(t, err)
			copied := message(b, schema)
			require.Equal(t, dump(s), dump(schemaOf(t, copied)))
			require.Equal(t, s.UnPack(), schemaOf(t, copied).UnPack())
			requireSameSchema(t, decode(t, metadata), decode(t, copied))

			b = flatbuffers.NewBuilder(0)
			schema, err = flatbuf.CopySchema(b, s)
			require.NoError(t, err)
			flatbuf.FooterStart(b)
			flatbuf.FooterAddVersion(b, flatbuf.MetadataVersionV5)
			flatbuf.FooterAddSchema(b, schema)
			b.Finish(flatbuf.FooterEnd(b))
			r, err := ipc.NewFileReader(bytes.NewReader(verifytest.File(b.FinishedBytes())))
			require.NoError(t, err)
			requireSameSchema(t, decode(t, metadata), r.Schema())
		})
	}
}

// Schema.Equal leaves out the metadata of the schema itself.
func requireSameSchema(t *testing.T, want, got *arrow.Schema) {
	t.Helper()
	require.True(t, want.Equal(got), "want %s\ngot %s", want, got)
	require.Equal(t, want.Metadata(), got.Metadata())
}

// What no writer at hand makes: absent beside empty, features, unused members.
func TestCopySchemaKeepsAbsentApartFromEmpty(t *testing.T) {
	for _, full := range []bool{false, true} {
		b := flatbuffers.NewBuilder(0)
		str := func() (offset flatbuffers.UOffsetT) {
			if full {
				offset = b.CreateString("")
			}
			return offset
		}
		vector := func(offsets ...flatbuffers.UOffsetT) (offset flatbuffers.UOffsetT) {
			if full || len(offsets) > 0 {
				b.StartVector(4, len(offsets), 4)
				for i := len(offsets) - 1; i >= 0; i-- {
					b.PrependUOffsetT(offsets[i])
				}
				offset = b.EndVector(len(offsets))
			}
			return offset
		}
		field := func(typ flatbuf.Type, offset flatbuffers.UOffsetT) flatbuffers.UOffsetT {
			name, children := str(), vector()
			key, value := str(), str()
			flatbuf.KeyValueStart(b)
			flatbuf.KeyValueAddKey(b, key)
			flatbuf.KeyValueAddValue(b, value)
			metadata := vector(flatbuf.KeyValueEnd(b))
			flatbuf.FieldStart(b)
			flatbuf.FieldAddName(b, name)
			flatbuf.FieldAddTypeType(b, typ)
			flatbuf.FieldAddType(b, offset)
			flatbuf.FieldAddChildren(b, children)
			flatbuf.FieldAddCustomMetadata(b, metadata)
			return flatbuf.FieldEnd(b)
		}
		timezone := str()
		flatbuf.TimestampStart(b)
		flatbuf.TimestampAddTimezone(b, timezone)
		timestamp := field(flatbuf.TypeTimestamp, flatbuf.TimestampEnd(b))
		ids := vector()
		flatbuf.UnionStart(b)
		flatbuf.UnionAddTypeIds(b, ids)
		union := field(flatbuf.TypeUnion, flatbuf.UnionEnd(b))
		flatbuf.DateStart(b)
		date := field(flatbuf.TypeDate, flatbuf.DateEnd(b))
		fields, metadata := vector(timestamp, union, date), vector()
		var features flatbuffers.UOffsetT
		if full {
			flatbuf.SchemaStartFeaturesVector(b, 2)
			b.PrependInt64(int64(flatbuf.FeatureCOMPRESSED_BODY))
			b.PrependInt64(1 << 40)
			features = b.EndVector(2)
		}
		flatbuf.SchemaStart(b)
		flatbuf.SchemaAddEndianness(b, flatbuf.EndiannessBig)
		flatbuf.SchemaAddFields(b, fields)
		flatbuf.SchemaAddCustomMetadata(b, metadata)
		flatbuf.SchemaAddFeatures(b, features)
		s := schemaOf(t, message(b, flatbuf.SchemaEnd(b)))

		b = flatbuffers.NewBuilder(0)
		copied, err := flatbuf.CopySchema(b, s)
		require.NoError(t, err)
		require.Equal(t, dump(s), dump(schemaOf(t, message(b, copied))))
		want := `Big, features none, metadata none, fields ""
 name none, type Timestamp, timezone none, dictionary none, metadata "" none=none, children none
 name none, type Union, typeIds none, dictionary none, metadata "" none=none, children none
 name none, type Date, dictionary none, metadata "" none=none, children none
`
		if full {
			want = strings.ReplaceAll(want, "none", `""`)
			want = strings.ReplaceAll(want, `dictionary ""`, "dictionary none")
			want = strings.ReplaceAll(want, `features ""`, "features [1099511627776 2]")
		}
		require.Equal(t, want, dump(s))
	}
}

func TestCopySchemaWithoutFields(t *testing.T) {
	b := flatbuffers.NewBuilder(0)
	flatbuf.SchemaStart(b)
	s := schemaOf(t, message(b, flatbuf.SchemaEnd(b)))
	b = flatbuffers.NewBuilder(0)
	copied, err := flatbuf.CopySchema(b, s)
	require.NoError(t, err)
	require.Equal(t, "Little, features none, metadata none, fields none\n", dump(schemaOf(t, message(b, copied))))
}

func TestCopySchemaRefusesWhatItWouldLose(t *testing.T) {
	for typ, want := range map[flatbuf.Type]string{
		99:                   `flatbuf: field "inner" has type number 99, which is none of the known 1 to 26`,
		flatbuf.TypeNONE:     `flatbuf: field "inner" has no type`,
		flatbuf.TypeUtf8View: "",
	} {
		b := flatbuffers.NewBuilder(0)
		name := b.CreateString("inner")
		var table flatbuffers.UOffsetT
		if typ != flatbuf.TypeNONE {
			flatbuf.Utf8ViewStart(b)
			table = flatbuf.Utf8ViewEnd(b)
		}
		flatbuf.FieldStart(b)
		flatbuf.FieldAddName(b, name)
		flatbuf.FieldAddTypeType(b, typ)
		flatbuf.FieldAddType(b, table)
		inner := flatbuf.FieldEnd(b)
		flatbuf.FieldStartChildrenVector(b, 1)
		b.PrependUOffsetT(inner)
		children := b.EndVector(1)
		flatbuf.Struct_Start(b)
		table = flatbuf.Struct_End(b)
		flatbuf.FieldStart(b)
		flatbuf.FieldAddTypeType(b, flatbuf.TypeStruct_)
		flatbuf.FieldAddType(b, table)
		flatbuf.FieldAddChildren(b, children)
		outer := flatbuf.FieldEnd(b)
		flatbuf.SchemaStartFieldsVector(b, 1)
		b.PrependUOffsetT(outer)
		fields := b.EndVector(1)
		flatbuf.SchemaStart(b)
		flatbuf.SchemaAddFields(b, fields)
		_, err := flatbuf.CopySchema(flatbuffers.NewBuilder(0), schemaOf(t, message(b, flatbuf.SchemaEnd(b))))
		if want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, want)
		}
	}
}

// dump prints a schema such that an absent string or vector, "none", looks
// different from an empty one, `""`.
func dump(s *flatbuf.Schema) string {
	var out strings.Builder
	features := "none"
	if t := s.Table(); t.Offset(10) != 0 {
		list := []int64{}
		for i := range s.FeaturesLength() {
			list = append(list, int64(s.Features(i)))
		}
		features = fmt.Sprint(list)
	}
	st := s.Table()
	fmt.Fprintf(&out, "%s, features %s, metadata %s, fields %s\n",
		s.Endianness(), features, dumpMetadata(s, st.Offset(8) != 0), presence(st.Offset(6) != 0))
	for i := range s.FieldsLength() {
		var f flatbuf.Field
		s.Fields(&f, i)
		dumpField(&out, " ", &f)
	}
	return out.String()
}

func dumpField(out *strings.Builder, indent string, f *flatbuf.Field) {
	fmt.Fprintf(out, "%sname %s, type %s", indent, dumpString(f.Name()), f.TypeType())
	if f.Nullable() {
		out.WriteString(", nullable")
	}
	var t flatbuffers.Table
	f.Type(&t)
	switch f.TypeType() {
	case flatbuf.TypeTimestamp:
		var ts flatbuf.Timestamp
		ts.Init(t.Bytes, t.Pos)
		fmt.Fprintf(out, ", timezone %s", dumpString(ts.Timezone()))
	case flatbuf.TypeUnion:
		var u flatbuf.Union
		u.Init(t.Bytes, t.Pos)
		fmt.Fprintf(out, ", typeIds %s", presence(t.Offset(6) != 0))
		for i := range u.TypeIdsLength() {
			fmt.Fprintf(out, " %d", u.TypeIds(i))
		}
	}
	if d := f.Dictionary(nil); d != nil {
		fmt.Fprintf(out, ", dictionary %d %v", d.Id(), d.IndexType(nil) != nil)
	} else {
		out.WriteString(", dictionary none")
	}
	ft := f.Table()
	fmt.Fprintf(out, ", metadata %s, children %s\n", dumpMetadata(f, ft.Offset(16) != 0), presence(ft.Offset(14) != 0))
	for i := range f.ChildrenLength() {
		var child flatbuf.Field
		f.Children(&child, i)
		dumpField(out, indent+" ", &child)
	}
}

func dumpMetadata(m interface {
	CustomMetadataLength() int
	CustomMetadata(*flatbuf.KeyValue, int) bool
}, present bool) string {
	out := presence(present)
	for i := range m.CustomMetadataLength() {
		var kv flatbuf.KeyValue
		m.CustomMetadata(&kv, i)
		out += " " + dumpString(kv.Key()) + "=" + dumpString(kv.Value())
	}
	return out
}

func dumpString(s []byte) string {
	if s == nil {
		return "none"
	}
	return fmt.Sprintf("%q", s)
}

func presence(present bool) string {
	if present {
		return `""`
	}
	return "none"
}
