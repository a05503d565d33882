package main

import (
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// textOfValue returns a value as JSON, with what is the same in types that hold
// the same written the same way.
func textOfValue(col arrow.Array, i int) (string, error) {
	if col.IsNull(i) {
		return "null", nil
	}
	text, err := json.Marshal(col.GetOneForMarshal(i))
	if err != nil {
		return "", fmt.Errorf("row %d of %s: %w", i, col.DataType(), err)
	}
	return string(text), nil
}
