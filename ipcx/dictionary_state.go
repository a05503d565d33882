package ipcx

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// dictionaryState is which dictionaries of a stream have come, and what memory
// arrow-go's reader holds for them. It keeps the deltas of a dictionary apart
// until a record batch comes, and then joins them with what they add to, all of it
// anew: without a bound, short deltas in turn with short record batches copy a
// long dictionary as often as there are deltas.
type dictionaryState struct {
	ids     dictionaryIDs
	sent    map[int64]heldDictionary
	missing bool    // whether some of them have not come, as far as known
	grown   []int64 // ids with deltas that are not joined yet

	held   int64 // bytes of all dictionaries at hand
	joined int64 // bytes that joins have copied so far
}

// heldDictionary is a dictionary that has come.
type heldDictionary struct {
	body    int64 // bytes of bodies, those of deltas among them; once joined, of what was made
	copied  int64 // bytes that joining them takes
	pending int64 // bytes that its deltas take beyond their bodies until they are joined
}

// joinFactor is how many times the limit of decoded bodies joins may copy, and
// joinShare how many times the bytes that came. A writer that adds as much to a
// dictionary before each of n record batches has n/2 times its bytes copied.
const (
	joinFactor = 4
	joinShare  = 1024
)

// pendingFactor bounds what arrow-go keeps of a delta beside its body, as a
// multiple of its metadata: for each field node, of 16 bytes, an array.Data.
const pendingFactor = 16

// clone returns a copy that changes on its own, for another of arrow-go's readers
// with the same dictionaries.
func (s *dictionaryState) clone() dictionaryState {
	c := *s
	c.sent, c.grown = maps.Clone(s.sent), slices.Clone(s.grown)
	return c
}

// check checks that the dictionary batch m belongs to the stream, and notes it.
func (s *dictionaryState) check(m *message) error {
	if _, ok := s.ids[m.id]; !ok {
		return tag(ErrCorrupt, fmt.Errorf("dictionary %d, which the schema does not know: its dictionaries are %s", m.id, s.ids))
	}
	if _, ok := s.sent[m.id]; !ok {
		if m.delta {
			return tag(ErrCorrupt, fmt.Errorf("delta of dictionary %d, which has not come before", m.id))
		}
		if s.sent == nil {
			s.sent = make(map[int64]heldDictionary)
		}
		s.sent[m.id] = heldDictionary{}
	}
	return nil
}

// complete returns an error about a dictionary of wanted, nil for all, that has
// not come.
func (s *dictionaryState) complete(wanted map[int64]struct{}) error {
	if !s.missing {
		return nil
	}
	for _, id := range s.ids.sorted() {
		if _, ok := wanted[id]; !ok && wanted != nil {
			continue
		}
		if _, ok := s.sent[id]; !ok {
			return tag(ErrCorrupt, fmt.Errorf("there is no dictionary %d so far, which the schema has", id))
		}
	}
	s.missing = false
	return nil
}

// hold counts the dictionary batch m, whose body is of size bytes, against limit,
// 0 for none. It is asked before they are allocated.
func (s *dictionaryState) hold(m *message, size, metadata, limit int64) error {
	h, was := s.sent[m.id], s.sent[m.id]
	if !m.delta {
		h = heldDictionary{}
	} else {
		h.pending += pendingFactor * metadata
	}
	h.body, h.copied = h.body+size, sum(h.copied, copiedBytes(m, size))
	held := s.held - was.body - was.pending + h.body + h.pending
	if limit > 0 && held > limit {
		return tag(ErrLimit, fmt.Errorf("the dictionaries at hand have %d bytes with %d more of dictionary %d, which pass %d (WithDecodedSizeLimit)", held, size, m.id, limit))
	}
	if limit > 0 && m.delta && h.copied > limit {
		return tag(ErrLimit, fmt.Errorf("dictionary %d has %d bytes once its deltas are joined, which pass %d (WithDecodedSizeLimit)", m.id, h.copied, limit))
	}
	if m.delta {
		s.grown = append(s.grown, m.id)
	}
	s.sent[m.id], s.held = h, held
	return nil
}

// copiedBytes is how many bytes arrow-go copies of the dictionary batch m, whose
// body is of size bytes, when it joins it with others. It copies each buffer by
// itself, though they may share bytes of the body, and makes a bitmap for each field
// node, though its rows may take no bytes at all, as those of a struct without
// fields.
func copiedBytes(m *message, size int64) (bytes int64) {
	for _, b := range m.buffers {
		bytes = sum(bytes, b.length)
	}
	bytes = max(bytes, size)
	for _, node := range m.nodes {
		bytes = sum(bytes, node.length/8)
	}
	return bytes
}

// sum adds counts of bytes that nobody vouches for: negative ones, which are errors
// later, are none, and sums that cannot be are the largest.
func sum(a, b int64) int64 {
	if b = max(b, 0); a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// join counts what arrow-go copies to join deltas for a record batch that comes
// now, after arrived bytes of bodies.
func (s *dictionaryState) join(limit, arrived int64) error {
	for _, id := range s.grown {
		h := s.sent[id]
		if h.pending == 0 {
			continue // replaced since, or here more than once
		}
		s.joined = sum(s.joined, h.copied)
		s.held += h.copied - h.body - h.pending
		h.body, h.pending = h.copied, 0
		s.sent[id] = h
	}
	s.grown = s.grown[:0]
	if limit <= 0 || s.joined/joinFactor <= limit {
		return nil
	}
	if most := joinFactor*limit + joinShare*arrived; s.joined > most {
		return tag(ErrLimit, fmt.Errorf("joining the deltas of dictionaries takes more than %d bytes, %d times the limit of %d (WithDecodedSizeLimit) and %d times the %d that came",
			most, joinFactor, limit, joinShare, arrived))
	}
	return nil
}

// errNestedDelta is about deltas that arrow-go cannot add: it has no way to tell
// which dictionaries are meant among their values.
var errNestedDelta = errors.New("a delta of a dictionary with dictionaries among its values")

// errUnionDelta is about deltas of types that arrow-go cannot join.
var errUnionDelta = errors.New("a delta of a dictionary with unions among its values")

// errForeignDelta is about deltas that arrow-go would add up as if their bytes
// were in this machine's order.
var errForeignDelta = errors.New("a delta of a dictionary in the other byte order, which is not turned (WithEnsureNativeEndian)")

// account checks what memory the batch at hand takes in arrow-go's reader, before
// any of its size bytes is allocated.
func (d *Decoder) account(size int64) error {
	var err error
	switch d.in.kind {
	case flatbuf.MessageHeaderDictionaryBatch:
		switch {
		case d.in.delta && len(d.dicts.ids[d.in.id]) > 0:
			err = tag(ErrUnsupported, fmt.Errorf("dictionary %d: %w", d.in.id, errNestedDelta))
		case d.in.delta && d.describe().dictionaries.haveUnions(d.in.id):
			err = tag(ErrUnsupported, fmt.Errorf("dictionary %d: %w", d.in.id, errUnionDelta))
		case d.in.delta && d.foreign:
			err = tag(ErrUnsupported, fmt.Errorf("dictionary %d: %w", d.in.id, errForeignDelta))
		default:
			err = d.dicts.hold(&d.in, size, d.meta, d.cfg.decodedLimit)
		}
	case flatbuf.MessageHeaderRecordBatch:
		var wanted map[int64]struct{}
		if d.sel != nil {
			wanted = d.sel.dictionaries
		}
		if err = d.dicts.complete(wanted); err == nil {
			err = d.dicts.join(d.cfg.decodedLimit, d.stats.StoredBodyBytes)
		}
	}
	if err != nil {
		return d.wrap(err)
	}
	return nil
}
