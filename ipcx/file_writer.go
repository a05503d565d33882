package ipcx

import (
	"errors"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/arrio"
)

// FileWriter writes record batches as an Arrow file. It stands in for
// arrow-go's ipc.FileWriter, and takes its schema from the first record batch
// where [WithSchema] is not given.
//
// A file has one dictionary for each field, which may grow if
// [WithDictionaryDeltas] is given. A record batch with any other dictionary is
// refused with ErrReplacement; the batches before it make a complete file when
// it is closed.
//
// It is not safe for concurrent use.
type FileWriter struct{ w *Writer }

var _ arrio.Writer = (*FileWriter)(nil)

// NewFileWriter returns a writer of a file to w. The error is about options and
// carries ErrOption.
func NewFileWriter(w io.Writer, opts ...Option) (*FileWriter, error) {
	cfg := newConfig(opts)
	cfg.format = FileFormat
	fw := &FileWriter{newWriter(newPayloadWriter(w, cfg), cfg)}
	if fw.w.err != nil {
		return nil, fw.w.err
	}
	return fw, nil
}

// Write writes a record batch, and before the first one the schema. A batch of
// another schema than that is an error and is not written; after any other error
// nothing can be written any more.
func (f *FileWriter) Write(rec arrow.RecordBatch) error { return f.w.Write(rec) }

// Close writes the schema if nothing else was written, and the footer. It does
// not close the underlying writer. After a failed Write it writes nothing, and
// returns that error, unless it was ErrReplacement.
func (f *FileWriter) Close() error {
	err := f.w.Close()
	if errors.Is(err, ErrReplacement) && errors.Is(f.w.pw.err, errClosed) {
		return nil
	}
	return err
}

// Stats returns what has been written so far.
func (f *FileWriter) Stats() Stats { return f.w.Stats() }
