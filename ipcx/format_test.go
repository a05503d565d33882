package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/planes"
)

// formatText returns FORMAT.md.
func formatText(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testdata.Root(t), "FORMAT.md"))
	require.NoError(t, err)
	return string(text)
}

// formatBlock returns the fenced block of FORMAT.md with the info string given.
func formatBlock(t testing.TB, info string) string {
	t.Helper()
	parts := strings.Split(formatText(t), "```"+info+"\n")
	require.Len(t, parts, 2, "blocks of %q", info)
	block, _, ok := strings.Cut(parts[1], "```")
	require.True(t, ok)
	return block
}

// formatSection returns the text of FORMAT.md under a heading, up to the next.
func formatSection(t testing.TB, heading string) string {
	t.Helper()
	parts := strings.Split(formatText(t), "\n"+heading+"\n")
	require.Len(t, parts, 2, "sections %q", heading)
	section, _, _ := strings.Cut(parts[1], "\n#")
	return section
}

// dumpLine is a line of a hex dump: where, bytes, what they are.
var dumpLine = regexp.MustCompile(`^([0-9a-f]{3})  ((?:[0-9a-f]{2} )*[0-9a-f]{2})(?:  +(.*))?$`)

// formatDump returns the bytes of a hex dump in FORMAT.md. It checks that the
// lines join without a gap, and that the targets they name are right.
func formatDump(t testing.TB, name string) []byte {
	t.Helper()
	var out []byte
	notes := map[int]string{}
	for _, line := range strings.Split(strings.TrimSpace(formatBlock(t, "hexdump "+name)), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		m := dumpLine.FindStringSubmatch(line)
		require.NotNil(t, m, "line %q", line)
		at, err := strconv.ParseInt(m[1], 16, 64)
		require.NoError(t, err)
		require.EqualValues(t, len(out), at, "line %q", line)
		p, err := hex.DecodeString(strings.ReplaceAll(m[2], " ", ""))
		require.NoError(t, err)
		notes[len(out)] = m[3]
		out = append(out, p...)
	}
	for at, note := range notes {
		_, target, ok := strings.Cut(note, "-> ")
		if !ok {
			continue
		}
		want, err := strconv.ParseInt(target, 16, 64)
		require.NoError(t, err)
		to := at + int(binary.LittleEndian.Uint32(out[at:]))
		if strings.Contains(note, "back") {
			to = at - int(binary.LittleEndian.Uint32(out[at:]))
		}
		require.EqualValues(t, want, to, "line at %03x: %s", at, note)
	}
	return out
}

// formatExample returns the record batch of the worked example.
func formatExample(t testing.TB) arrow.RecordBatch {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "runs", Type: arrow.ListOf(arrow.PrimitiveTypes.Int32), Nullable: true},
	}, nil)
	text := ""
	for _, field := range schema.Fields() {
		text += fmt.Sprintf("%s: %s, nullable\n", field.Name, field.Type)
	}
	require.Equal(t, text, formatBlock(t, "schema"))
	return batchOfRows(t, schema, formatBlock(t, "rows"))
}

// batchOfRows returns the batch of rows, a JSON object each.
func batchOfRows(t testing.TB, schema *arrow.Schema, rows string) arrow.RecordBatch {
	t.Helper()
	rows = "[" + strings.ReplaceAll(strings.TrimSpace(rows), "\n", ",") + "]"
	rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(rows))
	require.NoError(t, err)
	return rec
}

// formatMessage returns the worked example with the schema before it, as
// messages.
func formatMessage(t testing.TB) []raw {
	t.Helper()
	dump := formatDump(t, "message")
	n := int(binary.LittleEndian.Uint32(dump[4:]))
	m := raw{dump[8 : 8+n], dump[8+n:]}
	require.Equal(t, frame(m), dump)
	return []raw{plainMessages(t, formatExample(t))[0], m}
}

// plainMessages returns the messages that arrow-go writes of batches.
func plainMessages(t testing.TB, batches ...arrow.RecordBatch) []raw {
	t.Helper()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(batches[0].Schema()))
	for _, rec := range batches {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	return messages(t, out.Bytes())
}

func TestFormatMessage(t *testing.T) {
	rec, all := formatExample(t), formatMessage(t)

	got := drainBytes(stream(all...))
	require.NoError(t, got.Err)
	require.Len(t, got.Batches, 1)
	require.True(t, array.RecordEqual(rec, got.Batches[0]), "%v", got.Batches[0])

	written := write(t, []arrow.RecordBatch{rec}, ipcx.WithOffsetsAsLengths(ipcx.Uncompressed))
	require.Equal(t, hex.Dump(stream(all...)), hex.Dump(written))

	contents, err := readByTheText(rec.Schema(), all[1])
	require.NoError(t, err)
	requireContents(t, buffers(plainMessages(t, rec)[1]), contents)
}

// TestFormatBuffers holds what the text says of the example's buffers against
// its metadata.
func TestFormatBuffers(t *testing.T) {
	stored := buffers(formatMessage(t)[1])
	rows := regexp.MustCompile(`(?m)^\| (\d) \| .* \| (\d+) \|$`).
		FindAllStringSubmatch(formatSection(t, "## Worked example"), -1)
	require.Len(t, rows, len(stored))
	notes := regexp.MustCompile(`(?m) (\d): FLAGGED, body byte (\d+), (?:(\d+) bytes|empty)$`).
		FindAllStringSubmatch(formatBlock(t, "hexdump message"), -1)
	require.Len(t, notes, len(stored))
	entries := rootTable(formatMessage(t)[1].metadata).table(2).structs(2)
	for i, p := range stored {
		require.Equal(t, []string{strconv.Itoa(i), strconv.Itoa(len(p))}, rows[i][1:])
		require.Equal(t, strconv.Itoa(i), notes[i][1])
		require.Equal(t, strconv.FormatInt(entries[i][0]&math.MaxInt64, 10), notes[i][2])
		require.Equal(t, strconv.Itoa(len(p)), notes[i][3]+strings.Repeat("0", max(0, 1-len(notes[i][3]))))
	}
}

// TestFormatForeign is what the marks are for: a reader that does not know the
// format fails on a flagged message, here arrow-go's.
func TestFormatForeign(t *testing.T) {
	streams := map[string][]byte{"example": stream(formatMessage(t)...)}
	for _, codec := range formatCodecs {
		streams[codec.String()] = goldenFile(t, codec.String()+".arrows", nil)
	}
	for name, data := range streams {
		got := oracle.Stream(data)
		require.Error(t, got.Err, name)
		require.Empty(t, got.Batches, name)
	}
}

// formatZstd returns the worked example with the codec ZSTD, where every buffer
// but the one that FORMAT.md shows is stored raw.
func formatZstd(t testing.TB, offsets []byte) []raw {
	t.Helper()
	all := formatMessage(t)
	stored := buffers(all[1])
	for i, p := range stored {
		if len(p) > 0 {
			stored[i] = prefixed(-1, p)
		}
	}
	stored[1] = offsets
	m := editedBatch(all[1], func(b *flatbuf.RecordBatchT) { b.Compression.Codec = -127 })
	return []raw{all[0], rebody(m, stored...)}
}

func TestFormatZstd(t *testing.T) {
	rec, planes := formatExample(t), buffers(formatMessage(t)[1])[1]
	for _, name := range []string{"zstd", "raw"} {
		shown := formatDump(t, name)
		content, err := contentByTheText(-127, 0, int64(len(shown)), shown)
		require.NoError(t, err)
		require.Equal(t, planes, content)

		got := drainBytes(stream(formatZstd(t, shown)...))
		require.NoError(t, got.Err)
		require.True(t, array.RecordEqual(rec, got.Batches[0]), "%v", got.Batches[0])
	}
}

func TestFormatOffsets64(t *testing.T) {
	const n = 3
	offsets, rewritten := formatDump(t, "offsets64"), formatDump(t, "planes64")
	got := make([]byte, len(offsets))
	require.NoError(t, planes.SplitOffsets64(got, offsets, n))
	require.Equal(t, rewritten, got)
	require.NoError(t, planes.JoinOffsets64(got, rewritten, n))
	require.Equal(t, offsets, got)
	require.Equal(t, offsets, joinByTheText(rewritten, n, 8))
}

// formatTypes has types of every name in the table of mapped types.
func formatTypes() map[string][]arrow.DataType {
	i32 := arrow.PrimitiveTypes.Int32
	return map[string][]arrow.DataType{
		"Null":            {arrow.Null},
		"Bool":            {arrow.FixedWidthTypes.Boolean},
		"Int":             {i32, arrow.PrimitiveTypes.Uint8},
		"FloatingPoint":   {arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float64},
		"Decimal":         {&arrow.Decimal32Type{Precision: 5}, &arrow.Decimal256Type{Precision: 5}},
		"Date":            {arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64},
		"Time":            {arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64ns},
		"Timestamp":       {arrow.FixedWidthTypes.Timestamp_us},
		"Duration":        {arrow.FixedWidthTypes.Duration_s},
		"Interval":        {arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.MonthDayNanoInterval},
		"FixedSizeBinary": {&arrow.FixedSizeBinaryType{ByteWidth: 3}},
		"Binary":          {arrow.BinaryTypes.Binary},
		"Utf8":            {arrow.BinaryTypes.String},
		"LargeBinary":     {arrow.BinaryTypes.LargeBinary},
		"LargeUtf8":       {arrow.BinaryTypes.LargeString},
		"List":            {arrow.ListOf(i32)},
		"LargeList":       {arrow.LargeListOf(i32)},
		"Map":             {arrow.MapOf(arrow.BinaryTypes.String, i32)},
		"FixedSizeList":   {arrow.FixedSizeListOf(2, i32)},
		"Struct_":         {arrow.StructOf(arrow.Field{Name: "a", Type: i32})},
	}
}

// TestFormatTypes holds the table of mapped types against package layout.
func TestFormatTypes(t *testing.T) {
	types := formatTypes()
	row := regexp.MustCompile(`(?m)^\| (\w+) \| ([a-z, ]+) \| (?:w = (\d))? ?\| `)
	rows := row.FindAllStringSubmatch(formatSection(t, "## How to find the roles"), -1)
	require.Len(t, rows, len(types))
	for _, r := range rows {
		require.NotEmpty(t, types[r[1]], "row of %s", r[1])
		for _, dt := range types[r[1]] {
			table := layout.Of(arrow.NewSchema([]arrow.Field{{Name: "f", Type: dt}}, nil))
			require.NoError(t, table.Unmapped())
			all, err := table.Buffers(layout.V5, nil)
			require.NoError(t, err)
			var roles []string
			for _, b := range all {
				if b.Node != 0 {
					break
				}
				role := b.Role.String()
				if b.Role.IsOffsets() {
					require.Equal(t, r[3], strconv.Itoa(b.Width), "%s", dt)
					role = "offsets"
				}
				roles = append(roles, role)
			}
			require.Equal(t, strings.TrimSuffix(r[2], "none"), strings.Join(roles, ", "), "%s", dt)
			require.Equal(t, strings.Contains(r[2], "offsets"), table.HasOffsets() && r[3] != "", "%s", dt)
		}
	}
}

// TestFormatSections checks that the sections that comments refer to are there.
func TestFormatSections(t *testing.T) {
	root, text, found := testdata.Root(t), formatText(t), 0
	reference := regexp.MustCompile(`FORMAT\.md,? "([^"]+)"`)
	require.NoError(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		joined := regexp.MustCompile(`\n\s*//\s*`).ReplaceAllString(string(src), " ")
		for _, m := range reference.FindAllStringSubmatch(joined, -1) {
			require.Regexp(t, `(?m)^##+ `+regexp.QuoteMeta(m[1])+`$`, text, "in %s", path)
			found++
		}
		return nil
	}))
	require.NotZero(t, found)
	for _, m := range regexp.MustCompile(`\]\(#([a-z-]+)\)`).FindAllStringSubmatch(text, -1) {
		require.Regexp(t, `(?mi)^##+ `+strings.ReplaceAll(m[1], "-", " ")+`$`, text)
	}
}
