package ipcx

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/endian"

	"github.com/arrowplanes/arrowplanes/internal/brief"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// checkFlag checks that a batch has both marks of a flagged message or neither,
// and that a flagged one is of the kind that may be. See FORMAT.md, "What a
// reader refuses".
func (d *Decoder) checkFlag() error {
	flagged := d.in.flagged()
	for i, s := range d.in.buffers {
		if (s.offset < 0) != flagged {
			mark := fmt.Sprintf("no compression, and buffer %d has", i)
			if d.in.compressed {
				mark = fmt.Sprintf("codec %d, and buffer %d has", d.in.codec, i)
			}
			return tag(ErrCorrupt, fmt.Errorf("one mark of a flagged message without the other: %s offset %d", mark, s.offset))
		}
	}
	switch {
	case !flagged:
		return nil
	case d.in.kind != flatbuf.MessageHeaderRecordBatch:
		return tag(ErrCorrupt, fmt.Errorf("dictionary %d is flagged (codec %d)", d.in.id, d.in.codec))
	case d.in.version != flatbuf.MetadataVersionV5:
		return tag(ErrCorrupt, fmt.Errorf("flagged (codec %d) with metadata %s, not %s", d.in.codec, d.in.version, flatbuf.MetadataVersionV5))
	}
	if value, ok := d.in.encodings(); ok {
		return tag(ErrUnsupported, fmt.Errorf("flagged with %s=%q, which a newer version of arrowplanes may read", encodingsKey, brief.Text(value)))
	}
	return nil
}

// flaggedLayout returns what the buffers of a flagged message hold.
func (d *Decoder) flaggedLayout() ([]layout.Buffer, error) {
	desc := d.describe()
	if desc.err != nil {
		return nil, tag(ErrCorrupt, fmt.Errorf("flagged, under a schema that cannot be decoded: %w", desc.err))
	}
	if order := desc.schema.Endianness(); order != endian.LittleEndian {
		return nil, tag(ErrCorrupt, fmt.Errorf("flagged, under a schema of endianness %d (0 is little-endian, 1 big-endian)", order))
	}
	if err := desc.table.Unmapped(); err != nil {
		return nil, tag(ErrCorrupt, fmt.Errorf("flagged: %w", err))
	}
	if n := len(d.in.variadic); n != 0 {
		return nil, tag(ErrCorrupt, fmt.Errorf("flagged with %d variadic buffer counts, where a flagged message has 0", n))
	}
	if got, want := len(d.in.nodes), len(desc.table.Nodes()); got != want {
		return nil, tag(ErrCorrupt, fmt.Errorf("flagged with %d field nodes where the schema has %d", got, want))
	}
	for i, node := range d.in.nodes {
		if node.length < 0 {
			return nil, tag(ErrCorrupt, fmt.Errorf("field %q: flagged with a field node of %d rows", desc.table.Nodes()[i].Path, node.length))
		}
	}
	roles, err := desc.table.Buffers(layout.V5, nil)
	if err != nil {
		return nil, tag(ErrCorrupt, err)
	}
	if got, want := len(d.in.buffers), len(roles); got != want {
		return nil, tag(ErrCorrupt, fmt.Errorf("flagged with %d buffers where the schema has %d", got, want))
	}
	return roles, nil
}
