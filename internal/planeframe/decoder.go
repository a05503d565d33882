package planeframe

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/huff0"
)

// Decoder decodes frames of planes into offsets. It keeps its scratch, of at
// most about twice the bytes of the longest content so far and 3 MB, and allocates
// nothing else once that is there. It must not be used by two goroutines at once.
type Decoder struct {
	decodeAll func(src, dst []byte) ([]byte, error)

	segments []segment
	blocks   int // where the first block is in the frame
	ordinary int // which segment has sequences, or -1
	last     int // the Huffman segment that is in store, if one at a time is
	huffman  huff0.Scratch
	store    []byte // decoded Huffman segments
	region   []byte // a frame of the ordinary segment
	content  []byte // of the ordinary segment
	rows     [8][]byte
	rowBytes [8 * rowSize]byte
	longest  uint64 // what the lengths of the frame may add up to at most
	ordered  bool
}

// NewDecoder returns a decoder. decodeAll appends the content of the zstd
// frames in src to dst and returns it, as the method of klauspost's
// zstd.Decoder does. It must not allocate more than the capacity of dst has
// room for, which that one sees to with zstd.WithDecodeAllCapLimit(true). It
// gets the parts of frames that have sequences. It may be nil, and then a frame
// that has any is left to the caller.
func NewDecoder(decodeAll func(src, dst []byte) ([]byte, error)) *Decoder {
	return &Decoder{decodeAll: decodeAll}
}

// Offsets decodes a frame whose content is the planes of n >= 1 entries, with
// offsets of width bytes (4 or 8), and writes the offsets buffer to dst, which
// is as long as the content: at least (n+1)*width bytes, all of which are
// written. dst and frame do not overlap, and frame is not kept.
//
// With ok = false and no error, the frame is not one of those that it decodes:
// it has a checksum, a dictionary, a window, an unknown or a smaller content
// size, another frame or anything else behind it, or sequences that do not stand
// for themselves. Then nothing is said about the frame: an ordinary decoder has
// to look at it, and its content has to be joined. What dst holds is not
// defined, and neither is it after an error.
//
// It gives an error that wraps [ErrCorrupt] for a frame that no decoder of zstd
// takes, or whose content is longer than dst, and errors as those of
// [Encoder.Append] for a width, a number of entries and a dst that do not go
// together.
func (d *Decoder) Offsets(dst, frame []byte, n, width int) (ok bool, err error) {
	d.ordered = false
	if err := checkSizes("dst", len(dst), n, width); err != nil {
		return false, err
	}
	defer d.release()
	if ok, err := d.walk(frame, len(dst)); !ok {
		return false, err
	}
	// Sequences may refer to what is before the first block that has any.
	// Mostly they do not.
	if d.ordinary >= 0 && !d.decodeOrdinary() {
		d.widen(frame)
		if !d.decodeOrdinary() {
			return false, nil
		}
	}
	d.last = -1
	if d.planesToDecode(n, width) > 1 {
		if err := d.decodeAllHuffman(); err != nil {
			return false, err
		}
	}
	if err := d.copy(dst[:width], 0); err != nil {
		return false, err
	}
	if err := d.join(dst[:(n+1)*width], n, width); err != nil {
		return false, err
	}
	if err := d.copy(dst[(n+1)*width:], (n+1)*width); err != nil {
		return false, err
	}
	d.ordered = d.inOrder(dst[:width])
	return true, nil
}

// Ordered reports whether the offsets of the last call of Offsets are known not
// to be negative and not to decrease. It costs nothing: it goes by which planes
// are constant, and so may be false for offsets that are in order.
func (d *Decoder) Ordered() bool { return d.ordered }

// inOrder says whether the lengths cannot have led past the largest offset, from
// the first one on.
func (d *Decoder) inOrder(first []byte) bool {
	start, limit := uint64(0), uint64(math.MaxInt64)
	if len(first) == 4 {
		start, limit = uint64(binary.LittleEndian.Uint32(first)), math.MaxInt32
	} else {
		start = binary.LittleEndian.Uint64(first)
	}
	return start <= limit && d.longest <= limit-start
}

// release lets go of the caller's frame.
func (d *Decoder) release() {
	clear(d.segments)
	d.rows = [8][]byte{}
}

// planesToDecode is the number of planes that have bytes to be decoded. With
// one, its segments are needed one after the other, and store has room for one
// at a time. With more, they are needed side by side.
func (d *Decoder) planesToDecode(n, width int) (planes int) {
	plane := -1 // the last one that was counted
	for i := range d.segments {
		s := &d.segments[i]
		if s.kind != huffman {
			continue
		}
		first, last := (s.start-width)/n, (s.end-1-width)/n
		first, last = max(first, plane+1), min(last, width-1)
		if first <= last {
			planes += last - first + 1
			plane = last
		}
	}
	return planes
}

// decodeAllHuffman decodes all Huffman segments, each to a place of its own.
func (d *Decoder) decodeAllHuffman() error {
	size := 0
	for i := range d.segments {
		if s := &d.segments[i]; s.kind == huffman {
			size += s.end - s.start
		}
	}
	store := d.room(size)
	for i := range d.segments {
		s := &d.segments[i]
		if s.kind != huffman {
			continue
		}
		size := s.end - s.start
		if err := d.decode(s, store[:0:size]); err != nil {
			return err
		}
		store = store[size:]
	}
	return nil
}

// bytes returns the content of a segment that is no run. It holds until the
// next call, if segments are decoded one at a time. They have to be asked for
// in their order then, for the sake of the trees.
func (d *Decoder) bytes(i int) ([]byte, error) {
	s := &d.segments[i]
	if s.decoded != nil {
		return s.decoded, nil
	}
	if d.last >= 0 {
		d.segments[d.last].decoded = nil
	}
	d.last = i
	size := s.end - s.start
	err := d.decode(s, d.room(size)[:0:size])
	return s.decoded, err
}

// room returns that many bytes of store.
func (d *Decoder) room(size int) []byte {
	if cap(d.store) < size {
		d.store = make([]byte, max(size, min(2*cap(d.store), maxBlock)))
	}
	return d.store[:size]
}

// decodeOrdinary decodes the ordinary segment. It reports whether that is the
// content it should be; if not, the frame may still be right as a whole.
func (d *Decoder) decodeOrdinary() bool {
	s := &d.segments[d.ordinary]
	size := s.end - s.start
	d.region = appendHeader(d.region[:0], size)
	last := len(d.region) + s.last
	d.region = append(d.region, s.data...)
	d.region[last] |= lastBlock
	if cap(d.content) < size {
		d.content = make([]byte, size)
	}
	content, err := d.decodeAll(d.region, d.content[:0:size])
	if err != nil || len(content) != size {
		return false
	}
	s.decoded = content
	return true
}

// decode decodes a Huffman segment into dst, which has no length and the
// capacity of the content.
func (d *Decoder) decode(s *segment, dst []byte) (err error) {
	size := cap(dst)
	streams := s.data
	if !s.treeless {
		if _, streams, err = huff0.ReadTable(s.data, &d.huffman); err != nil {
			return &CorruptError{At: s.at, What: "Huffman tree", Err: err}
		}
	}
	var out []byte
	if s.four {
		out, err = d.huffman.Decoder().Decompress4X(dst, streams)
	} else {
		out, err = d.huffman.Decoder().Decompress1X(dst, streams)
	}
	if err != nil {
		return &CorruptError{At: s.at, What: "Huffman-coded literals", Err: err}
	}
	if len(out) != size {
		return corrupt(s.at, "%d literals, the block says %d", len(out), size)
	}
	s.decoded = out
	return nil
}

// find returns the segment that the content's byte at is in.
func (d *Decoder) find(at int) int {
	low, high := 0, len(d.segments)-1
	for low < high {
		if mid := (low + high) / 2; d.segments[mid].end > at {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// copy writes the content from byte at on to dst.
func (d *Decoder) copy(dst []byte, at int) error {
	if len(dst) == 0 {
		return nil
	}
	for i := d.find(at); len(dst) > 0; i++ {
		s := &d.segments[i]
		n := min(len(dst), s.end-at)
		if s.kind == run {
			for k := range dst[:n] {
				dst[k] = s.value
			}
		} else {
			p, err := d.bytes(i)
			if err != nil {
				return err
			}
			copy(dst[:n], p[at-s.start:])
		}
		dst, at = dst[n:], at+n
	}
	return nil
}
