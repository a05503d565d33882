package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"
)

// writeCSV writes every figure.
func writeCSV(out io.Writer, results []result) error {
	w := csv.NewWriter(out)
	w.Write([]string{
		"table", "rows", "batch_rows", "codec", "level", "library", "gomaxprocs", "bytes_per_row",
		"write_ns_per_row", "write_ipcx_ratio", "write_cpu_ns_per_row", "write_ipcx_cpu_ratio", "write_allocs_per_batch", "write_alloc_bytes_per_row",
		"read_ns_per_row", "read_ipcx_ratio", "read_cpu_ns_per_row", "read_ipcx_cpu_ratio", "read_allocs_per_batch", "read_alloc_bytes_per_row",
	})
	for _, r := range results {
		level, procs := "", ""
		if r.setting.Codec == "zstd" {
			level = strconv.Itoa(r.setting.Level)
		}
		if ofGo(r.peer) {
			procs = strconv.Itoa(r.procs)
		}
		row := []string{
			r.table, strconv.Itoa(r.rows), strconv.Itoa(r.batchRows), r.setting.Codec, level, r.peer, procs, number(r.bytes),
		}
		for _, c := range []cost{r.write, r.read} {
			row = append(row, number(c.ns), number(c.ours), number(c.cpu), number(c.ourCPU))
			if ofGo(r.peer) {
				row = append(row, number(c.allocs), number(c.alloc))
			} else {
				row = append(row, "", "")
			}
		}
		w.Write(row)
	}
	w.Flush()
	return w.Error()
}

// ofGo says whether a library is one of Go, which runs in this process.
func ofGo(peer string) bool { return peer == "ipcx" || peer == "arrow-go" }

// number writes a figure, and nothing for one that there is not.
func number(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}
