package ipcx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
)

// A file is
//
//	"ARROW1" 00 00 | messages | end of stream | footer | int32: its length | "ARROW1"
//
// and its footer has the schema and where each batch lies.
const (
	magic       = "ARROW1"
	fileStart   = magic + "\x00\x00"
	footerTail  = 4 + len(magic)
	smallestEnd = int64(len(fileStart) + footerTail)
)

// block is where a message lies in a file: from the start of the file, and the
// bytes of everything before its body, and of its body.
type block struct{ offset, metadata, body int64 }

// place is what an error is about: a part of a file, and which of several, or -1.
// It becomes text only in an error.
type place struct {
	what string
	i    int
}

func (p place) String() string {
	if p.i < 0 {
		return p.what
	}
	return fmt.Sprintf("%s %d", p.what, p.i)
}

// footer is the end of a file.
type footer struct {
	fb           *flatbuf.Footer
	dictionaries []block
	batches      []block
	start        int64 // of the footer itself, where the messages end at the latest
}

// readFooter reads the footer of a file that ends at end. Errors carry
// ErrNotArrow, ErrCorrupt or ErrLimit.
func readFooter(r io.ReaderAt, end int64, cfg *config) (*footer, error) {
	if end < smallestEnd {
		return nil, tag(ErrNotArrow, fmt.Errorf("ipcx: %d bytes are too few for an Arrow file, which has at least %d", end, smallestEnd))
	}
	tail := make([]byte, footerTail)
	if err := readAt(r, tail, end-int64(footerTail)); err != nil {
		return nil, fmt.Errorf("ipcx: end of the file: %w", err)
	}
	if string(tail[4:]) != magic {
		var first [4]byte
		if readAt(r, first[:], 0) == nil && binary.LittleEndian.Uint32(first[:]) == continuation {
			return nil, tag(ErrNotArrow, errors.New("ipcx: this is an Arrow stream, not a file: use NewReader"))
		}
		return nil, tag(ErrNotArrow, fmt.Errorf("ipcx: the file ends in %q at byte %d, not in %q: it is cut, or no Arrow file", tail[4:], end-int64(len(magic)), magic))
	}
	size := int64(int32(binary.LittleEndian.Uint32(tail)))
	start := end - int64(footerTail) - size
	if size < minMetadata || start < int64(len(magic)) {
		return nil, tag(ErrCorrupt, fmt.Errorf("ipcx: footer of %d bytes in a file of %d", size, end))
	}
	if cfg.metadataLimit > 0 && size > cfg.metadataLimit {
		return nil, tag(ErrLimit, fmt.Errorf("ipcx: footer of %d bytes exceeds the limit of %d (WithMetadataSizeLimit)", size, cfg.metadataLimit))
	}
	buf := make([]byte, size)
	if err := readAt(r, buf, start); err != nil {
		return nil, fmt.Errorf("ipcx: footer: %w", err)
	}
	return parseFooter(buf, start)
}

// parseFooter takes apart the footer in buf, which stands at byte start of its
// file and is not copied.
func parseFooter(buf []byte, start int64) (*footer, error) {
	if err := verify.Footer(buf); err != nil {
		return nil, unsound(fmt.Errorf("ipcx: %w", err))
	}
	f := &footer{fb: flatbuf.GetRootAsFooter(buf, 0), start: start}
	if f.fb.Schema(nil) == nil {
		return nil, tag(ErrCorrupt, errors.New("ipcx: footer without a schema"))
	}
	var b flatbuf.Block
	f.dictionaries = make([]block, f.fb.DictionariesLength())
	for i := range f.dictionaries {
		f.fb.Dictionaries(&b, i)
		f.dictionaries[i] = block{b.Offset(), int64(b.MetaDataLength()), b.BodyLength()}
	}
	f.batches = make([]block, f.fb.RecordBatchesLength())
	for i := range f.batches {
		f.fb.RecordBatches(&b, i)
		f.batches[i] = block{b.Offset(), int64(b.MetaDataLength()), b.BodyLength()}
	}
	return f, nil
}

// schemaMessage returns the metadata of the schema message that a stream with
// the footer's schema starts with.
func (f *footer) schemaMessage() ([]byte, error) {
	mb := metadataBuilder{b: flatbuffers.NewBuilder(1024)}
	schema, err := flatbuf.CopySchema(mb.b, f.fb.Schema(nil))
	if err != nil {
		return nil, tag(ErrUnsupported, fmt.Errorf("ipcx: footer: %w", err))
	}
	// Files of Arrow 0.14 have footers that say nothing of a version, which is V1,
	// and messages of V4.
	version := max(f.fb.Version(), flatbuf.MetadataVersionV4)
	return mb.message(&message{version: version, kind: flatbuf.MessageHeaderSchema}, schema), nil
}

// custom returns the footer's custom metadata. It points into the footer.
func (f *footer) custom() []keyValue {
	var kvs []keyValue
	for i := range f.fb.CustomMetadataLength() {
		var kv flatbuf.KeyValue
		f.fb.CustomMetadata(&kv, i)
		kvs = append(kvs, keyValue{kv.Key(), kv.Value()})
	}
	return kvs
}

// check checks that a block lies where the messages of its file are. what names
// it in the error.
func (f *footer) check(b block, what place, cfg *config) error {
	var err error
	switch {
	case b.offset < 0 || b.offset%8 != 0:
		err = fmt.Errorf("at byte %d, which is no multiple of 8 from 0 on", b.offset)
	case b.metadata < minMetadata+4 || b.metadata%8 != 0:
		err = fmt.Errorf("metadata of %d bytes, which is no multiple of 8 from 8 on", b.metadata)
	case b.body < 0 || b.body%8 != 0:
		err = fmt.Errorf("body of %d bytes, which is no multiple of 8 from 0 on", b.body)
	case b.offset > f.start || b.metadata > f.start-b.offset || b.body > f.start-b.offset-b.metadata || b.body > math.MaxInt-b.metadata:
		err = fmt.Errorf("%d bytes of metadata and %d of body at byte %d pass the messages' end at byte %d", b.metadata, b.body, b.offset, f.start)
	}
	if err != nil {
		return tag(ErrCorrupt, fmt.Errorf("ipcx: footer: %s: %w", what, err))
	}
	if err := checkMetadataLength(cfg, b.offset, b.metadata); err != nil {
		return err
	}
	return checkBodyLength(cfg, b.offset+b.metadata, b.body)
}

// cutBlock returns the metadata in what stands before the body of a block: the
// length prefix, the metadata and its padding.
func cutBlock(head []byte, b block) ([]byte, error) {
	prefix := 4
	if binary.LittleEndian.Uint32(head) == continuation {
		prefix = framePrefix
	}
	if length := int64(int32(binary.LittleEndian.Uint32(head[prefix-4:]))); length != int64(len(head)-prefix) || length < minMetadata {
		return nil, tag(ErrCorrupt, fmt.Errorf("ipcx: message at byte %d: metadata length of %d bytes where the footer has %d", b.offset, length, len(head)-prefix))
	}
	return head[prefix:], nil
}

// readAt fills p from byte at on, which lies inside the file as it was when its
// end was looked for.
func readAt(r io.ReaderAt, p []byte, at int64) error {
	n, err := r.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	why := ""
	switch {
	case err == nil:
		err = io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		why = "the file has become shorter: "
	}
	return fmt.Errorf("%d of %d bytes at byte %d: %s%w", max(n, 0), len(p), at, why, withoutEOF(err))
}
