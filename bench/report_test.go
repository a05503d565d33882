package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// figures are those of two tables.
func figures() []result {
	zstd := setting{Codec: "zstd", Level: ownZstd}
	var all []result
	for _, procs := range []int{1, 2} {
		all = append(all,
			result{table: "a", rows: 16, batchRows: 8192, setting: zstd, peer: "ipcx", procs: procs, bytes: 10, write: cost{ns: 30, ours: 1, ourCPU: 1}, read: cost{ns: 20, ours: 1, ourCPU: 1}},
			result{table: "a", rows: 16, batchRows: 8192, setting: zstd, peer: "arrow-go", procs: procs, bytes: 20, write: cost{ns: 60, cpu: 70, ours: 0.5, ourCPU: 0.4}, read: cost{ns: 80, ours: 0.25, ourCPU: 0.16}},
			result{table: "b", rows: 16, batchRows: 8192, setting: zstd, peer: "ipcx", procs: procs, bytes: 10, write: cost{ns: 30, ours: 1, ourCPU: 1}, read: cost{ns: 20, ours: 1, ourCPU: 1}},
			result{table: "b", rows: 16, batchRows: 8192, setting: zstd, peer: "arrow-go", procs: procs, bytes: 5, write: cost{ns: 30, ours: 2, ourCPU: 1.6}, read: cost{ns: 20, ours: 1, ourCPU: 1}},
		)
	}
	return append(all, result{table: "b", rows: 16, batchRows: 8192, setting: zstd, peer: "polars", procs: 1, bytes: 7, write: cost{ns: 1.5, ours: 20}, read: cost{ns: 2.5, ours: 8}})
}

func TestReport(t *testing.T) {
	var out bytes.Buffer
	r := report{command: "go run ./bench", rounds: 10, results: figures(), skipped: []string{"a table"}, gains: []gain{{"ids", "write", "how", 1.5, 2, 0.75}}}
	r.write(&out)
	page := out.String()
	require.Contains(t, page, "\nMade by `go run ./bench`, which measures")
	require.Contains(t, page, "Left out: a table.")
	require.Contains(t, page, `
| table | size | write, 1 | read, 1 | write, CPU, 1 | read, CPU, 1 | write, 2 | read, 2 | write, CPU, 2 | read, CPU, 2 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| a | 0.50 | 0.50 | 0.25 | 0.40 | 0.16 | 0.50 | 0.25 | 0.40 | 0.16 |
| b | 2.00 | 2.00 | 1.00 | 1.60 | 1.00 | 2.00 | 1.00 | 1.60 | 1.00 |
| geometric mean | 1.00 | 1.00 | 0.50 | 0.80 | 0.40 | 1.00 | 0.50 | 0.80 | 0.40 |
`)
	require.Contains(t, page, `
| b | 10.0 / 30.0 / 20.0 | 5.0 / 30.0 / 20.0 |  |  | 7.0 / 1.5 / 2.5 |  |
`)
	require.Contains(t, page, "| ids | write | how | 1.50 | 2.00 | 75 % |")
	require.Contains(t, page, "Nothing was measured.", "of other sizes")
	for line := range strings.Lines(page) {
		require.NotContains(t, line, "NaN")
	}
}

func TestCSV(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, writeCSV(&out, figures()))
	rows, err := csv.NewReader(&out).ReadAll() // which checks that all have as many fields
	require.NoError(t, err)
	require.Len(t, rows, 1+len(figures()))
	require.Equal(t, []string{
		"a", "16", "8192", "zstd", "3", "arrow-go", "1", "20.000",
		"60.000", "0.500", "70.000", "0.400", "0.000", "0.000", "80.000", "0.250", "0.000", "0.160", "0.000", "0.000",
	}, rows[2])
	require.Equal(t, "", rows[len(rows)-1][6], "GOMAXPROCS is nothing to polars")
}

func TestCharts(t *testing.T) {
	dir := t.TempDir()
	files, err := drawCharts(figures(), dir)
	require.NoError(t, err)
	require.Equal(t, []string{"size.svg", "write.svg", "read.svg"}, files)
	for _, name := range files {
		svg, err := os.ReadFile(dir + "/" + name)
		require.NoError(t, err)
		require.Contains(t, string(svg), "<svg")
		require.Contains(t, string(svg), "polars")
	}
	none, err := drawCharts(nil, dir)
	require.NoError(t, err)
	require.Empty(t, none)
}
