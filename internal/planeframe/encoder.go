package planeframe

import (
	"encoding/binary"

	"github.com/klauspost/compress/huff0"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// Encoder makes frames of offsets buffers. It keeps its scratch, of about the
// bytes of the longest buffer so far, and allocates nothing else once that is
// there. It must not be used by two goroutines at once.
type Encoder struct {
	encodeAll func(src, dst []byte) []byte

	sequences bool // may come from encodeAll in this frame

	content []byte // of the frame, as far as it is needed
	region  []byte // what encodeAll made
	huffman huff0.Scratch
	sample  []byte
	seen    [seenSize]uint32
	near    [1 << nearBits]uint32
}

// NewEncoder returns an encoder. encodeAll appends one zstd frame of src to dst
// and returns it, as the method of klauspost's zstd.Encoder does; planes that
// repeat themselves are given to it. It may be nil, and then they are coded
// without looking for repeats.
func NewEncoder(encodeAll func(src, dst []byte) []byte) *Encoder {
	return &Encoder{encodeAll: encodeAll}
}

// Append appends to dst the frame of an offsets buffer with n >= 1 entries, n+1
// offsets of width bytes (4 or 8) and whatever follows them, and returns the
// result. The frame's content is as long as offsets, which is only read, and
// not kept. dst and offsets do not overlap.
//
// A frame is never longer than its content by more than 17 bytes and 3 for each
// 128 KiB. Whether it is shorter is for the caller to see.
//
// It gives an error for a width or a number of entries that there is not, and
// for an offsets buffer of less than (n+1)*width bytes. dst is what it was then.
func (e *Encoder) Append(dst, offsets []byte, n, width int) ([]byte, error) {
	if err := checkSizes("offsets", len(offsets), n, width); err != nil {
		return dst, err
	}
	w := writer{dst: appendHeader(dst, len(offsets))}
	body := offsets[:(n+1)*width]
	rest := offsets[(n+1)*width:]
	e.huffman.Reuse = huff0.ReusePolicyNone
	e.sequences = e.encodeAll != nil && len(offsets) <= segmentMax

	if length, ok := constant(body, width); ok {
		e.first(&w, body[:width])
		for j, same := 0, 0; j < width; j += same {
			v := byte(length >> (8 * j))
			for same = 1; j+same < width && byte(length>>(8*(j+same))) == v; same++ {
			}
			w.repeat(v, same*n)
		}
	} else {
		used := e.split(body, n, width)
		e.first(&w, body[:width])
		e.planes(&w, n, width, used)
		if used < width {
			w.repeat(0, (width-used)*n)
		}
	}
	if len(rest) > 0 {
		e.plane(&w, rest)
	}
	return w.close(), nil
}

// first writes the first offset. Most are 0.
func (e *Encoder) first(w *writer, offset []byte) {
	if v, ok := sameBytes(offset); ok {
		w.repeat(v, len(offset))
	} else {
		w.raw(offset)
	}
}

// split writes the planes to e.content, where they are in the frame's content,
// and returns how many of them there are before the others, which are zero. It
// leaves those out if there is but one.
func (e *Encoder) split(offsets []byte, n, width int) (used int) {
	if cap(e.content) < len(offsets) {
		e.content = make([]byte, len(offsets))
	}
	e.content = e.content[:len(offsets)]
	high := e.content[width+n:]
	if !split(e.content[width:width+n], high, offsets, width) {
		return 1
	}
	for used = width; used > 2 && planekernel.AllZero(high[(used-2)*n:(used-1)*n]); used-- {
	}
	return used
}

// planes writes the first planes of e.content. Those that repeat themselves, and
// what is between the first and the last of them, may come from the ordinary
// encoder.
func (e *Encoder) planes(w *writer, n, width, used int) {
	at := func(j int) int { return width + j*n }
	own := func(from, to int) {
		for j := from; j < to; j++ {
			e.plane(w, e.content[at(j):at(j+1)])
		}
	}
	from, to, gain, least, dense := 0, 0, 0, 0, false
	for j := 0; j < used && e.sequences; j++ {
		g := e.glance(e.content[at(j):at(j+1)])
		dense = dense || g.dense
		if g.gain > 0 {
			if gain == 0 {
				from = j
			}
			to = j + 1
		}
		gain += g.gain
		if gain > 0 {
			least += g.least
		}
	}
	if dense && gain < min(n/8, 128+n/128) {
		// Sequences are slow to decode, and little beside a dense plane.
		from, to = 0, 0
	}
	own(0, from)
	if from < to {
		e.region = e.encodeAll(e.content[at(from):at(to)], e.region[:0])
		blocks, last, ok := blocksOf(e.region)
		if !ok || len(blocks) > least {
			start := *w
			own(from, to)
			// What is decoded here is decoded faster, and that is worth a
			// little of the frame.
			if margin := w.cost()/256 + 3; !ok || len(blocks)+margin > w.cost()-start.cost() {
				own(to, used)
				return
			}
			*w = w.back(start)
		}
		w.blocks(blocks, last)
	}
	own(to, used)
}

// blocksOf returns the blocks of a frame, and where the header of the last one
// is in them. ok is false for a frame that is none, or needs a dictionary.
func blocksOf(frame []byte) (blocks []byte, last int, ok bool) {
	if len(frame) < 6 || binary.LittleEndian.Uint32(frame) != magic || frame[4]&dictionary != 0 {
		return nil, 0, false
	}
	at := 5
	if size := frame[4] >> sizeFlag; frame[4]&singleSegment != 0 {
		at += 1 << size
	} else {
		at++ // Window_Descriptor
		if size > 0 {
			at += 1 << size
		}
	}
	for from := at; len(frame)-at >= blockHeader; {
		last, kind, size := blockAt(frame[at:])
		if kind == blockRLE {
			size = 1
		}
		end := at + blockHeader + size
		if end > len(frame) {
			break
		}
		if last {
			return frame[from:end], at - from, true
		}
		at = end
	}
	return nil, 0, false
}
