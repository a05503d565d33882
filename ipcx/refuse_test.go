package ipcx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// mark is the high bit of Buffer.offset.
const mark = math.MinInt64

// Body buffers of smallBatch.
const (
	textOffsets = 3
	textData    = 4
	tagsOffsets = 6
	itemOffsets = 8
)

// flaggedSmall are the messages of a stream of two flagged batches that are not
// compressed: the schema and the batches.
func flaggedSmall(t testing.TB, opts ...ipcx.Option) []raw {
	rec := smallBatch()
	if opts == nil {
		opts = flaggedPlain()
	}
	all := messages(t, write(t, []arrow.RecordBatch{rec, rec}, opts...))
	require.Len(t, all, 3)
	for _, m := range all[1:] {
		require.Less(t, batchOf(flatbuf.GetRootAsMessage(m.metadata, 0).UnPack()).Compression.Codec, flatbuf.CompressionType(0))
	}
	return all
}

// refusal is a change to the second batch of flaggedSmall, with what the error
// says.
type refusal struct {
	name   string
	change func(raw) raw
	is     error
	says   []string
}

func changed(change func(*flatbuf.RecordBatchT)) func(raw) raw {
	return func(m raw) raw { return editedBatch(m, change) }
}

// stored replaces one stored buffer.
func stored(i int, with func([]byte) []byte) func(raw) raw {
	return func(m raw) raw {
		bufs := buffers(m)
		bufs[i] = with(slices.Clone(bufs[i]))
		return rebody(m, bufs...)
	}
}

func requireRefused(t *testing.T, all []raw, r refusal) {
	t.Helper()
	for way, err := range everyWay(all) {
		require.Error(t, err, way)
		for _, text := range r.says {
			require.ErrorContains(t, err, text, way)
		}
		require.ErrorIs(t, err, r.is, way)
		if r.is != ipcx.ErrUnsupported {
			require.NotErrorIs(t, err, ipcx.ErrUnsupported, way)
		}
	}
}

// TestRefused has what FORMAT.md says a reader refuses, message by message.
func TestRefused(t *testing.T) {
	for _, r := range []refusal{
		{"only the mark of the codec", changed(func(b *flatbuf.RecordBatchT) {
			for _, buf := range b.Buffers {
				buf.Offset &^= mark
			}
		}), ipcx.ErrCorrupt, []string{"message 2 (RecordBatch)", "one mark", "codec -1", "buffer 0 has offset 0"}},
		{"the mark of the codec, and one entry without the other", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers[textData].Offset &^= mark
		}), ipcx.ErrCorrupt, []string{"one mark", "codec -1", "buffer 4 has offset 32"}},
		{"the mark of one offset alone", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression.Codec = flatbuf.CompressionTypeZSTD
			for i, buf := range b.Buffers {
				if i != textOffsets {
					buf.Offset &^= mark
				}
			}
		}), ipcx.ErrCorrupt, []string{"one mark", "codec 1", "buffer 3 has offset -9223372036854775792"}},
		{"the marks of all offsets alone", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression.Codec = flatbuf.CompressionTypeLZ4_FRAME
		}), ipcx.ErrCorrupt, []string{"one mark", "codec 0", "buffer 0 has offset -9223372036854775808"}},
		{"the marks of offsets and no compression", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression = nil
		}), ipcx.ErrCorrupt, []string{"one mark", "no compression", "buffer 0"}},
		{"a wrong count of buffers: one less", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers = b.Buffers[:9]
		}), ipcx.ErrCorrupt, []string{"9 buffers", "schema has 10"}},
		{"a wrong count of buffers: one more", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers = append(b.Buffers, &flatbuf.BufferT{Offset: mark})
		}), ipcx.ErrCorrupt, []string{"11 buffers", "schema has 10"}},
		{"a wrong count of nodes: one less", changed(func(b *flatbuf.RecordBatchT) {
			b.Nodes = b.Nodes[:3]
		}), ipcx.ErrCorrupt, []string{"3 field nodes", "schema has 4"}},
		{"a wrong count of nodes: one more", changed(func(b *flatbuf.RecordBatchT) {
			b.Nodes = append(b.Nodes, &flatbuf.FieldNodeT{})
		}), ipcx.ErrCorrupt, []string{"5 field nodes", "schema has 4"}},
		{"a short offsets buffer", stored(textOffsets, func(p []byte) []byte { return p[:15] }),
			ipcx.ErrCorrupt, []string{`field "text"`, "15 bytes", "4 offsets of 4 bytes, 16 bytes"}},
		{"a short offsets buffer of a child", stored(itemOffsets, func(p []byte) []byte { return p[:39] }),
			ipcx.ErrCorrupt, []string{`field "tags.item"`, "39 bytes", "5 offsets of 8 bytes, 40 bytes"}},
		{"an offsets buffer of no bytes", stored(tagsOffsets, func([]byte) []byte { return nil }),
			ipcx.ErrCorrupt, []string{`field "tags"`, "0 bytes", "16 bytes"}},
		{"a negative node length", changed(func(b *flatbuf.RecordBatchT) {
			b.Nodes[1].Length = -1
		}), ipcx.ErrCorrupt, []string{`field "text"`, "-1 rows"}},
		{"a node length that overflows with 4 bytes", changed(func(b *flatbuf.RecordBatchT) {
			b.Nodes[1].Length = math.MaxInt64 / 4
		}), ipcx.ErrCorrupt, []string{`field "text"`, "2305843009213693951 rows"}},
		{"a node length that wraps to few bytes", changed(func(b *flatbuf.RecordBatchT) {
			b.Nodes[3].Length = 1 << 61 // (n+1)*8 is 8 modulo 2^64
		}), ipcx.ErrCorrupt, []string{`field "tags.item"`, "2305843009213693952 rows"}},
		{"a node length beyond its buffer", changed(func(b *flatbuf.RecordBatchT) {
			b.Nodes[3].Length = math.MaxInt/8 - 1 // the most that any memory can have offsets for
		}), ipcx.ErrCorrupt, []string{`field "tags.item"`, "40 bytes", fmt.Sprintf("%d offsets", math.MaxInt/8), fmt.Sprintf("%d bytes", math.MaxInt/8*8)}},
		{"a buffer that passes the body", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers[textData].Length = 1 << 20
		}), ipcx.ErrCorrupt, []string{`field "text"`, "1048576 bytes at 32", "body of 104 bytes"}},
		{"a buffer behind the body", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers[textOffsets].Offset = 128 | mark
		}), ipcx.ErrCorrupt, []string{`field "text"`, "16 bytes at 128", "body of 104 bytes"}},
		{"a buffer whose end overflows", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers[textOffsets].Offset, b.Buffers[textOffsets].Length = math.MaxInt64|mark, 2
		}), ipcx.ErrCorrupt, []string{`field "text"`, "2 bytes at 9223372036854775807"}},
		{"a negative buffer length", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers[textOffsets].Length = -16
		}), ipcx.ErrCorrupt, []string{`field "text"`, "-16 bytes"}},
		{"V4 metadata", func(m raw) raw {
			return edited(m, func(fb *flatbuf.MessageT) { fb.Version = flatbuf.MetadataVersionV4 })
		}, ipcx.ErrCorrupt, []string{"V4", "V5"}},
		{"a later version", func(m raw) raw {
			return edited(m, func(fb *flatbuf.MessageT) { fb.Version = flatbuf.MetadataVersionV5 + 1 })
		}, ipcx.ErrCorrupt, []string{"MetadataVersion(5)", "V5"}},
		{"another method", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression.Method = 1
		}), ipcx.ErrUnsupported, []string{"compression method 1"}},
		{"variadic counts", changed(func(b *flatbuf.RecordBatchT) {
			b.VariadicBufferCounts = []int64{0}
		}), ipcx.ErrCorrupt, []string{"1 variadic"}},
		{"another codec", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression.Codec = -126
		}), ipcx.ErrUnsupported, []string{"codec -126"}},
		{"an encoding of a later version", func(m raw) raw {
			return edited(m, func(fb *flatbuf.MessageT) {
				fb.CustomMetadata = []*flatbuf.KeyValueT{{Key: "a", Value: "b"}, {Key: "arrowplanes.encodings", Value: "x"}}
			})
		}, ipcx.ErrUnsupported, []string{`arrowplanes.encodings="x"`}},
	} {
		t.Run(r.name, func(t *testing.T) {
			all := flaggedSmall(t)
			all[2] = r.change(all[2])
			requireRefused(t, all, r)
		})
	}
}

// TestRefusedCompressed has the refusals that are about compressed buffers.
func TestRefusedCompressed(t *testing.T) {
	for _, codec := range []ipcx.Codec{ipcx.LZ4Frame, ipcx.Zstd} {
		opts := []ipcx.Option{ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec)}
		for _, r := range []refusal{
			{"an offsets buffer of no bytes", stored(textOffsets, func([]byte) []byte { return nil }),
				ipcx.ErrCorrupt, []string{`field "text"`, "0 bytes", "16 bytes"}},
			{"an offsets buffer of prefix 0", stored(textOffsets, func([]byte) []byte { return make([]byte, 8) }),
				ipcx.ErrCorrupt, []string{`field "text"`, "0 bytes", "16 bytes"}},
			{"a short offsets buffer, raw", stored(textOffsets, func([]byte) []byte { return prefixed(-1, make([]byte, 12)) }),
				ipcx.ErrCorrupt, []string{`field "text"`, "12 bytes", "16 bytes"}},
			{"a short offsets buffer, by its prefix", stored(textOffsets, func([]byte) []byte {
				return prefixed(12, compress(t, codec, make([]byte, 12)))
			}), ipcx.ErrCorrupt, []string{`field "text"`, "12 bytes", "16 bytes"}},
			{"planes that do not decompress", stored(textOffsets, func([]byte) []byte {
				return prefixed(16, compress(t, codec, make([]byte, 15)))
			}), ipcx.ErrCorrupt, []string{`field "text"`, "hold 15 bytes", "16 claimed"}},
			{"data that does not decompress", stored(textData, func([]byte) []byte {
				return prefixed(6, compress(t, codec, make([]byte, 7)))
			}), ipcx.ErrCorrupt, []string{`field "text"`, "6"}},
		} {
			t.Run(codec.String()+"/"+r.name, func(t *testing.T) {
				all := flaggedSmall(t, opts...)
				all[2] = r.change(all[2])
				requireRefused(t, all, r)
			})
		}
	}
}

// TestRefusedSchema has flagged batches under schemas that they cannot stand
// under.
func TestRefusedSchema(t *testing.T) {
	t.Run("an unmapped field", func(t *testing.T) {
		all := flaggedSmall(t)
		all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
			fields := fb.Header.Value.(*flatbuf.SchemaT).Fields
			fields[2].Children[0].Type = &flatbuf.TypeT{Type: flatbuf.TypeUtf8View, Value: &flatbuf.Utf8ViewT{}}
		})
		requireRefused(t, all, refusal{is: ipcx.ErrCorrupt, says: []string{"message 1", "flagged", "tags.item", "string_view"}})
		for way, err := range everyWay(all) {
			require.ErrorIs(t, err, ipcx.ErrUnmappedLayout, way)
			var unmapped *layout.UnmappedError
			require.ErrorAs(t, err, &unmapped, way)
			require.Equal(t, "tags.item", unmapped.Path)
		}
	})
	t.Run("a field with a dictionary", func(t *testing.T) {
		all := flaggedSmall(t)
		all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
			fields := fb.Header.Value.(*flatbuf.SchemaT).Fields
			fields[1].Dictionary = &flatbuf.DictionaryEncodingT{IndexType: &flatbuf.IntT{BitWidth: 8, IsSigned: true}}
		})
		_, err := decodeAll(all)
		require.ErrorIs(t, err, ipcx.ErrUnmappedLayout)
		require.ErrorContains(t, err, "text")
		_, err = convert(stream(all...))
		require.ErrorIs(t, err, ipcx.ErrUnmappedLayout)
	})
	t.Run("big-endian", func(t *testing.T) {
		all := flaggedSmall(t)
		all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
			fb.Header.Value.(*flatbuf.SchemaT).Endianness = flatbuf.EndiannessBig
		})
		for _, native := range []bool{true, false} {
			for way, err := range everyWay(all, ipcx.WithEnsureNativeEndian(native)) {
				require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
				require.ErrorContains(t, err, "message 1 (RecordBatch)", way)
				require.ErrorContains(t, err, "big-endian", way)
			}
		}
	})
	t.Run("none", func(t *testing.T) {
		all := flaggedSmall(t)[1:]
		_, err := decodeAll(all)
		require.ErrorIs(t, err, ipcx.ErrCorrupt)
		require.ErrorContains(t, err, "message 0 (RecordBatch): comes before the schema")
		require.Error(t, drainBytes(stream(all...)).Err)
		_, err = convert(stream(all...))
		require.ErrorIs(t, err, ipcx.ErrCorrupt)
	})
	t.Run("two", func(t *testing.T) {
		all := flaggedSmall(t)
		all[1] = all[0]
		require.ErrorContains(t, drainBytes(stream(all...)).Err, "a second schema")
		_, err := convert(stream(all...))
		require.ErrorIs(t, err, ipcx.ErrCorrupt)
		require.ErrorContains(t, err, "second schema")
	})
}

// TestRefusedDictionary has flagged dictionary batches, and ones with one mark.
func TestRefusedDictionary(t *testing.T) {
	all := messages(t, write(t, []arrow.RecordBatch{dictionaryBatch(0, 3)}))
	require.Len(t, all, 3)
	for _, r := range []refusal{
		{"flagged", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression = &flatbuf.BodyCompressionT{Codec: -1}
			for _, buf := range b.Buffers {
				buf.Offset |= mark
			}
		}), ipcx.ErrCorrupt, []string{"message 1 (DictionaryBatch)", "dictionary 0 is flagged", "codec -1"}},
		{"the mark of the codec alone", changed(func(b *flatbuf.RecordBatchT) {
			b.Compression = &flatbuf.BodyCompressionT{Codec: -127}
		}), ipcx.ErrCorrupt, []string{"message 1 (DictionaryBatch)", "one mark", "codec -127"}},
		{"the mark of an offset alone", changed(func(b *flatbuf.RecordBatchT) {
			b.Buffers[1].Offset |= mark
		}), ipcx.ErrCorrupt, []string{"message 1 (DictionaryBatch)", "one mark", "buffer 1"}},
	} {
		t.Run(r.name, func(t *testing.T) {
			bad := slices.Clone(all)
			bad[1] = r.change(bad[1])
			requireRefused(t, bad, r)
		})
	}
}

// TestRefusedLength has the body length of a flagged message.
func TestRefusedLength(t *testing.T) {
	all := flaggedSmall(t)
	all[2] = edited(all[2], func(fb *flatbuf.MessageT) { fb.BodyLength = -8 })
	requireRefused(t, all, refusal{is: ipcx.ErrCorrupt, says: []string{"message 2", "-8 bytes"}})

	all = flaggedSmall(t)
	all[2].body = all[2].body[:len(all[2].body)-8]
	_, err := decodeAll(all)
	require.ErrorIs(t, err, ipcx.ErrCorrupt)
	require.ErrorContains(t, err, "body of 96 bytes where the metadata says 104")
}

func prefixed(n int64, payload []byte) []byte {
	return append(binary.LittleEndian.AppendUint64(nil, uint64(n)), payload...)
}
