package main

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// textOfValue returns a value as JSON, or as other text where types that hold the
// same, such as durations in two units, would differ in it.
func textOfValue(col arrow.Array, i int) (string, error) {
	if col.IsNull(i) {
		return "null", nil
	}
	switch col := col.(type) {
	case *array.Date64:
		return fmt.Sprintf("%q", col.Value(i).ToTime().Format("2006-01-02 15:04:05.999")), nil
	case *array.Timestamp:
		unit := col.DataType().(*arrow.TimestampType).Unit
		return fmt.Sprintf("%q", col.Value(i).ToTime(unit).Format("2006-01-02 15:04:05.999999999")), nil
	case *array.Duration:
		unit := col.DataType().(*arrow.DurationType).Unit
		ns := new(big.Int).Mul(big.NewInt(int64(col.Value(i))), big.NewInt(int64(unit.Multiplier())))
		return ns.String() + " ns", nil
	}
	text, err := json.Marshal(col.GetOneForMarshal(i))
	if err != nil {
		return "", fmt.Errorf("row %d of %s: %w", i, col.DataType(), err)
	}
	return string(text), nil
}
