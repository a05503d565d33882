package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// viewsOf is a stream of a column of string views that show spans of data.
func viewsOf(t testing.TB, data []byte, spans [][2]int) []byte {
	var views []byte
	for _, s := range spans {
		views = binary.NativeEndian.AppendUint32(views, uint32(s[1]-s[0]))
		views = append(views, data[s[0]:s[0]+4]...)
		views = binary.NativeEndian.AppendUint32(views, 0)
		views = binary.NativeEndian.AppendUint32(views, uint32(s[0]))
	}
	buffers := []*memory.Buffer{nil, memory.NewBufferBytes(views), memory.NewBufferBytes(data)}
	column := array.MakeFromData(array.NewData(arrow.BinaryTypes.StringView, len(spans), buffers, nil, 0, 0))
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.StringView}}, nil)
	return write(t, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(spans)))})
}

// Views may show the same bytes again and again. These show a terabyte in a few
// megabytes.
func TestValidationOfViewsThatShareBytes(t *testing.T) {
	data := bytes.Repeat([]byte("aß€𝄞"), 16<<20/10)
	spans := slices.Repeat([][2]int{{0, len(data)}}, 1<<16)
	require.NoError(t, drainBytes(viewsOf(t, data, spans), ipcx.WithValidation()).Err)
	data[len(data)-1] = 'x'
	var invalid *ipcx.InvalidError
	spans[0][1] -= 4
	require.ErrorAs(t, drainBytes(viewsOf(t, data, spans), ipcx.WithValidation()).Err, &invalid)
	require.EqualValues(t, 1, invalid.Row)
}

// Whether a view shows text does not depend on how many others show the same bytes.
func TestValidationOfTextInViews(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	pieces := []string{"a", "ß", "€", "𝄞", "plain letters", "\xE2\x82", "\x80", "\xF0\x9D\x84", "\xC3", "\xFF"}
	const sound = 5 // the first of them
	found := 0
	for range 300 {
		var data []byte
		for len(data) < 4000 {
			if rng.IntN(200) == 0 {
				data = append(data, pieces[rng.IntN(len(pieces))]...)
			}
			data = append(data, pieces[rng.IntN(sound)]...)
		}
		spans := make([][2]int, 600)
		for i := range spans {
			from := rng.IntN(len(data) - 1100)
			spans[i] = [2]int{from, from + 13 + rng.IntN(1087)}
		}
		// Those that show text come first, so that the rest shows which is the first that
		// does not, when the index is long in use.
		slices.SortStableFunc(spans, func(a, b [2]int) int {
			order := func(s [2]int) int {
				if utf8.Valid(data[s[0]:s[1]]) {
					return 0
				}
				return 1
			}
			return order(a) - order(b)
		})
		first := slices.IndexFunc(spans, func(s [2]int) bool { return !utf8.Valid(data[s[0]:s[1]]) })
		shown := 0
		for _, s := range spans[:max(first, 0)] {
			shown += s[1] - s[0]
		}
		err := drainBytes(viewsOf(t, data, spans), ipcx.WithValidation()).Err
		if first < 0 {
			require.NoError(t, err)
			continue
		}
		var invalid *ipcx.InvalidError
		require.ErrorAs(t, err, &invalid)
		require.EqualValues(t, first, invalid.Row)
		if shown > 2*len(data) {
			found++
		}
	}
	require.Greater(t, found, 100)
}
