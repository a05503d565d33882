package flatbuf

import (
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"
)

// CopySchema writes a copy of s into b and returns its position there, to be
// put into a Message or a Footer. It works between finished objects, like
// every function that makes a table.
//
// Absent strings and vectors stay absent and empty ones stay empty. What
// arrow.fbs does not know would be lost in the copy: CopySchema returns an
// error for a field whose type it does not know, with the field's name.
// Members that a later format may add to a known table are left out.
//
// The schema must have passed package verify, which also bounds the depth that
// CopySchema recurses to. The copy shares no bytes with s.
func CopySchema(b *flatbuffers.Builder, s *Schema) (flatbuffers.UOffsetT, error) {
	return copySchema(b, s, s.FieldsLength(), s.Fields)
}

// CopyColumns is [CopySchema] with the fields at columns alone, in that order.
// They are indices into the schema's fields, and must be in range.
func CopyColumns(b *flatbuffers.Builder, s *Schema, columns []int) (flatbuffers.UOffsetT, error) {
	return copySchema(b, s, len(columns), func(f *Field, i int) bool { return s.Fields(f, columns[i]) })
}

func copySchema(b *flatbuffers.Builder, s *Schema, n int, at func(*Field, int) bool) (flatbuffers.UOffsetT, error) {
	fields, err := copyFields(b, n, at, present(s._tab, 6), SchemaStartFieldsVector)
	if err != nil {
		return 0, err
	}
	metadata := copyMetadata(b, s, present(s._tab, 8), SchemaStartCustomMetadataVector)
	features := flatbuffers.UOffsetT(0)
	if present(s._tab, 10) {
		n := s.FeaturesLength()
		SchemaStartFeaturesVector(b, n)
		for i := n - 1; i >= 0; i-- {
			b.PrependInt64(int64(s.Features(i)))
		}
		features = b.EndVector(n)
	}
	SchemaStart(b)
	SchemaAddEndianness(b, s.Endianness())
	SchemaAddFields(b, fields)
	SchemaAddCustomMetadata(b, metadata)
	SchemaAddFeatures(b, features)
	return SchemaEnd(b), nil
}

// copyField copies one field and, through copyFields, its children.
func copyField(b *flatbuffers.Builder, f *Field) (flatbuffers.UOffsetT, error) {
	children, err := copyFields(b, f.ChildrenLength(), f.Children, present(f._tab, 14), FieldStartChildrenVector)
	if err != nil {
		return 0, err
	}
	typ, err := copyType(b, f)
	if err != nil {
		return 0, err
	}
	name := copyString(b, f.Name())
	dictionary := f.Dictionary(nil).UnPack().Pack(b)
	metadata := copyMetadata(b, f, present(f._tab, 16), FieldStartCustomMetadataVector)

	FieldStart(b)
	FieldAddName(b, name)
	FieldAddNullable(b, f.Nullable())
	FieldAddTypeType(b, f.TypeType())
	FieldAddType(b, typ)
	FieldAddDictionary(b, dictionary)
	FieldAddChildren(b, children)
	FieldAddCustomMetadata(b, metadata)
	return FieldEnd(b), nil
}

// copyType copies the type of f. Two types have members that the object API
// gets wrong; the others have scalars only.
func copyType(b *flatbuffers.Builder, f *Field) (flatbuffers.UOffsetT, error) {
	var table flatbuffers.Table
	if !f.Type(&table) {
		return 0, fmt.Errorf("flatbuf: field %q has no type", f.Name())
	}
	switch f.TypeType() {
	case TypeTimestamp:
		t := Timestamp{_tab: table}
		timezone := copyString(b, t.Timezone())
		TimestampStart(b)
		TimestampAddUnit(b, t.Unit())
		TimestampAddTimezone(b, timezone)
		return TimestampEnd(b), nil
	case TypeUnion:
		t := (&Union{_tab: table}).UnPack()
		if !present(table, 6) {
			t.TypeIds = nil
		}
		return t.Pack(b), nil
	}
	t := f.TypeType().UnPack(table)
	if t == nil {
		return 0, fmt.Errorf("flatbuf: field %q has type number %d, which is none of the known 1 to %d",
			f.Name(), byte(f.TypeType()), byte(TypeLargeListView))
	}
	return t.Pack(b), nil
}

// copyFields copies the n fields that at gives out into a vector.
func copyFields(b *flatbuffers.Builder, n int, at func(*Field, int) bool, present bool,
	start func(*flatbuffers.Builder, int) flatbuffers.UOffsetT,
) (flatbuffers.UOffsetT, error) {
	if !present {
		return 0, nil
	}
	offsets := make([]flatbuffers.UOffsetT, n)
	for i := range offsets {
		var f Field
		at(&f, i)
		var err error
		if offsets[i], err = copyField(b, &f); err != nil {
			return 0, err
		}
	}
	return copyVector(b, offsets, start), nil
}

// annotated is what Schema and Field have in common.
type annotated interface {
	CustomMetadataLength() int
	CustomMetadata(*KeyValue, int) bool
}

func copyMetadata(b *flatbuffers.Builder, a annotated, present bool,
	start func(*flatbuffers.Builder, int) flatbuffers.UOffsetT,
) flatbuffers.UOffsetT {
	if !present {
		return 0
	}
	offsets := make([]flatbuffers.UOffsetT, a.CustomMetadataLength())
	for i := range offsets {
		var kv KeyValue
		a.CustomMetadata(&kv, i)
		key := copyString(b, kv.Key())
		value := copyString(b, kv.Value())
		KeyValueStart(b)
		KeyValueAddKey(b, key)
		KeyValueAddValue(b, value)
		offsets[i] = KeyValueEnd(b)
	}
	return copyVector(b, offsets, start)
}

// copyVector writes from the last entry to the first, as a builder grows
// towards the front.
func copyVector(b *flatbuffers.Builder, offsets []flatbuffers.UOffsetT,
	start func(*flatbuffers.Builder, int) flatbuffers.UOffsetT,
) flatbuffers.UOffsetT {
	start(b, len(offsets))
	for i := len(offsets) - 1; i >= 0; i-- {
		b.PrependUOffsetT(offsets[i])
	}
	return b.EndVector(len(offsets))
}

// copyString takes what the accessors return: nil for an absent string.
func copyString(b *flatbuffers.Builder, s []byte) flatbuffers.UOffsetT {
	if s == nil {
		return 0
	}
	return b.CreateByteString(s)
}

// present tells whether a table has the member at slot of its vtable, in bytes:
// the lengths that the accessors give are 0 for absent vectors, too.
func present(t flatbuffers.Table, slot flatbuffers.VOffsetT) bool {
	return t.Offset(slot) != 0
}
