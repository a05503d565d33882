package ipcx

import (
	"fmt"
	"io"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// fileSource gives the messages of a file in the order in which a stream has
// them: the schema, the dictionary batches, the record batches.
type fileSource struct {
	r       io.ReaderAt
	cfg     *config
	footer  *footer
	i       int                // the block to come; -1 the schema
	seen    map[int64]struct{} // ids of dictionaries
	block   block
	head    readbuf.Buffer
	scratch readbuf.Buffer
	ranges  rangedBody
}

func newFileSource(r io.ReaderAt, end int64, cfg *config) (*fileSource, error) {
	if cfg.footerEnd > 0 {
		end = min(end, cfg.footerEnd)
	}
	f, err := readFooter(r, end, cfg)
	if err != nil {
		return nil, err
	}
	return &fileSource{r: r, cfg: cfg, footer: f, i: -1, seen: make(map[int64]struct{})}, nil
}

func (s *fileSource) next() ([]byte, error) {
	i := s.i
	s.i++
	dicts, batches := s.footer.dictionaries, s.footer.batches
	var what place
	switch {
	case i < 0:
		return s.footer.schemaMessage()
	case i < len(dicts):
		s.block, what = dicts[i], place{"dictionary block", i}
	case i < len(dicts)+len(batches):
		i -= len(dicts)
		s.block, what = batches[i], place{"record batch block", i}
	default:
		return nil, io.EOF
	}
	if err := s.footer.check(s.block, what, s.cfg); err != nil {
		return nil, err
	}
	head := s.head.Sized(int(s.block.metadata))
	if err := readAt(s.r, head, s.block.offset); err != nil {
		return nil, fmt.Errorf("ipcx: %s: %w", what, err)
	}
	return cutBlock(head, s.block)
}

// body reads what is wanted of the body of the message that dec has begun. It is
// valid until the next call.
func (s *fileSource) body(dec *Decoder, todo step) (storedBody, error) {
	if s.i == 0 {
		return wholeBody(nil), nil // the schema
	}
	if err := s.check(&dec.in); err != nil {
		return nil, err
	}
	switch {
	case todo == leaveOut:
		return wholeBody(nil), nil
	case dec.projects():
		if err := s.ranges.read(s.r, s.block, dec); err != nil {
			return nil, dec.wrap(err)
		}
		return &s.ranges, nil
	}
	p := s.scratch.Sized(int(s.block.body))
	if err := readAt(s.r, p, s.block.offset+s.block.metadata); err != nil {
		return nil, dec.wrap(fmt.Errorf("message body: %w", err))
	}
	return wholeBody(p), nil
}

// check checks that a message is the one that the footer has.
func (s *fileSource) check(m *message) error {
	kind := flatbuf.MessageHeaderRecordBatch
	if s.i <= len(s.footer.dictionaries) {
		kind = flatbuf.MessageHeaderDictionaryBatch
	}
	switch {
	case m.kind != kind:
		return tag(ErrCorrupt, fmt.Errorf("ipcx: message at byte %d: of type %s where the footer has a %s", s.block.offset, m.kind, kind))
	case m.bodyLength != s.block.body:
		return tag(ErrCorrupt, fmt.Errorf("ipcx: message at byte %d: body of %d bytes where the footer has %d", s.block.offset, m.bodyLength, s.block.body))
	}
	if kind == flatbuf.MessageHeaderDictionaryBatch {
		if _, again := s.seen[m.id]; again && !m.delta {
			return tag(ErrReplacement, fmt.Errorf("ipcx: message at byte %d: dictionary %d is there already, and a file has one for each field", s.block.offset, m.id))
		}
		s.seen[m.id] = struct{}{}
	}
	return nil
}
