package ipcx

import (
	"errors"
	"fmt"
	"strings"
)

// panicError is the error of a panic in arrow-go that was recovered here.
type panicError struct{ error }

func (e *panicError) Unwrap() error { return e.error }

// schemaPanic returns the error of what arrow-go panicked with over a schema, which
// may have been verified.
func schemaPanic(p any, verified bool) error {
	err := fmt.Errorf("reading the schema: %v", p)
	if verified {
		return &panicError{undecodable(err)}
	}
	return &panicError{tag(ErrCorrupt, fmt.Errorf("ipcx: %w", err))}
}

// arrowPanics are in the errors that arrow-go makes of panics of its own, in the
// functions that read a message and that join arrays.
var arrowPanics = [...]string{"arrow/ipc: unknown error while reading", "arrow/concat: "}

// isPanic says whether err is that of a panic, recovered here or by arrow-go.
func isPanic(err error) bool {
	if e := new(panicError); errors.As(err, &e) {
		return true
	}
	for _, text := range arrowPanics {
		if err != nil && strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
