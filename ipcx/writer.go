package ipcx

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Writer writes record batches as a stream. It stands in for arrow-go's
// ipc.Writer: arrow-go encodes the arrays, into messages that are compressed
// and flagged here. Without a codec and without [WithOffsetsAsLengths] the
// bytes are arrow-go's, down to the rows behind a slice that it sends along. Only
// the bits behind the last boolean, which a builder leaves as its memory was, are
// always zero here. With [WithZeroedNulls] whatever stands behind the last entry
// is.
//
// It is not safe for concurrent use.
type Writer struct {
	w      *ipc.Writer
	pw     *payloadWriter // nil where the payloads go elsewhere
	schema *arrow.Schema  // that it sends, nil until that is known
	err    error          // of the options
	closed bool
}

var _ arrio.Writer = (*Writer)(nil)

// NewWriter returns a writer of a stream to w. An option out of range is the
// error of the first Write.
func NewWriter(w io.Writer, opts ...Option) *Writer {
	cfg := newConfig(opts)
	cfg.format = StreamFormat
	return newWriter(newPayloadWriter(w, cfg), cfg)
}

func newWriter(pw *payloadWriter, cfg *config) *Writer {
	return &Writer{w: ipc.NewWriterWithPayloadWriter(pw, cfg.arrowOptions()...), pw: pw, schema: cfg.schema, err: pw.err}
}

// NewWriterWithPayloadWriter returns a writer that hands its messages to pw.
// The codec is applied by arrow-go, since a payload cannot be made anywhere
// else; [WithOffsetsAsLengths] for that codec is an error at the first Write.
// Where pw is made by [NewPayloadWriter], give codec and option to it instead.
func NewWriterWithPayloadWriter(pw PayloadWriter, opts ...Option) *Writer {
	cfg := newConfig(opts)
	if own, ok := pw.(*payloadWriter); ok && cfg.codec == Uncompressed {
		return &Writer{w: ipc.NewWriterWithPayloadWriter(pw, cfg.arrowOptions()...), pw: own, schema: cfg.schema, err: errors.Join(cfg.err, own.err)}
	}
	arrowOpts, err := cfg.arrowWriterOptions()
	return &Writer{w: ipc.NewWriterWithPayloadWriter(pw, arrowOpts...), err: err}
}

// arrowWriterOptions are the options for a writer that compresses by itself.
func (c *config) arrowWriterOptions() ([]ipc.Option, error) {
	opts := append(c.arrowOptions(), ipc.WithCompressConcurrency(c.concurrency), ipc.WithMinSpaceSavings(c.savings))
	switch c.codec {
	case LZ4Frame:
		opts = append(opts, ipc.WithLZ4())
	case Zstd:
		opts = append(opts, ipc.WithZstd())
	}
	switch err := c.checkWriter(); {
	case err != nil:
		return opts, err
	case c.offsetsAsLengths():
		return opts, tag(ErrOption, errors.New("ipcx: WithOffsetsAsLengths cannot be had from arrow-go's payloads: use NewWriter, or NewPayloadWriter"))
	case c.checksum:
		return opts, tag(ErrOption, errors.New("ipcx: WithChecksum cannot be had from arrow-go's payloads: use NewWriter, or NewPayloadWriter"))
	case c.zstdLevel != defaultZstdLevel:
		return opts, tag(ErrOption, errors.New("ipcx: WithZstdLevel cannot be had from arrow-go's payloads: use NewWriter, or NewPayloadWriter"))
	}
	return opts, nil
}

// Write writes a record batch, and before the first one the schema. A batch of
// another schema than that is an error and is not written; after any other error
// nothing can be written any more.
func (w *Writer) Write(rec arrow.RecordBatch) error {
	switch {
	case w.err != nil:
		return w.err
	case w.closed:
		return errClosed
	}
	if w.schema == nil && rec != nil {
		w.schema = rec.Schema()
	}
	defer w.tell()()
	return w.own(w.w.Write(rec))
}

// tell tells the encoder, until the function that it returns is called, which schema
// arrow-go's writer sends, so that it need not decode it: that of WithSchema or else
// of the first record batch, whatever comes later.
func (w *Writer) tell() (done func()) {
	if w.pw == nil || w.pw.enc == nil {
		return func() {}
	}
	w.pw.enc.known = w.schema
	return func() { w.pw.enc.known = nil }
}

// Close writes the schema if nothing else was written, and the end-of-stream
// marker. It does not close the underlying writer. After a failed Write it
// writes nothing, and returns that error.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.closed = true
	defer w.tell()()
	return w.own(w.w.Close())
}

// own returns err without what arrow-go put around an error of ours.
func (w *Writer) own(err error) error {
	switch {
	case err == nil:
		return nil
	case w.pw != nil && w.pw.err != nil && errors.Is(err, w.pw.err):
		return w.pw.err
	}
	return fmt.Errorf("ipcx: %w", err)
}

// Stats returns what has been written so far. It is zero where the payloads go
// to somebody else's payload writer.
func (w *Writer) Stats() Stats {
	if w.pw == nil || w.pw.enc == nil {
		return Stats{}
	}
	return w.pw.enc.stats.Stats
}
