package ipcx_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
)

// foreignFile says whether a golden file, by folder and name, is of the other byte
// order than this machine.
func foreignFile(name string) bool {
	return strings.HasPrefix(name, "1.0.0-bigendian/") != endian.IsBigEndian
}

// cutOffsets says whether arrow-go reads a golden file that is left in the other
// byte order only because it cuts offsets of 64 bits to an int of 32.
func cutOffsets(name string) bool {
	return strconv.IntSize == 32 && foreignFile(name) && strings.Contains(name, "primitive_large_offsets.")
}

// unswappable says whether a schema has a type that is not read in the other byte
// order than this machine's: those that arrow-go does not swap, and decimals that
// its arrays then read in the wrong order of words.
func unswappable(schema *arrow.Schema) bool {
	for _, field := range schema.Fields() {
		if unswappableType(field.Type) {
			return true
		}
	}
	return false
}

func unswappableType(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case arrow.BinaryViewDataType, *arrow.ListViewType, *arrow.LargeListViewType, *arrow.RunEndEncodedType:
		return true
	case *arrow.Decimal128Type, *arrow.Decimal256Type:
		return endian.IsBigEndian
	case arrow.ExtensionType:
		return unswappableType(dt.StorageType())
	case *arrow.DictionaryType:
		return unswappableType(dt.ValueType)
	case arrow.NestedType:
		for _, field := range dt.Fields() {
			if unswappableType(field.Type) {
				return true
			}
		}
	}
	return false
}

// valueOf is a value as text, the same on every machine. arrow-go's own text of
// nested values is not: its JSON has other letters on a big-endian one.
func valueOf(arr arrow.Array, k int) string {
	if arr.IsNull(k) {
		return "null"
	}
	switch a := arr.(type) {
	case array.ExtensionArray:
		return valueOf(a.Storage(), k)
	case *array.Dictionary:
		return valueOf(a.Dictionary(), a.GetValueIndex(k))
	case array.ListLike:
		var list []string
		for from, to := a.ValueOffsets(k); from < to; from++ {
			list = append(list, valueOf(a.ListValues(), int(from)))
		}
		return fmt.Sprintf("%q", list)
	case *array.Struct:
		var fields []string
		for i := range a.NumField() {
			fields = append(fields, valueOf(a.Field(i), k))
		}
		return fmt.Sprintf("{%q}", fields)
	case *array.DenseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(k), valueOf(a.Field(a.ChildID(k)), int(a.ValueOffset(k))))
	case *array.SparseUnion:
		return fmt.Sprintf("%d:%s", a.TypeCode(k), valueOf(a.Field(a.ChildID(k)), k))
	case *array.RunEndEncoded:
		return valueOf(a.Values(), a.GetPhysicalIndex(k))
	case *array.Decimal128, *array.Decimal256:
		// Whose words arrow-go mixes up on machines of 32 bits and on big-endian
		// ones.
		width := arr.DataType().(arrow.FixedWidthDataType).Bytes()
		p := bytes.Clone(arr.Data().Buffers()[1].Bytes()[(arr.Data().Offset()+k)*width:][:width])
		if !endian.IsBigEndian {
			slices.Reverse(p)
		}
		return fmt.Sprintf("%x", p)
	}
	return arr.ValueStr(k)
}
