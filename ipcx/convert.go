package ipcx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// Convert reads an Arrow stream or file from src, told apart by its first
// bytes, and writes it to dst, framed, compressed and flagged as the options
// say; without options it becomes an uncompressed stream that every reader
// takes. It works on messages and builds no arrays, and keeps the metadata of
// the schema, of messages and, from file to file, of the footer. Metadata of
// version 4 becomes version 5, unless there are unions, whose buffers differ.
//
// A dictionary that replaces another one cannot be written to a file: the error
// carries ErrReplacement.
//
// A file is read by its footer, dictionaries first. It takes a src that can
// seek and read anywhere; any other is copied to a temporary file first, one in
// [os.TempDir] with arrowplanes in its name.
//
// The result counts what was written. ctx is looked at before each message, and
// before each read of a src that is read from the start on; its error is in the
// one returned. A read or a write that waits is not interrupted: for one that can
// wait for long, close src or dst, or set its deadline, when ctx is done. What was
// written up to an error is no complete stream.
func Convert(ctx context.Context, dst io.Writer, src io.Reader, opts ...Option) (_ Stats, err error) {
	defer func() {
		// Whoever closes src or dst because ctx is done looks for its error.
		if done := ctx.Err(); err != nil && done != nil && !errors.Is(err, done) {
			err = tag(done, err)
		}
	}()
	cfg := newConfig(opts)
	cfg.ensureNativeEndian = false // bytes stay in the order the schema says
	w := newPayloadWriter(dst, cfg)
	if w.err != nil {
		return Stats{}, w.err
	}
	in, done, err := newSource(ctx, src, cfg)
	if err != nil {
		return Stats{}, err
	}
	defer done()
	if file, ok := in.(*fileSource); ok && w.sink.file != nil && w.sink.file.custom == nil {
		w.sink.file.custom = file.footer.custom()
	}
	c := converter{src: in, dec: newDecoder(cfg), w: w}
	defer c.dec.Close()
	if err := eachMessage(ctx, in, c.dec, c.message); err != nil {
		return w.enc.stats.Stats, err
	}
	err = w.Close()
	return w.enc.stats.Stats, err
}

// source gives the messages of a stream or a file, one by one: next its
// metadata, then body what is wanted of the body of the message that dec has
// begun. Both are valid until the next message.
type source interface {
	next() ([]byte, error)
	body(dec *Decoder, todo step) (storedBody, error)
}

// newSource returns the messages of r. done frees what it took.
func newSource(ctx context.Context, r io.Reader, cfg *config) (_ source, done func(), err error) {
	done = func() {}
	if err := stopped(ctx, 0); err != nil {
		return nil, done, err
	}
	if file, at, size, ok := seekable(r); ok {
		section := io.NewSectionReader(file, at, size)
		var first [len(magic)]byte
		if n, _ := section.ReadAt(first[:], 0); n == len(magic) && string(first[:]) == magic {
			src, err := newFileSource(section, size, cfg)
			return src, done, err
		}
	}
	br := bufio.NewReader(&checkedReader{ctx: ctx, r: r})
	first, err := br.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, done, fmt.Errorf("ipcx: reading the first bytes: %w", err)
	}
	if string(first) != magic {
		return &streamSource{r: br, cfg: cfg}, done, nil
	}
	spool, size, err := spool(br)
	if err != nil {
		return nil, done, err
	}
	done = func() {
		spool.Close()
		os.Remove(spool.Name())
	}
	src, err := newFileSource(spool, size, cfg)
	if err != nil {
		done()
		return nil, func() {}, err
	}
	return src, done, nil
}

// seekable returns r as something to read anywhere, with where it stands and
// how many bytes follow, if it is. A pipe has the methods, but they fail.
func seekable(r io.Reader) (_ io.ReaderAt, at, size int64, ok bool) {
	file, ok := r.(ReadAtSeeker)
	if !ok {
		return nil, 0, 0, false
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, 0, false
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, 0, false
	}
	if _, err := file.Seek(at, io.SeekStart); err != nil {
		return nil, 0, 0, false
	}
	return file, at, max(end-at, 0), true
}

// spool copies r to a temporary file, which the caller closes and removes.
func spool(r io.Reader) (*os.File, int64, error) {
	f, err := os.CreateTemp("", "arrowplanes-*.arrow")
	if err != nil {
		return nil, 0, fmt.Errorf("ipcx: temporary file for a file that cannot be read by its footer: %w", err)
	}
	n, err := io.Copy(f, r)
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, 0, fmt.Errorf("ipcx: copying the file to a temporary one: %w", err)
	}
	return f, n, nil
}

// converter moves messages from a source to a payload writer.
type converter struct {
	src  source
	dec  *Decoder
	w    *payloadWriter
	bufs [][]byte
}

// eachMessage gives do the metadata of each message of src, which dec reads.
func eachMessage(ctx context.Context, src source, dec *Decoder, do func(metadata []byte) error) error {
	for {
		if err := stopped(ctx, dec.stats.Messages); err != nil {
			return err
		}
		metadata, err := src.next()
		switch {
		case err == nil:
			err = do(metadata)
		case errors.Is(err, io.EOF) && dec.started:
			return nil
		case errors.Is(err, io.EOF):
			return tag(ErrNotArrow, errors.New("ipcx: the input ended before a schema: it is empty, or no Arrow data"))
		}
		if err != nil {
			return dec.doubt(err)
		}
	}
}

// stopped returns the error of a context that is done.
func stopped(ctx context.Context, messages int64) error {
	if err := ctx.Err(); err != nil {
		return tag(err, fmt.Errorf("ipcx: stopped after %d messages: %w", messages, withoutEOF(context.Cause(ctx))))
	}
	return nil
}

// message converts one message.
func (c *converter) message(metadata []byte) error {
	next, err := c.dec.begin(metadata)
	if err != nil {
		return err
	}
	m := &c.dec.in
	stored, err := c.src.body(c.dec, next)
	if err != nil {
		return err
	}
	body, _ := stored.(wholeBody)
	switch {
	case next == leaveOut:
		return nil
	case next == unpack:
		return c.unpack(stored)
	case m.isBatch():
		return c.share(metadata, body)
	case m.kind != flatbuf.MessageHeaderSchema:
		return c.dec.wrap(tag(ErrUnsupported, errors.New("has no place among record batches")))
	}
	if metadata, err = c.dec.share(metadata, body); err != nil {
		return err
	}
	if metadata, err = withoutBody(metadata); err != nil {
		return c.dec.wrap(err)
	}
	if metadata, err = c.w.enc.other(m, metadata); err != nil {
		return err
	}
	return c.w.sink.put(m.kind, metadata, nil)
}

// share converts a batch whose body is plain.
func (c *converter) share(metadata, body []byte) error {
	m := &c.dec.in
	if _, err := c.dec.share(metadata, body); err != nil {
		return err
	}
	if err := c.w.admit(m); err != nil {
		return err
	}
	c.cut(body)
	verbatim := c.w.enc.verbatim(m)
	if !verbatim || c.dec.cfg.zeroNulls {
		if err := c.dec.overlap(); err != nil {
			return err
		}
	}
	if changed := c.w.enc.cleaner.clean(m, c.bufs, false); changed || !verbatim {
		return c.put(m)
	}
	c.w.enc.count(m, c.bufs, m.bodyLength, false)
	c.bufs = append(c.bufs[:0], body)
	return c.w.sink.put(m.kind, metadata, c.bufs)
}

// unpack converts a batch whose body has to be decoded.
func (c *converter) unpack(stored storedBody) error {
	size, err := c.dec.measure(stored)
	if err != nil {
		return err
	}
	body := c.dec.body.Sized(size)
	if err := c.dec.fill(body); err != nil {
		return err
	}
	c.dec.count()
	m := c.dec.plain()
	if err := c.w.admit(m); err != nil {
		return err
	}
	c.cut(body)
	c.w.enc.cleaner.clean(m, c.bufs, false)
	return c.put(m)
}

// cut takes the decoder's parts out of a body.
func (c *converter) cut(body []byte) {
	c.bufs = c.bufs[:0]
	for _, p := range c.dec.parts {
		c.bufs = append(c.bufs, body[p.at:p.at+p.length])
	}
}

func (c *converter) put(m *message) error {
	metadata, segments, err := c.w.enc.batch(m, c.bufs)
	if err != nil {
		return err
	}
	return c.w.sink.put(m.kind, metadata, segments)
}
