package main

import (
	"io"
	"maps"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// textTable is a table for a terminal.
type textTable struct {
	w       table.Writer
	configs []table.ColumnConfig
	columns int
}

func newTable(header ...string) *textTable {
	t := &textTable{w: table.NewWriter(), columns: len(header)}
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = true
	style.Format.Header, style.Format.Footer = text.FormatDefault, text.FormatDefault
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	t.w.SetStyle(style)
	row := make(table.Row, len(header))
	for i, name := range header {
		row[i] = name
	}
	t.w.AppendHeader(row)
	return t
}

// right aligns columns, counted from 1, to the right.
func (t *textTable) right(columns ...int) {
	for _, i := range columns {
		t.configs = append(t.configs, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
}

func (t *textTable) row(cells ...string) {
	row := make(table.Row, len(cells))
	for i, cell := range cells {
		row[i] = cell
	}
	t.w.AppendRow(row)
}

func (t *textTable) separate() { t.w.AppendSeparator() }

func (t *textTable) render(w io.Writer) {
	t.renderWithin(w, 0)
}

// renderWithin renders the table no wider than width characters, if that is not
// 0, and says whether something had to be cut.
func (t *textTable) renderWithin(w io.Writer, width int) (cut bool) {
	t.w.SetColumnConfigs(t.configs)
	t.w.SuppressTrailingSpaces()
	rendered := t.w.Render()
	if width > 0 && text.LongestLineLen(rendered) > width {
		t.w.Style().Size.WidthMax = width
		rendered, cut = t.w.Render(), true
	}
	_, _ = io.WriteString(w, rendered+"\n")
	return cut
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
