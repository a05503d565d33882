package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// lie is an input that is refused: a stream, a file, or the same as both.
type lie struct {
	what   string
	stream []byte
	file   []byte
	is     error    // ErrCorrupt for nil
	says   []string // in the error, by whatever door
}

// asBoth is a lie as a stream and as a file.
func asBoth(what string, all []raw, says ...string) lie {
	return lie{what: what, stream: stream(all...), file: fileOf(all...), says: says}
}

// TestStrangerRefused has small inputs that a reader refuses, as streams and as
// files, plain and flagged, in every codec, with an error that names the numbers.
// -v prints the errors. There are more of each kind in TestCompressedBad,
// TestCompressedTail, TestRefused, TestVariadicCounts, TestFileReaderFooter,
// TestLyingLengths, and in package verify.
func TestStrangerRefused(t *testing.T) {
	for _, item := range []struct {
		name  string
		forms []variant
		lies  func(t *testing.T, v variant) []lie
	}{
		{"a compressed buffer of 1 to 7 bytes", compressedForms(), shortBuffers},
		{"a prefix that is none", compressedForms(), badPrefixes},
		{"bytes after the last frame that are no frame", compressedForms(), tails},
		{"an offset and a length that overflow", variants(), overflows},
		{"a node count off by one", variants(), nodeCounts},
		{"variadic counts that lie", variants(), variadicCounts},
		{"a block outside the file or in the footer", variants(), badBlocks},
		{"a dictionary that the schema does not know", unflaggedForms(), unknownDictionary},
		{"a dictionary that refers to itself", unflaggedForms(), selfReference},
		{"a schema nested 10,000 deep", variants()[:1], deepSchema},
		{"a metadata length of 2^31-1", variants(), longMetadata},
		{"a byte order that is none", variants(), badEndianness},
	} {
		t.Run(item.name, func(t *testing.T) {
			for _, v := range item.forms {
				for _, l := range item.lies(t, v) {
					t.Run(v.name+"/"+l.what, func(t *testing.T) { l.requireRefused(t) })
				}
			}
		})
	}
}

func (l lie) requireRefused(t *testing.T) {
	if l.is == nil {
		l.is = ipcx.ErrCorrupt
	}
	refused := func(door string, err error) {
		t.Helper()
		t.Logf("%s: %v", door, err)
		require.ErrorIs(t, err, l.is, door)
		require.False(t, ipcx.IsPanic(err), "%s: %v", door, err)
		for _, text := range l.says {
			require.ErrorContains(t, err, text, door)
		}
	}
	for what, data := range map[string][]byte{"stream": l.stream, "file": l.file} {
		if data == nil {
			continue
		}
		// A conversion makes no arrays. What it does not refuse is refused behind it.
		out, err := convert(data)
		if err == nil {
			err = drainBytes(out).Err
		}
		refused("Convert, "+what, err)
	}
	if l.stream != nil {
		refused("NewReader", drainBytes(l.stream).Err)
	}
	if l.file != nil {
		for how := range openers {
			refused("file, "+how, drainFile(t, how, l.file).Err)
		}
	}
}

func compressedForms() []variant {
	return slices.DeleteFunc(variants(), func(v variant) bool { return v.codec == ipcx.Uncompressed })
}

func unflaggedForms() []variant {
	return slices.DeleteFunc(variants(), func(v variant) bool { return v.flag })
}

// small are the messages of one smallBatch.
func (v variant) small(t *testing.T) []raw {
	all := messages(t, write(t, smallBatches(1), v.options()...))
	codec := flatbuf.CompressionType(0)
	if c := batchOf(flatbuf.GetRootAsMessage(all[1].metadata, 0).UnPack()).Compression; c != nil {
		codec = c.Codec
	}
	require.Equal(t, v.flag, codec < 0)
	return all
}

// changed are the messages of small with the batch changed.
func (v variant) changed(t *testing.T, change func(*flatbuf.RecordBatchT)) []raw {
	all := v.small(t)
	all[1] = editedBatch(all[1], change)
	return all
}

// storing are the lies of two buffers, one that is rewritten where the message is
// flagged and one that is not, each replaced by what with gives.
func (v variant) storing(t *testing.T, what string, with func(content, frame []byte) []byte, says func(content, frame []byte) []string) []lie {
	mode := compressedMode{v.codec, v.flag}
	var all []lie
	for i, name := range map[int]string{textOffsets: "offsets", textData: "data"} {
		content := mode.content(t, i)
		frame := compress(t, v.codec, content)
		all = append(all, asBoth(what+", "+name, mode.with(t, i, with(content, frame)), says(content, frame)...))
	}
	return all
}

func shortBuffers(t *testing.T, v variant) (all []lie) {
	for n := 1; n < 8; n++ {
		all = append(all, v.storing(t, strconv.Itoa(n),
			func(_, frame []byte) []byte { return frame[:n] },
			func([]byte, []byte) []string {
				return []string{fmt.Sprintf("%d bytes are too short", n), "prefix of 8"}
			})...)
	}
	return all
}

func badPrefixes(t *testing.T, v variant) (all []lie) {
	for _, c := range []struct {
		what string
		n    func(length int64) int64
		says func(length, stored int) []string
	}{
		{"-2", func(int64) int64 { return -2 }, func(int, int) []string { return []string{"prefix of -2 bytes", "the least is -1"} }},
		{"2^62", func(int64) int64 { return 1 << 62 }, func(_, stored int) []string {
			return []string{fmt.Sprintf("%d stored bytes cannot hold", stored), "4611686018427387904 bytes claimed"}
		}},
		{"one more", func(n int64) int64 { return n + 1 }, func(n, stored int) []string {
			return []string{fmt.Sprintf("%d stored bytes hold %d bytes, not the %d claimed", stored, n, n+1)}
		}},
		{"one less", func(n int64) int64 { return n - 1 }, func(n, stored int) []string {
			if v.flag && n == 16 { // of the offsets that it is to hold
				return []string{"15 bytes are too short for 4 offsets of 4 bytes, 16 bytes"}
			}
			if v.codec == ipcx.LZ4Frame {
				return []string{fmt.Sprintf("%d stored bytes hold %d bytes, not the %d claimed", stored, n, n-1)}
			}
			return []string{fmt.Sprintf("%d stored bytes hold more than the %d bytes claimed", stored, n-1)}
		}},
	} {
		all = append(all, v.storing(t, c.what,
			func(content, frame []byte) []byte { return prefixed(c.n(int64(len(content))), frame) },
			func(content, frame []byte) []string { return c.says(len(content), len(frame)) })...)
	}
	return all
}

func tails(t *testing.T, v variant) (all []lie) {
	for what, tail := range map[string][]byte{"a byte": {1}, "zeros": make([]byte, 8), "text": []byte("and more")} {
		all = append(all, v.storing(t, what,
			func(content, frame []byte) []byte { return append(prefixed(int64(len(content)), frame), tail...) },
			func(content, frame []byte) []string {
				codec := map[ipcx.Codec]string{ipcx.Zstd: "zstd:", ipcx.LZ4Frame: "LZ4:"}[v.codec]
				return []string{codec, fmt.Sprintf("%d stored bytes", len(frame)+len(tail)), fmt.Sprintf("the %d claimed", len(content))}
			})...)
	}
	return all
}

func overflows(t *testing.T, v variant) (all []lie) {
	size := len(v.small(t)[1].body)
	for i, name := range map[int]string{textOffsets: "offsets", textData: "data"} {
		for _, c := range []struct{ offset, length int64 }{
			{math.MaxInt64, 2}, {math.MaxInt64 - 7, 16}, {8, math.MaxInt64}, {8, math.MaxInt64 - 7}, {math.MaxInt64, math.MaxInt64},
		} {
			all = append(all, asBoth(fmt.Sprintf("%s, %d and %d", name, c.offset, c.length), v.changed(t, func(b *flatbuf.RecordBatchT) {
				b.Buffers[i].Offset = b.Buffers[i].Offset&mark | c.offset
				b.Buffers[i].Length = c.length
			}), strconv.FormatInt(c.offset, 10), strconv.FormatInt(c.length, 10), fmt.Sprintf("body of %d bytes", size)))
		}
	}
	return all
}

func nodeCounts(t *testing.T, v variant) []lie {
	return []lie{
		asBoth("one node less", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Nodes = b.Nodes[:3] }), "3 field nodes where the schema has 4"),
		asBoth("one buffer less", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Buffers = b.Buffers[:9] }), "9 buffers where the schema has 10"),
		asBoth("one row more", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Length++ }), "of 3 rows in a batch of 4"),
		asBoth("a field of one more", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Nodes[1].Length++ }), `"text"`, "16 bytes are too short for 5 offsets"),
		asBoth("a field of one less", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Nodes[1].Length-- }), `"text"`, "of 2 rows in a batch of 3"),
		asBoth("a child of one more", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Nodes[3].Length++ }), `"tags.item"`, "40 bytes are too short for 6 offsets"),
		asBoth("a child of one less", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Nodes[3].Length-- }), `"tags"`, "last offset is 4, where there are 3 entries"),
		asBoth("one node more", v.changed(t, func(b *flatbuf.RecordBatchT) { b.Nodes = append(b.Nodes, &flatbuf.FieldNodeT{}) }), "5 field nodes where the schema has 4"),
		asBoth("one buffer more", v.changed(t, func(b *flatbuf.RecordBatchT) {
			b.Buffers = append(b.Buffers, &flatbuf.BufferT{Offset: b.Buffers[0].Offset & mark})
		}), "11 buffers where the schema has 10"),
	}
}

func variadicCounts(t *testing.T, v variant) []lie {
	all := []lie{asBoth("without views", v.changed(t, func(b *flatbuf.RecordBatchT) { b.VariadicBufferCounts = []int64{1} }), "1 variadic buffer counts, where", "0")}
	if v.flag {
		return all // no message with views is
	}
	rec := arrowgen.RecordBatch(1, []arrow.Field{{Name: "f", Type: arrow.BinaryTypes.StringView}}, arrowgen.Options{Rows: 20})
	views := messages(t, write(t, []arrow.RecordBatch{rec}, v.options()...))
	for _, c := range []struct {
		counts []int64
		says   []string
	}{
		{nil, []string{"0 variadic buffer counts", "1 fields of views"}},
		{[]int64{1, 0}, []string{"2 variadic buffer counts", "1 fields of views"}},
		{[]int64{-1}, []string{"count 0 is -1, where 3 of 3"}},
		{[]int64{4}, []string{"count 0 is 4, where 3 of 3"}},
		{[]int64{math.MaxInt64}, []string{"count 0 is 9223372036854775807, where 3 of 3"}},
		{[]int64{3}, []string{"3 buffers", "schema has 5"}},
	} {
		bad := editedBatch(views[1], func(b *flatbuf.RecordBatchT) {
			require.Equal(t, []int64{1}, b.VariadicBufferCounts)
			require.Len(t, b.Buffers, 3)
			b.VariadicBufferCounts = c.counts
		})
		all = append(all, asBoth(fmt.Sprint(c.counts), []raw{views[0], bad}, c.says...))
	}
	return all
}

func badBlocks(t *testing.T, v variant) (all []lie) {
	file := writeFile(t, smallBatches(1), v.options()...)
	_, start := footerOf(t, file)
	size := int64(len(file)) &^ 7
	for what, c := range map[string]struct {
		change func(*flatbuf.BlockT)
		says   []string
	}{
		"outside the file":   {func(b *flatbuf.BlockT) { b.Offset = size + 8 }, []string{strconv.FormatInt(size+8, 10), strconv.Itoa(start)}},
		"far outside":        {func(b *flatbuf.BlockT) { b.Offset = math.MaxInt64 - 7 }, []string{"9223372036854775800", strconv.Itoa(start)}},
		"before the file":    {func(b *flatbuf.BlockT) { b.Offset = -8 }, []string{"at byte -8", "multiple of 8"}},
		"in the footer":      {func(b *flatbuf.BlockT) { b.Offset = int64(start) }, []string{strconv.Itoa(start)}},
		"into the footer":    {func(b *flatbuf.BlockT) { b.Offset = int64(start) - int64(b.MetaDataLength) - b.BodyLength + 8 }, []string{strconv.Itoa(start)}},
		"a body that passes": {func(b *flatbuf.BlockT) { b.BodyLength = size }, []string{strconv.FormatInt(size, 10), strconv.Itoa(start)}},
		"an endless body":    {func(b *flatbuf.BlockT) { b.BodyLength = math.MaxInt64 - 7 }, []string{"9223372036854775800", strconv.Itoa(start)}},
		"endless metadata":   {func(b *flatbuf.BlockT) { b.MetaDataLength = math.MaxInt32 - 7 }, []string{"2147483640", strconv.Itoa(start)}},
	} {
		all = append(all, lie{what: what, says: append(c.says, "record batch", "0"),
			file: refooted(t, file, func(f *flatbuf.FooterT) { c.change(f.RecordBatches[0]) })})
	}
	return all
}

func unknownDictionary(t *testing.T, v variant) []lie {
	all := messages(t, write(t, []arrow.RecordBatch{dictionaryBatch(0, 3)}, v.options()...))
	all[1] = edited(all[1], func(fb *flatbuf.MessageT) { fb.Header.Value.(*flatbuf.DictionaryBatchT).Id = 7 })
	return []lie{asBoth("7", all, "dictionary 7, which the schema does not know", "its dictionaries are 0")}
}

func selfReference(t *testing.T, v variant) []lie {
	all := messages(t, write(t, nestedDictionaries()[:1], v.options()...))
	all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
		outer := fb.Header.Value.(*flatbuf.SchemaT).Fields[0]
		outer.Children[0].Dictionary.Id = outer.Dictionary.Id
	})
	return []lie{asBoth("itself", all, "refers to itself", `"word"`)}
}

func deepSchema(t *testing.T, v variant) []lie {
	all := v.small(t)
	all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
		fields := fb.Header.Value.(*flatbuf.SchemaT).Fields
		for range 10_000 {
			fields[1] = &flatbuf.FieldT{Name: "f", Type: &flatbuf.TypeT{Type: flatbuf.TypeList, Value: &flatbuf.ListT{}}, Children: []*flatbuf.FieldT{fields[1]}}
		}
	})
	l := asBoth("lists", all, "nested deeper than 72 tables")
	l.is = ipcx.ErrLimit
	return []lie{l}
}

func longMetadata(t *testing.T, v variant) []lie {
	const longest = math.MaxInt32
	all := v.small(t)
	says := []string{"2147483647", "limit of 67108864", "WithMetadataSizeLimit"}
	first := len(frame(all[0]))
	prefix := func(data []byte, at int) []byte {
		binary.LittleEndian.PutUint32(data[at:], longest)
		return data
	}
	file := writeFile(t, smallBatches(1), v.options()...)
	footer, _ := footerOf(t, file)
	return []lie{
		{what: "schema", stream: prefix(stream(all...), 4), is: ipcx.ErrLimit, says: append(says, "byte 0")},
		{what: "batch", stream: prefix(stream(all...), first+4), is: ipcx.ErrLimit, says: append(says, "byte "+strconv.Itoa(first))},
		{what: "footer", file: prefix(bytes.Clone(file), len(file)-10), says: []string{"footer of 2147483647 bytes", "file of " + strconv.Itoa(len(file))}},
		{what: "batch of a file", file: prefix(bytes.Clone(file), int(footer.RecordBatches[0].Offset)+4), says: []string{"2147483647", "the footer has " + strconv.Itoa(int(footer.RecordBatches[0].MetaDataLength)-8)}},
		{what: "block", says: []string{"2147483647", "multiple of 8"},
			file: refooted(t, file, func(f *flatbuf.FooterT) { f.RecordBatches[0].MetaDataLength = longest })},
	}
}

func badEndianness(t *testing.T, v variant) (all []lie) {
	for _, order := range []flatbuf.Endianness{-1, 2, math.MinInt16} {
		bad := v.small(t)
		bad[0] = edited(bad[0], func(fb *flatbuf.MessageT) { fb.Header.Value.(*flatbuf.SchemaT).Endianness = order })
		all = append(all, asBoth(strconv.Itoa(int(order)), bad, fmt.Sprintf("endianness %d", order), "0, little", "1, big"))
	}
	return all
}

// TestStrangerPrefixes has every prefix of a flagged stream and of a flagged file:
// an error, or batches that pass validation. Every byte of a flagged stream
// replaced by every other is in TestEveryByteReplaced.
func TestStrangerPrefixes(t *testing.T) {
	batches := smallBatches(2)
	for _, v := range variants() {
		if !v.flag {
			continue
		}
		whole, file := write(t, batches, v.options()...), writeFile(t, batches, v.options()...)
		ends := ends(t, whole)
		for n := range whole {
			got := drainBytes(whole[:n], ipcx.WithValidation())
			require.Equal(t, ends[n] > 0 || n == len(frame(messages(t, whole)[0])), got.Err == nil, "%s: %d bytes: %v", v.name, n, got.Err)
			require.NoError(t, oracle.SameBatches(drainBytes(whole).Batches[:len(got.Batches)], got.Batches))
		}
		for n := range file {
			for how := range openers {
				err := drainFile(t, how, file[:n], ipcx.WithValidation()).Err
				require.ErrorIs(t, err, ipcx.ErrNotArrow, "%s: %s, %d bytes", v.name, how, n)
			}
			_, err := convert(file[:n])
			require.ErrorIs(t, err, ipcx.ErrNotArrow, "%s: %d bytes", v.name, n)
		}
		for how := range openers {
			got := drainFile(t, how, file, ipcx.WithValidation())
			require.NoError(t, got.Err)
			requireEqual(t, batches, got.Batches)
		}
	}
}

// TestStrangerRows has fewer rows than the columns have entries. arrow-go takes it,
// and so does the reader without validation. It also has errors say which message
// they are about, by whatever check.
func TestStrangerRows(t *testing.T) {
	for _, v := range variants() {
		all := v.changed(t, func(b *flatbuf.RecordBatchT) { b.Length-- })
		require.NoError(t, drainBytes(stream(all...)).Err)
		err := drainBytes(stream(all...), ipcx.WithValidation()).Err
		require.ErrorIs(t, err, ipcx.ErrCorrupt, v.name)
		require.ErrorContains(t, err, `record batch 0: field "number": 3 rows in a record batch of 2`, v.name)

		all = v.changed(t, func(b *flatbuf.RecordBatchT) { b.Length++ })
		require.ErrorContains(t, drainBytes(stream(all...)).Err, "message 1 (RecordBatch)", v.name)
	}
}
