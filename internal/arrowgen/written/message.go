// Package written holds a layout table against the record batch messages that
// writers of Arrow really make. For every buffer it checks that its length is
// what its role asks for and, as far as a role has rules, that the content
// follows them: nulls as counted, offsets that end where the bytes or the items
// do, type ids that the union has.
package written

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// Node is a field node as the message has it.
type Node struct {
	Length, Nulls int64
}

// Message is an uncompressed record batch message.
type Message struct {
	Version  layout.Version
	Length   int64    // rows
	Nodes    []Node   // field nodes in message order
	Variadic []int64  // variadicBufferCounts
	Buffers  [][]byte // in body order, without padding between them
	Order    binary.ByteOrder
	// Exact says that the writer is arrow-go, which leaves out the validity of
	// nodes without nulls and cuts offsets and bytes to what is needed.
	Exact bool
}

// Parse takes a message apart. It gives nil without an error for a message that
// is no record batch. The buffers alias body, and are taken to be little-endian.
func Parse(meta, body []byte) (*Message, error) {
	fb := flatbuf.GetRootAsMessage(meta, 0)
	if fb.HeaderType() != flatbuf.MessageHeaderRecordBatch {
		return nil, nil
	}
	var header flatbuffers.Table
	if !fb.Header(&header) {
		return nil, fmt.Errorf("written: message without a header")
	}
	var batch flatbuf.RecordBatch
	batch.Init(header.Bytes, header.Pos)

	m := &Message{Version: layout.Version(fb.Version()), Length: batch.Length(), Order: binary.LittleEndian}
	for i := range batch.NodesLength() {
		var n flatbuf.FieldNode
		batch.Nodes(&n, i)
		m.Nodes = append(m.Nodes, Node{n.Length(), n.NullCount()})
	}
	for i := range batch.VariadicBufferCountsLength() {
		m.Variadic = append(m.Variadic, batch.VariadicBufferCounts(i))
	}
	for i := range batch.BuffersLength() {
		var b flatbuf.Buffer
		batch.Buffers(&b, i)
		m.Buffers = append(m.Buffers, body[b.Offset():b.Offset()+b.Length()])
	}
	return m, nil
}

// Write has arrow-go encode a record batch.
func Write(rec arrow.RecordBatch) (*Message, error) {
	payload, err := ipc.GetRecordBatchPayload(rec)
	if err != nil {
		return nil, err
	}
	defer payload.Release()
	meta := payload.Meta()
	defer meta.Release()
	var body bytes.Buffer
	if err := payload.SerializeBody(&body); err != nil {
		return nil, err
	}
	m, err := Parse(bytes.Clone(meta.Bytes()), body.Bytes())
	if m != nil {
		m.Exact, m.Order = true, binary.NativeEndian
	}
	return m, err
}

// BodyLength gives the length of the body that follows a message's metadata.
func BodyLength(meta []byte) int {
	return int(flatbuf.GetRootAsMessage(meta, 0).BodyLength())
}
