package layout

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

var (
	// ErrUnmapped is what every *UnmappedError wraps.
	ErrUnmapped = errors.New("layout: schema is not mapped throughout")

	// ErrTooManyNodes says that a schema has more than MaxNodes field nodes.
	ErrTooManyNodes = errors.New("layout: too many field nodes")

	// ErrUnknownType says that a schema has a type that this package cannot
	// describe, so that nothing can be said about its buffers.
	ErrUnknownType = errors.New("layout: unknown type")

	// ErrVersion says that a metadata version is none of Arrow's.
	ErrVersion = errors.New("layout: unknown metadata version")

	// ErrVariadicCounts says that the variadic buffer counts of a message do
	// not fit its schema.
	ErrVariadicCounts = errors.New("layout: bad variadic buffer counts")
)

// UnmappedError names the first field of a schema whose type is not mapped.
// errors.Is finds ErrUnmapped in it, and ErrUnknownType or ErrTooManyNodes
// where one of them is the reason.
type UnmappedError struct {
	Path string         // the field, as the package comment describes it
	Type arrow.DataType // its type: of an extension, the storage; nil if the field has none

	cause error
}

// Error says which field it is and what type it has.
func (e *UnmappedError) Error() string {
	switch e.cause {
	case ErrTooManyNodes:
		return fmt.Sprintf("layout: the schema has more than %d field nodes, field %s is one too many", MaxNodes, e.Path)
	case ErrUnknownType:
		return fmt.Sprintf("layout: field %s has type %s, which is unknown", e.Path, typeName(e.Type))
	}
	return fmt.Sprintf("layout: field %s has type %s, which is not mapped", e.Path, typeName(e.Type))
}

// Unwrap gives ErrUnmapped, and the more particular reason if there is one.
func (e *UnmappedError) Unwrap() []error {
	if e.cause == nil {
		return []error{ErrUnmapped}
	}
	return []error{ErrUnmapped, e.cause}
}

// typeName is the bare name, because the text of a nested type can be as long
// as the schema.
func typeName(typ arrow.DataType) string {
	if typ == nil {
		return "nil"
	}
	return typ.Name()
}
