package ipcx_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// foreignInputs are what people give to a reader by mistake.
func foreignInputs(t *testing.T) map[string][]byte {
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, err := w.Write(write(t, smallBatches(1)))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return map[string][]byte{
		"nothing":       nil,
		"one byte":      {0},
		"a newline":     []byte("\n"),
		"CSV":           []byte("name,value\na,1\nb,2\n" + strings.Repeat("row,3\n", 100)),
		"JSON":          []byte(`{"rows": [{"name": "a"}, {"name": "b"}]}`),
		"Parquet":       []byte("PAR1\x15\x04\x15\x10\x15\x14" + strings.Repeat("data", 50) + "PAR1"),
		"Feather V1":    []byte("FEA1" + strings.Repeat("\x00", 100) + "FEA1"),
		"gzip":          zipped.Bytes(),
		"zeros":         make([]byte, 1000),
		"ones":          bytes.Repeat([]byte{0xFF}, 1000),
		"a marker":      []byte("\xFF\xFF\xFF\xFF\x00\x00\x00\x00"),
		"a magic":       []byte("ARROW1"),
		"a magic and 0": []byte("ARROW1\x00\x00"),
		"two magics":    []byte("ARROW1\x00\x00ARROW1"),
		"a cut file":    []byte("ARROW1\x00\x00" + string(write(t, smallBatches(1)))),
	}
}

// TestForeign has input that is no Arrow data. A conversion says so.
func TestForeign(t *testing.T) {
	for name, data := range foreignInputs(t) {
		t.Run(name, func(t *testing.T) {
			_, err := convert(data)
			require.ErrorIs(t, err, ipcx.ErrNotArrow)
			var out bytes.Buffer
			_, err = ipcx.Convert(context.Background(), &out, io.MultiReader(bytes.NewReader(data))) // no Seek
			require.ErrorIs(t, err, ipcx.ErrNotArrow)
			require.Empty(t, out.Bytes())
			require.Error(t, drainBytes(data).Err)
		})
	}
}
