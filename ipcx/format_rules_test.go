package ipcx_test

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// highBit is the mark of a Buffer.offset.
const highBit = math.MinInt64

// formatCase is a message that a numbered rule of FORMAT.md is about.
type formatCase struct {
	rule   int
	name   string
	schema *arrow.Schema // nil: that of the worked example
	m      raw
	says   string         // in the error of package ipcx
	change func([][]byte) // of the contents, where they differ from the example's
}

// requireRules checks that a list in FORMAT.md has cases for each of its rules.
func requireRules(t *testing.T, section string, cases []formatCase) {
	t.Helper()
	var want, got []int
	for _, m := range regexp.MustCompile(`(?m)^(\d+)\. `).FindAllStringSubmatch(formatSection(t, section), -1) {
		n, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		want = append(want, n)
		require.Len(t, want, n)
	}
	for _, c := range cases {
		if len(got) == 0 || got[len(got)-1] != c.rule {
			got = append(got, c.rule)
		}
	}
	require.Equal(t, want, got)
}

// formatStream puts the schema before the message of a case.
func (c *formatCase) formatStream(t testing.TB) (*arrow.Schema, []raw) {
	schema := c.schema
	if schema == nil {
		schema = formatExample(t).Schema()
	}
	return schema, []raw{schemaMessage(t, schema), c.m}
}

func schemaMessage(t testing.TB, schema *arrow.Schema) raw {
	t.Helper()
	rec := batchOfRows(t, schema, "")
	defer rec.Release()
	return plainMessages(t, rec)[0]
}

// asDictionary makes a dictionary batch of a record batch.
func asDictionary(m raw) raw {
	return edited(m, func(fb *flatbuf.MessageT) {
		fb.Header = &flatbuf.MessageHeaderT{
			Type:  flatbuf.MessageHeaderDictionaryBatch,
			Value: &flatbuf.DictionaryBatchT{Data: batchOf(fb)},
		}
	})
}

func withCustom(m raw, key, value string) raw {
	return edited(m, func(fb *flatbuf.MessageT) {
		fb.CustomMetadata = append(fb.CustomMetadata, &flatbuf.KeyValueT{Key: key, Value: value})
	})
}

// TestFormatRefuses breaks each rule. The reader by the text has to name the
// rule; every way into this package has to end with its error.
func TestFormatRefuses(t *testing.T) {
	flagged := formatMessage(t)[1]
	plain := plainMessages(t, formatExample(t))[1]
	planes := buffers(flagged)[1]
	batch := func(change func(*flatbuf.RecordBatchT)) raw { return editedBatch(flagged, change) }
	codec := func(c flatbuf.CompressionType) raw {
		return batch(func(b *flatbuf.RecordBatchT) { b.Compression.Codec = c })
	}
	compressed := func(offsets []byte) raw { return formatZstd(t, offsets)[1] }
	version := func(v flatbuf.MetadataVersion) raw {
		return edited(flagged, func(fb *flatbuf.MessageT) { fb.Version = v })
	}
	fields := formatExample(t).Schema().Fields()
	schema := func(dt arrow.DataType) *arrow.Schema {
		return arrow.NewSchema([]arrow.Field{fields[0], {Name: "runs", Type: dt}}, nil)
	}
	i32 := arrow.PrimitiveTypes.Int32
	dictionary := &arrow.DictionaryType{IndexType: i32, ValueType: arrow.BinaryTypes.String}

	cases := []formatCase{
		{rule: 1, name: "a codec without the mark", m: codec(1), says: "one mark"},
		{rule: 1, name: "no codec", m: batch(func(b *flatbuf.RecordBatchT) { b.Compression = nil }), says: "one mark"},
		{rule: 1, name: "the first entry without", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[0].Offset &= math.MaxInt64 }), says: "one mark"},
		{rule: 1, name: "an empty entry without", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[5].Offset &= math.MaxInt64 }), says: "one mark"},
		{rule: 1, name: "one entry with", m: editedBatch(plain, func(b *flatbuf.RecordBatchT) { b.Buffers[6].Offset |= highBit }), says: "one mark"},
		{rule: 1, name: "a dictionary with one", m: asDictionary(codec(0)), says: "one mark"},
		{rule: 2, m: asDictionary(flagged), says: "dictionary 0 is flagged"},
		{rule: 3, name: "V4", m: version(flatbuf.MetadataVersionV4), says: "metadata V4, not V5"},
		{rule: 3, name: "V6", m: version(flatbuf.MetadataVersionV5 + 1), says: "not V5"},
		{rule: 4, name: "a value", m: withCustom(flagged, "arrowplanes.encodings", "x"), says: `arrowplanes.encodings="x"`},
		{rule: 4, name: "behind another entry", m: withCustom(withCustom(flagged, "k", "v"), "arrowplanes.encodings", ""), says: `arrowplanes.encodings=""`},
		{rule: 5, name: "0x82", m: codec(-126), says: "codec -126"},
		{rule: 5, name: "0xFE", m: codec(-2), says: "codec -2"},
		{rule: 6, m: batch(func(b *flatbuf.RecordBatchT) { b.Compression.Method = 1 }), says: "compression method 1"},
		{rule: 7, name: "big", m: flagged, schema: formatExample(t).Schema().WithEndianness(endian.BigEndian), says: "endianness 1"},
		{rule: 7, name: "neither", m: flagged, schema: formatExample(t).Schema().WithEndianness(2), says: "endianness 2"},
		{rule: 8, name: "dictionary", m: flagged, schema: schema(dictionary), says: "runs has type dictionary"},
		{rule: 8, name: "nested dictionary", m: flagged, schema: schema(arrow.ListOf(dictionary)), says: "runs.item has type dictionary"},
		{rule: 8, name: "utf8 view", m: flagged, schema: schema(arrow.ListOf(arrow.BinaryTypes.StringView)), says: "string_view, which is not mapped"},
		{rule: 8, name: "binary view", m: flagged, schema: schema(arrow.BinaryTypes.BinaryView), says: "binary_view, which is not mapped"},
		{rule: 8, name: "list view", m: flagged, schema: schema(arrow.ListViewOf(i32)), says: "list_view, which is not mapped"},
		{rule: 8, name: "large list view", m: flagged, schema: schema(arrow.LargeListViewOf(i32)), says: "large_list_view, which is not mapped"},
		{rule: 8, name: "sparse union", m: flagged, schema: schema(arrow.SparseUnionOf(fields[:1], []int8{0})), says: "sparse_union, which is not mapped"},
		{rule: 8, name: "dense union", m: flagged, schema: schema(arrow.DenseUnionOf(fields[:1], []int8{0})), says: "dense_union, which is not mapped"},
		{rule: 8, name: "run-end encoded", m: flagged, schema: schema(arrow.RunEndEncodedOf(i32, i32)), says: "run_end_encoded, which is not mapped"},
		{rule: 9, m: batch(func(b *flatbuf.RecordBatchT) { b.VariadicBufferCounts = []int64{0} }), says: "1 variadic"},
		{rule: 10, name: "fewer", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes = b.Nodes[:2] }), says: "2 field nodes"},
		{rule: 10, name: "more", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes = append(b.Nodes, b.Nodes[0]) }), says: "4 field nodes"},
		{rule: 11, name: "fewer", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers = b.Buffers[:6] }), says: "6 buffers"},
		{rule: 11, name: "more", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers = append(b.Buffers, b.Buffers[0]) }), says: "8 buffers"},
		{rule: 12, name: "with offsets", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes[0].Length = -1 }), says: "-1 rows"},
		{rule: 12, name: "without", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes[2].Length = -7 }), says: "-7 rows"},
		{rule: 13, name: "negative", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[2].Length = -1 }), says: "-1 bytes at 32"},
		{rule: 13, name: "too long", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[6].Length = 33 }), says: "outside the body"},
		{rule: 13, name: "behind the body", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[0].Offset = highBit + 104 }), says: "outside the body"},
		{rule: 13, name: "far away", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[0].Offset = -1 }), says: "outside the body"},
		{rule: 14, name: "1 byte", m: compressed([]byte{0}), says: "1 bytes are too short for the length prefix"},
		{rule: 14, name: "7 bytes", m: compressed(make([]byte, 7)), says: "7 bytes are too short for the length prefix"},
		{rule: 14, name: "prefix -2", m: compressed(prefixed(-2, planes)), says: "length prefix of -2 bytes"},
		{rule: 15, name: "no frame", m: compressed(prefixed(24, planes)), says: "zstd"},
		{rule: 15, name: "nothing", m: compressed(prefixed(24, nil)), says: "zstd"},
		{rule: 15, name: "less than claimed", m: compressed(prefixed(25, zstdFrame(t, planes))), says: "not the 25 claimed"},
		{rule: 15, name: "more than claimed", m: compressed(prefixed(24, zstdFrame(t, append(bytes.Clone(planes), 0)))), says: "hold more than the 24 bytes claimed"},
		{rule: 16, name: "one row too many", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes[0].Length = 6 }), says: "24 bytes are too short for 7 offsets"},
		{rule: 16, name: "overflow", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes[0].Length = math.MaxInt64 }), says: "9223372036854775807 rows"},
		{rule: 16, name: "wraps to 0", m: batch(func(b *flatbuf.RecordBatchT) { b.Nodes[0].Length = 1<<62 - 1 }), says: "4611686018427387903 rows"},
		{rule: 16, name: "empty", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[1].Length = 0 }), says: "0 bytes are too short for 6 offsets"},
		{rule: 16, name: "prefix 0", m: compressed(prefixed(0, planes)), says: "0 bytes are too short for 6 offsets"},
		{rule: 16, name: "nothing stored raw", m: compressed(prefixed(-1, nil)), says: "0 bytes are too short for 6 offsets"},
		{rule: 16, name: "short, stored raw", m: compressed(prefixed(-1, planes[:23])), says: "23 bytes are too short for 6 offsets"},
		{rule: 16, name: "short, compressed", m: compressed(prefixed(23, zstdFrame(t, planes[:23]))), says: "23 bytes are too short for 6 offsets"},
	}
	requireRules(t, "## What a reader refuses", cases)
	for _, c := range cases {
		t.Run(fmt.Sprintf("%d/%s", c.rule, c.name), func(t *testing.T) {
			schema, all := c.formatStream(t)
			_, err := readByTheText(schema, c.m)
			require.Equal(t, breach(c.rule), err)
			for way, err := range everyWay(all) {
				require.ErrorContains(t, err, c.says, way)
			}
		})
	}
}

// TestFormatPlainCodec has a codec without the mark that looks like none with
// its mark taken off. It means nothing.
func TestFormatPlainCodec(t *testing.T) {
	all := plainMessages(t, formatExample(t))
	all[1] = editedBatch(all[1], func(b *flatbuf.RecordBatchT) {
		b.Compression = &flatbuf.BodyCompressionT{Codec: 0x7F}
	})
	for way, err := range everyWay(all) {
		require.ErrorContains(t, err, "codec 127", way)
	}
}

// TestFormatAccepts has what looks odd and is not. Both readers have to give
// the contents of the worked example.
func TestFormatAccepts(t *testing.T) {
	all := formatMessage(t)
	flagged, stored := all[1], buffers(all[1])
	batch := func(change func(*flatbuf.RecordBatchT)) raw { return editedBatch(flagged, change) }
	bodied := func(body []byte, change func(*flatbuf.RecordBatchT)) raw {
		m := edited(flagged, func(fb *flatbuf.MessageT) {
			fb.BodyLength = int64(len(body))
			change(batchOf(fb))
		})
		return raw{m.metadata, body}
	}
	same := func(*flatbuf.RecordBatchT) {}
	with := func(i int, p []byte) raw {
		changed := append([][]byte(nil), stored...)
		changed[i] = p
		return rebody(flagged, changed...)
	}
	backwards := func() raw {
		var body []byte
		at := make([]int64, len(stored))
		for i := len(stored) - 1; i >= 0; i-- {
			body = append(body, 0xA5)
			at[i] = int64(len(body)) | highBit
			body = append(body, stored[i]...)
		}
		return bodied(body, func(b *flatbuf.RecordBatchT) {
			for i := range b.Buffers {
				b.Buffers[i].Offset = at[i]
			}
		})
	}
	dirty := bytes.Clone(flagged.body)
	for _, gap := range [][2]int{{4, 8}, {44, 48}, {100, 104}} {
		copy(dirty[gap[0]:gap[1]], "\xA5\xA5\xA5\xA5")
	}
	noise := []byte("\x80\xFF\x01\x7F bytes of any value at all"[:24])
	compressed := formatZstd(t, formatDump(t, "zstd"))[1]
	zstdWith := func(i int, p []byte) raw {
		changed := buffers(compressed)
		changed[i] = p
		return rebody(compressed, changed...)
	}
	nothing := func(b *flatbuf.RecordBatchT) {
		b.Length = 0
		for i := range b.Nodes {
			b.Nodes[i] = &flatbuf.FieldNodeT{}
		}
		for i := range b.Buffers {
			b.Buffers[i].Length = 0
		}
	}
	none := func(contents [][]byte) { clear(contents) }

	cases := []formatCase{
		{rule: 1, name: "backwards, with gaps, anywhere", m: backwards()},
		{rule: 1, name: "shared", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[4] = b.Buffers[1] }),
			change: func(contents [][]byte) { contents[4] = contents[1] }},
		{rule: 2, name: "padding", m: bodied(dirty, same)},
		{rule: 2, name: "a longer body", m: bodied(append(bytes.Clone(flagged.body), dirty...), same)},
		{rule: 3, name: "one byte behind the body", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[3].Offset = highBit + 105 })},
		{rule: 3, name: "far behind the body", m: batch(func(b *flatbuf.RecordBatchT) { b.Buffers[3].Offset = -1 })},
		{rule: 3, name: "behind a compressed body", m: editedBatch(compressed, func(b *flatbuf.RecordBatchT) { b.Buffers[3].Offset = -1 })},
		{rule: 4, name: "and nothing", m: zstdWith(3, prefixed(0, nil))},
		{rule: 4, name: "and noise", m: zstdWith(5, prefixed(0, noise))},
		{rule: 5, name: "stored raw", m: compressed},
		{rule: 5, name: "a longer frame", m: zstdWith(2, prefixed(12, zstdFrame(t, stored[2])))},
		{rule: 6, name: "no rows", m: batch(nothing), change: none},
		{rule: 6, name: "no rows, and an offset", m: rebody(batch(nothing), nil, []byte{9, 0, 0, 0}, nil, nil, []byte{1}, nil, nil), change: func(contents [][]byte) {
			clear(contents)
			contents[1], contents[4] = []byte{9, 0, 0, 0}, []byte{1}
		}},
		{rule: 7, m: with(1, append(bytes.Clone(stored[1]), noise...)),
			change: func(contents [][]byte) { contents[1] = append(bytes.Clone(contents[1]), noise...) }},
		{rule: 8, m: with(1, noise), change: func(contents [][]byte) { contents[1] = joinByTheText(noise, 5, 4) }},
		{rule: 9, m: batch(func(b *flatbuf.RecordBatchT) { b.VariadicBufferCounts = []int64{} })},
		{rule: 10, m: withCustom(flagged, "key", "value")},
	}
	plain := plainMessages(t, formatExample(t))[1]
	v4 := edited(all[0], func(fb *flatbuf.MessageT) { fb.Version = flatbuf.MetadataVersionV4 })
	mixed := formatCase{rule: 11, m: flagged}
	requireRules(t, "### What a reader accepts", append(cases, mixed))

	for _, c := range cases {
		t.Run(fmt.Sprintf("%d/%s", c.rule, c.name), func(t *testing.T) {
			want := append([][]byte(nil), buffers(plain)...)
			if c.change != nil {
				c.change(want)
			}
			schema, all := c.formatStream(t)
			contents, err := readByTheText(schema, c.m)
			require.NoError(t, err)
			requireContents(t, want, contents)
			decoded, err := decodeAll(all)
			require.NoError(t, err)
			requireContents(t, want, buffers(decoded[1]))
			_, err = convert(stream(all...))
			require.NoError(t, err)
			if c.rule == 10 {
				custom := flatbuf.GetRootAsMessage(decoded[1].metadata, 0).UnPack().CustomMetadata
				require.Equal(t, []*flatbuf.KeyValueT{{Key: "key", Value: "value"}}, custom)
			}
		})
	}
	t.Run("6/no buffers", func(t *testing.T) {
		for _, fields := range [][]arrow.Field{nil, {{Name: "nothing", Type: arrow.Null, Nullable: true}}} {
			c := formatCase{schema: arrow.NewSchema(fields, nil), m: edited(flagged, func(fb *flatbuf.MessageT) {
				b := batchOf(fb)
				b.Length, b.Nodes, b.Buffers = 2, b.Nodes[:len(fields)], nil
			})}
			schema, all := c.formatStream(t)
			contents, err := readByTheText(schema, c.m)
			require.NoError(t, err)
			require.Empty(t, contents)
			_, err = decodeAll(all)
			require.NoError(t, err)
		}
	})
	t.Run("11", func(t *testing.T) {
		got := drainBytes(stream(v4, plain, flagged, plain, compressed))
		require.NoError(t, got.Err)
		require.Len(t, got.Batches, 4)
	})
}
