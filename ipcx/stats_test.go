package ipcx_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// tally counts by hand what Stats counts, from the messages of a stream and
// from those of the same stream without a codec.
func tally(t *testing.T, stored, plain []raw) (s ipcx.Stats) {
	t.Helper()
	require.Len(t, stored, len(plain))
	seen := map[int64]bool{}
	for i, m := range stored {
		fb := flatbuf.GetRootAsMessage(m.metadata, 0).UnPack()
		s.Messages++
		s.StoredBodyBytes += int64(len(m.body))
		switch header := fb.Header.Value.(type) {
		case *flatbuf.RecordBatchT:
			s.RecordBatches++
			s.Rows += header.Length
			if header.Compression != nil && header.Compression.Codec < 0 {
				s.FlaggedBatches++
			}
		case *flatbuf.DictionaryBatchT:
			s.DictionaryBatches++
			switch {
			case header.IsDelta:
				s.DictionaryDeltas++
			case seen[header.Id]:
				s.ReplacedDictionaries++
			}
			seen[header.Id] = true
		default:
			continue
		}
		for _, p := range buffers(plain[i]) {
			s.RawBodyBytes += int64(len(p))
		}
	}
	return s
}

// grownAndReplaced has a dictionary that grows, then another one.
func grownAndReplaced() []arrow.RecordBatch {
	return []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 3), dictionaryBatch(3, 5), dictionaryBatch(4, 2)}
}

func TestStats(t *testing.T) {
	for name, batches := range map[string][]arrow.RecordBatch{
		"mapped types": generated(arrowgen.MappedTypes(), 25, false),
		"dictionaries": grownAndReplaced(),
		"no rows":      {arrowgen.RecordBatch(1, arrowgen.MappedTypes(), arrowgen.Options{})},
	} {
		delta := ipcx.WithDictionaryDeltas(true)
		plain := messages(t, write(t, batches, delta))
		for _, v := range variants() {
			t.Run(name+", "+v.name, func(t *testing.T) {
				var out bytes.Buffer
				w := ipcx.NewWriter(&out, append(v.options(), delta)...)
				for _, rec := range batches {
					require.NoError(t, w.Write(rec))
				}
				require.NoError(t, w.Close())
				want := tally(t, messages(t, out.Bytes()), plain)
				require.Equal(t, want, w.Stats())
				require.Equal(t, v.flag && name == "mapped types", want.FlaggedBatches == 3)
				if name == "dictionaries" {
					require.Equal(t, int64(1), want.DictionaryDeltas)
					require.Equal(t, int64(1), want.ReplacedDictionaries)
					require.Equal(t, int64(3), want.DictionaryBatches)
				}

				r, err := ipcx.NewReader(bytes.NewReader(out.Bytes()))
				require.NoError(t, err)
				require.Equal(t, ipcx.Stats{Messages: 1}, r.Stats())
				for r.Next() {
				}
				require.NoError(t, r.Err())
				require.Equal(t, want, r.Stats())
				r.Release()

				// To the same form, and back to none. What a conversion counts is
				// what it writes.
				dec, err := ipcx.NewDecoder()
				require.NoError(t, err)
				enc, err := ipcx.NewEncoder(v.options()...)
				require.NoError(t, err)
				for _, m := range messages(t, out.Bytes()) {
					metadata, body, err := dec.Decode(m.metadata, m.body)
					require.NoError(t, err)
					_, _, err = enc.Encode(metadata, body)
					require.NoError(t, err)
				}
				require.Equal(t, want, dec.Stats())
				require.Equal(t, want, enc.Stats())

				for _, to := range []variant{{"plain", ipcx.Uncompressed, false}, {"LZ4, flagged", ipcx.LZ4Frame, true}} {
					var next bytes.Buffer
					stats, err := ipcx.Convert(context.Background(), &next, bytes.NewReader(out.Bytes()), to.options()...)
					require.NoError(t, err)
					require.Equal(t, tally(t, messages(t, next.Bytes()), plain), stats, to.name)
				}
			})
		}
	}
}

// TestStatsFile has the numbers of files, which are those of the stream inside.
func TestStatsFile(t *testing.T) {
	batches := generated(append(dictionaryFields(), arrowgen.MappedTypes()...), 20, true)
	delta := ipcx.WithDictionaryDeltas(true)
	for _, v := range variants() {
		var out bytes.Buffer
		w, err := ipcx.NewFileWriter(&out, append(v.options(), delta)...)
		require.NoError(t, err)
		for _, rec := range batches {
			require.NoError(t, w.Write(rec))
		}
		require.NoError(t, w.Close())
		want := tally(t, messages(t, write(t, batches, append(v.options(), delta)...)), messages(t, write(t, batches, delta)))
		require.Equal(t, want, w.Stats())

		for how, open := range openers {
			f, err := open(t, out.Bytes())
			require.NoError(t, err)
			inParallel(func(g int) {
				rec, err := f.RecordBatchAt(g % 3)
				if assert.NoError(t, err) {
					rec.Release()
				}
			})
			stats := f.Stats()
			require.Equal(t, want.DictionaryBatches, stats.DictionaryBatches, how)
			require.Equal(t, want.DictionaryDeltas, stats.DictionaryDeltas)
			require.Equal(t, int64(8), stats.RecordBatches)
			require.Equal(t, 1+want.DictionaryBatches+8, stats.Messages, how)
			require.NoError(t, f.Close())
			require.Equal(t, stats, f.Stats())

			f, err = open(t, out.Bytes())
			require.NoError(t, err)
			require.NoError(t, readBatches(f).Err)
			require.Equal(t, want, f.Stats(), how)
			require.NoError(t, f.Close())
		}

		stats, err := ipcx.Convert(context.Background(), &bytes.Buffer{}, bytes.NewReader(out.Bytes()), append(v.options(), ipcx.WithFormat(ipcx.FileFormat))...)
		require.NoError(t, err)
		require.Equal(t, want, stats)
	}
}

// TestStatsNestedDictionaries opens more than one reader of a file's inside for
// its batches, which does not count.
func TestStatsNestedDictionaries(t *testing.T) {
	batches := nestedDictionaries()
	f, err := ipcx.NewFileReader(bytes.NewReader(writeFile(t, batches)))
	require.NoError(t, err)
	require.NoError(t, readBatches(f).Err)
	require.Equal(t, int64(1+2+4), f.Stats().Messages)
	require.Equal(t, int64(2), f.Stats().DictionaryBatches)
	require.NoError(t, f.Close())
}

// TestStatsElsewhere has readers and writers of somebody else's messages.
func TestStatsElsewhere(t *testing.T) {
	data := write(t, []arrow.RecordBatch{smallBatch()})
	r, err := ipcx.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(data)))
	require.NoError(t, err)
	require.True(t, r.Next())
	require.Zero(t, r.Stats())
	r.Release()

	w := ipcx.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(&bytes.Buffer{}, ipcx.WithZstd()))
	require.NoError(t, w.Write(smallBatch()))
	require.NoError(t, w.Close())
	require.Equal(t, int64(1), w.Stats().RecordBatches)
}

func TestStatsAdd(t *testing.T) {
	a := ipcx.Stats{1, 2, 3, 4, 5, 6, 7, 8, 9}
	a.Add(ipcx.Stats{10, 20, 30, 40, 50, 60, 70, 80, 90})
	require.Equal(t, ipcx.Stats{11, 22, 33, 44, 55, 66, 77, 88, 99}, a)
}
