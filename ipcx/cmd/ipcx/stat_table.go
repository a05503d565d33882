package main

import (
	"fmt"
	"strings"
)

// printStat prints a file's statistics for people.
func (a *app) printStat(s *fileStat) {
	fmt.Fprintf(a.stdout, "%s: %s\n", printable(s.File), summary(s))
	if s.Estimate != nil {
		fmt.Fprintln(a.stdout, s.Estimate.sentence(s.Bytes))
	}
	if len(s.Columns) == 0 {
		return
	}
	fmt.Fprintln(a.stdout)
	if s.Estimate != nil {
		a.printEstimate(s)
		return
	}
	t := newTable("COLUMN", "TYPE", "ROLE", "STORED", "RAW", "RATIO", "")
	t.right(4, 5, 6)
	widest := widestColumn(s)
	line := func(name, dt, role string, z *sizes) {
		t.row(shorten(name, nameWidth), shorten(dt, typeWidth), role, size(z.Stored), size(z.Raw), percent(z.Stored, z.Raw), bar(widest, mark{z.Stored, '█'}, mark{z.Raw, '░'}))
	}
	eachLine(s, line)
	t.separate()
	t.row("all buffers", "", "", size(s.StoredBytes), size(s.RawBytes), percent(s.StoredBytes, s.RawBytes))
	t.row("metadata, padding", "", "", size(s.Bytes-s.StoredBytes))
	t.row("whole "+s.Format, "", "", size(s.Bytes))
	t.render(a.stdout)
	fmt.Fprintln(a.stdout, "\n█ stored  ░ raw")
}

// printEstimate prints the table with what could be saved.
func (a *app) printEstimate(s *fileStat) {
	t := newTable("COLUMN", "ROLE", "STORED", "ZSTD", "+LENGTHS", "SAVES", "")
	t.right(3, 4, 5, 6)
	widest := widestColumn(s)
	eachLine(s, func(name, _, role string, z *sizes) {
		if z.Zstd == nil {
			t.row(shorten(name, nameWidth), role, size(z.Stored))
			return
		}
		t.row(shorten(name, nameWidth), role, size(z.Stored), size(*z.Zstd), size(*z.Lengths), percent(*z.Zstd-*z.Lengths, *z.Zstd),
			bar(widest, mark{*z.Lengths, '█'}, mark{*z.Zstd, '▒'}, mark{z.Stored, '░'}))
	})
	t.separate()
	e := s.Estimate
	t.row("whole "+s.Format, "", size(s.Bytes), size(e.ZstdBytes), size(e.LengthsBytes), e.Saves())
	t.render(a.stdout)
	fmt.Fprintln(a.stdout, "\n█ zstd with --offsets-as-lengths  ▒ zstd alone  ░ stored now\nSAVES is what +LENGTHS saves of ZSTD.")
}

// eachLine gives the lines of a table: a column, and its roles if there are
// several.
func eachLine(s *fileStat, line func(name, dt, role string, z *sizes)) {
	for i := range s.Columns {
		c := &s.Columns[i]
		role := ""
		if len(c.Roles) == 1 {
			role = c.Roles[0].Role
		}
		name := printable(c.Name)
		if name == "" {
			name = `""`
		}
		line(name, printable(c.Type), role, &c.sizes)
		if len(c.Roles) > 1 {
			for k := range c.Roles {
				line("", "", c.Roles[k].Role, &c.Roles[k].sizes)
			}
		}
	}
}

// summary says in a line what a file is.
func summary(s *fileStat) string {
	parts := []string{s.Format, size(s.Bytes), count(s.Rows, "row") + " in " + count(s.RecordBatches, "record batch")}
	if s.DictionaryBatches > 0 {
		dicts := count(s.DictionaryBatches, "dictionary batch")
		if s.DictionaryDeltas > 0 {
			dicts += " (" + count(s.DictionaryDeltas, "delta") + ")"
		}
		parts = append(parts, dicts)
	}
	codec := "not compressed"
	if len(s.Codecs) > 0 && strings.Join(s.Codecs, "") != "none" {
		codec = strings.Join(s.Codecs, " and ")
	}
	parts = append(parts, codec)
	switch {
	case s.FlaggedBatches == 0:
		parts = append(parts, "plain offsets")
	case s.FlaggedBatches == s.RecordBatches:
		parts = append(parts, "offsets as lengths")
	default:
		parts = append(parts, fmt.Sprintf("offsets as lengths in %d record batches", s.FlaggedBatches))
	}
	return strings.Join(parts, ", ")
}

// sentence says what an estimate comes to.
func (e *estimate) sentence(now int64) string {
	s := fmt.Sprintf("Estimate: %s now, %s with zstd alone,\n%s with zstd and --offsets-as-lengths", size(now), size(e.ZstdBytes), size(e.LengthsBytes))
	switch {
	case e.Unmapped != "":
		return s + ", which changes nothing here:\n" + printable(e.Unmapped) + ", which is not mapped for it."
	case e.Flagged == 0:
		return s + ": there are no offsets."
	}
	return s + fmt.Sprintf(": %s less than with zstd alone.", e.Saves())
}

// Saves is what offsets as lengths save of zstd alone.
func (e *estimate) Saves() string { return percent(e.ZstdBytes-e.LengthsBytes, e.ZstdBytes) }

// How many characters of a line a name, a type and the longest bar have: all of
// it fits into 80.
const (
	nameWidth = 18
	typeWidth = 10
	barWidth  = 8
)

// mark is a number of bytes and how the bar shows it.
type mark struct {
	bytes int64
	sign  rune
}

// bar draws marks over each other, the first on top. A byte or more is a
// character or more.
func bar(widest int64, marks ...mark) string {
	var b strings.Builder
	done := 0
	for _, m := range marks {
		n := 0
		if widest > 0 && m.bytes > 0 {
			n = max(1, int(float64(m.bytes)/float64(widest)*barWidth+0.5))
		}
		for ; done < n; done++ {
			b.WriteRune(m.sign)
		}
	}
	return b.String()
}

// widestColumn returns how many bytes the longest bar stands for.
func widestColumn(s *fileStat) int64 {
	widest := int64(0)
	for i := range s.Columns {
		widest = max(widest, s.Columns[i].Raw, s.Columns[i].Stored)
	}
	return widest
}
