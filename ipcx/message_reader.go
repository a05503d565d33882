package ipcx

import (
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// NewMessageReader returns a reader of the messages of the stream r, which it
// decodes: they come uncompressed and without flags, for arrow-go's
// ipc.NewReaderFromMessageReader and whatever else takes an ipc.MessageReader.
//
// A message is valid until the next call of Message, unless it is retained. The
// error of Message is io.EOF, or wraps it, only at the end of the stream
// between two messages; after an error there are no more messages.
func NewMessageReader(r io.Reader, opts ...Option) ipc.MessageReader {
	cfg := newConfig(opts)
	mr := newMessageReader(r, cfg)
	if cfg.readAhead > 0 {
		return newAheadReader(mr, cfg.readAhead)
	}
	return mr
}

type messageReader struct {
	refs atomic.Int64
	src  streamSource
	dec  *Decoder
	msg  *ipc.Message
	err  error
}

func newMessageReader(r io.Reader, cfg *config) *messageReader {
	mr := &messageReader{src: streamSource{r: r, cfg: cfg}, dec: newDecoder(cfg), err: cfg.err}
	mr.refs.Store(1)
	return mr
}

func (r *messageReader) lastErr() error    { return r.err }
func (r *messageReader) statistics() Stats { return r.dec.stats.Stats }

func (r *messageReader) Retain() { r.refs.Add(1) }

func (r *messageReader) Release() {
	if r.refs.Add(-1) == 0 {
		r.drop()
		r.dec.Close()
	}
}

func (r *messageReader) drop() {
	if r.msg != nil {
		r.msg.Release()
		r.msg = nil
	}
}

func (r *messageReader) Message() (*ipc.Message, error) {
	if r.err != nil {
		return nil, r.err
	}
	r.drop() // first, so that its memory can serve
	msg, err := r.read()
	if err != nil {
		r.err = r.dec.doubt(err)
		return nil, r.err
	}
	r.msg = msg
	return msg, nil
}

// read returns the next message that is wanted.
func (r *messageReader) read() (*ipc.Message, error) {
	metadata, next, err := r.wanted()
	if err != nil {
		return nil, err
	}
	if next == handOn {
		return r.share(metadata)
	}
	stored, err := r.src.bodyScratch(r.dec.in.bodyLength)
	if err != nil {
		return nil, err
	}
	return unpackMessage(r.dec, wholeBody(stored))
}

// wanted begins the next message that is wanted. Its body has to be read then.
func (r *messageReader) wanted() (metadata []byte, next step, err error) {
	for {
		if metadata, err = r.src.next(); err != nil {
			return nil, 0, err
		}
		if next, err = r.dec.begin(metadata); err != nil || next != leaveOut {
			return metadata, next, err
		}
		if _, err = r.src.bodyScratch(r.dec.in.bodyLength); err != nil {
			return nil, 0, err
		}
	}
}

// share hands a message on with its body as it is.
func (r *messageReader) share(metadata []byte) (*ipc.Message, error) {
	if err := r.dec.account(r.dec.in.bodyLength); err != nil {
		return nil, err
	}
	body, err := r.src.bodyBuffer(r.dec.in.bodyLength)
	if err != nil {
		return nil, err
	}
	defer body.Release()
	if metadata, err = r.dec.share(metadata, body.Bytes()); err != nil {
		return nil, err
	}
	if err := r.dec.loadable(body.Bytes()); err != nil {
		return nil, err
	}
	return newMessage(r.src.cfg, r.dec.inOldLayout(metadata), body), nil
}

// unpackMessage decodes the message whose metadata dec has begun and whose body
// is stored, into a body of its own.
func unpackMessage(dec *Decoder, stored storedBody) (*ipc.Message, error) {
	msg, body, err := measuredMessage(dec, stored)
	if err != nil {
		return nil, err
	}
	if err := fillMessage(dec, msg, body); err != nil {
		return nil, err
	}
	dec.count()
	return msg, nil
}

// measuredMessage returns the message whose metadata dec has begun and whose body
// is stored, with a body that fillMessage has to fill.
func measuredMessage(dec *Decoder, stored storedBody) (msg *ipc.Message, body []byte, err error) {
	size, err := dec.measure(stored)
	if err != nil {
		return nil, nil, err
	}
	if err := dec.account(int64(size)); err != nil {
		return nil, nil, err
	}
	buf := newBuffer(dec.cfg.bodies, size)
	defer buf.Release()
	return newMessage(dec.cfg, dec.inOldLayout(dec.metadata()), buf), buf.Bytes(), nil
}

// fillMessage fills the body of the message that measuredMessage returned, or
// releases the message.
func fillMessage(dec *Decoder, msg *ipc.Message, body []byte) error {
	err := dec.fill(body)
	if err == nil {
		err = dec.loadable(body)
	}
	if err != nil {
		msg.Release()
	}
	return err
}

// newMessage returns the message of a copy of metadata and of body, which it
// retains. The copy's memory serves another message once this one is released:
// arrow-go keeps nothing that points into metadata.
func newMessage(cfg *config, metadata []byte, body *memory.Buffer) *ipc.Message {
	header := newBuffer(cfg.headers, len(metadata))
	defer header.Release()
	copy(header.Bytes(), metadata)
	return ipc.NewMessage(header, body)
}
