package planes

import (
	"errors"
	"fmt"
)

var (
	// ErrCount says that a number of entries is negative, or so large that
	// the bytes of its offsets have no length in an int. The error that wraps
	// it is a *CountError.
	ErrCount = errors.New("planes: no such number of entries")

	// ErrShort says that a buffer is too short for its entries, or a scratch
	// for the planes. The error that wraps it is a *LengthError.
	ErrShort = errors.New("planes: too short")

	// ErrUnequal says that dst and src differ in length. The error that wraps
	// it is a *LengthError.
	ErrUnequal = errors.New("planes: not of equal length")
)

// CountError is an [ErrCount] with its numbers.
type CountError struct {
	N     int // entries asked for
	Max   int // most entries there can be with offsets of this width; the least is 0
	Width int // bytes of an offset, 4 or 8
}

func (e *CountError) Error() string {
	return fmt.Sprintf("%v: %d, where offsets of %d bytes allow 0 to %d", ErrCount, e.N, e.Width, e.Max)
}

// Unwrap returns [ErrCount].
func (e *CountError) Unwrap() error { return ErrCount }

// LengthError is an [ErrShort] or [ErrUnequal] with its numbers.
type LengthError struct {
	What string // the argument that is at fault: "src", "dst", "buf" or "scratch"
	Have int    // its length in bytes
	Need int    // the least length it must have, or with ErrUnequal the very length
	N    int    // entries asked for
	Err  error  // ErrShort or ErrUnequal
}

func (e *LengthError) Error() string {
	return fmt.Sprintf("%v: %s has %d bytes, needs %d (%d entries)", e.Err, e.What, e.Have, e.Need, e.N)
}

// Unwrap returns Err.
func (e *LengthError) Unwrap() error { return e.Err }
