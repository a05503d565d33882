package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/interop/cases"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

func (o *output) flagged(table *cases.Table) error {
	for _, codec := range cases.Codecs {
		for _, format := range cases.Formats {
			data, err := byUs(table, format, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
			if err != nil {
				return err
			}
			if err := o.refuse(table.Name, codec, format, data); err != nil {
				return fmt.Errorf("%s, %s: %w", codec, format.Name, err)
			}
			if table.Name == mixable().Name {
				o.manifest.Control = append(o.manifest.Control, cases.RefuseCase{
					Path: path.Join("read", codec.String(), table.Name+format.Extension), Table: table.Name,
					Codec: codec.String(), Format: format.Name, Flags: []bool{true, true}, Columns: 1})
			}
		}
	}
	return nil
}

// mixed makes streams with a plain batch in front of flagged ones, which may be
// read up to there.
func (o *output) mixed() error {
	table := mixable()
	format := cases.Formats[0]
	for _, codec := range cases.Codecs {
		plain, err := byUs(table, format, ipcx.WithCodec(codec))
		if err != nil {
			return err
		}
		flagged, err := byUs(table, format, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
		if err != nil {
			return err
		}
		const endOfStream = 8
		schema := 8 + int(binary.LittleEndian.Uint32(flagged[4:]))
		data := append(plain[:len(plain)-endOfStream:len(plain)-endOfStream], flagged[schema:]...)
		if err := o.refuse("mixed", codec, format, data); err != nil {
			return err
		}
	}
	return nil
}

// mixable returns the table that mixed writes twice.
func mixable() *cases.Table {
	for _, table := range cases.Flagged() {
		if table.Name == "utf8" {
			return &table
		}
	}
	panic("make: no table of strings")
}

// refuse adds a flagged file, which ipcx itself has to read.
func (o *output) refuse(table string, codec ipcx.Codec, format cases.Format, data []byte) error {
	c := cases.RefuseCase{Table: table, Codec: codec.String(), Format: format.Name,
		Path: path.Join("refuse", codec.String(), table+format.Extension)}
	flagged := 0
	err := ipcx.Inspect(context.Background(), bytes.NewReader(data), func(m *ipcx.MessageInfo) error {
		if m.Type == ipcx.MessageSchema {
			c.Columns = m.Schema.NumFields()
		}
		if m.Type != ipcx.MessageRecordBatch {
			return nil
		}
		if m.Flagged {
			flagged++
		} else if flagged == 0 {
			c.Plain++
		}
		c.Flags = append(c.Flags, m.Flagged)
		return nil
	})
	switch {
	case err != nil:
		return err
	case flagged == 0:
		return errors.New("nothing is flagged")
	}
	if err := o.save(c.Path, data); err != nil {
		return err
	}
	o.manifest.Refuse = append(o.manifest.Refuse, c)
	if format.Format != ipcx.StreamFormat {
		return nil
	}
	c.Path = path.Join("accept", codec.String(), table+format.Extension)
	if data, err = withoutSecondMark(data); err != nil {
		return err
	}
	if err := o.save(c.Path, data); err != nil {
		return err
	}
	o.manifest.Accept = append(o.manifest.Accept, c)
	return nil
}

// withoutSecondMark returns a stream with the second mark of its flagged
// messages taken away. No writer makes such a stream, and ipcx refuses it.
func withoutSecondMark(stream []byte) ([]byte, error) {
	stream = bytes.Clone(stream)
	for at := 0; at+8 < len(stream); {
		metadata := stream[at+8:][:binary.LittleEndian.Uint32(stream[at+4:])]
		msg := flatbuf.GetRootAsMessage(metadata, 0)
		if msg.HeaderType() == flatbuf.MessageHeaderRecordBatch {
			var batch flatbuf.RecordBatch
			table := batch.Table()
			if !msg.Header(&table) {
				return nil, fmt.Errorf("message at %d has no header", at)
			}
			batch.Init(table.Bytes, table.Pos)
			var buf flatbuf.Buffer
			for i := range batch.BuffersLength() {
				batch.Buffers(&buf, i)
				buf.MutateOffset(buf.Offset() & math.MaxInt64)
			}
		}
		at += 8 + len(metadata) + int(msg.BodyLength())
	}
	return stream, nil
}
