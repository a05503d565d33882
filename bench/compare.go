package main

import (
	"fmt"
	"io"
	"math"
)

func ratio(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return fmt.Sprintf("%.2f", v)
}

// againstArrowGo writes the ratios that the package is made for.
func (r *report) againstArrowGo(w io.Writer) {
	for _, batchRows := range batchSizes {
		fmt.Fprintf(w, "## Against arrow-go, %d rows a batch\n\nzstd at arrow-go's level; ipcx divided by arrow-go. The number in the head is\nGOMAXPROCS, CPU is processor time of all threads.\n\n", batchRows)
		g := grid{head: []string{"table", "size"}}
		for _, procs := range processors {
			g.head = append(g.head, fmt.Sprintf("write, %d", procs), fmt.Sprintf("read, %d", procs),
				fmt.Sprintf("write, CPU, %d", procs), fmt.Sprintf("read, CPU, %d", procs))
		}
		columns := make([][]float64, len(g.head)-1)
		for _, name := range tableNames(r.results) {
			cells := []string{name}
			for _, procs := range processors {
				s := selection{batchRows, "zstd", ownZstd, procs}
				theirs, ok := s.find(r.results, name, "arrow-go")
				our, _ := s.find(r.results, name, "ipcx")
				if !ok {
					continue
				}
				if len(cells) == 1 {
					cells = append(cells, ratio(our.bytes/theirs.bytes))
					columns[0] = append(columns[0], our.bytes/theirs.bytes)
				}
				for _, v := range []float64{theirs.write.ours, theirs.read.ours, theirs.write.ourCPU, theirs.read.ourCPU} {
					columns[len(cells)-1] = append(columns[len(cells)-1], v)
					cells = append(cells, ratio(v))
				}
			}
			if len(cells) > 1 {
				g.add(cells...)
			}
		}
		if len(g.rows) > 0 {
			means := []string{"geometric mean"}
			for _, c := range columns {
				means = append(means, ratio(geomean(c)))
			}
			g.add(means...)
		}
		g.print(w)
	}
}

// againstPyarrow writes what libzstd and Parquet are beside ipcx.
func (r *report) againstPyarrow(w io.Writer) {
	fmt.Fprint(w, `## Against pyarrow

zstd level 1, 8192 rows a batch, one thread. Parquet has its own encodings and
dictionaries, so that sizes are not alike.

`)
	g := grid{head: []string{"table", "ipcx B", "pyarrow B", "Parquet B", "ipcx write ns", "pyarrow", "Parquet", "ipcx read ns", "pyarrow", "Parquet", "size ratio", "write ratio", "read ratio", "write, CPU", "read, CPU"}}
	s := selection{8192, "zstd", 1, 1}
	for _, name := range tableNames(r.results) {
		our, ok := s.find(r.results, name, "ipcx")
		theirs, measured := s.find(r.results, name, "pyarrow")
		if !ok || !measured {
			continue
		}
		parquet, _ := s.find(r.results, name, "parquet")
		g.add(name, tenths(our.bytes), tenths(theirs.bytes), tenths(parquet.bytes),
			tenths(our.write.ns), tenths(theirs.write.ns), tenths(parquet.write.ns),
			tenths(our.read.ns), tenths(theirs.read.ns), tenths(parquet.read.ns),
			ratio(our.bytes/theirs.bytes), ratio(theirs.write.ours), ratio(theirs.read.ours),
			ratio(theirs.write.ourCPU), ratio(theirs.read.ourCPU))
	}
	g.print(w)
}

func tenths(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", v)
}

// small writes what batches of 256 rows take.
func (r *report) small(w io.Writer) {
	fmt.Fprint(w, `## Batches of 256 rows

Bytes a row, zstd. One frame of the whole body is what a format would have that does
not compress buffer by buffer; Arrow has none.

`)
	g := grid{head: []string{"table", "ipcx", "arrow-go", "one frame a body", "ipcx / arrow-go", "ipcx / one frame"}}
	s := selection{256, "zstd", ownZstd, 1}
	for _, name := range tableNames(r.results) {
		our, ok := s.find(r.results, name, "ipcx")
		theirs, measured := s.find(r.results, name, "arrow-go")
		if !ok || !measured {
			continue
		}
		whole := r.bodies[name]
		g.add(name, tenths(our.bytes), tenths(theirs.bytes), tenths(whole),
			fmt.Sprintf("%.3f", our.bytes/theirs.bytes), ratio(our.bytes/whole))
	}
	g.print(w)
}

// everything writes all figures of one thread.
func (r *report) everything(w io.Writer) {
	for _, batchRows := range batchSizes {
		for _, c := range codecs {
			s := selection{batchRows, c.Codec, c.Level, 1}
			g := grid{head: []string{"table"}}
			for _, p := range peerColors {
				g.head = append(g.head, p.peer)
			}
			for _, name := range tableNames(r.results) {
				cells, measured := []string{name}, false
				for _, p := range peerColors {
					x, ok := s.find(r.results, name, p.peer)
					measured = measured || ok
					if ok {
						cells = append(cells, fmt.Sprintf("%.1f / %.1f / %.1f", x.bytes, x.write.ns, x.read.ns))
					} else {
						cells = append(cells, "")
					}
				}
				if measured {
					g.add(cells...)
				}
			}
			if len(g.rows) > 0 {
				fmt.Fprintf(w, "## All libraries, %s, %d rows a batch\n\nBytes, ns to write and ns to read a row.\n\n", c, batchRows)
				g.print(w)
			}
		}
	}
}
