package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arrowplanes/arrowplanes/interop/cases"
)

// order is that of the rows; others come after these.
var order = []string{"pyarrow", "polars", "nanoarrow", "arro3-io", "apache-arrow", "arrow-java"}

// titles are the names of implementations that have better ones.
var titles = map[string]string{
	"pyarrow":      "pyarrow (Arrow C++)",
	"arro3-io":     "arro3-io (arrow-rs)",
	"apache-arrow": "apache-arrow (JavaScript)",
	"arrow-java":   "Arrow Java",
}

func (rep *report) sorted() []*row {
	rank := func(x *row) int {
		if i := slices.Index(order, x.name); i >= 0 {
			return i
		}
		return len(order)
	}
	return slices.SortedFunc(maps.Values(rep.rows), func(a, b *row) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.name, b.name))
	})
}

// markdown returns the tables. They have no times and no paths in them: the same
// results give the same text.
func (rep *report) markdown() string {
	var out strings.Builder
	out.WriteString("Streams / files that are read and hold equal data, and ways to read flagged ones that\nend in an error; \"a of b\" where not all do.\n\n")
	out.WriteString("| implementation |")
	for _, group := range []string{"reads ours", "refuses flagged", "we read theirs"} {
		for _, codec := range cases.Codecs {
			fmt.Fprintf(&out, " %s, %s |", group, codecTitle(codec.String()))
		}
	}
	out.WriteString("\n| --- |" + strings.Repeat(" ---: |", 9) + "\n")
	for _, x := range rep.sorted() {
		fmt.Fprintf(&out, "| %s |", x.title())
		for _, step := range []string{cases.StepRead, cases.StepRefuse, stepTheirs} {
			for _, codec := range cases.Codecs {
				fmt.Fprintf(&out, " %s / %s |", x.cells[cell{step, codec.String(), "stream"}], x.cells[cell{step, codec.String(), "file"}])
			}
		}
		out.WriteString("\n")
	}
	out.WriteString("\nWhat they say of a flagged message, and of how many they would refuse without its\nsecond mark:\n\n")
	out.WriteString("| implementation | none | LZ4 | zstd | first mark alone |\n| --- | --- | --- | --- | ---: |\n")
	for _, x := range rep.sorted() {
		fmt.Fprintf(&out, "| %s |", x.title())
		for _, codec := range cases.Codecs {
			fmt.Fprintf(&out, " %s |", code(mostFrequent(x.refusals[codec.String()])))
		}
		fmt.Fprintf(&out, " %s |\n", &x.alone)
	}
	out.WriteString("\nTheir own:\n\n")
	for _, x := range rep.sorted() {
		if len(x.unsupported) > 0 {
			fmt.Fprintf(&out, "- %s cannot read what arrow-go writes of: %s.\n", x.title(), strings.Join(slices.Sorted(maps.Keys(x.unsupported)), ", "))
		}
		for _, group := range x.grouped() {
			fmt.Fprintf(&out, "- %s cannot read %s, ours or pyarrow's.\n", x.title(), group)
		}
		for _, text := range slices.Sorted(maps.Keys(x.notes)) {
			n := x.notes[text]
			fmt.Fprintf(&out, "- %s %s (%d times; `%s`).\n", x.title(), text, n.count, n.example)
		}
	}
	return out.String()
}

// grouped returns which tables the implementation cannot read in which files,
// its own fault, with those that fail in the same ones together.
func (x *row) grouped() []string {
	tables := map[string][]string{}
	for _, table := range slices.Sorted(maps.Keys(x.theirs)) {
		files := strings.Join(slices.Sorted(maps.Keys(x.theirs[table])), ", ")
		tables[files] = append(tables[files], table)
	}
	var groups []string
	for _, files := range slices.Sorted(maps.Keys(tables)) {
		groups = append(groups, strings.Join(tables[files], ", ")+" ("+files+")")
	}
	return groups
}

func (x *row) title() string {
	return cmp.Or(titles[x.name], x.name) + " " + x.version
}

func codecTitle(codec string) string {
	if codec == "lz4" {
		return "LZ4"
	}
	return codec
}

func code(text string) string {
	if text == "" {
		return "-"
	}
	return "`" + strings.ReplaceAll(text, "|", "\\|") + "`"
}

func mostFrequent(counts map[string]int) string {
	best := ""
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		if counts[text] > counts[best] {
			best = text
		}
	}
	return best
}
