package fuzz

import (
	"bytes"
	"encoding/binary"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
)

const (
	fileStart = "ARROW1\x00\x00"
	fileEnd   = "ARROW1"
)

// The fields of an edit that are those of a footer. Its message is the block, the
// dictionaries first.
const (
	blockOffset = 40 + iota
	blockMetadata
	blockBody
	blockSwap // with the block that value says
	blockTwice
	blockDrop
	footerVersion
	footerLength // as the file states it
	footerFields
)

// asFile makes a file of the messages of a stream, with a footer that fits them,
// so that what is done to a message does not break all of the file. What is a file
// or no stream it returns as it is.
func asFile(data []byte) []byte {
	if bytes.HasPrefix(data, []byte(fileEnd)) {
		return data
	}
	footer := &flatbuf.FooterT{Version: flatbuf.MetadataVersionV5}
	out := []byte(fileStart)
	for _, m := range split(data) {
		if verify.Message(m.metadata) != nil {
			break
		}
		b := &flatbuf.BlockT{Offset: int64(len(out)), MetaDataLength: int32(8 + len(m.metadata)), BodyLength: int64(len(m.body))}
		fb := flatbuf.GetRootAsMessage(m.metadata, 0)
		switch fb.HeaderType() {
		case flatbuf.MessageHeaderSchema:
			if schema, ok := fb.UnPack().Header.Value.(*flatbuf.SchemaT); ok && footer.Schema == nil {
				footer.Schema = schema
			}
		case flatbuf.MessageHeaderDictionaryBatch:
			footer.Dictionaries = append(footer.Dictionaries, b)
		default:
			footer.RecordBatches = append(footer.RecordBatches, b)
		}
		out = append(out, frame(m.metadata, m.body)...)
	}
	if footer.Schema == nil {
		return data
	}
	return append(out, packFooter(footer)...)
}

// applyFile is apply for a file. Message 0 is the schema, which is in the footer,
// and the others are those of the blocks, in their order.
func (e edit) applyFile(data []byte) []byte {
	if e.message == noEdit {
		return data
	}
	footer, start := splitFile(data)
	if footer == nil {
		return data
	}
	var blocks []*flatbuf.BlockT
	blocks = append(append(blocks, footer.Dictionaries...), footer.RecordBatches...)
	switch {
	case e.field == footerLength:
		out := bytes.Clone(data)
		binary.LittleEndian.PutUint32(out[len(out)-10:], uint32(e.value))
		return out
	case e.field == footerVersion:
		footer.Version = flatbuf.MetadataVersion(e.value)
	case e.field >= blockOffset && int(e.message) < len(blocks):
		e.block(footer, blocks)
	case e.message == 0 && footer.Schema != nil:
		e.schema(footer.Schema)
	case e.message > 0 && int(e.message) <= len(blocks):
		return e.fileMessage(data, footer, blocks)
	}
	return append(bytes.Clone(data[:start]), packFooter(footer)...)
}

// block edits a footer's blocks.
func (e edit) block(footer *flatbuf.FooterT, blocks []*flatbuf.BlockT) {
	b := blocks[e.message]
	switch e.field {
	case blockOffset:
		b.Offset = e.value
	case blockMetadata:
		b.MetaDataLength = int32(e.value)
	case blockBody:
		b.BodyLength = e.value
	case blockSwap:
		other := blocks[int(uint64(e.value)%uint64(len(blocks)))]
		*b, *other = *other, *b
	case blockTwice:
		if int(e.message) < len(footer.Dictionaries) {
			footer.Dictionaries = append(footer.Dictionaries, b)
		} else {
			footer.RecordBatches = append(footer.RecordBatches, b)
		}
	case blockDrop:
		if i := int(e.message); i < len(footer.Dictionaries) {
			footer.Dictionaries = append(footer.Dictionaries[:i], footer.Dictionaries[i+1:]...)
		} else {
			i -= len(footer.Dictionaries)
			footer.RecordBatches = append(footer.RecordBatches[:i], footer.RecordBatches[i+1:]...)
		}
	}
}

// fileMessage edits the metadata of the message of a block, and moves the
// messages to where there is room for it.
func (e edit) fileMessage(data []byte, footer *flatbuf.FooterT, blocks []*flatbuf.BlockT) []byte {
	out := []byte(fileStart)
	for i, b := range blocks {
		metadata, body := cutBlock(data, b)
		if metadata == nil {
			return data
		}
		if i+1 == int(e.message) {
			metadata = e.metadata(metadata)
			if verify.Message(metadata) == nil {
				b.BodyLength = flatbuf.GetRootAsMessage(metadata, 0).BodyLength()
			}
		}
		b.Offset = int64(len(out))
		b.MetaDataLength = int32(8 + len(metadata))
		out = append(out, frame(metadata, body)...)
	}
	return append(out, packFooter(footer)...)
}

// splitFile returns the footer of a file and where it starts, nil if it has none.
func splitFile(data []byte) (footer *flatbuf.FooterT, start int) {
	end := len(data) - 4 - len(fileEnd)
	if end < 0 || string(data[end+4:]) != fileEnd {
		return nil, 0
	}
	size := int64(binary.LittleEndian.Uint32(data[end:]))
	if size > int64(end) || verify.Footer(data[end-int(size):end]) != nil {
		return nil, 0
	}
	start = end - int(size)
	return flatbuf.GetRootAsFooter(data[start:end], 0).UnPack(), start
}

// cutBlock returns the message of a block, without its framing; nil where it is
// not all there.
func cutBlock(data []byte, b *flatbuf.BlockT) (metadata, body []byte) {
	n, size := int64(b.MetaDataLength), int64(len(data))
	if b.Offset < 0 || n < 8 || b.BodyLength < 0 || b.Offset > size || n > size-b.Offset || b.BodyLength > size-b.Offset-n {
		return nil, nil
	}
	at := b.Offset + n
	return data[b.Offset+8 : at], data[at : at+b.BodyLength]
}

// packFooter is the end of a file.
func packFooter(footer *flatbuf.FooterT) []byte {
	b := flatbuffers.NewBuilder(1024)
	b.Finish(footer.Pack(b))
	out := bytes.Clone(b.FinishedBytes())
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(out))), fileEnd...)
}
