package ipcx

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// What is arrow-go's own, under the names that it has there.
type (
	// Message is a message, its metadata and its body.
	Message = ipc.Message
	// MessageReader gives the messages of a stream, one by one.
	MessageReader = ipc.MessageReader
	// MessageType is the type of a message.
	MessageType = ipc.MessageType
	// MetadataVersion is the version of a message's metadata.
	MetadataVersion = ipc.MetadataVersion
	// Payload is a message on its way to a [PayloadWriter].
	Payload = ipc.Payload
	// PayloadWriter takes the messages of a writer, one by one.
	PayloadWriter = ipc.PayloadWriter
	// ReadAtSeeker is what a file is read from.
	ReadAtSeeker = ipc.ReadAtSeeker
)

// The types of messages.
const (
	MessageNone            = ipc.MessageNone
	MessageSchema          = ipc.MessageSchema
	MessageDictionaryBatch = ipc.MessageDictionaryBatch
	MessageRecordBatch     = ipc.MessageRecordBatch
	MessageTensor          = ipc.MessageTensor
	MessageSparseTensor    = ipc.MessageSparseTensor
)

// The versions of metadata.
const (
	MetadataV1 = ipc.MetadataV1
	MetadataV2 = ipc.MetadataV2
	MetadataV3 = ipc.MetadataV3
	MetadataV4 = ipc.MetadataV4
	MetadataV5 = ipc.MetadataV5
)

// The keys of a field's metadata that name an extension type and hold what it
// needs.
const (
	ExtensionTypeKeyName     = ipc.ExtensionTypeKeyName
	ExtensionMetadataKeyName = ipc.ExtensionMetadataKeyName
)

// Magic is what an Arrow file starts and ends with. It must not be written to.
var Magic = ipc.Magic

// NewMessage returns a message of metadata and body, which it retains. It
// panics if one of them is nil.
func NewMessage(meta, body *memory.Buffer) *Message { return ipc.NewMessage(meta, body) }

// GetRecordBatchPayload returns the payload of batch. Compression is arrow-go's,
// as in [NewWriterWithPayloadWriter]. The caller releases the payload.
func GetRecordBatchPayload(batch arrow.RecordBatch, opts ...Option) (Payload, error) {
	arrowOpts, err := newConfig(opts).arrowWriterOptions()
	if err != nil {
		return Payload{}, err
	}
	return ipc.GetRecordBatchPayload(batch, arrowOpts...)
}

// GetSchemaPayload returns the payload of schema. The caller releases it.
func GetSchemaPayload(schema *arrow.Schema, mem memory.Allocator) Payload {
	return ipc.GetSchemaPayload(schema, mem)
}
