package ipcx

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// fileLoader loads the record batches of a file, one at a time. arrow-go builds
// the arrays: its stream reader is given the schema, then all dictionaries, and
// from then on whichever record batch is asked for.
type fileLoader struct {
	f      *FileReader
	dec    *Decoder
	queue  messageQueue
	r      *ipc.Reader
	deltas bool // whether there are any among its dictionaries
	failed bool // in arrow-go's reader
	broken bool
	known  validatedDictionaries

	head   readbuf.Buffer // what stands before a body
	stored readbuf.Buffer // a body as it is stored
	ranges rangedBody
	noRows []byte // metadata of a record batch without rows, once it was needed
}

func newFileLoader(f *FileReader) (*fileLoader, error) {
	l := &fileLoader{f: f, dec: newDecoder(f.cfg)}
	l.dec.where = place{"footer", -1}
	if _, err := l.dec.begin(f.head); err != nil {
		return nil, err
	}
	schema, err := l.dec.share(f.head, nil)
	if err != nil {
		return nil, err
	}
	empty := memory.NewBufferBytes(nil)
	l.queue.refs.Store(1)
	l.queue.push(newMessage(f.cfg, schema, empty))
	cfg := *f.cfg
	cfg.delayReadSchema = false
	if l.r, err = ipc.NewReaderFromMessageReader(&l.queue, cfg.arrowOptions()...); err != nil {
		return nil, undecodable(err)
	}
	l.dec.adopt(l.r.Schema())
	return l, nil
}

func (l *fileLoader) release() {
	if l.failed && l.deltas {
		l.queue.Release() // and not what may be released already: see Reader.Release
	} else {
		l.r.Release()
	}
	l.dec.Close()
}

// loadDictionaries returns the dictionary batches of the file, decoded. The
// caller releases them.
func (l *fileLoader) loadDictionaries() (msgs []*ipc.Message, err error) {
	defer func() {
		if err != nil {
			for _, msg := range msgs {
				msg.Release()
			}
			msgs = nil
		}
	}()
	seen := make(map[int64]struct{})
	for i, b := range l.f.footer.dictionaries {
		what := place{"dictionary block", i}
		msg, err := l.message(b, what, flatbuf.MessageHeaderDictionaryBatch)
		if err != nil {
			return msgs, err
		}
		if msg == nil {
			continue
		}
		msgs = append(msgs, msg)
		id := l.dec.in.id
		if _, again := seen[id]; again && !l.dec.in.delta {
			return msgs, tag(ErrReplacement, fmt.Errorf("ipcx: %s: dictionary %d is there already, and a file has one for each field", what, id))
		}
		seen[id] = struct{}{}
	}
	return msgs, nil
}

// prime gives the dictionaries to arrow-go's reader.
func (l *fileLoader) prime() error {
	defer func() { l.deltas = len(l.dec.dicts.grown) > 0 }()
	msgs := l.f.dictionaries
	if l.dec.swaps {
		own, err := l.loadDictionaries()
		if err != nil {
			return err
		}
		for _, msg := range own {
			l.queue.push(msg)
		}
		return nil
	}
	for _, msg := range msgs {
		msg.Retain()
		l.queue.push(msg)
	}
	l.dec.dicts = l.f.dicts.clone()
	return nil
}

// load returns record batch i. The caller releases it.
func (l *fileLoader) load(i int) (arrow.RecordBatch, error) {
	what := place{"record batch", i}
	msg, err := l.message(l.f.footer.batches[i], what, flatbuf.MessageHeaderRecordBatch)
	if err != nil {
		return nil, err
	}
	size := msg.BodyLen()
	l.queue.push(msg)
	if !l.r.Next() {
		l.broken, l.failed = true, true
		err := l.r.Err()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("ipcx: %s: %w", what, err)
	}
	rec := l.r.RecordBatch()
	if l.f.cfg.validate {
		if err := validate(rec, i, &l.known); err != nil {
			l.broken = true
			return nil, err
		}
	}
	if l.f.nests {
		rec = withOwnDictionaries(rec)
	} else {
		rec.Retain()
	}
	if mapped := l.f.mapped != nil && l.dec.shareable(); size > heldMax && !mapped {
		l.letGo()
	}
	return rec, nil
}

// heldMax is how many bytes of a record batch an idle loader may keep alive.
const heldMax = 1 << 20

// letGo makes arrow-go's reader drop its reference to the record batch that it
// has read, which it does when it reads another one: here one without rows.
func (l *fileLoader) letGo() {
	if l.dec.swaps || !l.makeNoRows() {
		l.broken = true // put then releases it
		return
	}
	l.queue.push(newMessage(l.f.cfg, l.noRows, memory.NewBufferBytes(nil)))
	l.broken = !l.r.Next()
}

// makeNoRows makes the metadata of a record batch without rows, once. It is false
// where that cannot be had.
func (l *fileLoader) makeNoRows() bool {
	if l.noRows != nil {
		return true
	}
	table := layout.Of(l.f.schema)
	variadic := make([]int64, len(table.Variadic()))
	buffers, err := table.Buffers(layout.V5, variadic)
	if err != nil {
		return false
	}
	l.noRows = bytes.Clone(l.dec.builder.batch(&message{
		version:  flatbuf.MetadataVersionV5,
		kind:     flatbuf.MessageHeaderRecordBatch,
		nodes:    make([]fieldNode, len(table.Nodes())),
		buffers:  make([]span, len(buffers)),
		variadic: variadic,
	}))
	return true
}

// message returns the decoded message of a block, nil if it is to be left out.
// The caller releases it.
func (l *fileLoader) message(b block, what place, kind flatbuf.MessageHeader) (*ipc.Message, error) {
	if err := l.f.footer.check(b, what, l.f.cfg); err != nil {
		return nil, err
	}
	head, err := l.bytes(&l.head, b.offset, b.metadata)
	if err != nil {
		return nil, fmt.Errorf("ipcx: %s: %w", what, err)
	}
	metadata, err := cutBlock(head, b)
	if err != nil {
		return nil, err
	}
	l.dec.where = what
	next, err := l.dec.begin(metadata)
	switch {
	case err != nil:
		return nil, err
	case l.dec.in.kind != kind:
		return nil, l.dec.wrap(tag(ErrCorrupt, fmt.Errorf("a message of type %s at byte %d, not %s", l.dec.in.kind, b.offset, kind)))
	case l.dec.in.bodyLength != b.body:
		return nil, l.dec.wrap(tag(ErrCorrupt, fmt.Errorf("body of %d bytes where the footer has %d", l.dec.in.bodyLength, b.body)))
	case next == leaveOut:
		return nil, nil
	case l.f.mapped != nil:
		return l.mapped(metadata, b, next)
	case next == handOn:
		return l.share(metadata, b)
	case l.dec.projects():
		if err := l.ranges.read(l.f.r, b, l.dec); err != nil {
			return nil, l.dec.wrap(err)
		}
		return unpackMessage(l.dec, &l.ranges)
	}
	stored, err := l.bytes(&l.stored, b.offset+b.metadata, b.body)
	if err != nil {
		return nil, l.dec.wrap(err)
	}
	return unpackMessage(l.dec, wholeBody(stored))
}

// bytes returns n bytes of the file from byte at on, in scratch or mapped.
func (l *fileLoader) bytes(scratch *readbuf.Buffer, at, n int64) ([]byte, error) {
	if mapped := l.f.mapped; mapped != nil {
		return mapped[at : at+n : at+n], nil
	}
	p := scratch.Sized(int(n))
	return p, readAt(l.f.r, p, at)
}

// mapped returns the message of a block of a mapped file, with the bytes of the
// mapping where it can.
func (l *fileLoader) mapped(metadata []byte, b block, next step) (*ipc.Message, error) {
	stored, err := l.bytes(nil, b.offset+b.metadata, b.body)
	if err != nil {
		return nil, l.dec.wrap(err)
	}
	if next == unpack && !l.dec.shareable() {
		return unpackMessage(l.dec, wholeBody(stored))
	}
	if err := l.dec.account(b.body); err != nil {
		return nil, err
	}
	shared, err := l.dec.share(metadata, stored)
	if err != nil {
		return nil, err
	}
	if err := l.dec.loadable(stored); err != nil {
		return nil, err
	}
	shared = l.dec.inOldLayout(shared)
	body := memory.NewBufferBytes(stored)
	if len(shared) > 0 && &shared[0] == &metadata[0] {
		return ipc.NewMessage(memory.NewBufferBytes(metadata), body), nil
	}
	return newMessage(l.f.cfg, shared, body), nil
}

// share returns the message of a block with its body as it is.
func (l *fileLoader) share(metadata []byte, b block) (*ipc.Message, error) {
	l.stored.Sized(0)
	if err := l.dec.account(b.body); err != nil {
		return nil, err
	}
	body := newBuffer(l.f.cfg.bodies, int(b.body))
	defer body.Release()
	if err := readAt(l.f.r, body.Bytes(), b.offset+b.metadata); err != nil {
		return nil, l.dec.wrap(err)
	}
	metadata, err := l.dec.share(metadata, body.Bytes())
	if err != nil {
		return nil, err
	}
	if err := l.dec.loadable(body.Bytes()); err != nil {
		return nil, err
	}
	return newMessage(l.f.cfg, l.dec.inOldLayout(metadata), body), nil
}

// messageQueue is a message reader that gives what was pushed.
type messageQueue struct {
	refs    atomic.Int64
	msgs    []*ipc.Message
	current *ipc.Message
}

// push takes over the caller's reference to msg.
func (q *messageQueue) push(msg *ipc.Message) { q.msgs = append(q.msgs, msg) }

func (q *messageQueue) Message() (*ipc.Message, error) {
	q.drop()
	if len(q.msgs) == 0 {
		return nil, io.EOF
	}
	q.current = q.msgs[0]
	q.msgs = append(q.msgs[:0], q.msgs[1:]...)
	return q.current, nil
}

func (q *messageQueue) drop() {
	if q.current != nil {
		q.current.Release()
		q.current = nil
	}
}

func (q *messageQueue) Retain() { q.refs.Add(1) }

func (q *messageQueue) Release() {
	if q.refs.Add(-1) == 0 {
		q.drop()
		for _, msg := range q.msgs {
			msg.Release()
		}
		q.msgs = nil
	}
}
