package ipcx

import (
	"fmt"
	"slices"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
)

// encodingsKey is the reserved key of a message's custom metadata. See
// FORMAT.md, "Room to grow".
const encodingsKey = "arrowplanes.encodings"

// span is where a buffer stands in a body: bytes from its start, and bytes.
type span struct{ offset, length int64 }

// fieldNode is the length of a field in rows, and how many of them are null.
type fieldNode struct{ length, nulls int64 }

// keyValue is an entry of custom metadata. An absent key or value is nil.
type keyValue struct{ key, value []byte }

// message is the metadata of a message as numbers. Its slices are reused by the
// next parse; keys and values point into the metadata that was parsed.
type message struct {
	version    flatbuf.MetadataVersion
	kind       flatbuf.MessageHeader
	bodyLength int64
	custom     []keyValue

	bigEndian bool // of schemas

	// of record batches and dictionary batches
	rows     int64
	nodes    []fieldNode
	buffers  []span
	variadic []int64

	compressed bool // a BodyCompression is there
	codec      int8
	method     int8

	// of dictionary batches
	id    int64
	delta bool
}

// isBatch says whether the message has a body of buffers.
func (m *message) isBatch() bool {
	return m.kind == flatbuf.MessageHeaderRecordBatch || m.kind == flatbuf.MessageHeaderDictionaryBatch
}

// flagged says whether the codec has the mark of a rewritten message.
func (m *message) flagged() bool { return m.compressed && m.codec < 0 }

// parse reads metadata, which it verifies first, into m. Errors carry
// ErrCorrupt.
func (m *message) parse(metadata []byte) error {
	if err := verify.Message(metadata); err != nil {
		m.kind = flatbuf.MessageHeaderNONE // and not that of the message before
		return unsound(err)
	}
	fb := flatbuf.GetRootAsMessage(metadata, 0)
	*m = message{
		version:    fb.Version(),
		kind:       fb.HeaderType(),
		bodyLength: fb.BodyLength(),
		custom:     m.custom[:0],
		nodes:      m.nodes[:0],
		buffers:    m.buffers[:0],
		variadic:   m.variadic[:0],
	}
	if m.bodyLength < 0 {
		return tag(ErrCorrupt, fmt.Errorf("body length of %d bytes", m.bodyLength))
	}
	for i := range fb.CustomMetadataLength() {
		var kv flatbuf.KeyValue
		fb.CustomMetadata(&kv, i)
		m.custom = append(m.custom, keyValue{kv.Key(), kv.Value()})
	}
	var (
		batch flatbuf.RecordBatch
		table = batch.Table()
	)
	if !fb.Header(&table) {
		return tag(ErrCorrupt, fmt.Errorf("a %s message without its header", m.kind))
	}
	switch m.kind {
	case flatbuf.MessageHeaderSchema:
		var schema flatbuf.Schema
		schema.Init(table.Bytes, table.Pos)
		// Any other order is foreign to arrow-go, which swaps in place, mapped or not.
		order := schema.Endianness()
		if order != flatbuf.EndiannessLittle && order != flatbuf.EndiannessBig {
			return tag(ErrCorrupt, fmt.Errorf("schema of endianness %d, which is neither %d, little, nor %d, big",
				order, flatbuf.EndiannessLittle, flatbuf.EndiannessBig))
		}
		m.bigEndian = order == flatbuf.EndiannessBig
	case flatbuf.MessageHeaderDictionaryBatch:
		var dict flatbuf.DictionaryBatch
		dict.Init(table.Bytes, table.Pos)
		m.id, m.delta = dict.Id(), dict.IsDelta()
		if dict.Data(&batch) == nil {
			return tag(ErrCorrupt, fmt.Errorf("dictionary %d without its data", m.id))
		}
		m.parseBatch(&batch)
	case flatbuf.MessageHeaderRecordBatch:
		batch.Init(table.Bytes, table.Pos)
		m.parseBatch(&batch)
	}
	return nil
}

func (m *message) parseBatch(batch *flatbuf.RecordBatch) {
	m.rows = batch.Length()
	m.nodes = slices.Grow(m.nodes, batch.NodesLength())
	m.buffers = slices.Grow(m.buffers, batch.BuffersLength())
	for i := range batch.NodesLength() {
		var node flatbuf.FieldNode
		batch.Nodes(&node, i)
		m.nodes = append(m.nodes, fieldNode{node.Length(), node.NullCount()})
	}
	for i := range batch.BuffersLength() {
		var buf flatbuf.Buffer
		batch.Buffers(&buf, i)
		m.buffers = append(m.buffers, span{buf.Offset(), buf.Length()})
	}
	for i := range batch.VariadicBufferCountsLength() {
		m.variadic = append(m.variadic, batch.VariadicBufferCounts(i))
	}
	var compression flatbuf.BodyCompression
	if batch.Compression(&compression) != nil {
		m.compressed = true
		m.codec = int8(compression.Codec())
		m.method = int8(compression.Method())
	}
}

// at says which message of a stream an error is about.
func (m *message) at(index int64, err error) error {
	if m.kind == flatbuf.MessageHeaderNONE {
		return fmt.Errorf("ipcx: message %d: %w", index, err)
	}
	return fmt.Errorf("ipcx: message %d (%s): %w", index, m.kind, err)
}

// encodings returns the value under the reserved key, and whether it is there.
func (m *message) encodings() (string, bool) {
	for _, kv := range m.custom {
		if string(kv.key) == encodingsKey {
			return string(kv.value), true
		}
	}
	return "", false
}

// checkSpan checks that a buffer lies inside a body of size bytes.
func checkSpan(s span, size int64) error {
	if s.offset < 0 || s.length < 0 || s.length > size || s.offset > size-s.length {
		return tag(ErrCorrupt, fmt.Errorf("%d bytes at %d lie outside the body of %d bytes",
			s.length, s.offset, size))
	}
	return nil
}

// cut returns the bytes of a buffer, which must lie inside body.
func cut(body []byte, s span) ([]byte, error) {
	if err := checkSpan(s, int64(len(body))); err != nil {
		return nil, err
	}
	return body[s.offset : s.offset+s.length : s.offset+s.length], nil
}
