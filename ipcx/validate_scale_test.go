package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// arrow-go panics where it shows decimals of a scale beyond its table of powers.
func TestValidationOfScales(t *testing.T) {
	read := func(dt arrow.FixedWidthDataType) error {
		data := array.NewData(dt, 1, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, dt.Bytes()))}, nil, 0, 0)
		column := array.MakeFromData(data)
		rec := array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "x", Type: dt}}, nil), []arrow.Array{column}, 1)
		r, err := ipcx.NewReader(bytes.NewReader(write(t, []arrow.RecordBatch{rec})), ipcx.WithValidation())
		require.NoError(t, err)
		defer r.Release()
		for r.Next() {
			_, err := r.RecordBatch().Column(0).MarshalJSON()
			require.NoError(t, err)
		}
		return r.Err()
	}
	for most, of := range map[int32]func(scale int32) arrow.FixedWidthDataType{
		9:  func(s int32) arrow.FixedWidthDataType { return &arrow.Decimal32Type{Precision: 9, Scale: s} },
		18: func(s int32) arrow.FixedWidthDataType { return &arrow.Decimal64Type{Precision: 18, Scale: s} },
		38: func(s int32) arrow.FixedWidthDataType { return &arrow.Decimal128Type{Precision: 38, Scale: s} },
		76: func(s int32) arrow.FixedWidthDataType { return &arrow.Decimal256Type{Precision: 76, Scale: s} },
	} {
		for _, scale := range []int32{-most, 0, most} {
			require.NoError(t, read(of(scale)), "%s", of(scale))
		}
		for _, scale := range []int32{-1 << 31, -most - 1, most + 1, 1<<31 - 1} {
			err := read(of(scale))
			var invalid *ipcx.InvalidError
			require.ErrorAs(t, err, &invalid, "%s", of(scale))
			require.ErrorIs(t, err, ipcx.ErrCorrupt)
			require.ErrorContains(t, err, "scale of ")
		}
	}
}
