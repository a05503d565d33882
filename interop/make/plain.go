package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arrowplanes/arrowplanes/interop/cases"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// form is a way to write a table without flags.
type form struct {
	name    string
	codec   ipcx.Codec
	convert bool
	options []ipcx.Option
}

// forms are all ways in which a plain body comes to be: written from record
// batches, with buffers that are stored raw where compression saves little, and
// converted from flagged messages, as far as the table can be flagged.
func forms() []form {
	var all []form
	for _, codec := range cases.Codecs {
		all = append(all,
			form{name: codec.String(), codec: codec},
			form{name: codec.String() + "-converted", codec: codec, convert: true})
		if codec != ipcx.Uncompressed {
			all = append(all, form{name: codec.String() + "-raw", codec: codec,
				options: []ipcx.Option{ipcx.WithMinSpaceSavings(0.2)}})
		}
	}
	return all
}

func (o *output) plain(table *cases.Table) error {
	write := cases.WriteCase{Table: table.Name, Reference: cases.Reference(table.Name, cases.Formats[0]), File: !table.StreamOnly}
	o.manifest.Write = append(o.manifest.Write, write)
	for _, format := range cases.Formats {
		if format.Format == ipcx.FileFormat && table.StreamOnly {
			continue
		}
		reference := cases.Reference(table.Name, format)
		if table.Deltas {
			// arrow-go writes deltas in streams alone.
			reference = write.Reference
		}
		if format.Format == ipcx.StreamFormat || !table.Deltas {
			data, err := byArrowGo(table, format)
			if err != nil {
				return fmt.Errorf("arrow-go, %s: %w", format.Name, err)
			}
			if err := o.save(reference, data); err != nil {
				return err
			}
		}
		for _, f := range forms() {
			data, err := f.write(table, format)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", f.name, format.Name, err)
			}
			name := path.Join("read", f.name, table.Name+format.Extension)
			if err := o.save(name, data); err != nil {
				return err
			}
			o.manifest.Read = append(o.manifest.Read, cases.ReadCase{Path: name, Reference: reference,
				Table: table.Name, Codec: f.codec.String(), Format: format.Name, Form: f.name})
		}
	}
	return nil
}

func (f *form) write(table *cases.Table, format cases.Format) ([]byte, error) {
	opts := append([]ipcx.Option{ipcx.WithCodec(f.codec), ipcx.WithFormat(format.Format)}, f.options...)
	if !f.convert {
		return byUs(table, format, opts...)
	}
	flagged, err := byUs(table, format, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	stats, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(flagged), opts...)
	if err == nil && stats.FlaggedBatches > 0 {
		err = fmt.Errorf("%d flagged batches", stats.FlaggedBatches)
	}
	return out.Bytes(), err
}

// byUs writes a table with ipcx.
func byUs(table *cases.Table, format cases.Format, opts ...ipcx.Option) ([]byte, error) {
	var out bytes.Buffer
	opts = append(opts, ipcx.WithSchema(table.Schema()), ipcx.WithDictionaryDeltas(table.Deltas))
	var w writer = ipcx.NewWriter(&out, opts...)
	if format.Format == ipcx.FileFormat {
		var err error
		if w, err = ipcx.NewFileWriter(&out, opts...); err != nil {
			return nil, err
		}
	}
	err := writeAll(w, table)
	return out.Bytes(), err
}

// byArrowGo writes a table with arrow-go, not compressed.
func byArrowGo(table *cases.Table, format cases.Format) ([]byte, error) {
	var out bytes.Buffer
	opts := []ipc.Option{ipc.WithSchema(table.Schema()), ipc.WithDictionaryDeltas(table.Deltas)}
	var w writer = ipc.NewWriter(&out, opts...)
	if format.Format == ipcx.FileFormat {
		var err error
		if w, err = ipc.NewFileWriter(&out, opts...); err != nil {
			return nil, err
		}
	}
	err := writeAll(w, table)
	return out.Bytes(), err
}

type writer interface {
	io.Closer
	Write(rec arrow.RecordBatch) error
}

func writeAll(w writer, table *cases.Table) error {
	for i, rec := range table.Batches {
		if err := w.Write(rec); err != nil {
			return fmt.Errorf("batch %d: %w", i, err)
		}
	}
	return w.Close()
}
