package planeframe

import (
	"encoding/binary"
	"math/bits"
)

const (
	seenBits = 10
	seenSize = 1 << seenBits

	// inserts is about how many places of a plane are remembered, and places
	// how many stretches are looked for there.
	inserts = 512
	places  = 16
)

// A glance is what a small part of a plane tells of it.
type glance struct {
	// gain is how many bytes the ordinary encoder may save, because stretches
	// of the plane are there again and again; 0 if it is not worth trying.
	gain int

	// least is how many bytes this package's own coding takes at least, as far
	// as that can be told: what takes less has won.
	least int

	// dense says that the plane is neither constant nor nearly so.
	dense bool
}

// glance costs about a tenth of the time of Huffman coding.
func (e *Encoder) glance(p []byte) (g glance) {
	if _, ok := sameBytes(p); ok {
		return g
	}
	if cost, ok := runsCost(p); ok {
		g.gain = max(0, cost-16)
		return g
	}
	g.dense = true
	const few = 256
	if len(p) < few {
		if len(p) >= leastHuffman {
			g.gain = len(p)
		}
		return g
	}
	near, apart := neighbours(p)
	switch {
	case near >= 3*looks/4 && apart >= 3*looks/4:
		// Nearly always the same byte: one bit for each is far too many.
		g.gain, g.least = len(p), len(p)/8
		return g
	case near >= looks/4 && near >= 2*apart:
		g.gain = len(p)
		return g
	}
	// The more alike bytes are, the longer have stretches to be that are not
	// found again by chance.
	words := 4
	switch {
	case apart < looks/5:
		words = 1
	case apart < looks/2:
		words = 2
	}
	found := e.repeats(p, words)
	if found >= places/4 {
		g.gain = len(p)
	}
	if found >= places-1 {
		g.least = len(p) / 4
	}
	return g
}

// looks is the number of bytes that neighbours compares with others.
const looks = 256

// neighbours counts how many bytes are the same as the next one, and as one that
// is far apart, of a plane that is not short.
func neighbours(p []byte) (near, apart int) {
	half := len(p) / 2
	for i := range looks / 8 {
		at := i * (half - 8) / (looks/8 - 1)
		x := binary.LittleEndian.Uint64(p[at:])
		near += equalBytes(x, binary.LittleEndian.Uint64(p[at+1:]))
		apart += equalBytes(x, binary.LittleEndian.Uint64(p[at+half:]))
	}
	return near, apart
}

// equalBytes is in how many bytes x and y are the same.
func equalBytes(x, y uint64) int {
	const low = 0x7F7F7F7F_7F7F7F7F
	d := x ^ y
	return 8 - bits.OnesCount64(((d&low)+low|d)&^low)
}

// repeats looks for places stretches of p in what is before them, and returns
// how many it finds. It gives up half-way where there was none.
//
// Every stride-th position is remembered by the hash of the words of 8 bytes
// there. If all of a stretch, and the words behind it, was there before, then
// one of the stride positions in it is found again, wherever it was.
func (e *Encoder) repeats(p []byte, words int) (found int) {
	stride := max(8, len(p)/inserts)
	size := 8 * words
	if len(p) < places*(stride+size) {
		return 0
	}
	e.seen = [seenSize]uint32{}
	next := 0
	for i := range places {
		at := (i + 1) * (len(p) - stride - size) / places
		for ; next+size <= at; next += stride {
			e.seen[hash(p[next:next+size])] = uint32(next) + 1
		}
		for k := at; k < at+stride; k++ {
			here := p[k : k+size]
			if was := int(e.seen[hash(here)]); was > 0 && string(p[was-1:was-1+size]) == string(here) {
				found++
				break
			}
		}
		if found == 0 && i >= places/2 {
			return 0
		}
	}
	return found
}

// hash is of whole words.
func hash(p []byte) uint64 {
	const prime = 0x9E3779B97F4A7C15
	h := binary.LittleEndian.Uint64(p) * prime
	for p = p[8:]; len(p) >= 8; p = p[8:] {
		h = (h ^ h>>32 ^ binary.LittleEndian.Uint64(p)) * prime
	}
	return h >> (64 - seenBits)
}
