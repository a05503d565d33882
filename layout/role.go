package layout

import "strconv"

// Role says what a body buffer holds. Throughout, n is the length of the
// buffer's field node.
type Role uint8

// The roles, by Arrow's names where it has one.
const (
	// Validity is a bitmap of n bits, a set bit for a value that is not null.
	// It may be empty where the node has no nulls.
	Validity Role = iota + 1
	// Values are n fixed-width values, Buffer.Width bytes each.
	Values
	// Bits are n boolean values, one bit each.
	Bits
	// Bytes is the data that the offsets of a binary or utf8 field point into.
	Bytes
	// Offsets32 are n+1 int32 offsets of a binary, utf8, list or map field.
	Offsets32
	// Offsets64 are n+1 int64 offsets of a large binary, utf8 or list field.
	Offsets64
	// Views are n views of a binary view or utf8 view field, 16 bytes each.
	Views
	// ViewData is one of the variadic buffers that views point into.
	ViewData
	// ListViewOffsets32 are n int32 offsets of a list view.
	ListViewOffsets32
	// ListViewOffsets64 are n int64 offsets of a large list view.
	ListViewOffsets64
	// ListViewSizes32 are n int32 sizes of a list view.
	ListViewSizes32
	// ListViewSizes64 are n int64 sizes of a large list view.
	ListViewSizes64
	// TypeIDs are n type ids of a union, one byte each.
	TypeIDs
	// UnionOffsets are n int32 offsets of a dense union.
	UnionOffsets
)

// String gives the role's name in lower case, and Role(n) for a number that is
// no role.
func (r Role) String() string {
	switch r {
	case Validity:
		return "validity"
	case Values:
		return "values"
	case Bits:
		return "bits"
	case Bytes:
		return "bytes"
	case Offsets32:
		return "offsets32"
	case Offsets64:
		return "offsets64"
	case Views:
		return "views"
	case ViewData:
		return "view data"
	case ListViewOffsets32:
		return "list view offsets32"
	case ListViewOffsets64:
		return "list view offsets64"
	case ListViewSizes32:
		return "list view sizes32"
	case ListViewSizes64:
		return "list view sizes64"
	case TypeIDs:
		return "type ids"
	case UnionOffsets:
		return "union offsets"
	}
	return "Role(" + strconv.Itoa(int(r)) + ")"
}

// IsOffsets reports whether the role is Offsets32 or Offsets64: offsets that
// never decrease, n+1 of them, which is what lengths can stand in for. The
// offsets of list views and unions are not of that kind.
func (r Role) IsOffsets() bool {
	return r == Offsets32 || r == Offsets64
}
