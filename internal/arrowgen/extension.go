package arrowgen

import (
	"reflect"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// ExtensionType is an extension type over any storage. arrow-go reads it back
// as its storage, unless the test registers it with arrow-go first:
//
//	arrow.RegisterExtensionType(arrowgen.ExtensionOf(arrow.Null))
type ExtensionType struct {
	arrow.ExtensionBase
}

// ExtensionOf makes the extension type over the given storage.
func ExtensionOf(storage arrow.DataType) *ExtensionType {
	return &ExtensionType{arrow.ExtensionBase{Storage: storage}}
}

// ArrayType is arrow-go's way to ask for ExtensionArray.
func (*ExtensionType) ArrayType() reflect.Type { return reflect.TypeFor[ExtensionArray]() }

// ExtensionName is the name that goes into the schema's metadata.
func (*ExtensionType) ExtensionName() string { return "arrowgen.thing" }

// ExtensionEquals compares the storage, which is all there is.
func (e *ExtensionType) ExtensionEquals(other arrow.ExtensionType) bool {
	o, ok := other.(*ExtensionType)
	return ok && arrow.TypeEqual(e.Storage, o.Storage)
}

// Serialize gives the text that goes into the schema's metadata.
func (*ExtensionType) Serialize() string { return "no parameters" }

// Deserialize makes the type over the storage that was read.
func (*ExtensionType) Deserialize(storage arrow.DataType, _ string) (arrow.ExtensionType, error) {
	return ExtensionOf(storage), nil
}

// ExtensionArray is an array of an ExtensionType.
type ExtensionArray struct {
	array.ExtensionArrayBase
}

// ValueStr gives the text of a value of the storage.
func (a *ExtensionArray) ValueStr(i int) string { return a.Storage().ValueStr(i) }
