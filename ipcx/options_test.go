package ipcx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// An option out of range is the error of whatever is made with it, and nothing
// is read or written.
func TestOptionsOutOfRange(t *testing.T) {
	tab := texts(t)
	stream := writeTable(t, tab)
	schema := ipcx.GetSchemaPayload(tab.schema, memory.DefaultAllocator)
	defer schema.Release()
	for name, opt := range map[string]ipcx.Option{
		"level 0":           ipcx.WithZstdLevel(0),
		"level 23":          ipcx.WithZstdLevel(23),
		"level -1":          ipcx.WithZstdLevel(-1),
		"codec 3":           ipcx.WithCodec(3),
		"codec -1":          ipcx.WithCodec(-1),
		"lengths for 3":     ipcx.WithOffsetsAsLengths(ipcx.Zstd, 3),
		"lengths for -1":    ipcx.WithOffsetsAsLengths(-1),
		"without allocator": ipcx.WithAllocator(nil),
	} {
		t.Run(name, func(t *testing.T) {
			// A later good value does not make up for it.
			opts := []ipcx.Option{ipcx.WithZstd(), opt, ipcx.WithZstd(), ipcx.WithZstdLevel(3), ipcx.WithMinSpaceSavings(0),
				ipcx.WithAllocator(memory.DefaultAllocator)}
			bad := func(err error) {
				t.Helper()
				require.ErrorIs(t, err, ipcx.ErrOption)
				require.ErrorContains(t, err, "ipcx: With")
			}

			var out bytes.Buffer
			w := ipcx.NewWriter(&out, opts...)
			bad(w.Write(tab.batches[0]))
			bad(w.Write(tab.batches[0]))
			bad(w.Close())
			require.Zero(t, w.Stats())
			bad(ipcx.NewWriter(&out, opts...).Close())
			pw := ipcx.NewPayloadWriter(&out, opts...)
			bad(pw.Start())
			bad(pw.WritePayload(schema))
			bad(pw.Close())
			_, err := ipcx.NewEncoder(opts...)
			bad(err)
			_, err = ipcx.GetRecordBatchPayload(tab.batches[0], opts...)
			bad(err)
			_, err = ipcx.Convert(context.Background(), &out, bytes.NewReader(stream), opts...)
			bad(err)
			require.Zero(t, out.Len())

			src := bytes.NewReader(stream)
			_, err = ipcx.NewReader(src, opts...)
			bad(err)
			mr := &released{MessageReader: ipcx.NewMessageReader(src)}
			_, err = ipcx.NewReaderFromMessageReader(mr, opts...)
			bad(err)
			require.Equal(t, 1, mr.n, "it was taken over")
			_, err = ipcx.NewMessageReader(src, opts...).Message()
			bad(err)
			_, err = ipcx.NewDecoder(opts...)
			bad(err)
			require.Equal(t, len(stream), src.Len())
		})
	}
}

// released counts how often a message reader is released.
type released struct {
	ipc.MessageReader
	n int
}

func (r *released) Release() {
	r.n++
	r.MessageReader.Release()
}

// Of several bad options the first is reported.
func TestFirstBadOption(t *testing.T) {
	_, err := ipcx.NewEncoder(ipcx.WithZstdLevel(0), ipcx.WithCodec(9))
	require.ErrorContains(t, err, "WithZstdLevel")
	_, err = ipcx.NewEncoder(ipcx.WithCodec(9), ipcx.WithZstdLevel(0))
	require.ErrorContains(t, err, "WithCodec")
}

func TestNilOptions(t *testing.T) {
	tab := texts(t)
	stream := writeTable(t, tab, nil, ipcx.WithZstd(), nil, ipcx.WithOffsetsAsLengths(), nil)
	require.Equal(t, writeTable(t, tab, flaggedZstd()...), stream)
	requireTable(t, tab, newReader(t, stream, nil, nil))
}

// Any number of goroutines may be asked for.
func TestConcurrencyOutOfReason(t *testing.T) {
	tab := texts(t)
	want := writeTable(t, tab, ipcx.WithLZ4())
	for _, n := range []int{math.MinInt, 1000, math.MaxInt} {
		require.Equal(t, want, writeTable(t, tab, ipcx.WithLZ4(), ipcx.WithCompressConcurrency(n)))
		_, err := ipcx.NewEncoder(ipcx.WithZstd(), ipcx.WithCompressConcurrency(n))
		require.NoError(t, err)
	}
}

// storedBuffers returns the buffers of a message with a codec that are not
// empty, as they are stored.
func storedBuffers(t testing.TB, f piece) (stored [][]byte) {
	t.Helper()
	_, rb := recordBatch(t, f.metadata)
	for _, b := range buffersOf(rb) {
		if b.Length() > 0 {
			stored = append(stored, f.body[b.Offset()&math.MaxInt64:][:b.Length()])
		}
	}
	return stored
}

// Savings out of range are an error of what compresses, and mean nothing to
// anything else.
func TestMinSpaceSavingsOutOfRange(t *testing.T) {
	tab := texts(t)
	plain := writeTable(t, tab)
	for _, savings := range []float64{math.NaN(), -1, 2, math.Inf(1)} {
		opt := ipcx.WithMinSpaceSavings(savings)
		for _, codec := range []ipcx.Option{ipcx.WithZstd(), ipcx.WithLZ4()} {
			var out bytes.Buffer
			w := ipcx.NewWriter(&out, codec, opt)
			require.ErrorIs(t, w.Write(tab.batches[0]), ipcx.ErrOption)
			require.ErrorIs(t, w.Close(), ipcx.ErrOption)
			_, err := ipcx.NewEncoder(codec, opt)
			require.ErrorIs(t, err, ipcx.ErrOption)
			_, err = ipcx.NewFileWriter(&out, codec, opt)
			require.ErrorIs(t, err, ipcx.ErrOption)
			_, err = ipcx.Convert(context.Background(), &out, bytes.NewReader(plain), codec, opt)
			require.ErrorIs(t, err, ipcx.ErrOption)
			require.Zero(t, out.Len())
		}
		require.Equal(t, plain, writeTable(t, tab, opt))
		requireTable(t, tab, newReader(t, plain, opt))
	}
}

// prefixOf returns the length prefix of a stored buffer.
func prefixOf(stored []byte) int64 { return int64(binary.LittleEndian.Uint64(stored)) }

func TestMinSpaceSavings(t *testing.T) {
	// Buffers that compress well, a little and not at all.
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "noise", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
		{Name: "date", Type: arrow.FixedWidthTypes.Date32},
	}, nil)
	tab := newTable(t, "mix", schema, arrowgen.Batch(1, schema, arrowgen.Options{Rows: 1000, Nulls: 0.1}))
	for _, codec := range codecs[1:] {
		message := func(opts ...ipcx.Option) piece {
			return cutStream(t, writeTable(t, tab, append(opts, ipcx.WithCodec(codec))...))[1]
		}
		require.Equal(t, message(), message(ipcx.WithMinSpaceSavings(0)))
		full := storedBuffers(t, message())
		shares := []float64{0.001, 0.1, 0.5, 0.9, 1}
		grew, shrank := 0, 0
		for _, stored := range full {
			raw := prefixOf(stored)
			require.Positive(t, raw, "at 0 all is compressed")
			if int64(len(stored)-8) < raw {
				shrank++
				shares = append(shares, 1-float64(len(stored)-8)/float64(raw)) // just enough
			} else {
				grew++
			}
		}
		require.Positive(t, grew)
		require.Positive(t, shrank)

		for _, savings := range shares {
			for i, stored := range storedBuffers(t, message(ipcx.WithMinSpaceSavings(savings))) {
				what := fmt.Sprintf("%v, %v, buffer %d", codec, savings, i)
				raw := prefixOf(full[i])
				if 1-float64(len(full[i])-8)/float64(raw) >= savings {
					require.Equal(t, full[i], stored, what)
				} else {
					require.EqualValues(t, -1, prefixOf(stored), what)
					require.EqualValues(t, raw, len(stored)-8, what)
				}
			}
		}

		// In a flagged message nothing is larger than it was.
		lengths := ipcx.WithOffsetsAsLengths(codec)
		for _, savings := range []float64{0, 0.1, 1} {
			kept := 0
			for i, stored := range storedBuffers(t, message(lengths, ipcx.WithMinSpaceSavings(savings))) {
				switch n := prefixOf(stored); n {
				case -1:
					require.EqualValues(t, prefixOf(full[i]), len(stored)-8)
					kept++
				default:
					require.Less(t, int64(len(stored)-8), n)
					require.GreaterOrEqual(t, 1-float64(len(stored)-8)/float64(n), savings)
				}
			}
			require.Positive(t, kept)
			require.Equal(t, savings == 1, kept == len(full))
		}
	}

	// Every such stream is read.
	for _, savings := range []float64{0, 0.1, 1} {
		forms(t, func(t *testing.T, _ ipcx.Codec, _ bool, opts []ipcx.Option) {
			requireTable(t, tab, newReader(t, writeTable(t, tab, append(opts, ipcx.WithMinSpaceSavings(savings))...)))
		})
	}
}

// The 22 levels are four settings, the last of which compresses most. Level 3 is
// the first of them here, since the messages are small.
func TestZstdLevels(t *testing.T) {
	tab := firstColumns(t, dataset(t, "vocabulary", 1, 1000), 1)
	require.Equal(t, writeTable(t, tab, flaggedZstd()...), writeTable(t, tab, append(flaggedZstd(), ipcx.WithZstdLevel(3))...))

	var settings [][]byte
	for _, levels := range [][2]int{{1, 3}, {4, 5}, {6, 9}, {10, 22}} {
		var first []byte
		for level := levels[0]; level <= levels[1]; level++ {
			stream := writeTable(t, tab, append(flaggedZstd(), ipcx.WithZstdLevel(level))...)
			if first == nil {
				first = stream
				requireTable(t, tab, newReader(t, stream))
			}
			require.True(t, bytes.Equal(first, stream), "level %d", level)
		}
		settings = append(settings, first)
	}
	for i, stream := range settings {
		for j := range i {
			require.False(t, bytes.Equal(stream, settings[j]), "settings %d and %d", i, j)
		}
		require.GreaterOrEqual(t, len(stream), len(settings[3]), "setting %d", i)
	}

	// The level is zstd's alone.
	require.Equal(t,
		writeTable(t, tab, ipcx.WithLZ4()),
		writeTable(t, tab, ipcx.WithLZ4(), ipcx.WithZstdLevel(22)))
}

// The limit on bodies is arrow-go's documented one, and enforced.
func TestBodySizeLimit(t *testing.T) {
	tab := texts(t)
	for _, opts := range [][]ipcx.Option{nil, flaggedZstd()} {
		stream := writeTable(t, tab, opts...)
		longest := int64(0)
		for _, f := range cutStream(t, stream) {
			longest = max(longest, int64(len(f.body)))
		}
		for _, limit := range []int64{0, -1, longest, math.MaxInt64} {
			requireTable(t, tab, newReader(t, stream, ipcx.WithBodySizeLimit(limit)))
		}
		r := newReader(t, stream, ipcx.WithBodySizeLimit(longest-1))
		for r.Next() {
		}
		require.ErrorIs(t, r.Err(), ipcx.ErrLimit)
		require.ErrorContains(t, r.Err(), "WithBodySizeLimit")
		r.Release()
	}
}
