package ipcx

import (
	"fmt"
	"slices"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// part is one buffer on its way through a decoder.
type part struct {
	payload    []byte // as stored, behind the length prefix
	compressed bool
	rewrite    bool // planes, of n rows
	ordered    bool // and once decoded, its offsets are known not to decrease
	n          int
	role       layout.Buffer // where the message is flagged
	at, length int64         // in the decoded body, bytes
	room       int64         // up to the next buffer there
}

// storedBody gives the stored bytes of a message's buffers.
type storedBody interface {
	buffer(s span) ([]byte, error)
}

// wholeBody is a body that is all there.
type wholeBody []byte

func (b wholeBody) buffer(s span) ([]byte, error) { return cut(b, s) }

// measure finds the wanted buffers of the message in its body and lays out the
// decoded body, whose size in bytes it returns. Nothing of that size is
// allocated before.
func (d *Decoder) measure(body storedBody) (int, error) {
	if d.swaps {
		if err := d.swappable(); err != nil {
			return 0, d.wrap(tag(ErrUnsupported, fmt.Errorf("data of the other byte order: %w", err)))
		}
	}
	codec, roles, err := d.form()
	if err != nil {
		return 0, d.wrap(err)
	}
	limit, why := int64(maxBody), "what this machine addresses"
	if asked := d.cfg.decodedLimit; asked > 0 && asked < limit {
		limit, why = asked, "WithDecodedSizeLimit"
	}
	d.parts = slices.Grow(d.parts[:0], d.chosen())
	size := int64(0)
	for i, n := 0, d.chosen(); i < n; i++ {
		var (
			p part
			j = d.pick(i)
		)
		err := p.find(body, d.in.buffers[j], codec, d.in.bodyLength)
		if err == nil && roles != nil {
			err = p.assign(roles[j], d.in.nodes)
		}
		if err != nil {
			return 0, d.wrap(at(j, roles, err))
		}
		p.at = size
		slack := int64(0)
		if p.compressed && codec == Zstd && !p.rewrite {
			slack = zstdSlack
		}
		if p.length > limit-size || align(p.length+slack) > limit-size {
			return 0, d.wrap(tag(ErrLimit, fmt.Errorf("the decoded body passes %d bytes at buffer %d of %d bytes, behind %d (%s)", limit, j, p.length, size, why)))
		}
		p.room = align(p.length + slack)
		size += p.room
		d.parts = append(d.parts, p)
	}
	d.size = size
	return int(size), nil
}

// align rounds up to where the next buffer of a decoded body starts.
func align(n int64) int64 { return (n + bodyAlignment - 1) &^ (bodyAlignment - 1) }

// form returns the codec of the message at hand and, where it is flagged, what
// its buffers hold.
func (d *Decoder) form() (Codec, []layout.Buffer, error) {
	if !d.in.compressed {
		return Uncompressed, nil, nil
	}
	var roles []layout.Buffer
	if d.in.flagged() {
		var err error
		if roles, err = d.flaggedLayout(); err != nil {
			return 0, nil, err
		}
	}
	codec, ok := codecOf(d.in.codec)
	if !ok {
		return 0, nil, tag(ErrUnsupported, fmt.Errorf("codec %d", d.in.codec))
	}
	if d.in.method != int8(flatbuf.BodyCompressionMethodBUFFER) {
		return 0, nil, tag(ErrUnsupported, fmt.Errorf("compression method %d", d.in.method))
	}
	return codec, roles, nil
}

// at says which buffer, and of which field, an error is about.
func at(i int, roles []layout.Buffer, err error) error {
	if roles != nil {
		return fmt.Errorf("field %q, %s: %w", roles[i].Path, roles[i].Role, err)
	}
	return fmt.Errorf("buffer %d: %w", i, err)
}

// find takes a buffer out of a body of size bytes.
func (p *part) find(body storedBody, s span, codec Codec, size int64) error {
	s.offset &^= flaggedOffset
	if s.length == 0 && s.offset > size {
		s.offset = 0 // where an empty buffer lies says nothing
	}
	stored, err := body.buffer(s)
	if err != nil {
		return err
	}
	if codec == Uncompressed {
		p.payload, p.length = stored, s.length
		return nil
	}
	if p.payload, p.length, p.compressed, err = cutPrefix(stored); err != nil {
		return err
	}
	if p.length == 0 && startsFrame(codec, p.payload) {
		p.compressed = true // and if it holds anything, the prefix is wrong
	}
	if !p.compressed {
		return nil
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

// count counts the message that was measured.
func (d *Decoder) count() {
	raw := int64(0)
	for i := range d.parts {
		raw += d.parts[i].length
	}
	d.stats.add(&d.in, raw, d.in.bodyLength, d.in.flagged())
}

// fill decodes the message that was measured into dst, which has its size. All
// of dst is written.
func (d *Decoder) fill(dst []byte) error {
	codec, _ := codecOf(d.in.codec)
	longest := int64(0)
	for i := range d.parts {
		longest = max(longest, d.parts[i].length)
	}
	if d.water.next(int(longest)) {
		d.Close()
	}
	i, err := largestFirst(d.cfg.decompressConcurrency, len(d.parts),
		func(i int) int { return int(d.parts[i].length) },
		func(worker, i int) error {
			p := &d.parts[i]
			room := dst[p.at : p.at+p.room : p.at+p.room]
			err := d.worker(worker).decode(codec, room[:p.length], p)
			clear(room[p.length:])
			return err
		})
	if err != nil {
		_, roles, _ := d.form()
		return d.wrap(at(d.pick(i), roles, err))
	}
	return nil
}

// decodeWorker decodes buffers, one at a time.
type decodeWorker struct {
	comp   decompressors
	planes readbuf.Buffer // a rewritten buffer once decompressed
}

func (d *Decoder) worker(i int) *decodeWorker {
	if i == 0 {
		return &d.first
	}
	return &d.others[i-1]
}

// decode writes one buffer to dst, which has its length. Up to the capacity of
// dst it may write anything.
func (w *decodeWorker) decode(codec Codec, dst []byte, p *part) error {
	switch {
	case p.compressed && p.rewrite && codec == Zstd:
		if ok, err := w.comp.unzstdOffsets(dst, p.payload, p.n, p.role.Width); ok || err != nil {
			p.ordered = ok && w.comp.frames.Ordered()
			return err
		}
		fallthrough // a frame of another writer's shape
	case p.compressed && p.rewrite:
		lengths := w.planes.Again(len(dst) + zstdSlack)[:len(dst)]
		if err := w.comp.decompress(codec, lengths, p.payload); err != nil {
			return err
		}
		return join(p.role, dst, lengths, p.n)
	case p.compressed:
		return w.comp.decompress(codec, dst, p.payload)
	case p.rewrite:
		return join(p.role, dst, p.payload, p.n)
	}
	copy(dst, p.payload)
	return nil
}

// plain returns the wanted part of the message that was filled, as it is in the
// decoded body. It is valid until the next call.
func (d *Decoder) plain() *message {
	nodes, buffers, variadic := d.out.nodes[:0], d.out.buffers[:0], d.out.variadic[:0]
	d.out = d.in
	d.out.compressed = false
	d.out.bodyLength = d.size
	for _, p := range d.parts {
		buffers = append(buffers, span{p.at, p.length})
	}
	if d.projects() {
		for _, i := range d.sel.nodes {
			nodes = append(nodes, d.in.nodes[i])
		}
		for _, i := range d.sel.variadic {
			variadic = append(variadic, d.in.variadic[i])
		}
	} else {
		nodes, variadic = append(nodes, d.in.nodes...), append(variadic, d.in.variadic...)
	}
	d.out.nodes, d.out.buffers, d.out.variadic = nodes, buffers, variadic
	return &d.out
}

// metadata returns the metadata of the message that was filled. It is valid
// until the next call.
func (d *Decoder) metadata() []byte { return d.builder.batch(d.plain()) }
