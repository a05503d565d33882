package planeframe

import (
	"errors"
	"fmt"
	"math"

	"github.com/arrowplanes/arrowplanes/planes"
)

// ErrCorrupt says that a frame is no zstd frame of the content that is wanted.
// The error that wraps it is a *CorruptError.
var ErrCorrupt = errors.New("planeframe: corrupt frame")

// CorruptError is an [ErrCorrupt] with its place.
type CorruptError struct {
	At   int    // bytes from the start of the frame to the part that is at fault
	What string // what is wrong there, with the numbers that disagree
	Err  error  // what the decoder of the part said, or nil
}

func (e *CorruptError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%v: byte %d: %s: %v", ErrCorrupt, e.At, e.What, e.Err)
	}
	return fmt.Sprintf("%v: byte %d: %s", ErrCorrupt, e.At, e.What)
}

// Unwrap returns [ErrCorrupt] and Err.
func (e *CorruptError) Unwrap() []error { return []error{ErrCorrupt, e.Err} }

func corrupt(at int, format string, args ...any) error {
	return &CorruptError{At: at, What: fmt.Sprintf(format, args...)}
}

// checkSizes is the check of package planes, for the buffers of this one, where
// there has to be something to rewrite.
func checkSizes(what string, length, n, width int) error {
	if width != 4 && width != 8 {
		return fmt.Errorf("planeframe: offsets of %d bytes, want 4 or 8", width)
	}
	if most := math.MaxInt/width - 1; n < 1 || n > most {
		return fmt.Errorf("planeframe: %w", &planes.CountError{N: n, Max: most, Width: width})
	}
	if need := (n + 1) * width; length < need {
		return fmt.Errorf("planeframe: %w", &planes.LengthError{
			What: what, Have: length, Need: need, N: n, Err: planes.ErrShort,
		})
	}
	return nil
}
