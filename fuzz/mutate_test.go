package fuzz

import (
	"bytes"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
)

// edit replaces one number in the metadata of one message. Random bytes seldom
// do that to a flatbuffer without making it one that is refused outright.
type edit struct {
	message uint8 // of the stream; 255 for no edit
	field   uint8 // one of the cases of batch or schema
	index   uint8 // of the node, buffer, column
	value   int64
}

const noEdit = 255

// apply returns data with the edit, or data itself where it does not apply.
func (e edit) apply(data []byte) []byte {
	all := split(data)
	if int(e.message) >= len(all) {
		return data
	}
	var out []byte
	for i, m := range all {
		if i == int(e.message) {
			m.metadata = e.metadata(m.metadata)
		}
		out = append(out, frame(m.metadata, m.body)...)
	}
	return out
}

func (e edit) metadata(metadata []byte) []byte {
	if verify.Message(metadata) != nil {
		return metadata
	}
	m := flatbuf.GetRootAsMessage(metadata, 0).UnPack()
	if m.Header == nil { // of a type that nobody knows
		return metadata
	}
	switch header := m.Header.Value.(type) {
	case *flatbuf.SchemaT:
		e.schema(header)
	case *flatbuf.RecordBatchT:
		e.batch(header)
	case *flatbuf.DictionaryBatchT:
		switch e.field {
		case 20:
			header.Id = e.value
		case 21:
			header.IsDelta = e.value != 0
		}
		e.batch(header.Data)
	}
	switch e.field {
	case 30:
		m.Version = flatbuf.MetadataVersion(e.value)
	case 31:
		m.BodyLength = e.value
	}
	b := flatbuffers.NewBuilder(1024)
	b.Finish(m.Pack(b))
	return bytes.Clone(b.FinishedBytes())
}

// batchFields is how many of the fields of an edit batch knows.
const batchFields = 11

func (e edit) batch(batch *flatbuf.RecordBatchT) {
	i := int(e.index)
	switch {
	case e.field == 1 && i < len(batch.Nodes):
		batch.Nodes[i].Length = e.value
	case e.field == 2 && i < len(batch.Nodes):
		batch.Nodes[i].NullCount = e.value
	case e.field == 3 && i < len(batch.Buffers):
		batch.Buffers[i].Offset = e.value
	case e.field == 4 && i < len(batch.Buffers):
		batch.Buffers[i].Length = e.value
	case e.field == 5 && batch.Compression != nil:
		batch.Compression.Codec = flatbuf.CompressionType(e.value)
	case e.field == 6 && batch.Compression != nil:
		batch.Compression.Method = flatbuf.BodyCompressionMethod(e.value)
	case e.field == 7:
		batch.Length = e.value
	case e.field == 8:
		for _, buf := range batch.Buffers {
			buf.Offset += e.value
		}
	case e.field == 9:
		batch.VariadicBufferCounts = append(batch.VariadicBufferCounts, e.value)
	case e.field == 10 && i < len(batch.VariadicBufferCounts):
		batch.VariadicBufferCounts[i] = e.value
	case e.field == 11: // all rows
		batch.Length = e.value
		for _, node := range batch.Nodes {
			node.Length = e.value
		}
	}
}

// schemaFields is how many of the fields of an edit schema knows.
const schemaFields = 6

func (e edit) schema(schema *flatbuf.SchemaT) {
	if len(schema.Fields) == 0 {
		return
	}
	field := schema.Fields[int(e.index)%len(schema.Fields)]
	if int(e.index) >= len(schema.Fields) && len(field.Children) > 0 {
		field = field.Children[0]
	}
	switch e.field {
	case 1:
		e.number(field.Type)
	case 2:
		field.Children = field.Children[:min(int(uint8(e.value)), len(field.Children))]
	case 3:
		if field.Dictionary != nil {
			field.Dictionary.Id = e.value
		}
	case 4:
		if field.Dictionary != nil {
			field.Dictionary.IndexType.BitWidth = int32(e.value)
		}
	case 5:
		schema.Endianness = flatbuf.Endianness(e.value)
	case 6:
		if len(field.Children) > 0 && field.Children[0] != nil {
			field.Type = field.Children[0].Type
		}
	}
}

// number replaces the number that a type has.
func (e edit) number(dt *flatbuf.TypeT) {
	if dt == nil {
		return
	}
	switch dt := dt.Value.(type) {
	case *flatbuf.IntT:
		dt.BitWidth = int32(e.value)
	case *flatbuf.FixedSizeBinaryT:
		dt.ByteWidth = int32(e.value)
	case *flatbuf.FixedSizeListT:
		dt.ListSize = int32(e.value)
	case *flatbuf.DecimalT:
		dt.BitWidth = int32(e.value)
	case *flatbuf.UnionT:
		dt.TypeIds = append(dt.TypeIds[:0], int32(e.value))
	}
}

// message is a message without its framing.
type message struct{ metadata, body []byte }

// split cuts a stream into messages as far as that goes. Bodies may be short.
func split(data []byte) []message {
	var all []message
	for len(data) >= 8 && len(all) < 20 {
		n := int64(binary.LittleEndian.Uint32(data[4:]))
		data = data[8:]
		if n == 0 || n > int64(len(data)) {
			break
		}
		m := message{metadata: data[:n]}
		data = data[n:]
		if verify.Message(m.metadata) != nil {
			return append(all, m)
		}
		size := flatbuf.GetRootAsMessage(m.metadata, 0).BodyLength()
		if size < 0 || size > int64(len(data)) {
			size = int64(len(data))
		}
		m.body, data = data[:size], data[size:]
		all = append(all, m)
	}
	return all
}

// frame puts a message together, without padding.
func frame(metadata, body []byte) []byte {
	out := binary.LittleEndian.AppendUint32(nil, 0xFFFFFFFF)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(metadata)))
	out = append(out, metadata...)
	return append(out, body...)
}
