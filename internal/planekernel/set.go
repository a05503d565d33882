package planekernel

import "slices"

// A Set is one implementation of the kernels. The zero Set is the generic one.
// The functions of this package, with the same names and terms, use the fastest
// one that the machine can run.
//
// Each of its methods first lets the machine do what it can, in whole groups,
// and leaves the rest to the generic kernels.
type Set struct{ machine machine }

// Sets returns the sets that this machine can run, the fastest one last.
func Sets() []Set {
	return slices.Compact([]Set{{}, fastest})
}

var fastest = Set{detect()}

// String returns the name of the instructions that s uses, or "generic".
func (s Set) String() string { return s.machine.String() }

// Low32 writes plane 0 to low and returns the bits that any length has, for
// offsets of 4 bytes: plane j is zero throughout where byte j of the result is.
// low and offsets lie apart.
func Low32(low, offsets []byte) (or uint32) { return fastest.Low32(low, offsets) }

// Low32 is the function [Low32].
func (s Set) Low32(low, offsets []byte) (or uint32) {
	offsets = offsets[:4*len(low)+4]
	done, or := s.machine.low32(low, offsets)
	return or | low32(low[done:], offsets[4*done:])
}

// Low64 is [Low32] for offsets of 8 bytes.
func Low64(low, offsets []byte) (or uint64) { return fastest.Low64(low, offsets) }

// Low64 is the function [Low64].
func (s Set) Low64(low, offsets []byte) (or uint64) {
	offsets = offsets[:8*len(low)+8]
	done, or := s.machine.low64(low, offsets)
	return or | low64(low[done:], offsets[8*done:])
}

// Split32 turns offsets of 4 bytes into low, plane 0, and high, planes 1 to 3
// one after the other.
//
// It reports whether it wrote high. When it did not, all of high belongs to be
// zero and the caller sees to that: in place, that saves the way through a
// scratch.
//
// low may lie over offsets from their second on, which is where plane 0 goes
// when a buffer is split in place: what is read next always lies behind what was
// written. high lies apart.
func Split32(low, high, offsets []byte) (wroteHigh bool) { return fastest.Split32(low, high, offsets) }

// Split32 is the function [Split32].
func (s Set) Split32(low, high, offsets []byte) (wroteHigh bool) {
	p := cut32(low, high)
	offsets = offsets[:4*len(low)+4]
	done, wroteHigh := s.machine.split32(&p, offsets)
	return split32(&p, done, offsets, wroteHigh)
}

// Split64 is [Split32] for offsets of 8 bytes: high is planes 1 to 7.
func Split64(low, high, offsets []byte) (wroteHigh bool) { return fastest.Split64(low, high, offsets) }

// Split64 is the function [Split64].
func (s Set) Split64(low, high, offsets []byte) (wroteHigh bool) {
	p := cut64(low, high)
	offsets = offsets[:8*len(low)+8]
	done, wroteHigh := s.machine.split64(&p, offsets)
	return split64(&p, done, offsets, wroteHigh)
}

// Join32 undoes [Split32]. It writes the offsets after the first, which stands
// in offsets already. high may be nil instead of all zeros. The three lie apart.
func Join32(offsets, low, high []byte) { fastest.Join32(offsets, low, high) }

// Join32 is the function [Join32].
func (s Set) Join32(offsets, low, high []byte) {
	if high == nil {
		s.Sum1of4(offsets, low)
		return
	}
	p := cut32(low, high)
	offsets = offsets[:4*len(low)+4]
	done := s.machine.sum4of4(offsets, &p)
	join32(offsets, &p, done)
}

// Join64 is [Join32] for offsets of 8 bytes.
func Join64(offsets, low, high []byte) { fastest.Join64(offsets, low, high) }

// Join64 is the function [Join64].
func (s Set) Join64(offsets, low, high []byte) {
	if high == nil {
		s.Sum1of8(offsets, low)
		return
	}
	p := cut64(low, high)
	offsets = offsets[:8*len(low)+8]
	done := s.machine.sum8of8(offsets, &p)
	join64(offsets, &p, done)
}

// AllZero reports whether b holds nothing but zeros, or nothing.
func AllZero(b []byte) bool { return fastest.AllZero(b) }

// AllZero is the function [AllZero].
func (s Set) AllZero(b []byte) bool {
	done, zero := s.machine.isZero(b)
	return zero && allZero(b[done:])
}

// Clear writes zeros to all of b.
func Clear(b []byte) { fastest.Clear(b) }

// Clear is the function [Clear].
func (s Set) Clear(b []byte) { s.machine.clear(b) }
