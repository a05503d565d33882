package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// statOf returns what stat --json says of a file.
func statOf(t testing.TB, path string, args ...string) fileStat {
	t.Helper()
	var stats []fileStat
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, append([]string{"stat", "--json", path}, args...)...)), &stats))
	require.Len(t, stats, 1)
	return stats[0]
}

func TestStat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "small.arrows")
	requireTool(t, "convert", tablePath(t), path)
	for _, path := range []string{tablePath(t), path} {
		s := statOf(t, path)
		require.Equal(t, int64(len(readFile(t, path))), s.Bytes)
		require.Equal(t, int64(600), s.Rows)
		require.Equal(t, int64(3), s.RecordBatches)
		require.Equal(t, "V5", s.MetadataVersion)
		require.Equal(t, map[string]string{"source": "made up for examples"}, s.Metadata)

		var stored, raw int64
		roles := map[string][]string{}
		for _, c := range s.Columns {
			var columnStored, columnRaw int64
			for _, r := range c.Roles {
				roles[c.Name] = append(roles[c.Name], r.Role)
				columnStored += r.Stored
				columnRaw += r.Raw
			}
			require.Equal(t, c.Stored, columnStored)
			require.Equal(t, c.Raw, columnRaw)
			stored += c.Stored
			raw += c.Raw
		}
		require.Equal(t, s.StoredBytes, stored)
		require.Equal(t, s.RawBytes, raw)
		require.Equal(t, map[string][]string{
			"order_id": {"values"},
			"placed":   {"values"},
			"customer": {"validity", "offsets", "data"},
			"city":     {"offsets", "data"},
			"items":    {"offsets", "data"},
			"options":  {"validity", "offsets", "data"},
			"quantity": {"validity", "values"},
			"price":    {"values"},
		}, roles)
		require.Equal(t, int64(8*600), s.Columns[0].Raw)
		require.Equal(t, int64(3*4*201), s.Columns[3].Roles[0].Raw, "offsets of city")
	}
	plain, small := statOf(t, tablePath(t)), statOf(t, path)
	require.Equal(t, plain.RawBytes, plain.StoredBytes)
	require.Equal(t, plain.RawBytes, small.RawBytes)
	require.Equal(t, []string{"none"}, plain.Codecs)
	require.Equal(t, []string{"zstd"}, small.Codecs)
	require.Equal(t, "file", plain.Format)
	require.Equal(t, "stream", small.Format)
	require.Zero(t, plain.FlaggedBatches)
	require.Equal(t, int64(3), small.FlaggedBatches)
}

func TestStatStdin(t *testing.T) {
	file := readFile(t, tablePath(t))
	for _, data := range [][]byte{file, convertBytes(t, file, ipcx.WithLZ4())} {
		o := toolWith(data, "stat", "--json", "-")
		require.Equal(t, exitOK, o.code, o.stderr)
		var stats []fileStat
		require.NoError(t, json.Unmarshal([]byte(o.stdout), &stats))
		require.Equal(t, int64(600), stats[0].Rows)
		require.Equal(t, int64(len(data)), stats[0].Bytes)
	}
	o := toolWith(file, "stat", "--estimate", "-")
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stderr, "give it a file")
}

// TestStatEstimate holds the estimate against conversions. It has no place for
// a temporary file.
func TestStatEstimate(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	paths := tables(t)
	for _, path := range paths[:min(3, len(paths))] {
		data := readFile(t, path)
		s := statOf(t, path, "--estimate")
		plain := convertBytes(t, data, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd())
		lengths := convertBytes(t, data, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
		require.Equal(t, int64(len(plain)), s.Estimate.ZstdBytes, path)
		require.Equal(t, int64(len(lengths)), s.Estimate.LengthsBytes, path)

		small := writeFile(t, filepath.Join(dir, "small.arrow"), lengths)
		for i, c := range statOf(t, small).Columns {
			require.Equal(t, c.Stored, *s.Columns[i].Lengths)
			for k, r := range c.Roles {
				require.Equal(t, r.Stored, *s.Columns[i].Roles[k].Lengths)
			}
		}
		require.Contains(t, requireTool(t, "stat", "--estimate", path), "Estimate: ")
	}
}

// dictionaryFile returns a file with a dictionary, which is not mapped, and a
// column name out of the ordinary.
func dictionaryFile(t testing.TB, name string) []byte {
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{{Name: name, Type: dt, Nullable: true}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	for _, v := range []string{"red", "green", "red", "blue"} {
		require.NoError(t, b.Field(0).(*array.BinaryDictionaryBuilder).AppendString(v))
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, err)
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestStatUnmapped(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "colours.arrow"), dictionaryFile(t, "colour"))
	out := requireTool(t, "stat", "--estimate", path)
	require.Contains(t, out, "1 dictionary batch")
	require.Contains(t, out, "which changes nothing here:\ncolumn colour is of type dictionary of utf8, indices int8, which is not mapped for it.")
	s := statOf(t, path, "--estimate")
	require.Equal(t, s.Estimate.ZstdBytes, s.Estimate.LengthsBytes)
	roles := map[string]int64{}
	for _, r := range s.Columns[0].Roles {
		roles[r.Role] = r.Raw
	}
	require.Equal(t, map[string]int64{"values": 4, "offsets": 16, "data": 12}, roles)
}

func TestStatTable(t *testing.T) {
	out := requireTool(t, "stat", tablePath(t))
	require.Contains(t, out, "table.arrow: file, 66 KiB, 600 rows in 3 record batches, not compressed, plain offsets\n")
	require.Regexp(t, `(?m)^COLUMN +TYPE +ROLE +STORED +RAW +RATIO$`, out)
	require.Regexp(t, `(?m)^order_id +int64 +values +4\.7 KiB +4\.7 KiB +100\.0 % +█+$`, out)
	require.Regexp(t, `(?m)^whole file +66 KiB$`, out)
	for _, line := range strings.Split(out, "\n")[1:] {
		require.LessOrEqual(t, len([]rune(line)), 80, line)
	}
}

func TestStatFails(t *testing.T) {
	bad := writeFile(t, filepath.Join(t.TempDir(), "bad"), []byte("no Arrow"))
	o := tool("stat", bad, tablePath(t))
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stderr, bad+": not an Arrow stream or file")
	require.Contains(t, o.stdout, "600 rows")
	requireFails(t, exitUsage, []string{"stat"}, "FILE: 0 given")
}

func TestStatPage(t *testing.T) {
	dir := t.TempDir()
	evil := `<script>alert("1")</script>&"'`
	odd := writeFile(t, filepath.Join(dir, "odd.arrow"), dictionaryFile(t, evil))
	page := filepath.Join(dir, "page.html")
	require.Empty(t, requireTool(t, "stat", "--html", page, "--estimate", tablePath(t), odd))
	html := string(readFile(t, page))

	require.Equal(t, 4, strings.Count(html, "<svg"))
	require.Contains(t, html, "order_id")
	require.NotContains(t, html, "<script")
	require.NotContains(t, html, "javascript:")
	for _, attribute := range []string{"src=", "href=", "url(", "@import", "<link"} {
		require.NotContains(t, html, attribute, "the page must be complete in itself")
	}
	for _, svg := range strings.Split(html, "<svg")[1:] {
		svg, _, ok := strings.Cut("<svg"+svg, "</svg>")
		require.True(t, ok)
		texts := textsOf(t, svg+"</svg>")
		if strings.Contains(svg, "alert") {
			require.Contains(t, texts, shorten(evil, 24))
		}
	}

	requireFails(t, exitFailed, []string{"stat", "--html", page, odd}, page+": it exists already: add --force")
	requireTool(t, "stat", "--html", page, "--force", odd)
	require.Contains(t, requireTool(t, "stat", "--html", "-", odd), "<svg")
	requireFails(t, exitUsage, []string{"stat", "--html", "x", "--json", odd}, "--json and --html exclude")
}

// textsOf returns the texts of an SVG, which must be well-formed.
func textsOf(t *testing.T, svg string) []string {
	var texts []string
	dec := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return texts
		}
		require.NoError(t, err)
		if text, ok := token.(xml.CharData); ok {
			texts = append(texts, string(text))
		}
	}
}

func TestLargest(t *testing.T) {
	s := &fileStat{}
	for i := range 100 {
		c := columnStat{Name: "c"}
		c.Stored = int64(i * 7 % 100)
		s.Columns = append(s.Columns, c)
	}
	chosen, title := largest(s, "T")
	require.Equal(t, "T, the 30 largest of 100 columns", title)
	require.Len(t, chosen, 30)
	for _, c := range chosen {
		require.GreaterOrEqual(t, c.Stored, int64(70))
	}
	chosen, title = largest(&fileStat{Columns: s.Columns[:5]}, "T")
	require.Equal(t, "T", title)
	require.Len(t, chosen, 5)
}

func TestScale(t *testing.T) {
	for _, top := range []float64{1, 3, 1000, 1024, 1025, 3 << 30} {
		step, steps := scale(top)
		require.GreaterOrEqual(t, step*float64(steps), top)
		require.LessOrEqual(t, steps, 4)
		require.Less(t, step*float64(steps-1), top)
	}
}

func TestBar(t *testing.T) {
	require.Equal(t, "████████", bar(100, mark{100, '█'}))
	require.Equal(t, "█▒▒▒░░░░", bar(100, mark{1, '█'}, mark{50, '▒'}, mark{100, '░'}))
	require.Equal(t, "", bar(100, mark{0, '█'}))
	require.Equal(t, "", bar(0, mark{0, '█'}))
}
