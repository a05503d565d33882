package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/interop/cases"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// stepTheirs is the step of results about files that others wrote.
const stepTheirs = "theirs"

// readTheirs reads every file that was written, and holds it against the table.
func readTheirs(dir string, results []cases.Result) ([]cases.Result, error) {
	if err := arrow.RegisterExtensionType(arrowgen.ExtensionOf(arrow.Null)); err != nil {
		return nil, err
	}
	tables := map[string][]string{}
	for _, table := range cases.Tables() {
		text, err := textOf(table.Batches)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", table.Name, err)
		}
		tables[table.Name] = text
	}
	var read []cases.Result
	for _, r := range results {
		if r.Step != cases.StepWrite || r.Outcome != cases.Written {
			continue
		}
		r.Step = stepTheirs
		format := cases.Formats[0]
		if r.Format != format.Name {
			format = cases.Formats[1]
		}
		data, err := os.ReadFile(filepath.Join(dir, "written", r.Implementation, r.Codec, r.Table+format.Extension))
		if err != nil {
			return nil, err
		}
		r.Outcome, r.Text = judge(data, tables[r.Table])
		read = append(read, r)
	}
	return read, nil
}

// judge reads a file in each way there is, and compares its rows.
func judge(data []byte, want []string) (outcome, text string) {
	ways := []struct {
		name string
		read func([]byte) ([]arrow.RecordBatch, error)
	}{
		{"reader", byUs},
		{"convert to a flagged file", func(data []byte) ([]arrow.RecordBatch, error) {
			return converted(data, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
		}},
		{"convert to a plain stream", func(data []byte) ([]arrow.RecordBatch, error) { return converted(data) }},
	}
	for _, way := range ways {
		batches, err := way.read(data)
		if err != nil {
			return cases.Failed, fmt.Sprintf("%s: %v", way.name, err)
		}
		got, err := textOf(batches)
		if err != nil {
			return cases.Failed, fmt.Sprintf("%s: %v", way.name, err)
		}
		if d := difference(want, got); d != "" {
			return cases.Different, fmt.Sprintf("%s: %s", way.name, d)
		}
	}
	return cases.Equal, ""
}

func converted(data []byte, opts ...ipcx.Option) ([]arrow.RecordBatch, error) {
	var out bytes.Buffer
	_, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), opts...)
	if errors.Is(err, ipcx.ErrReplacement) {
		// A file cannot have it; the conversion to a stream can.
		return converted(data)
	}
	if err != nil {
		return nil, err
	}
	if len(opts) > 0 {
		return byUs(out.Bytes())
	}
	r, err := ipc.NewReader(&out)
	if err != nil {
		return nil, fmt.Errorf("arrow-go: %w", err)
	}
	defer r.Release()
	return drain(r)
}

// byUs reads a stream or a file.
func byUs(data []byte) ([]arrow.RecordBatch, error) {
	if bytes.HasPrefix(data, ipcx.Magic) {
		r, err := ipcx.NewFileReader(bytes.NewReader(data), ipcx.WithValidation())
		if err != nil {
			return nil, err
		}
		batches, err := drain(r)
		return batches, errors.Join(err, r.Close())
	}
	r, err := ipcx.NewReader(bytes.NewReader(data), ipcx.WithValidation())
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return drain(r)
}

func drain(r interface {
	Read() (arrow.RecordBatch, error)
}) (batches []arrow.RecordBatch, err error) {
	for {
		rec, err := r.Read()
		if errors.Is(err, io.EOF) {
			return batches, nil
		}
		if err != nil {
			return nil, err
		}
		rec.Retain()
		batches = append(batches, rec)
	}
}

// textOf returns the values of each row as JSON, which is the same for types
// that hold the same, such as strings and views of strings.
func textOf(batches []arrow.RecordBatch) (rows []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("values: %v", p)
		}
	}()
	for _, rec := range batches {
		for i := range int(rec.NumRows()) {
			var row strings.Builder
			for _, col := range rec.Columns() {
				text, err := textOfValue(col, i)
				if err != nil {
					return nil, err
				}
				row.WriteString(text + "\n")
			}
			rows = append(rows, row.String())
		}
	}
	return rows, nil
}

func difference(want, got []string) string {
	if len(want) != len(got) {
		return fmt.Sprintf("%d rows, not %d", len(got), len(want))
	}
	for i := range want {
		if want[i] != got[i] {
			return fmt.Sprintf("row %d is %.200q, not %.200q", i, got[i], want[i])
		}
	}
	return ""
}
