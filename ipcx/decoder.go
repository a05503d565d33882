package ipcx

import (
	"errors"
	"fmt"
	"math"

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
	big     bool         // the stream's data is big-endian
	swaps   bool         // arrow-go's loader will swap its bytes, in place
	schema  []byte       // metadata of the schema message, until described
	desc    *description // when the first message needs it: most streams never do

	in      message
	out     message
	parts   []part
	comp    decompressors
	planes  readbuf.Buffer // rewritten buffers once decompressed
	body    readbuf.Buffer // of Decode
	builder metadataBuilder

	stats Stats
}

// description is a schema, decoded.
type description struct {
	schema *arrow.Schema
	table  *layout.Table
	err    error
}

// part is one buffer on its way through a decoder.
type part struct {
	payload    []byte // as stored, behind the length prefix
	compressed bool
	rewrite    bool // planes, of n rows
	n          int
	role       layout.Buffer // where the message is flagged
	at, length int64         // in the decoded body, bytes
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

func newDecoder(cfg *config) *Decoder { return &Decoder{cfg: cfg} }

// Decode returns the metadata and the body of the uncompressed message without
// flags for one with the metadata and body given: the flatbuffer alone, without
// its length, and the body with its padding. What it returns is valid until the
// next call, may be the input itself, and must not be written to; the input is
// not written to. The buffers of a decoded body start at multiples of 64 bytes
// and share none.
//
// The first message must be the schema. Errors carry ErrCorrupt,
// ErrUnsupported, ErrLimit or ErrUnmappedLayout.
func (d *Decoder) Decode(metadata, body []byte) (outMetadata, outBody []byte, err error) {
	passes, err := d.begin(metadata)
	if err != nil {
		return nil, nil, err
	}
	if int64(len(body)) < d.in.bodyLength {
		return nil, nil, d.wrap(tag(ErrCorrupt, fmt.Errorf("body of %d bytes where the metadata says %d", len(body), d.in.bodyLength)))
	}
	body = body[:d.in.bodyLength]
	if passes {
		return metadata, body, d.pass(body)
	}
	size, err := d.measure(body)
	if err != nil {
		return nil, nil, err
	}
	outBody = d.body.Sized(size)
	if err := d.fill(outBody); err != nil {
		return nil, nil, err
	}
	return d.metadata(), outBody, nil
}

// Stats returns what has been decoded so far.
func (d *Decoder) Stats() Stats { return d.stats }

// Close frees the decompressors. A decoder may be used on after it, and then
// makes new ones.
func (d *Decoder) Close() { d.comp.close() }

// wrap says which message an error is about.
func (d *Decoder) wrap(err error) error {
	return fmt.Errorf("ipcx: message %d (%s): %w", d.stats.Messages, d.in.kind, err)
}

// begin reads the metadata of the next message. passes means that the message
// is handed on as it is: pass has to see its body. Otherwise it goes through
// measure, fill and metadata.
func (d *Decoder) begin(metadata []byte) (passes bool, err error) {
	if err := d.in.parse(metadata); err != nil {
		return false, d.wrap(err)
	}
	if !d.in.isBatch() {
		if d.in.kind == flatbuf.MessageHeaderSchema && !d.started {
			d.started = true
			d.big = d.in.bigEndian
			d.swaps = d.cfg.ensureNativeEndian && d.big != (endian.NativeEndian == endian.BigEndian)
			d.schema = append([]byte(nil), metadata...)
		}
		return true, nil
	}
	if !d.started {
		return false, d.wrap(tag(ErrCorrupt, errors.New("comes before the schema")))
	}
	if err := d.checkFlag(); err != nil {
		return false, d.wrap(err)
	}
	return !d.in.compressed && !d.swaps, nil
}

// describe decodes the schema, once.
func (d *Decoder) describe() *description {
	if d.desc != nil {
		return d.desc
	}
	d.desc = &description{}
	schema, err := schemaOf(d.schema)
	d.schema = nil
	if err != nil {
		d.desc.err = err
		return d.desc
	}
	d.desc.schema = schema
	d.desc.table = layout.Of(schema)
	return d.desc
}

// pass checks and counts a message that is handed on as it is.
func (d *Decoder) pass(body []byte) error {
	if !d.in.isBatch() {
		d.stats.Messages++
		return nil
	}
	raw := int64(0)
	for i, s := range d.in.buffers {
		if s.length == 0 {
			continue // wherever it says it lies
		}
		if _, err := cut(body, s, i); err != nil {
			return d.wrap(err)
		}
		raw += s.length
	}
	d.stats.add(&d.in, raw, d.in.bodyLength, false)
	return nil
}

// measure finds the buffers of the message in its body and lays out the decoded
// body, whose size in bytes it returns. Nothing of that size is allocated
// before.
func (d *Decoder) measure(body []byte) (int, error) {
	if d.swaps && (d.describe().err != nil || hasType(d.desc.schema, cannotSwap)) {
		return 0, d.wrap(tag(ErrUnsupported, errors.New("data of the other byte order, of a type whose bytes cannot be swapped (view, list view or run-end encoded)")))
	}
	var roles []layout.Buffer
	if d.in.flagged() {
		var err error
		if roles, err = d.flaggedLayout(); err != nil {
			return 0, d.wrap(err)
		}
	}
	codec, ok := Uncompressed, true
	if d.in.compressed {
		if codec, ok = codecOf(d.in.codec); !ok {
			return 0, d.wrap(tag(ErrUnsupported, fmt.Errorf("codec %d", d.in.codec)))
		}
		if d.in.method != int8(flatbuf.BodyCompressionMethodBUFFER) {
			return 0, d.wrap(tag(ErrUnsupported, fmt.Errorf("compression method %d", d.in.method)))
		}
	}
	limit := int64(math.MaxInt)
	if d.cfg.decodedLimit > 0 {
		limit = min(limit, d.cfg.decodedLimit)
	}
	d.parts = d.parts[:0]
	size := int64(0)
	for i, s := range d.in.buffers {
		var p part
		err := p.find(body, s, i, codec)
		if err == nil && roles != nil {
			err = p.assign(roles[i], d.in.nodes)
		}
		if err != nil {
			return 0, d.wrap(d.at(i, roles, err))
		}
		p.at = size
		if p.length > limit-size-(bodyAlignment-1) {
			return 0, d.wrap(tag(ErrLimit, fmt.Errorf("the decoded body passes %d bytes at buffer %d of %d bytes (WithDecodedSizeLimit)", limit, i, p.length)))
		}
		size += (p.length + bodyAlignment - 1) &^ (bodyAlignment - 1)
		d.parts = append(d.parts, p)
	}
	return int(size), nil
}

// at says which buffer, and of which field, an error is about.
func (d *Decoder) at(i int, roles []layout.Buffer, err error) error {
	if roles != nil {
		return fmt.Errorf("field %q, %s: %w", roles[i].Path, roles[i].Role, err)
	}
	return fmt.Errorf("buffer %d: %w", i, err)
}

// find takes buffer i out of body.
func (p *part) find(body []byte, s span, i int, codec Codec) error {
	s.offset &^= flaggedOffset
	if s.length == 0 && s.offset > int64(len(body)) {
		s.offset = 0 // where an empty buffer lies says nothing
	}
	stored, err := cut(body, s, i)
	if err != nil {
		return err
	}
	if codec == Uncompressed {
		p.payload, p.length = stored, s.length
		return nil
	}
	if p.payload, p.length, p.compressed, err = cutPrefix(stored); err != nil || !p.compressed {
		return err
	}
	return plausible(codec, p.payload, p.length)
}

// assign says what a buffer of a flagged message holds.
func (p *part) assign(role layout.Buffer, nodes []fieldNode) error {
	p.role = role
	rewrite, err := rewritten(role, nodes[role.Node], p.length)
	if err != nil {
		return tag(ErrCorrupt, err)
	}
	p.rewrite = rewrite
	if rewrite {
		p.n = int(nodes[role.Node].length)
	}
	return nil
}

// fill decodes the message that was measured into dst, which has its size. All
// of dst is written.
func (d *Decoder) fill(dst []byte) error {
	codec, _ := codecOf(d.in.codec)
	raw := int64(0)
	for i := range d.parts {
		p := &d.parts[i]
		end := p.at + p.length
		if err := d.decode(codec, dst[p.at:end:end], p); err != nil {
			var roles []layout.Buffer
			if d.in.flagged() {
				roles, _ = d.desc.table.Buffers(layout.V5, nil)
			}
			return d.wrap(d.at(i, roles, err))
		}
		next := int64(len(dst))
		if i+1 < len(d.parts) {
			next = d.parts[i+1].at
		}
		clear(dst[end:next])
		raw += p.length
	}
	d.stats.add(&d.in, raw, d.in.bodyLength, d.in.flagged())
	return nil
}

// decode writes one buffer to dst, which has its length.
func (d *Decoder) decode(codec Codec, dst []byte, p *part) error {
	switch {
	case p.compressed && p.rewrite:
		lengths := d.planes.Sized(len(dst))
		if err := d.comp.decompress(codec, lengths, p.payload); err != nil {
			return err
		}
		return join(p.role, dst, lengths, p.n)
	case p.compressed:
		return d.comp.decompress(codec, dst, p.payload)
	case p.rewrite:
		return join(p.role, dst, p.payload, p.n)
	}
	copy(dst, p.payload)
	return nil
}

// plain returns the message that was filled, as it is in the decoded body. It is
// valid until the next call.
func (d *Decoder) plain() *message {
	buffers := d.out.buffers[:0]
	d.out = d.in
	d.out.compressed = false
	d.out.bodyLength = 0
	for _, p := range d.parts {
		buffers = append(buffers, span{p.at, p.length})
		d.out.bodyLength = (p.at + p.length + bodyAlignment - 1) &^ (bodyAlignment - 1)
	}
	d.out.buffers = buffers
	return &d.out
}

// metadata returns the metadata of the message that was filled. It is valid
// until the next call.
func (d *Decoder) metadata() []byte { return d.builder.batch(d.plain()) }
