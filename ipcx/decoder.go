package ipcx

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/endian"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// Decoder turns the messages of one stream, in order and from its schema on,
// into uncompressed messages without flags, as arrow-go reads them. It works on
// bytes, for framings that are not this package's, such as Flight. [Reader] and
// [NewMessageReader] are built on it.
//
// It keeps the state of that stream, and the memory and decompressors that it
// uses again and again. It is not safe for concurrent use.
type Decoder struct {
	cfg     *config
	started bool
	swaps   bool       // arrow-go's loader will swap its bytes, in place
	foreign bool       // its bytes are of the other order, and stay so
	views   viewCounts // of the stream's batches
	dicts   dictionaryState
	schema  []byte        // metadata of the schema message, until described
	adopted *arrow.Schema // the same, where arrow-go's reader has decoded it
	desc    *description  // when the first message needs it

	in      message
	index   int64 // which message of the stream that is
	meta    int64 // bytes of its metadata
	out     message
	parts   []part
	size    int64 // of the decoded body, bytes
	first   decodeWorker
	others  []decodeWorker
	water   highWater
	body    readbuf.Buffer // of Decode
	builder metadataBuilder
	sel     *selection // nil for all columns
	where   place      // what errors are about, if it is not the next message of a stream

	stats counter
}

// description is a schema, decoded.
type description struct {
	schema       *arrow.Schema
	table        *layout.Table
	dictionaries dictionaries
	deep         int // a column that is nested too deep to be loaded, -1 for none
	err          error
}

// NewDecoder returns a decoder for one stream. The error is about options and
// carries ErrOption.
func NewDecoder(opts ...Option) (*Decoder, error) {
	cfg := newConfig(opts)
	if cfg.err != nil {
		return nil, cfg.err
	}
	return newDecoder(cfg), nil
}

func newDecoder(cfg *config) *Decoder {
	return &Decoder{cfg: cfg, others: make([]decodeWorker, cfg.decompressConcurrency-1)}
}

// Decode returns the metadata and the body of the uncompressed message without
// flags for one with the metadata and body given: the flatbuffer alone, without
// its length, and the body with its padding. What it returns is valid until the
// next call, may be the input itself, and must not be written to; the input is
// not written to. The buffers of a decoded body start at multiples of 64 bytes
// and share none. The metadata is nil for a message to leave out: with
// [WithColumns], a dictionary that none of the columns has.
//
// The first message must be the schema. Errors carry ErrCorrupt,
// ErrUnsupported, ErrLimit or ErrUnmappedLayout.
func (d *Decoder) Decode(metadata, body []byte) (outMetadata, outBody []byte, err error) {
	next, err := d.begin(metadata)
	if err != nil || next == leaveOut {
		return nil, nil, err
	}
	if int64(len(body)) < d.in.bodyLength {
		return nil, nil, d.wrap(tag(ErrCorrupt, fmt.Errorf("body of %d bytes where the metadata says %d", len(body), d.in.bodyLength)))
	}
	body = body[:d.in.bodyLength]
	if next == handOn {
		metadata, err := d.share(metadata, body)
		return metadata, body, err
	}
	size, err := d.measure(wholeBody(body))
	if err != nil {
		return nil, nil, err
	}
	outBody = d.body.Sized(size)
	if err := d.fill(outBody); err != nil {
		return nil, nil, err
	}
	d.count()
	return d.metadata(), outBody, nil
}

// Stats returns what has been decoded so far.
func (d *Decoder) Stats() Stats { return d.stats.Stats }

// Close frees the decompressors. A decoder may be used on after it, and then
// makes new ones.
func (d *Decoder) Close() {
	for i := range len(d.others) + 1 {
		d.worker(i).comp.close()
	}
}

// wrap says which message an error is about.
func (d *Decoder) wrap(err error) error {
	if d.where.what != "" {
		return fmt.Errorf("ipcx: %s: %w", d.where, err)
	}
	return d.in.at(d.index, err)
}

// step is what is to be done with a message.
type step int

const (
	handOn   step = iota // share: its body stays as it is
	unpack               // measure, fill and metadata: it gets a new body
	leaveOut             // nothing
)

// begin reads the metadata of the next message and says what to do with it.
func (d *Decoder) begin(metadata []byte) (step, error) {
	d.settle()
	d.index, d.meta = d.stats.Messages, int64(len(metadata))
	if err := d.in.parse(metadata); err != nil {
		return 0, d.wrap(err)
	}
	if !d.in.isBatch() {
		if d.in.kind == flatbuf.MessageHeaderSchema {
			if d.started {
				return 0, d.wrap(tag(ErrCorrupt, errors.New("a second schema in one stream")))
			}
			return handOn, d.start(metadata)
		}
		return handOn, nil
	}
	if !d.started {
		return 0, d.wrap(tag(ErrCorrupt, errors.New("comes before the schema")))
	}
	if err := d.checkFlag(); err != nil {
		return 0, d.wrap(err)
	}
	if err := d.views.check(&d.in); err != nil {
		return 0, d.wrap(err)
	}
	if d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
		if err := d.dicts.check(&d.in); err != nil {
			return 0, d.wrap(err)
		}
	}
	if d.sel != nil {
		if d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
			if _, wanted := d.sel.dictionaries[d.in.id]; !wanted {
				return leaveOut, nil
			}
		} else if err := d.sel.message(&d.in); err != nil {
			return 0, d.wrap(err)
		} else {
			return unpack, nil
		}
	}
	if d.in.compressed || d.swaps {
		return unpack, nil
	}
	return handOn, nil
}

// settle has scratch noticed that the last messages did not need.
func (d *Decoder) settle() {
	d.body.Sized(0)
	for i := range len(d.others) + 1 {
		d.worker(i).planes.Sized(0)
	}
}

// start learns the schema.
func (d *Decoder) start(metadata []byte) (err error) {
	if d.dicts.ids, err = dictionaryIDsOf(metadata); err != nil {
		return d.wrap(err)
	}
	d.dicts.missing = len(d.dicts.ids) > 0
	if d.cfg.projection.asked() {
		if d.sel, err = selectColumns(&d.cfg.projection, metadata); err != nil {
			return d.wrap(err)
		}
	}
	d.started = true
	foreign := d.in.bigEndian != (endian.NativeEndian == endian.BigEndian)
	d.swaps, d.foreign = d.cfg.ensureNativeEndian && foreign, !d.cfg.ensureNativeEndian && foreign
	d.schema = append([]byte(nil), metadata...)
	d.views = countViews(metadata)
	return nil
}

// doubt returns err, with ErrNotArrow where nothing of the stream has made sense
// so far.
func (d *Decoder) doubt(err error) error {
	if !d.started && (errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLimit) || errors.Is(err, io.ErrUnexpectedEOF)) {
		return tag(ErrNotArrow, err)
	}
	return err
}

// adopt takes the schema as arrow-go's reader of these messages has decoded it: to
// do so twice shows in short streams. It is another schema than that of the stream
// where columns are left out or bytes are swapped.
func (d *Decoder) adopt(schema *arrow.Schema) {
	if d.sel == nil && !d.swaps {
		d.adopted = schema
	}
}

// lend gives h what it takes to fill the message that was measured, and to check it,
// while d goes on to the next one. Until the next call h is for nothing else.
func (d *Decoder) lend(h *Decoder) {
	h.swaps, h.foreign, h.where, h.index = d.swaps, d.foreign, d.where, d.index
	h.desc = d.describe()
	h.in, d.in = d.in, h.in
	h.parts, d.parts = d.parts, h.parts
	if d.sel != nil {
		if h.sel == nil {
			h.sel = &selection{}
		}
		*h.sel, *d.sel = *d.sel, d.sel.with(h.sel)
	}
	h.settle()
}

// describe decodes the schema, once.
func (d *Decoder) describe() *description {
	if d.desc != nil {
		return d.desc
	}
	d.desc = &description{}
	schema, metadata, err := d.adopted, d.schema, error(nil)
	if schema == nil {
		schema, err = schemaOf(metadata)
	}
	d.schema = nil
	if err != nil {
		d.desc.err = err
		return d.desc
	}
	d.desc.schema = schema
	d.desc.table = layout.Of(schema)
	d.desc.dictionaries = dictionariesOf(metadata, schema, d.desc.table)
	d.desc.deep = tooDeep(d.desc.table)
	return d.desc
}

// shareable says whether a batch can be handed on with its body as it is, if
// need be with other metadata.
func (d *Decoder) shareable() bool { return !d.in.compressed && !d.swaps }

// share checks and counts a message whose body stays as it is, and returns the
// metadata to hand on with it: metadata, unless columns are left out. It is
// valid until the next call.
func (d *Decoder) share(metadata, body []byte) ([]byte, error) {
	if !d.in.isBatch() {
		d.stats.Messages++
		if d.in.kind == flatbuf.MessageHeaderSchema && d.sel != nil {
			return d.sel.schema, nil
		}
		return metadata, nil
	}
	d.parts = slices.Grow(d.parts[:0], d.chosen())
	raw := int64(0)
	for i, n := 0, d.chosen(); i < n; i++ {
		j := d.pick(i)
		s := d.in.buffers[j]
		if s.length == 0 {
			s.offset = 0 // where it says it lies means nothing
		}
		if _, err := cut(body, s); err != nil {
			return nil, d.wrap(at(j, nil, err))
		}
		raw += s.length
		d.parts = append(d.parts, part{at: s.offset, length: s.length})
	}
	d.stats.add(&d.in, raw, d.in.bodyLength, false)
	if !d.projects() {
		return metadata, nil
	}
	m := d.plain()
	m.bodyLength = d.in.bodyLength
	return d.builder.batch(m), nil
}

// overlap refuses a plain batch whose buffers, which may share bytes, add up to more
// than its body and than a decoded one may have. It is for what looks at each of
// them, or copies it: bytes that are there once could cost any time otherwise.
func (d *Decoder) overlap() error {
	if d.cfg.decodedLimit <= 0 {
		return nil
	}
	limit, raw := max(d.cfg.decodedLimit, d.in.bodyLength), int64(0)
	for i, p := range d.parts {
		if raw += p.length; raw > limit {
			return d.wrap(tag(ErrLimit, fmt.Errorf("buffers that share a body of %d bytes pass %d bytes at buffer %d (WithDecodedSizeLimit)", d.in.bodyLength, limit, d.pick(i))))
		}
	}
	return nil
}

// projects says whether columns are left out of the message at hand.
func (d *Decoder) projects() bool {
	return d.sel != nil && d.in.kind == flatbuf.MessageHeaderRecordBatch
}

// chosen is how many buffers of the message are wanted, and pick which the i-th
// of them is.
func (d *Decoder) chosen() int {
	if d.projects() {
		return len(d.sel.buffers)
	}
	return len(d.in.buffers)
}

func (d *Decoder) pick(i int) int {
	if d.projects() {
		return d.sel.buffers[i]
	}
	return i
}
