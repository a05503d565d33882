package ipcx

import (
	"context"
	"fmt"
	"io"
)

// checkedReader reads from a reader that nobody vouches for, on behalf of the
// standard library, which panics over a count that cannot be, and goes on for
// ever with a reader that returns nothing. It fails once ctx is done.
type checkedReader struct {
	ctx   context.Context
	r     io.Reader
	empty int // reads in a row that returned nothing
}

func (c *checkedReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, tag(err, withoutEOF(context.Cause(c.ctx)))
	}
	n, err := c.r.Read(p)
	switch {
	case n < 0 || n > len(p):
		return 0, fmt.Errorf("reader claims to have read %d bytes into %d", n, len(p))
	case n > 0 || err != nil || len(p) == 0:
		c.empty = 0
	default:
		if c.empty++; c.empty == maxEmptyReads {
			return 0, io.ErrNoProgress
		}
	}
	return n, err
}
