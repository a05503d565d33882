package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// estimate is what a file would take, in bytes.
type estimate struct {
	ZstdBytes    int64  `json:"zstd_bytes"`
	LengthsBytes int64  `json:"zstd_lengths_bytes"`
	Flagged      int64  `json:"flagged_batches"` // that would be
	Unmapped     string `json:"unmapped,omitempty"`
}

// estimate converts a file without writing it anywhere.
func (s *fileStat) estimate(ctx context.Context, in *input, schema *arrow.Schema, f *statFlags) error {
	plain, err := convertInto(ctx, in, f, ipcx.WithZstd())
	if err != nil {
		return err
	}
	lengths, err := convertInto(ctx, in, f, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	if err != nil {
		return err
	}
	s.Estimate = &estimate{ZstdBytes: plain.Bytes, LengthsBytes: lengths.Bytes, Flagged: lengths.FlaggedBatches}
	if schema != nil {
		var unmapped *layout.UnmappedError
		if errors.As(layout.Of(schema).Unmapped(), &unmapped) {
			s.Estimate.Unmapped = fmt.Sprintf("column %s is of type %s", unmapped.Path, typeName(unmapped.Type))
		}
	}
	for i := range min(len(s.Columns), len(plain.Columns), len(lengths.Columns)) {
		p, l := &plain.Columns[i], &lengths.Columns[i]
		s.Columns[i].Zstd, s.Columns[i].Lengths = &p.Stored, &l.Stored
		for k := range s.Columns[i].Roles {
			role := &s.Columns[i].Roles[k]
			role.Zstd, role.Lengths = storedAs(p, role.Role), storedAs(l, role.Role)
		}
	}
	return nil
}

// storedAs returns what the buffers of a role take.
func storedAs(c *columnStat, role string) *int64 {
	n := int64(0)
	for i := range c.Roles {
		if c.Roles[i].Role == role {
			n = c.Roles[i].Stored
		}
	}
	return &n
}

// convertInto converts an input into nothing but its numbers.
func convertInto(ctx context.Context, in *input, f *statFlags, opts ...ipcx.Option) (*fileStat, error) {
	if err := in.rewind(); err != nil {
		return nil, err
	}
	pr, pw := io.Pipe()
	out := &countingWriter{w: pw}
	if in.format() == ipcx.FileFormat {
		out.skip = fileHead
	}
	opts = append(opts, ipcx.WithFormat(in.format()))
	opts = append(opts, f.limits.options()...)
	converted := make(chan error, 1)
	go func() {
		_, err := ipcx.Convert(ctx, out, in.reader(), opts...)
		pw.CloseWithError(err)
		converted <- err
	}()
	c := &collector{}
	err := ipcx.Inspect(ctx, pr, c.visit, f.limits.options()...)
	if err == nil {
		_, err = io.Copy(io.Discard, pr) // a file's footer
	}
	pr.CloseWithError(err)
	if failed := <-converted; failed != nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	s := c.finish()
	s.Bytes = out.n
	return s, nil
}

// fileHead is how many bytes of a file come before what is a stream.
const fileHead = 8

// countingWriter counts what is written, and passes it on but for the first
// skip bytes.
type countingWriter struct {
	w    io.Writer
	n    int64
	skip int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	cut := min(c.skip, len(p))
	c.skip -= cut
	n, err := c.w.Write(p[cut:])
	c.n += int64(cut + n)
	return cut + n, err
}
