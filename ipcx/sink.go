package ipcx

import (
	"encoding/binary"
	"errors"
	"fmt"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// sink frames messages into a stream or a file. It stays failed once a write
// has failed.
type sink struct {
	out   gatherWriter
	frame []byte
	file  *fileIndex // nil for a stream
}

// fileIndex is what the footer of a file will say.
type fileIndex struct {
	schema       []byte // metadata of the schema message
	dictionaries []block
	batches      []block
	custom       []keyValue
}

// put writes a message of metadata and of segments, each padded to a multiple
// of 8 bytes.
func (s *sink) put(kind flatbuf.MessageHeader, metadata []byte, segments [][]byte) error {
	if s.file != nil && s.file.schema == nil {
		if _, err := s.out.Write([]byte(fileStart)); err != nil {
			return err
		}
	}
	b := block{offset: s.out.written()}
	s.frame = appendFrame(s.frame[:0], metadata)
	b.metadata = int64(len(s.frame))
	s.out.expect(s.heldBack(segments))
	if _, err := s.out.Write(s.frame); err != nil {
		return err
	}
	for _, p := range segments {
		if len(p) == 0 {
			continue
		}
		if _, err := s.out.Write(p); err != nil {
			return err
		}
		if err := s.out.pad(padding(len(p))); err != nil {
			return err
		}
		b.body += int64(len(p) + padding(len(p)))
	}
	if s.file != nil {
		s.file.add(kind, metadata, b)
	}
	return s.out.flush()
}

// heldBack is how many bytes of a message whose frame has been made are held back
// for a time.
func (s *sink) heldBack(segments [][]byte) (n int) {
	if !s.out.atOnce(len(s.frame)) {
		n = len(s.frame)
	}
	for _, p := range segments {
		if !s.out.atOnce(len(p)) {
			n += len(p) + padding(len(p))
		}
	}
	return n
}

func (f *fileIndex) add(kind flatbuf.MessageHeader, metadata []byte, b block) {
	switch kind {
	case flatbuf.MessageHeaderSchema:
		f.schema = append([]byte{}, metadata...)
	case flatbuf.MessageHeaderDictionaryBatch:
		f.dictionaries = append(f.dictionaries, b)
	case flatbuf.MessageHeaderRecordBatch:
		f.batches = append(f.batches, b)
	}
}

// close writes what comes after the last message.
func (s *sink) close() error {
	if s.file != nil && s.file.schema == nil {
		return errors.New("ipcx: closing a file to which no schema was written")
	}
	if _, err := s.out.Write([]byte(endOfStream)); err != nil {
		return err
	}
	if s.file != nil {
		footer, err := s.file.footer()
		if err != nil {
			return err
		}
		footer = binary.LittleEndian.AppendUint32(footer, uint32(len(footer)))
		if _, err := s.out.Write(append(footer, magic...)); err != nil {
			return err
		}
	}
	return s.out.flush()
}

// footer returns the footer.
func (f *fileIndex) footer() ([]byte, error) {
	fb := flatbuf.GetRootAsMessage(f.schema, 0)
	var schema flatbuf.Schema
	table := schema.Table()
	if !fb.Header(&table) {
		return nil, fmt.Errorf("ipcx: schema message without a schema")
	}
	schema.Init(table.Bytes, table.Pos)

	mb := metadataBuilder{b: flatbuffers.NewBuilder(1024)}
	copied, err := flatbuf.CopySchema(mb.b, &schema)
	if err != nil {
		return nil, tag(ErrUnsupported, fmt.Errorf("ipcx: footer: %w", err))
	}
	dictionaries := mb.blocks(f.dictionaries)
	batches := mb.blocks(f.batches)
	custom := mb.custom(f.custom)

	flatbuf.FooterStart(mb.b)
	flatbuf.FooterAddVersion(mb.b, fb.Version())
	flatbuf.FooterAddSchema(mb.b, copied)
	flatbuf.FooterAddDictionaries(mb.b, dictionaries)
	flatbuf.FooterAddRecordBatches(mb.b, batches)
	flatbuf.FooterAddCustomMetadata(mb.b, custom)
	mb.b.Finish(flatbuf.FooterEnd(mb.b))
	return mb.b.FinishedBytes(), nil
}

func (mb *metadataBuilder) blocks(blocks []block) flatbuffers.UOffsetT {
	// The vectors of dictionaries and of record batches are alike.
	flatbuf.FooterStartRecordBatchesVector(mb.b, len(blocks))
	for i := len(blocks) - 1; i >= 0; i-- {
		flatbuf.CreateBlock(mb.b, blocks[i].offset, int32(blocks[i].metadata), blocks[i].body)
	}
	return mb.b.EndVector(len(blocks))
}
