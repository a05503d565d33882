package readbuf

import (
	"errors"
	"fmt"
	"io"
	"math"
)

const (
	// firstStep is how many bytes ReadFull claims before any has arrived. It
	// covers most messages' metadata and many a buffer in a single read.
	firstStep = 64 << 10

	// maxEmptyReads is how often in a row a reader may return nothing at all.
	maxEmptyReads = 100
)

// ErrLength is the error for a length that no slice can have: negative, or
// more than an int can address.
var ErrLength = errors.New("readbuf: length out of range")

// A ReadError reports that a reader failed before all bytes had come.
type ReadError struct {
	Read int64 // bytes that came
	Want int64 // bytes that were asked for
	Err  error // why no more came; never one that wraps io.EOF
}

// Error states the bytes read, the bytes wanted and the cause.
func (e *ReadError) Error() string {
	return fmt.Sprintf("readbuf: read %d of %d bytes: %v", e.Read, e.Want, e.Err)
}

// Unwrap returns the cause.
func (e *ReadError) Unwrap() error { return e.Err }

// ReadFull begins a use and reads exactly n bytes from r into it. The slice
// belongs to the Buffer, is n bytes long, also in capacity, and is valid until
// the next use begins. Nothing beyond the n bytes is read, and r is not touched
// at all if n is 0.
//
// What the Buffer holds is read into at once. Beyond that, memory is claimed as
// bytes arrive: a Buffer holds afterwards no more than it did before, or 64
// KiB, or twice the bytes that came, whichever is most.
//
// If n is negative or not addressable the error is [ErrLength]. Every other
// error is a [*ReadError]; the bytes that came are lost then. It wraps the error
// of r, with one exception: an end before n bytes, even before the first, is
// [io.ErrUnexpectedEOF] and never [io.EOF], however r wraps that. A reader that
// keeps returning neither bytes nor an error is [io.ErrNoProgress]. An error
// that comes along with the last byte is no error.
func (b *Buffer) ReadFull(r io.Reader, n int64) ([]byte, error) {
	if n < 0 || n > math.MaxInt {
		return nil, fmt.Errorf("%w: %d bytes to read, 0 to %d are possible", ErrLength, n, math.MaxInt)
	}
	want := int(n)
	b.begin(want)
	if len(b.mem) < min(want, firstStep) {
		b.mem = make([]byte, min(max(want, doubled(len(b.mem))), firstStep))
	}
	got, err := b.fill(r, want)
	b.used(got)
	if err != nil {
		return nil, &ReadError{Read: int64(got), Want: n, Err: err}
	}
	return b.mem[:want:want], nil
}

// fill reads want bytes into the memory of b, which it lets grow whenever it
// is full. It returns how many bytes came and why there were no more.
func (b *Buffer) fill(r io.Reader, want int) (got int, err error) {
	for empty := 0; got < want; {
		if got == len(b.mem) {
			larger := make([]byte, doubled(got))
			copy(larger, b.mem)
			b.mem = larger
		}
		p := b.mem[got:min(want, len(b.mem))]
		m, err := r.Read(p)
		if m < 0 || m > len(p) {
			return got, fmt.Errorf("reader claims to have read %d bytes into %d", m, len(p))
		}
		got += m
		switch {
		case got == want:
			return got, nil
		case err != nil:
			return got, unexpectedEOF(err)
		case m > 0:
			empty = 0
		default:
			if empty++; empty == maxEmptyReads {
				return got, io.ErrNoProgress
			}
		}
	}
	return got, nil
}

// unexpectedEOF returns err, unless that is or wraps io.EOF: an end in the
// middle must not pass for a clean one, so only the text of err survives then.
func unexpectedEOF(err error) error {
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w (%v)", io.ErrUnexpectedEOF, err)
	}
	return err
}
