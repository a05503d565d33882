package planeframe

import (
	"encoding/binary"
	"math/bits"

	"github.com/klauspost/compress/huff0"
)

const (
	// leastHuffman is the length in bytes below which a tree and the headers
	// eat up what they save.
	leastHuffman = 32

	// leastRun is the length of a run that is worth a block between raw bytes:
	// it costs 4 bytes, and 3 for the header of the raw block after it.
	leastRun = 8

	// literalsBlock is the most bytes that share a Huffman tree. Blocks as
	// short as this follow lengths that change, cost a few bytes each where
	// they do not, and are decoded within a near cache.
	literalsBlock = 32 << 10

	// sampleSize is how much of a block tells whether the tree of the block
	// before fits it.
	sampleSize = 2048
)

// plane writes a plane, not an empty one.
func (e *Encoder) plane(w *writer, p []byte) {
	if v, ok := sameBytes(p); ok {
		w.repeat(v, len(p))
		return
	}
	if _, ok := runsCost(p); ok {
		writeRuns(w, p)
		return
	}
	for i := 0; i < len(p); i += literalsBlock {
		e.entropy(w, p[i:min(i+literalsBlock, len(p))], i > 0)
	}
}

// runsCost is how many bytes writeRuns makes of p. ok is false if that is more
// than Huffman coding may take, and it is so early if a few places say so.
func runsCost(p []byte) (cost int, ok bool) {
	const places = 32
	// A Huffman code has at least one bit for each byte.
	limit := min(len(p)/8+16, len(p)*3/4)
	if len(p) >= 16*places {
		uniform := 0
		for i := range places {
			x := binary.LittleEndian.Uint64(p[i*(len(p)-8)/places:])
			if x == bits.RotateLeft64(x, 8) {
				uniform++
			}
		}
		if uniform < places*3/4 {
			return 0, false
		}
	}
	for len(p) > 0 {
		n := runLength(p)
		if n >= leastRun {
			cost += 2*blockHeader + 1
		} else {
			cost += n
		}
		if cost > limit {
			return cost, false
		}
		p = p[n:]
	}
	return cost, true
}

// writeRuns writes p as runs, with what is between them raw.
func writeRuns(w *writer, p []byte) {
	from := 0
	for i := 0; i < len(p); {
		n := runLength(p[i:])
		if n >= leastRun {
			w.raw(p[from:i])
			w.repeat(p[i], n)
			from = i + n
		}
		i += n
	}
	w.raw(p[from:])
}

// runLength is how often the first byte of p is there before another one.
func runLength(p []byte) int {
	v := uint64(p[0]) * 0x01010101_01010101
	i := 0
	for ; len(p)-i >= 8; i += 8 {
		if d := binary.LittleEndian.Uint64(p[i:]) ^ v; d != 0 {
			return i + bits.TrailingZeros64(d)/8
		}
	}
	for ; i < len(p) && p[i] == p[0]; i++ {
	}
	return i
}

// entropy writes one block: Huffman-coded literals where that is shorter, and
// raw bytes otherwise. follows says that the block before is of the same plane;
// if not, its tree may be anybody's.
func (e *Encoder) entropy(w *writer, p []byte, follows bool) {
	if len(p) < leastHuffman {
		w.raw(p)
		return
	}
	h := &e.huffman
	had := h.Reuse != huff0.ReusePolicyNone
	if had && (!follows || !e.treeFits(p)) {
		h.Reuse = huff0.ReusePolicyNone
	}
	// Less than a 32nd is not worth the time it takes to decode.
	h.WantLogLess = 5
	four := len(p) >= 1<<10
	compress := huff0.Compress1X
	if four {
		compress = huff0.Compress4X
	}
	section, treeless, err := compress(p, h)
	// Headers of the section, of the block, and of a raw block that may have
	// to begin anew after it; and the number of sequences.
	const headers = 5 + 2*blockHeader + 1
	switch {
	case err == huff0.ErrUseRLE:
		w.repeat(p[0], len(p))
	case err != nil || len(section)+headers >= len(p):
		w.raw(p)
	case treeless:
		w.literals(literalsTreeless, four, len(p), section)
		return
	default:
		w.literals(literalsHuffman, four, len(p), section)
		h.Reuse = huff0.ReusePolicyPrefer
		return
	}
	// Whatever tree there is now, no decoder will have seen it.
	h.Reuse = huff0.ReusePolicyNone
}

// treeFits reports whether the tree of the block before, with which nothing
// needs to be stored, is as good as one of p's own, going by a part of p.
func (e *Encoder) treeFits(p []byte) bool {
	if len(p) <= sampleSize {
		return true // huff0 takes a new tree where it has to
	}
	const pieces, piece = 8, sampleSize / 8
	e.sample = e.sample[:0]
	for i := range pieces {
		at := i * (len(p) - piece) / (pieces - 1)
		e.sample = append(e.sample, p[at:at+piece]...)
	}
	table, own, reused, err := huff0.EstimateSizes(e.sample, &e.huffman)
	if err != nil || reused < 0 {
		return false
	}
	// A tree that is made for the sample fits the sample too well.
	return reused <= own+own/128+table*sampleSize/len(p)
}
