package ipcx

import (
	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// metadataBuilder writes the metadata of record and dictionary batches. Its
// tables stand in the order in which arrow-go writes them, so that a message
// that arrow-go could have written has arrow-go's bytes.
type metadataBuilder struct {
	b       *flatbuffers.Builder
	offsets []flatbuffers.UOffsetT
}

// batch returns the metadata of m. It is valid until the next call.
func (mb *metadataBuilder) batch(m *message) []byte {
	if mb.b == nil {
		mb.b = flatbuffers.NewBuilder(1024)
	}
	b := mb.b
	b.Reset()

	header := mb.recordBatch(m)
	if m.kind == flatbuf.MessageHeaderDictionaryBatch {
		flatbuf.DictionaryBatchStart(b)
		flatbuf.DictionaryBatchAddId(b, m.id)
		flatbuf.DictionaryBatchAddData(b, header)
		flatbuf.DictionaryBatchAddIsDelta(b, m.delta)
		header = flatbuf.DictionaryBatchEnd(b)
	}
	return mb.message(m, header)
}

// message returns the metadata of m, whose header has been built.
func (mb *metadataBuilder) message(m *message, header flatbuffers.UOffsetT) []byte {
	b := mb.b
	custom := mb.custom(m.custom)

	flatbuf.MessageStart(b)
	flatbuf.MessageAddVersion(b, m.version)
	flatbuf.MessageAddHeaderType(b, m.kind)
	flatbuf.MessageAddHeader(b, header)
	flatbuf.MessageAddBodyLength(b, m.bodyLength)
	flatbuf.MessageAddCustomMetadata(b, custom)
	b.Finish(flatbuf.MessageEnd(b))
	return b.FinishedBytes()
}

func (mb *metadataBuilder) recordBatch(m *message) flatbuffers.UOffsetT {
	b := mb.b
	flatbuf.RecordBatchStartNodesVector(b, len(m.nodes))
	for i := len(m.nodes) - 1; i >= 0; i-- {
		flatbuf.CreateFieldNode(b, m.nodes[i].length, m.nodes[i].nulls)
	}
	nodes := b.EndVector(len(m.nodes))

	flatbuf.RecordBatchStartBuffersVector(b, len(m.buffers))
	for i := len(m.buffers) - 1; i >= 0; i-- {
		flatbuf.CreateBuffer(b, m.buffers[i].offset, m.buffers[i].length)
	}
	buffers := b.EndVector(len(m.buffers))

	var compression, variadic flatbuffers.UOffsetT
	if m.compressed {
		flatbuf.BodyCompressionStart(b)
		flatbuf.BodyCompressionAddCodec(b, flatbuf.CompressionType(m.codec))
		flatbuf.BodyCompressionAddMethod(b, flatbuf.BodyCompressionMethod(m.method))
		compression = flatbuf.BodyCompressionEnd(b)
	}
	if len(m.variadic) > 0 {
		flatbuf.RecordBatchStartVariadicBufferCountsVector(b, len(m.variadic))
		for i := len(m.variadic) - 1; i >= 0; i-- {
			b.PrependInt64(m.variadic[i])
		}
		variadic = b.EndVector(len(m.variadic))
	}

	flatbuf.RecordBatchStart(b)
	flatbuf.RecordBatchAddLength(b, m.rows)
	flatbuf.RecordBatchAddNodes(b, nodes)
	flatbuf.RecordBatchAddBuffers(b, buffers)
	flatbuf.RecordBatchAddVariadicBufferCounts(b, variadic)
	flatbuf.RecordBatchAddCompression(b, compression)
	return flatbuf.RecordBatchEnd(b)
}

func (mb *metadataBuilder) custom(entries []keyValue) flatbuffers.UOffsetT {
	if len(entries) == 0 {
		return 0
	}
	b := mb.b
	mb.offsets = mb.offsets[:0]
	for _, kv := range entries {
		var key, value flatbuffers.UOffsetT
		if kv.key != nil {
			key = b.CreateByteString(kv.key)
		}
		if kv.value != nil {
			value = b.CreateByteString(kv.value)
		}
		flatbuf.KeyValueStart(b)
		flatbuf.KeyValueAddKey(b, key)
		flatbuf.KeyValueAddValue(b, value)
		mb.offsets = append(mb.offsets, flatbuf.KeyValueEnd(b))
	}
	flatbuf.MessageStartCustomMetadataVector(b, len(entries))
	for i := len(entries) - 1; i >= 0; i-- {
		b.PrependUOffsetT(mb.offsets[i])
	}
	return b.EndVector(len(entries))
}

// keyValues returns metadata as custom metadata.
func keyValues(md arrow.Metadata) []keyValue {
	var kvs []keyValue
	for i, key := range md.Keys() {
		kvs = append(kvs, keyValue{[]byte(key), []byte(md.Values()[i])})
	}
	return kvs
}

// arrowMetadata undoes keyValues.
func arrowMetadata(kvs []keyValue) arrow.Metadata {
	keys, values := make([]string, len(kvs)), make([]string, len(kvs))
	for i, kv := range kvs {
		keys[i], values[i] = string(kv.key), string(kv.value)
	}
	return arrow.NewMetadata(keys, values)
}
