package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

func TestCatCSV(t *testing.T) {
	path := tablePath(t)
	out := requireTool(t, "cat", "-n", "2", path)
	require.Equal(t, `order_id,placed,customer,city,items,options,quantity,price
100000,2025-06-15T15:07:26Z,customer-0392,Kraków,"[""bread""]","[{""key"":""delivery"",""value"":""pickup""}]",8,88.95
100001,2025-06-15T15:09:53Z,customer-0198,Lisboa,"[""coffee"",""bread"",""cheese"",""bread""]","[{""key"":""delivery"",""value"":""bicycle""},{""key"":""gift"",""value"":""yes""}]",9,164.6
`, out)
	rows, err := csv.NewReader(strings.NewReader(requireTool(t, "cat", path))).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 601)
	require.Equal(t, "100599", rows[600][0])

	nulls := 0
	for _, row := range rows {
		if row[2] == "" {
			nulls++
		}
	}
	require.Positive(t, nulls)
	marked := requireTool(t, "cat", "--null", "NULL", "--header=false", "--columns", "customer", path)
	require.Equal(t, nulls, strings.Count(marked, "NULL\n"))
	require.Equal(t, 600, strings.Count(marked, "\n"))
}

func TestCatJSON(t *testing.T) {
	out := requireTool(t, "cat", "--format", "json", tablePath(t))
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	require.Len(t, lines, 600)
	require.Equal(t, `{"order_id":100000,"placed":"2025-06-15T15:07:26Z","customer":"customer-0392","city":"Kraków","items":["bread"],"options":[{"key":"delivery","value":"pickup"}],"quantity":8,"price":88.95}`, lines[0])
	nulls := 0
	for _, line := range lines {
		var row map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &row))
		require.Len(t, row, 8)
		if row["customer"] == nil {
			nulls++
		}
	}
	require.Positive(t, nulls)
}

func TestCatTable(t *testing.T) {
	out := requireTool(t, "cat", "--format", "table", "--columns", "order_id,items", tablePath(t))
	lines := strings.Split(out, "\n")
	require.Equal(t, "order_id  items", lines[0])
	require.Equal(t, `  100000  ["bread"]`, lines[2])
	require.Len(t, lines, 2+tableRows+2)
	require.Equal(t, "... 20 rows shown, there are more: -n N shows N, -n -1 all", lines[len(lines)-2])
	require.NotContains(t, requireTool(t, "cat", "--format", "table", "-n", "-1", tablePath(t)), "there are more")
	require.NotContains(t, requireTool(t, "cat", "--format", "table", "-n", "600", tablePath(t)), "there are more")
}

func TestCatTableFits(t *testing.T) {
	var out bytes.Buffer
	table := newTable("A", "B")
	table.row(strings.Repeat("x", 30), strings.Repeat("y", 30))
	require.False(t, table.renderWithin(&out, 70))
	out.Reset()
	require.True(t, table.renderWithin(&out, 40))
	for _, line := range strings.Split(out.String(), "\n") {
		require.LessOrEqual(t, len([]rune(line)), 40)
	}
}

// TestCatRange compares every way to a range of rows with the whole.
func TestCatRange(t *testing.T) {
	file := readFile(t, tablePath(t))
	stream := convertBytes(t, file, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	path := writeFile(t, filepath.Join(t.TempDir(), "stream"), stream)
	all := strings.SplitAfter(requireTool(t, "cat", "--header=false", tablePath(t)), "\n")[:600]
	for _, skip := range []int{0, 1, 199, 200, 201, 450, 599, 600, 700} {
		for _, n := range []int{-1, 0, 1, 200, 250, 1000} {
			end := 600
			if n >= 0 {
				end = min(end, skip+n)
			}
			want := strings.Join(all[min(skip, 600):max(end, min(skip, 600))], "")
			args := []string{"cat", "--header=false", "-n", fmt.Sprint(n), "--skip", fmt.Sprint(skip)}
			require.Equal(t, want, requireTool(t, append(args, tablePath(t))...), "file, skip %d, n %d", skip, n)
			require.Equal(t, want, requireTool(t, append(args, path)...), "stream, skip %d, n %d", skip, n)
			require.Equal(t, want, toolWith(file, append(args, "-")...).stdout, "file on standard input")
		}
	}
}

func TestCatUsage(t *testing.T) {
	requireFails(t, exitUsage, []string{"cat", "--format", "xml", "x"}, `--format "xml" is none of`)
	requireFails(t, exitUsage, []string{"cat", "--skip", "-1", "x"}, "--skip -1 is negative")
	requireFails(t, exitUsage, []string{"cat", "a", "b"}, "FILE: 2 given where 1 is needed")
	requireFails(t, exitFailed, []string{"cat", "--columns", "x", tablePath(t)}, `no column "x"`, "ipcx schema")
}

func TestSchema(t *testing.T) {
	out := requireTool(t, "schema", tablePath(t))
	require.Contains(t, out, "table.arrow: file, little-endian, 8 columns\n")
	require.Regexp(t, `(?m)^  item     utf8 +nullable$`, out)
	require.Regexp(t, `(?m)^price +float64 +not null +unit=EUR$`, out)
	require.Contains(t, out, "metadata of the schema:\n  source = made up for examples\n")

	var info schemaInfo
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, "schema", "--json", tablePath(t))), &info))
	require.Equal(t, "file", info.Format)
	require.Equal(t, "little", info.Endianness)
	require.Equal(t, fieldInfo{Name: "price", Type: "float64", Metadata: map[string]string{"unit": "EUR"}}, info.Fields[7])
	require.Equal(t, []fieldInfo{{Name: "item", Type: "utf8", Nullable: true}}, info.Fields[4].Children)
	require.Equal(t, map[string]string{"source": "made up for examples"}, info.Metadata)

	stream := convertBytes(t, readFile(t, tablePath(t)))
	require.Contains(t, toolWith(stream, "schema", "-").stdout, "standard input: stream, little-endian, 8 columns\n")
	path := writeFile(t, filepath.Join(t.TempDir(), "d"), dictionaryFile(t, "a\x1b[31mb"))
	require.Contains(t, requireTool(t, "schema", path), `a\x1b[31mb  dictionary of utf8, indices int8`)
}
