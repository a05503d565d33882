package ipcx

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// MessageInfo says how a message is stored.
type MessageInfo struct {
	Type          MessageType
	Version       MetadataVersion
	MetadataBytes int64 // without length prefix
	BodyBytes     int64 // with padding
	Metadata      arrow.Metadata

	// of a schema, nil where arrow-go cannot decode it
	Schema *arrow.Schema

	// of batches
	Codec   Codec
	Flagged bool  // its offsets are stored as lengths
	Rows    int64 // of a dictionary batch, its values
	Buffers []BufferInfo

	// of dictionary batches
	DictionaryID int64
	Delta        bool
}

// BufferInfo says how a buffer is stored.
type BufferInfo struct {
	Path        string      // of its field
	Column      int         // of its field's column, from 0 on; -1 where the layout is not known
	Role        layout.Role // 0 where the layout of the message is not known
	StoredBytes int64       // with length prefix, without padding
	RawBytes    int64       // once decompressed
	Compressed  bool        // and not stored raw
	Rewritten   bool        // offsets that are stored as lengths
}

// Inspect gives visit every message of an Arrow stream or file, told apart by
// its first bytes, in the order in which [Convert] takes them. Nothing is
// decompressed. What visit gets is valid until it returns; an error of visit
// ends the inspection, and is returned as it is.
//
// Errors are those of [Convert].
func Inspect(ctx context.Context, src io.Reader, visit func(*MessageInfo) error, opts ...Option) error {
	cfg := newConfig(opts)
	cfg.ensureNativeEndian = false
	if cfg.err != nil {
		return cfg.err
	}
	in, done, err := newSource(ctx, src, cfg)
	if err != nil {
		return err
	}
	defer done()
	i := inspector{dec: newDecoder(cfg)}
	return eachMessage(ctx, in, i.dec, func(metadata []byte) error {
		next, err := i.dec.begin(metadata)
		if err != nil {
			return err
		}
		stored, err := in.body(i.dec, next)
		if err != nil || next == leaveOut {
			return err
		}
		if err := i.read(metadata, stored); err != nil {
			return err
		}
		return visit(&i.info)
	})
}

type inspector struct {
	dec          *Decoder
	info         MessageInfo
	table        *layout.Table // nil where the schema cannot be decoded
	dictionaries dictionaries
}

// read fills in the information on the message that the decoder has begun.
func (i *inspector) read(metadata []byte, stored storedBody) error {
	m := &i.dec.in
	i.info = MessageInfo{
		Type:          MessageType(m.kind),
		Version:       MetadataVersion(m.version),
		MetadataBytes: int64(len(metadata)),
		BodyBytes:     m.bodyLength,
		Metadata:      arrowMetadata(m.custom),
		Flagged:       m.flagged(),
		Rows:          m.rows,
		Buffers:       i.info.Buffers[:0],
		DictionaryID:  m.id,
		Delta:         m.delta,
	}
	if !m.isBatch() {
		if m.kind == flatbuf.MessageHeaderSchema {
			i.readSchema(metadata)
		}
		_, err := i.dec.share(metadata, nil)
		return err
	}
	if _, err := i.dec.measure(stored); err != nil {
		return err
	}
	i.info.Codec, _, _ = i.dec.form()
	roles, columnOf := i.layout(m)
	raw := int64(0)
	for k, p := range i.dec.parts {
		j := i.dec.pick(k)
		info := BufferInfo{Column: -1, StoredBytes: m.buffers[j].length, RawBytes: p.length, Compressed: p.compressed, Rewritten: p.rewrite}
		if roles != nil {
			info.Path, info.Role, info.Column = roles[j].Path, roles[j].Role, columnOf(roles[j])
		}
		i.info.Buffers = append(i.info.Buffers, info)
		raw += p.length
	}
	i.dec.stats.add(m, raw, m.bodyLength, m.flagged())
	return nil
}

// layout returns what the buffers of a batch hold, as far as that is known, and
// which column they belong to.
func (i *inspector) layout(m *message) (roles []layout.Buffer, columnOf func(layout.Buffer) int) {
	table := i.table
	if table == nil {
		return nil, nil
	}
	columnOf = func(b layout.Buffer) int { return table.Nodes()[b.Node].Column }
	if m.kind == flatbuf.MessageHeaderDictionaryBatch {
		dict, ok := i.dictionaries[m.id]
		if !ok {
			return nil, nil
		}
		table = dict.table
		columnOf = func(layout.Buffer) int { return dict.column }
	}
	roles, err := bufferRoles(table, m)
	if err != nil {
		return nil, nil
	}
	return roles, columnOf
}

// readSchema learns the schema, so far as arrow-go can decode it.
func (i *inspector) readSchema(metadata []byte) {
	schema, err := schemaOf(metadata)
	if err != nil {
		return
	}
	i.info.Schema = schema
	i.table = layout.Of(schema)
	i.dictionaries = dictionariesOf(metadata, schema, i.table)
}
