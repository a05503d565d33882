package main

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

const (
	// rowMost is how many bytes the values of a row may have, valueBytes more for
	// each of them. A few bytes of a file are enough for a row of any length: list
	// views and dictionaries show what they point at again and again, and a null
	// takes nothing.
	rowMost    = 512 << 20
	valueBytes = 64
)

// rowCounter counts what is in rows before anything is made of it.
type rowCounter struct {
	nested []int // columns that may have more than one value in a row
}

func newRowCounter(schema *arrow.Schema) *rowCounter {
	c := &rowCounter{}
	for i, field := range schema.Fields() {
		if isNested(field.Type) {
			c.nested = append(c.nested, i)
		}
	}
	return c
}

// fit returns how many rows of rec come before one that is too long, and why that
// is.
func (c *rowCounter) fit(rec arrow.RecordBatch) (rows int64, err error) {
	if len(c.nested) == 0 {
		return rec.NumRows(), nil
	}
	for i := range int(rec.NumRows()) {
		left := int64(rowMost)
		for _, k := range c.nested {
			if left = take(rec.Column(k), i, left); left < 0 {
				return int64(i), fmt.Errorf("column %q: more than %d bytes in one row, %d for each value among them",
					rec.ColumnName(k), rowMost, valueBytes)
			}
		}
	}
	return rec.NumRows(), nil
}

// take takes what value i of an array has off left. It stops where nothing is left.
func take(a arrow.Array, i int, left int64) int64 {
	left -= valueBytes
	if left < 0 || a.IsNull(i) {
		return left
	}
	switch a := a.(type) {
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		return takeAll(a.ListValues(), int(start), int(end), left)
	case *array.Struct:
		for k := range a.NumField() {
			if left = take(a.Field(k), i, left); left < 0 {
				break
			}
		}
	case *array.Dictionary:
		left = take(a.Dictionary(), a.GetValueIndex(i), left)
	case *array.RunEndEncoded:
		left = take(a.Values(), a.GetPhysicalIndex(i), left)
	case *array.SparseUnion:
		left = take(a.Field(a.ChildID(i)), i, left)
	case *array.DenseUnion:
		left = take(a.Field(a.ChildID(i)), int(a.ValueOffset(i)), left)
	case array.ExtensionArray:
		left = take(a.Storage(), i, left)
	case array.ViewLike:
		left -= int64(a.ValueHeader(i).Len())
	case array.BinaryLike:
		left -= int64(a.ValueLen(i))
	}
	return left
}

// takeAll is take for the values from start to end, at once where they are one
// behind the other.
func takeAll(a arrow.Array, start, end int, left int64) int64 {
	switch b := a.(type) {
	case array.BinaryLike:
		if start < end {
			left -= b.ValueOffset64(end-1) + int64(b.ValueLen(end-1)) - b.ValueOffset64(start)
		}
	case array.ViewLike, *array.Dictionary, array.ExtensionArray:
		for ; start < end && left >= 0; start++ {
			left = take(a, start, left)
		}
		return left
	default:
		for ; isNested(a.DataType()) && start < end && left >= 0; start++ {
			left = take(a, start, left)
		}
	}
	return left - int64(end-start)*valueBytes
}

// isNull says whether value i of an array is null, by whatever says so.
func isNull(a arrow.Array, i int) bool {
	if a.IsNull(i) {
		return true
	}
	switch a := a.(type) {
	case *array.Null:
		return true
	case *array.Dictionary:
		return isNull(a.Dictionary(), a.GetValueIndex(i))
	case *array.RunEndEncoded:
		return isNull(a.Values(), a.GetPhysicalIndex(i))
	case array.ExtensionArray:
		return isNull(a.Storage(), i)
	}
	return false
}

// isNested says whether a value of a type may hold others.
func isNested(dt arrow.DataType) bool {
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return isNested(dt.StorageType())
	case *arrow.DictionaryType:
		return isNested(dt.ValueType)
	}
	_, nested := dt.(arrow.NestedType)
	return nested
}
