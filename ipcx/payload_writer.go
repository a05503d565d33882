package ipcx

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// NewPayloadWriter returns a writer of a stream to w, or with
// WithFormat(FileFormat) of a file, for arrow-go's
// ipc.NewWriterWithPayloadWriter: compression and flags are this package's, so
// arrow-go's writer must be given no codec.
//
// It is not safe for concurrent use. An option out of range, or a write that
// failed, is the error of every later call; nothing more is written then, the
// end-of-stream marker included.
func NewPayloadWriter(w io.Writer, opts ...Option) ipc.PayloadWriter {
	return newPayloadWriter(w, newConfig(opts))
}

type payloadWriter struct {
	sink sink
	enc  *Encoder
	body bodyCollector
	err  error
}

func newPayloadWriter(w io.Writer, cfg *config) *payloadWriter {
	enc, err := newEncoder(cfg)
	pw := &payloadWriter{sink: sink{out: newGatherWriter(w)}, enc: enc, err: err}
	if cfg.format == FileFormat {
		pw.sink.file = &fileIndex{custom: keyValues(cfg.footerMetadata)}
	}
	return pw
}

func (w *payloadWriter) Start() error { return w.err }

// WritePayload writes a message. It does not hold on to p.
func (w *payloadWriter) WritePayload(p ipc.Payload) error {
	if w.err != nil {
		return w.err
	}
	err := w.write(&p)
	if !errors.Is(err, ErrReplacement) { // after which nothing was written
		w.err = err
	}
	return err
}

func (w *payloadWriter) write(p *ipc.Payload) error {
	buf := p.Meta()
	defer buf.Release()
	metadata := buf.Bytes()
	m := &w.enc.in
	if err := m.parse(metadata); err != nil {
		return w.enc.wrap(m, err)
	}
	if !m.isBatch() {
		metadata, err := w.enc.other(m, metadata)
		if err != nil {
			return err
		}
		return w.sink.put(m.kind, metadata, nil)
	}
	if err := w.admit(m); err != nil {
		return err
	}
	if m.delta && w.enc.cleaner.dictionaries.haveUnions(m.id) {
		return w.enc.wrap(m, tag(ErrUnsupported, fmt.Errorf("dictionary %d: %w, which arrow-go cannot join when it is read (without WithDictionaryDeltas a stream has it replaced)", m.id, errUnionDelta)))
	}
	defer w.body.reset()
	err := w.body.collect(p, m)
	if err != nil {
		return w.enc.wrap(m, err)
	}
	segments := w.body.bufs
	w.enc.cleaner.clean(m, segments, true)
	if w.enc.verbatim(m) {
		w.enc.count(m, segments, m.bodyLength, false)
	} else if metadata, segments, err = w.enc.batch(m, segments); err != nil {
		return err
	}
	return w.sink.put(m.kind, metadata, segments)
}

// admit refuses a batch that cannot be encoded, or not into a file.
func (w *payloadWriter) admit(m *message) error {
	if w.sink.file != nil && w.enc.stats.replaces(m) {
		return w.enc.wrap(m, tag(ErrReplacement, fmt.Errorf("dictionary %d was written already, and a file has one for each field: use a stream, or WithDictionaryDeltas where it only grows", m.id)))
	}
	return w.enc.admit(m)
}

// Close writes the end-of-stream marker, and a file's footer. It does not close
// the underlying writer.
func (w *payloadWriter) Close() error {
	if w.err == nil {
		if w.err = w.sink.close(); w.err == nil {
			w.err = errClosed
		}
	}
	if errors.Is(w.err, errClosed) {
		return nil
	}
	return w.err
}

// errClosed is the error of writing after Close.
var errClosed = errors.New("ipcx: write to a writer that is already closed")

// bodyCollector takes the buffers of a payload's body without copying them.
// Payload.SerializeBody writes each buffer that is not empty with one Write,
// and its padding, if any, with another.
type bodyCollector struct {
	bufs  [][]byte
	spans []span
	next  int   // the buffer to come
	at    int64 // where it lies in the body
	pad   int   // bytes of padding to come first
}

// collect fills bufs with the buffers of p, whose metadata is m. They belong to
// the arrays that p was made from: valid until reset, and not to be written to.
func (c *bodyCollector) collect(p *ipc.Payload, m *message) error {
	c.bufs, c.spans, c.next, c.at, c.pad = c.bufs[:0], m.buffers, 0, 0, 0
	if err := p.SerializeBody(c); err != nil {
		return err
	}
	c.skipEmpty()
	if c.next != len(c.spans) {
		return fmt.Errorf("a payload of %d buffers where its metadata has %d", c.next, len(c.spans))
	}
	return nil
}

func (c *bodyCollector) reset() {
	clear(c.bufs)
	c.spans = nil
}

func (c *bodyCollector) skipEmpty() {
	for c.next < len(c.spans) && c.spans[c.next].length == 0 {
		c.bufs = append(c.bufs, nil)
		c.next++
	}
}

func (c *bodyCollector) Write(p []byte) (int, error) {
	if c.pad > 0 {
		if len(p) != c.pad {
			return 0, fmt.Errorf("buffer %d: %d bytes of padding where %d are due", c.next-1, len(p), c.pad)
		}
		c.pad = 0
		return len(p), nil
	}
	c.skipEmpty()
	if c.next == len(c.spans) {
		return 0, fmt.Errorf("%d bytes after the last of %d buffers", len(p), len(c.spans))
	}
	if want := c.spans[c.next]; int64(len(p)) != want.length || c.at != want.offset {
		return 0, fmt.Errorf("buffer %d: %d bytes at %d where the metadata says %d at %d", c.next, len(p), c.at, want.length, want.offset)
	}
	c.bufs = append(c.bufs, p)
	c.pad = padding(len(p))
	c.at += int64(len(p) + c.pad)
	c.next++
	return len(p), nil
}
