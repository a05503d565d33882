package verify

import (
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// sense checks that the numbers of the table at pos, which has been verified, are
// those of a type of Arrow's, apart from its enums: only the tables of types and
// fields have some to check. What Arrow may add one day, as with wider integers, is
// refused too.
func (v *verifier) sense(id tableID, pos int64) *Error {
	at := flatbuffers.UOffsetT(pos)
	switch id {
	case field:
		var f flatbuf.Field
		f.Init(v.buf, at)
		return children(&f)
	case intType:
		var t flatbuf.Int
		t.Init(v.buf, at)
		switch t.BitWidth() {
		case 8, 16, 32, 64:
			return nil
		}
		return problem("%d bits, not 8, 16, 32 or 64", t.BitWidth()).in("bitWidth")
	case decimal:
		var t flatbuf.Decimal
		t.Init(v.buf, at)
		return digits(&t)
	case timeType:
		var t flatbuf.Time
		t.Init(v.buf, at)
		return timeOfDay(&t)
	case fixedSizeBinary:
		var t flatbuf.FixedSizeBinary
		t.Init(v.buf, at)
		if n := t.ByteWidth(); n < 0 {
			return problem("%d bytes, less than 0", n).in("byteWidth")
		}
	case fixedSizeList:
		var t flatbuf.FixedSizeList
		t.Init(v.buf, at)
		if n := t.ListSize(); n < 0 {
			return problem("%d entries, less than 0", n).in("listSize")
		}
	}
	return nil
}

// digits checks that a decimal has no more digits than its bits hold. Whoever shows
// one takes memory for as many as it claims. A type that arrow-go makes of its zero
// value claims none.
func digits(t *flatbuf.Decimal) *Error {
	most := int32(0)
	switch t.BitWidth() {
	case 32:
		most = 9
	case 64:
		most = 18
	case 128:
		most = 38
	case 256:
		most = 76
	default:
		return problem("%d bits, not 32, 64, 128 or 256", t.BitWidth()).in("bitWidth")
	}
	if n := t.Precision(); n < 0 || n > most {
		return problem("%d digits, outside of 0 to %d for %d bits", n, most, t.BitWidth()).in("precision")
	}
	return nil
}

// timeOfDay checks that a time's bits are those of its unit.
func timeOfDay(t *flatbuf.Time) *Error {
	want := int32(32)
	if t.Unit() >= flatbuf.TimeUnitMICROSECOND {
		want = 64
	}
	if bits := t.BitWidth(); bits != want {
		return problem("%d bits, not %d as for unit %s", bits, want, t.Unit()).in("bitWidth")
	}
	return nil
}

// children checks that a field has the children that its type asks for.
func children(f *flatbuf.Field) *Error {
	want := 0
	switch f.TypeType() {
	case flatbuf.TypeUnion:
		return typeIDs(f)
	case flatbuf.TypeList, flatbuf.TypeLargeList, flatbuf.TypeListView, flatbuf.TypeLargeListView, flatbuf.TypeFixedSizeList, flatbuf.TypeMap:
		want = 1
	case flatbuf.TypeRunEndEncoded:
		want = 2
	default:
		return nil
	}
	if n := f.ChildrenLength(); n != want {
		return problem("%d fields, not %d as %s has", n, want, f.TypeType()).in("children")
	}
	var child flatbuf.Field
	f.Children(&child, 0)
	switch f.TypeType() {
	case flatbuf.TypeMap:
		return entries(&child).in("children[0]")
	case flatbuf.TypeRunEndEncoded:
		return runEnds(&child).in("children[0]")
	}
	return nil
}

// entries checks the child of a map: a struct of a key and a value, neither of
// which is null, nor is the key.
func entries(f *flatbuf.Field) *Error {
	switch {
	case f.TypeType() != flatbuf.TypeStruct_ || f.Dictionary(nil) != nil:
		return problem("entries of a Map are %s, not Struct_", described(f))
	case f.ChildrenLength() != 2:
		return problem("%d fields, not 2 as the entries of a Map have", f.ChildrenLength()).in("children")
	case f.Nullable():
		return problem("entries of a Map that may be null").in("nullable")
	}
	var key flatbuf.Field
	f.Children(&key, 0)
	if key.Nullable() {
		return problem("keys of a Map that may be null").in("children[0].nullable")
	}
	return nil
}

// runEnds checks the first child of a run-end encoded field.
func runEnds(f *flatbuf.Field) *Error {
	if f.TypeType() != flatbuf.TypeInt || f.Dictionary(nil) != nil {
		return problem("run ends are %s, not Int", described(f))
	}
	var (
		t     flatbuf.Int
		table flatbuffers.Table
	)
	f.Type(&table)
	t.Init(table.Bytes, table.Pos)
	if t.BitWidth() < 16 || !t.IsSigned() {
		return problem("run ends of %d bits (signed: %t), not of 16, 32 or 64 bits with a sign", t.BitWidth(), t.IsSigned())
	}
	return nil
}

func described(f *flatbuf.Field) string {
	if f.Dictionary(nil) != nil {
		return "a dictionary"
	}
	return f.TypeType().String()
}

// typeIDs checks that a union has a code for each child, and another one each.
func typeIDs(f *flatbuf.Field) *Error {
	const codes = 128
	var (
		t     flatbuf.Union
		table flatbuffers.Table
	)
	f.Type(&table)
	t.Init(table.Bytes, table.Pos)
	n, ids := f.ChildrenLength(), t.TypeIdsLength()
	if n > codes {
		return problem("%d fields, more than a Union has type ids, %d", n, codes).in("children")
	}
	if ids == 0 {
		return nil // they count from 0 on
	}
	if ids != n {
		return problem("%d type ids of %d children", ids, n).in("type(Union).typeIds")
	}
	var seen [codes]bool
	for i := range ids {
		id := t.TypeIds(i)
		if id < 0 || id >= codes {
			return problem("type id %d of child %d, outside of 0 to %d", id, i, codes-1).in("type(Union).typeIds")
		}
		if seen[id] {
			return problem("type id %d of child %d, which an earlier one has", id, i).in("type(Union).typeIds")
		}
		seen[id] = true
	}
	return nil
}
