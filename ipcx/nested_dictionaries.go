package ipcx

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// withOwnDictionaries returns a record batch that shares no dictionary that holds
// others with the record batches before and after it, as those of arrow-go do: for
// each of them it sets the inner dictionaries anew in the data of the outer one,
// which changes what was read before, even while somebody looks at it. Buffers
// stay shared. The caller releases it, and rec as well.
func withOwnDictionaries(rec arrow.RecordBatch) arrow.RecordBatch {
	columns := make([]arrow.Array, rec.NumCols())
	for i, column := range rec.Columns() {
		data := withOwnData(column.Data())
		columns[i] = array.MakeFromData(data)
		data.Release()
		defer columns[i].Release()
	}
	metadata := arrow.Metadata{}
	if with, ok := rec.(arrow.RecordBatchWithMetadata); ok {
		metadata = with.Metadata()
	}
	return array.NewRecordBatchWithMetadata(rec.Schema(), columns, rec.NumRows(), metadata)
}

// withOwnData returns data, or a copy where there are dictionaries in it; of those
// below them too. The caller releases it.
func withOwnData(data arrow.ArrayData) arrow.ArrayData {
	copied := isDictionary(data.DataType())
	children := make([]arrow.ArrayData, len(data.Children()))
	for i, child := range data.Children() {
		children[i] = withOwnData(child)
		defer children[i].Release()
		copied = copied || children[i] != child
	}
	if !copied {
		data.Retain()
		return data
	}
	own := array.NewData(data.DataType(), data.Len(), slices.Clone(data.Buffers()), children, data.NullN(), data.Offset())
	if dict := dictionaryOf(data); dict != nil {
		dict = withOwnData(dict)
		own.SetDictionary(dict)
		dict.Release()
	}
	return own
}
