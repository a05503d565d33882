package ipcx_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestDictionaryValidatedOnce has a long dictionary and very many short record
// batches with it, which validation could not look at again for each of them.
func TestDictionaryValidatedOnce(t *testing.T) {
	const batches = 3000
	schema, dict, batch := wordStream(t)
	dict = longText(t, schema, dict, bytes.Repeat([]byte("é"), 8<<20))
	all := []raw{schema, dict}
	for range batches {
		all = append(all, batch)
	}
	for name, read := range map[string]func(t *testing.T) (int, error){
		"stream": func(*testing.T) (int, error) {
			got := drainBytes(stream(all...), ipcx.WithValidation())
			return len(got.Batches), got.Err
		},
		"file": func(t *testing.T) (int, error) {
			got := drainFile(t, "reader", fileOf(all...), ipcx.WithValidation())
			return len(got.Batches), got.Err
		},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			n, err := read(t)
			require.NoError(t, err)
			require.Equal(t, batches, n)
			// 48 GiB of text that is not ASCII take longer on any machine.
			require.Less(t, time.Since(start), 4*time.Second)
		})
	}
}

// TestChangedDictionaryIsValidated has dictionaries that are good at first, and of
// which the one that replaces, adds or is inside is not. The fault shows with the
// record batch that comes next.
func TestChangedDictionaryIsValidated(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	lists := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(words)}
	of := func(dt arrow.DataType) []raw {
		rec := arrowgen.RecordBatch(3, []arrow.Field{{Name: "x", Type: dt}}, arrowgen.Options{Rows: 6})
		return messages(t, write(t, []arrow.RecordBatch{rec}))
	}
	// spoiled has a byte that is no UTF-8 at the start of the data in buffer i.
	spoiled := func(m raw, i int) raw {
		stored := buffers(m)
		stored[i] = bytes.Clone(stored[i])
		require.NotEmpty(t, stored[i])
		stored[i][0] = 0xFF
		return rebody(m, stored...)
	}
	flat, nested := of(words), of(lists)
	require.Len(t, flat, 3)
	require.Len(t, nested, 4) // schema, words, lists, batch
	shorter := emptied(nested[1])
	for name, c := range map[string]struct {
		all  []raw
		says string
	}{
		"replaced":        {[]raw{flat[0], flat[1], flat[2], flat[2], spoiled(flat[1], 2), flat[2]}, "x.dictionary"},
		"grown":           {[]raw{flat[0], flat[1], flat[2], flat[2], deltaOf(spoiled(flat[1], 2)), flat[2]}, "x.dictionary"},
		"replaced inside": {[]raw{nested[0], nested[1], nested[2], nested[3], nested[3], shorter, nested[3]}, "into a dictionary of 0"},
		"spoiled inside":  {[]raw{nested[0], nested[1], nested[2], nested[3], nested[3], spoiled(nested[1], 2), nested[3]}, "no UTF-8"},
	} {
		t.Run(name, func(t *testing.T) {
			got := drainBytes(stream(c.all...), ipcx.WithValidation())
			require.Len(t, got.Batches, 2)
			var e *ipcx.InvalidError
			require.ErrorAs(t, got.Err, &e)
			require.Equal(t, 2, e.Batch)
			require.ErrorContains(t, got.Err, c.says)
			require.NoError(t, drainBytes(stream(c.all...)).Err)
		})
	}
}
