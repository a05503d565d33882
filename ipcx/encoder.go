package ipcx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/endian"

	"github.com/arrowplanes/arrowplanes/internal/brief"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// Encoder turns the uncompressed messages of one stream, in order and from its
// schema on, into the messages that its options ask for: [WithZstd], [WithLZ4],
// [WithOffsetsAsLengths] and what goes with them. It works on bytes, for
// framings that are not this package's, such as Flight. [Writer] and
// [NewPayloadWriter] are built on it.
//
// It keeps the state of that stream, and the memory and compressors that it
// uses again and again. It is not safe for concurrent use.
type Encoder struct {
	cfg  *config
	comp compressor

	known   *arrow.Schema // of the messages to come, nil if that is not known
	started bool
	lift    bool          // V4 messages become V5
	table   *layout.Table // of the schema where its messages may be flagged, else nil

	in      message // of Encode
	cuts    [][]byte
	out     message
	builder metadataBuilder
	body    readbuf.Buffer // of Encode

	segments [][]byte         // stored bytes of each buffer
	slots    []readbuf.Buffer // the memory behind segments, by buffer

	cleaner cleaner

	stats counter
}

// NewEncoder returns an encoder for one stream. The error is about options and
// carries ErrOption.
func NewEncoder(opts ...Option) (*Encoder, error) {
	return newEncoder(newConfig(opts))
}

func newEncoder(cfg *config) (*Encoder, error) {
	if err := cfg.checkWriter(); err != nil {
		return nil, err
	}
	comp, err := newCompressor(cfg)
	if err != nil {
		return nil, err
	}
	return &Encoder{cfg: cfg, comp: comp, cleaner: cleaner{nulls: cfg.zeroNulls}}, nil
}

// Encode returns the metadata and the body of the message to store for one with
// the metadata and body given: the flatbuffer alone, without its length, and
// the bytes from the first buffer to the end of the last one's padding. What it
// returns is valid until the next call, may be the input itself, and must not
// be written to; the input is not written to.
//
// The first message must be the schema. Errors carry ErrCorrupt where metadata
// and body do not fit each other; a message that is compressed or flagged
// already is refused with ErrUnsupported.
func (e *Encoder) Encode(metadata, body []byte) (outMetadata, outBody []byte, err error) {
	if err := e.in.parse(metadata); err != nil {
		return nil, nil, e.wrap(&e.in, err)
	}
	if !e.in.isBatch() {
		outMetadata, err = e.other(&e.in, metadata)
		return outMetadata, body, err
	}
	if err := e.admit(&e.in); err != nil {
		return nil, nil, err
	}
	e.cuts = e.cuts[:0]
	for i, s := range e.in.buffers {
		p, err := cut(body, s)
		if err != nil {
			return nil, nil, e.wrap(&e.in, at(i, nil, err))
		}
		e.cuts = append(e.cuts, p)
	}
	if changed := e.cleaner.clean(&e.in, e.cuts, false); !changed && e.verbatim(&e.in) {
		e.count(&e.in, e.cuts, int64(len(body)), false)
		return metadata, body, nil
	}
	outMetadata, segments, err := e.batch(&e.in, e.cuts)
	if err != nil {
		return nil, nil, err
	}
	outBody = e.body.Sized(int(e.out.bodyLength))
	at := 0
	for _, p := range segments {
		at += copy(outBody[at:], p)
		pad := padding(len(p))
		clear(outBody[at : at+pad])
		at += pad
	}
	return outMetadata, outBody, nil
}

// Stats returns what has been encoded so far.
func (e *Encoder) Stats() Stats { return e.stats.Stats }

// wrap says which message an error is about.
func (e *Encoder) wrap(m *message, err error) error {
	return m.at(e.stats.Messages, err)
}

// admit refuses a batch that comes too early or has been through a codec.
func (e *Encoder) admit(m *message) error {
	switch {
	case !e.started:
		return e.wrap(m, tag(ErrCorrupt, errors.New("comes before the schema")))
	case m.compressed:
		return e.wrap(m, tag(ErrUnsupported, fmt.Errorf("is compressed already (codec %d); what writes it must not compress", m.codec)))
	}
	return nil
}

// other takes a message that is no batch: the schema, which it learns, or one
// that passes as it is.
func (e *Encoder) other(m *message, metadata []byte) ([]byte, error) {
	if m.kind == flatbuf.MessageHeaderSchema {
		if e.started {
			return nil, e.wrap(m, tag(ErrCorrupt, errors.New("a second schema in one stream")))
		}
		e.start(m, metadata)
		if e.lift && m.version < flatbuf.MetadataVersionV5 {
			var err error
			metadata, err = changed(metadata, func(fb *flatbuf.Message) { fb.MutateVersion(flatbuf.MetadataVersionV5) })
			if err != nil {
				return nil, e.wrap(m, err)
			}
		}
	}
	e.stats.Messages++
	return metadata, nil
}

// start learns the schema.
func (e *Encoder) start(m *message, metadata []byte) {
	e.started = true
	schema, err := e.known, error(nil)
	if schema == nil {
		schema, err = schemaOf(metadata)
	}
	if err != nil {
		// Nothing is known of its layout, so its messages pass unflagged. What
		// is wrong with it is for the reader to say.
		return
	}
	// V4 and V5 differ in the buffers of unions alone.
	e.lift = m.version == flatbuf.MetadataVersionV4 && !hasType(schema, isUnion)
	if !e.cfg.zeroNulls && !e.cfg.offsetsAsLengths() && !hasType(schema, isBoolean) && !hasType(schema, nestsUnion) {
		return // nothing that depends on it
	}
	table := layout.Of(schema)
	e.cleaner.table, e.cleaner.dictionaries = table, dictionariesOf(metadata, schema, table)
	if e.cfg.offsetsAsLengths() && table.Unmapped() == nil && table.HasOffsets() &&
		schema.Endianness() == endian.LittleEndian {
		e.table = table
	}
}

// verbatim says whether a plain batch is stored as it is, byte for byte.
func (e *Encoder) verbatim(m *message) bool {
	return e.comp == nil && m.bodyLength%8 == 0 && !(e.cfg.offsetsAsLengths() && e.roles(m) != nil) && e.version(m) == m.version
}

func (e *Encoder) version(m *message) flatbuf.MetadataVersion {
	if e.lift && m.version == flatbuf.MetadataVersionV4 {
		return flatbuf.MetadataVersionV5
	}
	return m.version
}

// roles returns the layout of m where it is to be flagged, and nil where it is
// not: see FORMAT.md, "When a writer flags".
func (e *Encoder) roles(m *message) []layout.Buffer {
	if e.table == nil || m.kind != flatbuf.MessageHeaderRecordBatch || e.version(m) != flatbuf.MetadataVersionV5 {
		return nil
	}
	negative := func(n fieldNode) bool { return n.length < 0 }
	if len(m.nodes) != len(e.table.Nodes()) || len(m.variadic) != 0 || slices.ContainsFunc(m.nodes, negative) {
		return nil
	}
	roles, err := e.table.Buffers(layout.V5, nil)
	if err != nil || len(roles) != len(m.buffers) {
		return nil
	}
	any := false
	for i, role := range roles {
		rewrite, err := rewritten(role, m.nodes[role.Node], m.buffers[i].length)
		if err != nil {
			return nil
		}
		any = any || rewrite
	}
	if !any {
		return nil
	}
	return roles
}

// batch encodes a batch that was admitted: m, whose buffers hold bufs.
// It returns the metadata and the stored bytes of each buffer, which pad to a
// multiple of 8 one by one. Both are valid until the next call.
func (e *Encoder) batch(m *message, bufs [][]byte) (metadata []byte, segments [][]byte, err error) {
	roles := e.roles(m)
	if roles != nil {
		if value, ok := m.encodings(); ok {
			return nil, nil, e.wrap(m, fmt.Errorf("custom metadata %s=%q: the key is reserved", encodingsKey, brief.Text(value)))
		}
	}
	e.grow(len(bufs))
	if e.comp != nil {
		e.comp.next(workloadOf(bufs, roles != nil))
	}
	i, err := largestFirst(e.cfg.concurrency, len(bufs),
		func(i int) int { return len(bufs[i]) },
		func(worker, i int) error {
			var role *layout.Buffer
			if roles != nil {
				role = &roles[i]
			}
			return e.buffer(worker, i, m, role, bufs[i])
		})
	if err != nil {
		return nil, nil, e.wrap(m, fmt.Errorf("buffer %d of %d bytes: %w", i, len(bufs[i]), err))
	}

	e.out = message{
		version: e.version(m), kind: m.kind, custom: m.custom,
		rows: m.rows, nodes: m.nodes, variadic: m.variadic, id: m.id, delta: m.delta,
		buffers:    e.out.buffers[:0],
		compressed: e.comp != nil || roles != nil,
		codec:      e.cfg.codec.wire(),
	}
	if roles != nil {
		e.out.codec |= flagBit
	}
	for _, p := range e.segments {
		offset := e.out.bodyLength
		if roles != nil {
			offset |= flaggedOffset
		}
		e.out.buffers = append(e.out.buffers, span{offset, int64(len(p))})
		e.out.bodyLength += int64(len(p) + padding(len(p)))
	}
	e.count(m, bufs, e.out.bodyLength, roles != nil)
	return e.builder.batch(&e.out), e.segments, nil
}

// grow makes ready for n buffers, and has the scratch that the last messages did
// not need noticed.
func (e *Encoder) grow(n int) {
	for i := range e.slots {
		e.slots[i].Sized(0)
	}
	for len(e.slots) < n {
		e.slots = append(e.slots, readbuf.Buffer{})
	}
	if cap(e.segments) < n {
		e.segments = make([][]byte, n)
	}
	e.segments = e.segments[:n]
}

// buffer stores buffer i, which holds raw, as segment i. role is nil in a
// message that is not flagged.
func (e *Encoder) buffer(worker, i int, m *message, role *layout.Buffer, raw []byte) error {
	rewrite, n := false, 0
	if role != nil {
		rewrite, _ = rewritten(*role, m.nodes[role.Node], int64(len(raw)))
		n = int(m.nodes[role.Node].length)
	}
	if e.comp == nil || len(raw) == 0 {
		if rewrite {
			dst := e.slots[i].Again(len(raw))
			if err := split(*role, dst, raw, n); err != nil {
				return err
			}
			raw = dst
		}
		e.segments[i] = raw
		return nil
	}

	dst := append(e.slots[i].Empty(), rawPrefix...)
	var err error
	if rewrite {
		dst, err = e.comp.compressOffsets(worker, dst, raw, n, *role)
	} else {
		dst, err = e.comp.compress(worker, i, dst, raw)
	}
	if err != nil {
		return err
	}
	switch {
	case e.keep(len(raw), len(dst)-len(rawPrefix), role != nil):
		putPrefix(dst, int64(len(raw)))
	case rewrite:
		dst = slices.Grow(dst[:len(rawPrefix)], len(raw))[:len(rawPrefix)+len(raw)]
		if err := split(*role, dst[len(rawPrefix):], raw, n); err != nil {
			return err
		}
	default:
		dst = append(dst[:len(rawPrefix)], raw...)
	}
	e.slots[i].Keep(dst)
	e.segments[i] = dst
	return nil
}

// keep says whether a buffer is stored compressed rather than raw. In a flagged
// message one that compression makes little smaller is stored raw: it would cost
// every reader time for next to nothing.
func (e *Encoder) keep(raw, compressed int, flagged bool) bool {
	if e.cfg.checksum {
		return true // what is stored raw has no checksum
	}
	if flagged && float64(compressed) >= float64(raw)*e.cfg.flaggedShare() {
		return false
	}
	return e.cfg.savings == 0 || 1-float64(compressed)/float64(raw) >= e.cfg.savings
}

// flaggedShare is the share of a buffer that must be left at most for it to be
// stored compressed in a flagged message. Levels above the default's ask for
// size.
func (c *config) flaggedShare() float64 {
	if c.codec == Zstd && c.zstdLevel >= 6 {
		return 1
	}
	return 0.9
}

func (e *Encoder) count(m *message, bufs [][]byte, stored int64, flagged bool) {
	raw := int64(0)
	for _, p := range bufs {
		raw += int64(len(p))
	}
	e.stats.add(m, raw, stored, flagged)
}
