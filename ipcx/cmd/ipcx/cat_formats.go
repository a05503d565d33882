package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
)

// csvPrinter prints CSV as RFC 4180 has it, with \n at the ends of lines.
type csvPrinter struct {
	w      *csv.Writer
	null   string
	header bool
	row    []string
}

func newCSVPrinter(w io.Writer, null string, header bool) *csvPrinter {
	return &csvPrinter{w: csv.NewWriter(w), null: null, header: header}
}

func (p *csvPrinter) begin(schema *arrow.Schema) error {
	p.row = make([]string, schema.NumFields())
	if !p.header {
		return nil
	}
	for i, field := range schema.Fields() {
		p.row[i] = field.Name
	}
	return p.w.Write(p.row)
}

func (p *csvPrinter) print(rec arrow.RecordBatch) error {
	for i := range int(rec.NumRows()) {
		for c, col := range rec.Columns() {
			if isNull(col, i) {
				p.row[c] = p.null
			} else {
				p.row[c] = col.ValueStr(i)
			}
		}
		if err := p.w.Write(p.row); err != nil {
			return err
		}
	}
	p.w.Flush()
	return p.w.Error()
}

func (p *csvPrinter) end(bool) error {
	p.w.Flush()
	return p.w.Error()
}

// jsonPrinter prints an object a row, with the columns in the schema's order.
type jsonPrinter struct {
	w    io.Writer
	keys [][]byte
	buf  bytes.Buffer
	enc  *json.Encoder
}

func (p *jsonPrinter) begin(schema *arrow.Schema) error {
	p.enc = json.NewEncoder(&p.buf)
	p.enc.SetEscapeHTML(false)
	for _, field := range schema.Fields() {
		p.buf.Reset()
		if err := p.encode(field.Name); err != nil {
			return err
		}
		p.keys = append(p.keys, bytes.Clone(p.buf.Bytes()))
	}
	return nil
}

// encode appends a value, without the encoder's line break.
func (p *jsonPrinter) encode(v any) error {
	if err := p.enc.Encode(v); err != nil {
		return err
	}
	p.buf.Truncate(p.buf.Len() - 1)
	return nil
}

func (p *jsonPrinter) print(rec arrow.RecordBatch) error {
	for i := range int(rec.NumRows()) {
		p.buf.Reset()
		p.buf.WriteByte('{')
		for c, col := range rec.Columns() {
			if c > 0 {
				p.buf.WriteByte(',')
			}
			p.buf.Write(p.keys[c])
			p.buf.WriteByte(':')
			if err := p.encode(col.GetOneForMarshal(i)); err != nil {
				return fmt.Errorf("column %q: %w", rec.ColumnName(c), err)
			}
		}
		p.buf.WriteString("}\n")
		if _, err := p.w.Write(p.buf.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func (p *jsonPrinter) end(bool) error { return nil }

// tablePrinter prints a table, with long values cut.
type tablePrinter struct {
	w     io.Writer
	width int    // of the terminal, 0 for none
	hint  string // what shows more rows
	t     *textTable
	rows  int64
}

// tableCell is how many characters of a value a table shows.
const tableCell = 36

func (p *tablePrinter) begin(schema *arrow.Schema) error {
	names := make([]string, schema.NumFields())
	var numbers []int
	for i, field := range schema.Fields() {
		names[i] = shorten(printable(field.Name), tableCell)
		if arrow.IsPrimitive(field.Type.ID()) || arrow.IsDecimal(field.Type.ID()) {
			numbers = append(numbers, i+1)
		}
	}
	p.t = newTable(names...)
	p.t.right(numbers...)
	return nil
}

func (p *tablePrinter) print(rec arrow.RecordBatch) error {
	row := make([]string, rec.NumCols())
	for i := range int(rec.NumRows()) {
		for c, col := range rec.Columns() {
			if isNull(col, i) {
				row[c] = "null"
			} else {
				row[c] = shorten(printable(col.ValueStr(i)), tableCell)
			}
		}
		p.t.row(row...)
	}
	p.rows += rec.NumRows()
	return nil
}

func (p *tablePrinter) end(more bool) error {
	cut := p.t.renderWithin(p.w, p.width)
	if cut {
		if _, err := fmt.Fprintln(p.w, "... wider than the terminal: --columns NAMES chooses"); err != nil {
			return err
		}
	}
	if more {
		_, err := fmt.Fprintf(p.w, "... %s shown, there are more: %s\n", count(p.rows, "row"), p.hint)
		return err
	}
	return nil
}
