package planeframe

// segment is the content of one block, or of several that hang together.
type segment struct {
	start, end int // in the content
	kind       segmentKind
	value      byte   // of a run
	four       bool   // Huffman: four streams
	treeless   bool   // Huffman: with the tree of the segment before
	at         int    // where the block is in the frame
	data       []byte // raw: the bytes; Huffman: the section; ordinary: the blocks
	last       int    // ordinary: where the header of the last block is in data
	decoded    []byte // what data becomes, once it is decoded; raw: data
}

type segmentKind uint8

const (
	run segmentKind = iota
	raw
	huffman
	ordinary // blocks with sequences
)

// walk reads the headers of all blocks and fills d.segments, which cover the
// size bytes of content without a gap. ok is false for what is left to the
// ordinary decoder.
func (d *Decoder) walk(frame []byte, size int) (ok bool, err error) {
	wide, window, at, ok := header(frame)
	if !ok || wide < uint64(size) {
		return false, nil // and more frames may follow
	}
	if wide > uint64(size) {
		return false, corrupt(4, "content of %d bytes, want %d", wide, size)
	}
	d.segments = d.segments[:0]
	d.ordinary, d.blocks = -1, at
	known, tree := 0, false
	for last := false; !last; {
		if len(frame)-at < blockHeader {
			return false, corrupt(at, "%d bytes left, a block header has %d", len(frame)-at, blockHeader)
		}
		if len(d.segments) > mostSegments(size) {
			return false, nil
		}
		var kind, length int
		last, kind, length = blockAt(frame[at:])
		if length > maxBlock {
			return false, corrupt(at, "block of %d bytes, the most are %d", length, maxBlock)
		}
		s := segment{at: at}
		at += blockHeader
		stored := length
		if kind == blockRLE {
			stored = 1
		}
		if len(frame)-at < stored {
			return false, corrupt(at, "%d bytes left, the block has %d", len(frame)-at, stored)
		}
		data := frame[at : at+stored]
		at += stored
		content := length
		switch kind {
		case blockRaw:
			s.kind, s.data, s.decoded = raw, data, data
		case blockRLE:
			s.kind, s.value = run, data[0]
		case blockCompress:
			sequences, err := s.compressed(data)
			if err != nil {
				return false, err
			}
			// A tree that is not at hand is one of the ordinary segment.
			if sequences || s.kind == huffman && s.treeless && !tree && d.ordinary >= 0 {
				known -= d.joinOrdinary(frame, s.at, at)
				tree = false
				continue
			}
			content = s.end
			if s.kind == huffman {
				if content == 0 {
					return false, nil
				}
				if s.treeless && !tree {
					return false, corrupt(s.at, "literals without a tree, and no tree before them")
				}
				tree = true
			}
		default:
			return false, corrupt(s.at, "block of the reserved type")
		}
		if content > size-known {
			return false, corrupt(s.at, "block of %d bytes, %d of the content are left", content, size-known)
		}
		known += content
		s.end = content
		d.segments = append(d.segments, s)
	}
	if d.ordinary < 0 && known != size {
		return false, corrupt(at, "end of the frame after %d bytes of content, want %d", known, size)
	}
	if at != len(frame) {
		return false, nil // maybe another frame
	}
	// How far back sequences may reach is for the ordinary decoder to see
	// where that is not the whole content.
	if d.ordinary >= 0 && (known == size || window || d.decodeAll == nil) {
		return false, nil
	}
	d.place(size - known)
	return true, nil
}

// mostSegments is how many segments a frame may have. Each takes some 90 bytes,
// more than its block may have of content. The frames of this package have one for
// every 32 bytes of content at most, runs and the bytes between them (see
// runsCost), and from a megabyte on hardly ever come near one for 256.
func mostSegments(size int) int { return min(size/32, max(size/256, 1<<15)) + 64 }

// compressed reads a compressed block up to its sequences, and leaves the size
// of its content in s.end if it has none.
func (s *segment) compressed(data []byte) (sequences bool, err error) {
	l, ok := literalsAt(data)
	if !ok {
		return false, corrupt(s.at, "literals header of more than the %d bytes of the block", len(data))
	}
	if l.size > maxBlock {
		return false, corrupt(s.at, "%d literals, the most are %d", l.size, maxBlock)
	}
	// Behind the literals there is at least the number of sequences.
	left := len(data) - l.header - l.compressed
	if left < 1 {
		return false, corrupt(s.at, "%d bytes of literals, the block has %d for them", l.compressed, len(data)-l.header-1)
	}
	section := data[l.header : l.header+l.compressed]
	if data[l.header+l.compressed] != 0 {
		return true, nil
	}
	if left > 1 {
		return false, corrupt(s.at, "%d bytes left behind a block without sequences", left-1)
	}
	s.end, s.data, s.four = l.size, section, l.four
	switch l.kind {
	case literalsRaw:
		s.kind, s.decoded = raw, section
	case literalsRLE:
		s.kind, s.value = run, section[0]
	default:
		s.kind, s.treeless = huffman, l.kind == literalsTreeless
	}
	return false, nil
}

// joinOrdinary makes the block at frame[from:to] part of the one ordinary segment, together with all that is between them, and returns
// how many bytes of known content that swallows.
func (d *Decoder) joinOrdinary(frame []byte, from, to int) (swallowed int) {
	if d.ordinary < 0 {
		d.ordinary = len(d.segments)
		d.segments = append(d.segments, segment{kind: ordinary, at: from})
	}
	for _, s := range d.segments[d.ordinary+1:] {
		swallowed += s.end
	}
	d.segments = d.segments[:d.ordinary+1]
	s := &d.segments[d.ordinary]
	s.data, s.last = frame[s.at:to], from-s.at
	return swallowed
}

// place turns the sizes that walk left in segment.end into places, and takes
// empty segments out. The size of the ordinary segment is what the others leave
// of the content.
func (d *Decoder) place(size int) {
	if d.ordinary >= 0 {
		d.segments[d.ordinary].end = size
	}
	kept, at := d.segments[:0], 0
	for _, s := range d.segments {
		if s.end == 0 {
			continue
		}
		if s.kind == ordinary {
			d.ordinary = len(kept)
		}
		s.start, at = at, at+s.end
		s.end = at
		kept = append(kept, s)
	}
	d.segments = kept
}

// widen makes all blocks from the first one on part of the ordinary segment.
func (d *Decoder) widen(frame []byte) {
	s := d.segments[d.ordinary]
	s.last += s.at - d.blocks
	s.data = frame[d.blocks : s.at+len(s.data)]
	s.start, s.at = 0, d.blocks
	d.segments[0] = s
	d.segments = append(d.segments[:1], d.segments[d.ordinary+1:]...)
	d.ordinary = 0
}
