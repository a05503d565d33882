package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// report is what BENCHMARKS.md is made of.
type report struct {
	command  string // that made it
	machine  string
	versions []string
	rounds   int
	skipped  []string
	results  []result
	bodies   map[string]float64 // bytes a row with one frame a body, 256 rows a batch
	gains    []gain
	shuffled []shuffled
	charts   []string // in bench/results
}

// selection picks results of one kind.
type selection struct {
	batchRows int
	codec     string
	level     int
	procs     int
}

func (s selection) find(results []result, table, peer string) (result, bool) {
	i := slices.IndexFunc(results, func(r result) bool {
		return r.table == table && r.peer == peer && r.batchRows == s.batchRows && r.procs == s.procs &&
			r.setting.Codec == s.codec && r.setting.Level == s.level
	})
	if i < 0 {
		return result{}, false
	}
	return results[i], true
}

// tableNames are the tables of results, in their order.
func tableNames(results []result) (names []string) {
	for _, r := range results {
		if !slices.Contains(names, r.table) {
			names = append(names, r.table)
		}
	}
	return names
}

// grid is a table of Markdown.
type grid struct {
	head []string
	rows [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

// print writes the table; all columns but the first are numbers.
func (g *grid) print(w io.Writer) {
	if len(g.rows) == 0 {
		fmt.Fprint(w, "Nothing was measured.\n\n")
		return
	}
	line := func(cells []string) { fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")) }
	line(g.head)
	rule := slices.Repeat([]string{"---:"}, len(g.head))
	rule[0] = "---"
	line(rule)
	for _, r := range g.rows {
		line(r)
	}
	fmt.Fprintln(w)
}

// write writes BENCHMARKS.md.
func (r *report) write(w io.Writer) {
	fmt.Fprintf(w, `# Benchmarks

Made by `+"`%s`"+`, which measures all libraries in one run, on the same record
batches, in memory, in turns: medians of %d rounds. Ratios are medians of the rounds'
ratios. Every figure is in [results.csv](bench/results/results.csv), allocations
included. Writing is from record batches to a stream in memory, reading back to
record batches. Offsets are lengths wherever ipcx has a codec.

%s, a virtual machine that others use as well:
ratios say more than times. GOMAXPROCS is 1 where nothing else is said, and the
libraries of other languages have one thread; they were timed inside their processes.
Versions: %s.

`, r.command, r.rounds, r.machine, strings.Join(r.versions, ", "))
	for _, s := range r.skipped {
		fmt.Fprintf(w, "Left out: %s.\n\n", s)
	}
	for _, file := range r.charts {
		fmt.Fprintf(w, "![%s](bench/results/%[1]s)\n\n", file)
	}
	r.againstArrowGo(w)
	r.againstPyarrow(w)
	r.small(w)
	r.twoThreads(w)
	r.lineitem(w)
	r.everything(w)
}

func (r *report) lineitem(w io.Writer) {
	fmt.Fprint(w, `## TPC-H lineitem

Bytes a row of the whole table, 8192 rows a batch, with plain offsets and with
lengths. The shuffle of Apache DataFusion Comet went from a published 39.9 to 31.0:
another format, another machine, the same idea.

`)
	g := grid{head: []string{"scale", "rows", "codec", "before", "after", "after / before"}}
	for _, s := range r.shuffled {
		g.add(fmt.Sprint(s.scale), fmt.Sprint(s.rows), s.setting.String(), fmt.Sprintf("%.1f", s.before),
			fmt.Sprintf("%.1f", s.after), fmt.Sprintf("%.2f", s.after/s.before))
	}
	g.print(w)
}

func (r *report) twoThreads(w io.Writer) {
	fmt.Fprint(w, `## Two threads

zstd, 8 batches of 65536 rows, tables of seven similar columns: how much more two
threads of one process do than one thread, GOMAXPROCS=2 against 1, beside what two
processes of one thread do together at the same time. Of seven columns in two threads
one is left over, in each batch; WithReadAhead decodes two batches at a time.

`)
	g := grid{head: []string{"table", "", "options", "two threads", "two processes", "share"}}
	for _, x := range r.gains {
		g.add(x.table, x.op, x.how, fmt.Sprintf("%.2f", x.threads), fmt.Sprintf("%.2f", x.processes), fmt.Sprintf("%.0f %%", 100*x.share))
	}
	g.print(w)
}
