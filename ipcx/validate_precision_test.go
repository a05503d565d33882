package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// arrow-go takes memory for as many digits as a decimal's precision claims, be it a
// child's or a dictionary's. Of this package's own message readers none comes this
// far.
func TestValidationOfPrecisions(t *testing.T) {
	read := func(dt arrow.DecimalType, around func(arrow.Array) arrow.Array) error {
		data := array.NewData(dt, 1, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, dt.BitWidth()/8))}, nil, 0, 0)
		column := around(array.MakeFromData(data))
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: column.DataType()}}, nil)
		var out bytes.Buffer
		w := ipc.NewWriter(&out, ipc.WithSchema(schema))
		require.NoError(t, w.Write(array.NewRecordBatch(schema, []arrow.Array{column}, 1)))
		require.NoError(t, w.Close())
		r, err := ipcx.NewReaderFromMessageReader(ipc.NewMessageReader(&out), ipcx.WithValidation())
		require.NoError(t, err)
		defer r.Release()
		for r.Next() {
			_, err := r.RecordBatch().Column(0).MarshalJSON()
			require.NoError(t, err)
		}
		return r.Err()
	}
	itself := func(a arrow.Array) arrow.Array { return a }
	inStruct := func(a arrow.Array) arrow.Array {
		s, err := array.NewStructArray([]arrow.Array{a}, []string{"d"})
		require.NoError(t, err)
		return s
	}
	inDictionary := func(a arrow.Array) arrow.Array {
		indices := fromJSON(t, arrow.PrimitiveTypes.Int8, `[0]`).Column(0)
		return array.NewDictionaryArray(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: a.DataType()}, indices, a)
	}
	for most, of := range map[int32]func(precision int32) arrow.DecimalType{
		9:  func(p int32) arrow.DecimalType { return &arrow.Decimal32Type{Precision: p} },
		18: func(p int32) arrow.DecimalType { return &arrow.Decimal64Type{Precision: p} },
		38: func(p int32) arrow.DecimalType { return &arrow.Decimal128Type{Precision: p} },
		76: func(p int32) arrow.DecimalType { return &arrow.Decimal256Type{Precision: p} },
	} {
		for _, around := range []func(arrow.Array) arrow.Array{itself, inStruct, inDictionary} {
			for _, precision := range []int32{0, 1, most} {
				require.NoError(t, read(of(precision), around), "%s", of(precision))
			}
			for _, precision := range []int32{-1, most + 1, 1<<31 - 1} {
				err := read(of(precision), around)
				var invalid *ipcx.InvalidError
				require.ErrorAs(t, err, &invalid, "%s", of(precision))
				require.ErrorIs(t, err, ipcx.ErrCorrupt)
				require.ErrorContains(t, err, "precision of ")
			}
		}
	}
}
