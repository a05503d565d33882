package readbuf

import "math"

const (
	// windowUses is how many uses are looked at together. Two windows without
	// a giant are needed to drop what it left, which is at most 95 uses after
	// it, and any size that comes back within 64 uses is never dropped.
	windowUses = 32

	// keepFactor is how many times what the last windows needed may be held
	// for nothing. Below it, dropping would cost more in growing again than
	// it gives back.
	keepFactor = 4

	// floorBytes is a capacity that is too small to be worth dropping.
	floorBytes = 64 << 10
)

// A Buffer is scratch memory that is used again and again. The zero value is
// ready to use. A Buffer must not be copied after its first use, and it is not
// safe for concurrent use.
//
// [Buffer.Sized], [Buffer.ReadFull] and [Buffer.Empty] each begin a use. The
// slice of a use belongs to the Buffer and is valid until the next use begins.
//
// Bytes are never cleared between uses: what an earlier use has written shows
// wherever the current one does not write. They must not reach anybody who
// should not see them.
//
// Capacity at least doubles when it grows, apart from a pause at the 64 KiB of
// ReadFull's first step, and from arrays that append made and [Buffer.Keep]
// adopts. It stays when later uses are shorter. It is let go only at the
// beginning of a use, and only if it is more than 64 KiB and more than 4 times
// the longest length of that use and of the 64 uses before it. So a giant among
// small uses is gone after 100 of them, while lengths that come back within 64
// uses do not allocate again.
type Buffer struct {
	mem      []byte // its length is its capacity
	uses     int    // uses in the current window
	longest  int    // longest length in bytes of a use in the current window
	previous int    // the same for the window before
}

// Sized begins a use and returns n bytes of undefined content. The capacity of
// the slice is n as well, so that appending to it leaves the Buffer's memory
// alone. A negative n is taken for 0.
//
// Sized claims all n bytes at once, and like make it panics if they cannot be
// had: n must have been checked. A length that a stranger sent is for
// [Buffer.ReadFull].
func (b *Buffer) Sized(n int) []byte {
	n = max(n, 0)
	b.begin(n)
	return b.Again(n)
}

// Again returns n bytes of undefined content without beginning a use: what the
// current use returned before is no longer valid. It is for a use that needs
// memory several times over, as the buffers of one message do, so that how often
// it does says nothing about when memory is let go. It panics as Sized does.
func (b *Buffer) Again(n int) []byte {
	n = max(n, 0)
	if n > len(b.mem) {
		// Nothing is copied, the content is undefined anyway.
		b.mem = make([]byte, max(n, doubled(len(b.mem))))
	}
	b.used(n)
	return b.mem[:n:n]
}

// Empty begins a use and returns all of the Buffer's memory with length 0, to
// append to:
//
//	out := enc.EncodeAll(src, b.Empty())
//	b.Keep(out)
//
// Without the call of [Buffer.Keep] an array that append had to make is lost
// to the Buffer, and the use counts as one of 0 bytes.
func (b *Buffer) Empty() []byte {
	b.begin(0)
	return b.mem[:0]
}

// Keep tells how the use that [Buffer.Empty] began came out: p is what was
// appended. If append has moved it to a larger array, the Buffer adopts that
// array, all of p's capacity included, and nobody else may hold on to it; if
// not, only the length of p counts. Keep does not begin a use, p remains valid
// until the next one.
func (b *Buffer) Keep(p []byte) {
	if cap(p) > len(b.mem) {
		b.mem = p[:cap(p)]
	}
	b.used(len(p))
}

// Cap returns the number of bytes that the Buffer holds.
func (b *Buffer) Cap() int { return len(b.mem) }

// begin counts a use that wants n bytes, as far as that is known by now, and
// lets go of memory that neither it nor the last windows needed.
func (b *Buffer) begin(n int) {
	if b.uses == windowUses {
		need := max(n, b.longest, b.previous)
		if len(b.mem) > floorBytes && len(b.mem)/keepFactor > need {
			b.mem = make([]byte, max(need, floorBytes))
		}
		b.uses, b.longest, b.previous = 0, 0, b.longest
	}
	b.uses++
}

// used records that the current use is n bytes long.
func (b *Buffer) used(n int) { b.longest = max(b.longest, n) }

// doubled returns twice n bytes, or what can be addressed if that is less.
func doubled(n int) int {
	if n > math.MaxInt/2 {
		return math.MaxInt
	}
	return 2 * n
}
