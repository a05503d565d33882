package ipcx_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// again reads what comes first, and then the rest again and again without an end.
type again struct {
	first io.Reader
	rest  []byte
	at    int
	n     int64 // bytes of rest read so far
}

func (r *again) Read(p []byte) (int, error) {
	if n, err := r.first.Read(p); err == nil {
		return n, nil
	}
	n := copy(p, r.rest[r.at:])
	r.at = (r.at + n) % len(r.rest)
	r.n += int64(n)
	return n, nil
}

// endlessly reads the framed messages of first, and then those of rest for ever.
func endlessly(first []raw, rest ...raw) *again {
	r := &again{}
	var head []byte
	for _, m := range first {
		head = append(head, frame(m)...)
	}
	for _, m := range rest {
		r.rest = append(r.rest, frame(m)...)
	}
	r.first = bytes.NewReader(head)
	return r
}

// deltaOf makes the dictionary batch m a delta.
func deltaOf(m raw) raw {
	return editedDictionary(m, func(d *flatbuf.DictionaryBatchT) { d.IsDelta = true })
}

// emptied makes a dictionary batch of strings one without values.
func emptied(m raw) raw {
	m = rebody(m, nil, nil, nil)
	return editedBatch(m, func(b *flatbuf.RecordBatchT) { b.Length, b.Nodes[0].Length, b.Nodes[0].NullCount = 0, 0, 0 })
}

// wordStream are the schema, the dictionary and the record batch of a stream with a
// dictionary of one string.
func wordStream(t testing.TB) (schema, dict, batch raw) {
	rec := fromJSON(t, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, `["word"]`)
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	require.Len(t, all, 3)
	return all[0], all[1], all[2]
}

// longWord is a dictionary of one string of n zeros, compressed to next to nothing.
func longWord(t testing.TB, schema, dict raw, n int) raw {
	return longText(t, schema, dict, make([]byte, n))
}

// longText is longWord for any text.
func longText(t testing.TB, schema, dict raw, text []byte) raw {
	enc, err := ipcx.NewEncoder(ipcx.WithZstd())
	require.NoError(t, err)
	_, _, err = enc.Encode(schema.metadata, schema.body)
	require.NoError(t, err)
	long := rebody(dict, nil, int32s(0, int32(len(text))), text)
	metadata, body, err := enc.Encode(long.metadata, long.body)
	require.NoError(t, err)
	return raw{bytes.Clone(metadata), bytes.Clone(body)}
}

// TestEndlessDeltas has streams that add to one dictionary without an end, with
// and without values, and with and without record batches between them.
func TestEndlessDeltas(t *testing.T) {
	const limit = 1 << 20
	schema, dict, batch := wordStream(t)
	for name, rest := range map[string][]raw{
		"a value each":                 {deltaOf(dict)},
		"no value":                     {deltaOf(emptied(dict))},
		"a long value, compressed":     {deltaOf(longWord(t, schema, dict, 1000))},
		"a value, then a record batch": {deltaOf(dict), batch},
	} {
		t.Run(name, func(t *testing.T) {
			r := endlessly([]raw{schema, dict}, rest...)
			var got error
			n := cost(func() {
				rd, err := ipcx.NewReader(r, ipcx.WithDecodedSizeLimit(limit))
				require.NoError(t, err)
				for rd.Next() {
				}
				got = rd.Err()
				rd.Release()
			})
			requireLimit(t, got, "WithDecodedSizeLimit", limit)
			if name == "no value" {
				require.Less(t, n, 20*limit)
			}
			t.Logf("after %d bytes, %d allocated: %v", r.n, n, got)
		})
	}
	t.Run("a file", func(t *testing.T) {
		all := []raw{schema, dict}
		for range 3000 {
			all = append(all, deltaOf(dict))
		}
		file := fileOf(append(all, batch)...)
		for how := range openers {
			requireLimit(t, drainFile(t, how, file, ipcx.WithDecodedSizeLimit(limit)).Err, "WithDecodedSizeLimit", limit)
			require.NoError(t, drainFile(t, how, file, ipcx.WithDecodedSizeLimit(100*limit)).Err, how)
			require.NoError(t, drainFile(t, how, file, ipcx.WithDecodedSizeLimit(0)).Err, how)
		}
		_, err := convert(file, ipcx.WithDecodedSizeLimit(1))
		require.NoError(t, err, "a conversion keeps no dictionaries")
	})
}

// TestReplacementsGiveBack has far more dictionaries than the limit has bytes, but
// never at one time.
func TestReplacementsGiveBack(t *testing.T) {
	schema, dict, batch := wordStream(t)
	all := []raw{schema}
	for range 2000 {
		all = append(all, dict, deltaOf(dict), batch)
	}
	const most = 16 << 10
	require.NoError(t, drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(most)).Err)
	requireLimit(t, drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(int64(len(dict.body)))).Err, "WithDecodedSizeLimit", len(dict.body))
	for range 2000 {
		all = append(all, deltaOf(dict), batch)
	}
	requireLimit(t, drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(most)).Err, "WithDecodedSizeLimit", most)
}

// TestJoinedDeltas has a long dictionary joined with next to nothing before each of
// many short record batches, which copies all of it each time. The reader copies
// a bounded amount.
func TestJoinedDeltas(t *testing.T) {
	const long = 4 << 20
	schema, dict, batch := wordStream(t)
	for name, delta := range map[string]raw{"a value each": deltaOf(dict), "no value": deltaOf(emptied(dict))} {
		t.Run(name, func(t *testing.T) {
			const limit = long + 64<<10
			r := endlessly([]raw{schema, longWord(t, schema, dict, long)}, delta, batch)
			rd, err := ipcx.NewReader(r, ipcx.WithDecodedSizeLimit(limit))
			require.NoError(t, err)
			defer rd.Release()
			batches := 0
			for rd.Next() {
				batches++
			}
			requireLimit(t, rd.Err(), "WithDecodedSizeLimit", 4, limit, 1024)
			require.ErrorContains(t, rd.Err(), "joining")
			require.GreaterOrEqual(t, batches, 4)
			require.Less(t, batches, 10)
		})
	}
	t.Run("in proportion to what comes", func(t *testing.T) {
		schema, dict, batch := wordStream(t)
		r := endlessly([]raw{schema, dict}, deltaOf(emptied(dict)), batch)
		rd, err := ipcx.NewReader(r, ipcx.WithDecodedSizeLimit(4<<10))
		require.NoError(t, err)
		defer rd.Release()
		for range 20_000 {
			require.True(t, rd.Next(), "%v", rd.Err())
		}
	})
}
