package ipcx

import (
	"errors"

	"github.com/arrowplanes/arrowplanes/layout"
)

// Errors to test for with errors.Is. The errors that carry them say what was
// read, where, and which numbers disagree.
var (
	// ErrCorrupt is in every error about bytes that are not what the format
	// asks for: metadata that lies, a buffer outside its body, a compressed
	// buffer that holds more or less than it claims.
	ErrCorrupt = errors.New("corrupt")

	// ErrLimit is in every error about a size limit that an option raises; the
	// error names the option. It is also in those about a length that this machine
	// cannot address, and about a schema of more fields, or nested deeper, than is
	// read or written.
	ErrLimit = errors.New("limit exceeded")

	// ErrUnsupported is in every error about something that is not known to be
	// wrong, but newer than this package, as a codec, an encoding or a message may
	// be, or more than arrow-go does, as some deltas and foreign byte orders are.
	ErrUnsupported = errors.New("unsupported")

	// ErrNotArrow is in the error about input that is no Arrow stream or file.
	ErrNotArrow = errors.New("not Arrow data")

	// ErrReplacement is in the error about a dictionary that replaces another one
	// in a file, which has one for each field. Nothing of its record batch was
	// written; the file can still be closed, and is complete up to there.
	ErrReplacement = errors.New("dictionary replacement in a file")

	// ErrOption is in every error about an option with a value out of range,
	// or about options that exclude each other.
	ErrOption = errors.New("bad option")
)

// ErrUnmappedLayout is in the error about a flagged message under a schema with
// a field that is not mapped for rewriting. The error is a
// *layout.UnmappedError, which has the field's path and type.
var ErrUnmappedLayout = layout.ErrUnmapped

// taggedError is an error text that says everything by itself, with the
// sentinels that errors.Is finds behind it.
type taggedError struct {
	error
	tag error
}

func (e *taggedError) Unwrap() []error { return []error{e.error, e.tag} }

func tag(sentinel, err error) error { return &taggedError{err, sentinel} }
