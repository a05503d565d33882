package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// compare reads what was written from an input, and compares every array.
func (c *conversion) compare(ctx context.Context, in *input, written *os.File) error {
	if err := in.rewind(); err != nil {
		return in.wrap(err)
	}
	if _, err := written.Seek(0, io.SeekStart); err != nil {
		return err
	}
	opts := c.flags.limits.options()
	out := &input{name: "what was written of " + in.name}
	if err := out.use(ctx, written); err != nil {
		return err
	}
	got, err := readBatches(ctx, out, opts...)
	if err != nil {
		return err
	}
	defer got.close()
	if c.flags.columns != nil {
		opts = append(opts, ipcx.WithColumns(c.flags.columns...))
	}
	want, err := readBatches(ctx, in, opts...)
	if err != nil {
		return err
	}
	defer want.close()
	if !want.schema.Equal(got.schema) || want.schema.String() != got.schema.String() {
		return out.wrap(fmt.Errorf("%w: the schema is %v, not %v", errDifferent, got.schema, want.schema))
	}
	for {
		w, err := want.next(ctx)
		if err != nil && err != io.EOF {
			return err
		}
		g, gerr := got.next(ctx)
		switch {
		case gerr != nil && gerr != io.EOF:
			return gerr
		case (err == io.EOF) != (gerr == io.EOF):
			return out.wrap(fmt.Errorf("%w: %d and %d record batches", errDifferent, want.i, got.i))
		case err == io.EOF:
			return nil
		}
		if err := sameBatch(w, g); err != nil {
			return out.wrap(fmt.Errorf("%w: record batch %d: %w", errDifferent, got.i-1, err))
		}
	}
}

// errDifferent is in the error of a result that is not its source.
var errDifferent = errors.New("it is not the same, DST is left as it was, please report this")

// sameBatch returns an error that names the first difference between two record
// batches. It compares bytes, so that NaN is equal to itself.
func sameBatch(want, got arrow.RecordBatch) error {
	if want.NumRows() != got.NumRows() || want.NumCols() != got.NumCols() {
		return fmt.Errorf("%d rows and %d columns, not %d and %d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	if w, g := batchMetadata(want), batchMetadata(got); !w.Equal(g) {
		return fmt.Errorf("metadata %v, not %v", g, w)
	}
	for i, col := range want.Columns() {
		if err := sameData(col.Data(), got.Column(i).Data()); err != nil {
			return fmt.Errorf("column %q: %w", want.ColumnName(i), err)
		}
	}
	return nil
}

func batchMetadata(rec arrow.RecordBatch) arrow.Metadata {
	if rec, ok := rec.(arrow.RecordBatchWithMetadata); ok {
		return rec.Metadata()
	}
	return arrow.Metadata{}
}

func sameData(want, got arrow.ArrayData) error {
	if want.Len() != got.Len() || want.NullN() != got.NullN() || want.Offset() != got.Offset() {
		return fmt.Errorf("length %d, nulls %d, offset %d, not %d, %d, %d", got.Len(), got.NullN(), got.Offset(), want.Len(), want.NullN(), want.Offset())
	}
	if len(want.Buffers()) != len(got.Buffers()) || len(want.Children()) != len(got.Children()) {
		return fmt.Errorf("%d buffers and %d children, not %d and %d", len(got.Buffers()), len(got.Children()), len(want.Buffers()), len(want.Children()))
	}
	for i, w := range want.Buffers() {
		if g := got.Buffers()[i]; !bytes.Equal(content(w), content(g)) {
			return fmt.Errorf("buffer %d differs", i)
		}
	}
	for i, w := range want.Children() {
		if err := sameData(w, got.Children()[i]); err != nil {
			return fmt.Errorf("child %d: %w", i, err)
		}
	}
	if w, g := want.Dictionary(), got.Dictionary(); hasDictionary(w) || hasDictionary(g) {
		return sameDictionary(w, g)
	}
	return nil
}

// sameDictionary compares dictionaries. That of a file has the values of all
// deltas from the first record batch on, that of a stream only those that came
// before it.
func sameDictionary(want, got arrow.ArrayData) error {
	if !hasDictionary(want) || !hasDictionary(got) {
		return errors.New("one has a dictionary, the other has not")
	}
	if want.Len() == got.Len() {
		if err := sameData(want, got); err != nil {
			return fmt.Errorf("dictionary: %w", err)
		}
		return nil
	}
	w, g := array.MakeFromData(want), array.MakeFromData(got)
	defer w.Release()
	defer g.Release()
	n := int64(min(w.Len(), g.Len()))
	if !array.SliceEqual(w, 0, n, g, 0, n) {
		return fmt.Errorf("dictionary: the first %d values differ", n)
	}
	return nil
}

// hasDictionary says whether data, an interface that may hold a nil pointer, is
// there.
func hasDictionary(data arrow.ArrayData) bool {
	d, ok := data.(*array.Data)
	return data != nil && (!ok || d != nil)
}

func content(buf *memory.Buffer) []byte {
	if buf == nil {
		return nil
	}
	return buf.Bytes()
}
