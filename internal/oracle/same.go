package oracle

import (
	"bytes"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// SameBatches returns an error that names the first difference between two lists
// of record batches, as [SameBatch] sees it, their number included.
func SameBatches(want, got []arrow.RecordBatch) error {
	for i := range min(len(want), len(got)) {
		if err := SameBatch(want[i], got[i]); err != nil {
			return fmt.Errorf("batch %d: %w", i, err)
		}
	}
	if len(want) != len(got) {
		return fmt.Errorf("%d batches, not %d", len(got), len(want))
	}
	return nil
}

// SameBatch returns an error that names the first difference between two record
// batches: schema and metadata, rows, and every array down to the bytes of its
// buffers. It looks at no value, so that arrays whose offsets or indices lead
// nowhere can be compared.
func SameBatch(want, got arrow.RecordBatch) error {
	if err := SameSchema(want.Schema(), got.Schema()); err != nil {
		return err
	}
	if w, g := customMetadata(want), customMetadata(got); !w.Equal(g) {
		return fmt.Errorf("custom metadata %v, not %v", g, w)
	}
	if want.NumRows() != got.NumRows() || want.NumCols() != got.NumCols() {
		return fmt.Errorf("%d rows and %d columns, not %d and %d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	for i := range int(want.NumCols()) {
		if err := sameData(want.Column(i).Data(), got.Column(i).Data()); err != nil {
			return fmt.Errorf("column %d %q: %w", i, want.ColumnName(i), err)
		}
	}
	return nil
}

// SameSchema returns an error if two schemas differ in fields, metadata or byte
// order. nil is the same as nil alone.
func SameSchema(want, got *arrow.Schema) error {
	switch {
	case want == nil || got == nil:
		if want != got {
			return fmt.Errorf("schema %v, not %v", got, want)
		}
	case !want.Equal(got), !want.Metadata().Equal(got.Metadata()):
		return fmt.Errorf("schema %v, not %v", got, want)
	}
	return nil
}

func customMetadata(rec arrow.RecordBatch) arrow.Metadata {
	if rec, ok := rec.(arrow.RecordBatchWithMetadata); ok {
		return rec.Metadata()
	}
	return arrow.Metadata{}
}

func sameData(want, got arrow.ArrayData) error {
	if !arrow.TypeEqual(want.DataType(), got.DataType(), arrow.CheckMetadata()) {
		return fmt.Errorf("type %v, not %v", got.DataType(), want.DataType())
	}
	// Some counts arrow-go changes later: of type Null when an array is made, and one
	// below zero, which stands for unknown, when somebody asks for it.
	unknown := storage(want.DataType()).ID() == arrow.NULL || want.NullN() < 0 || got.NullN() < 0
	nulls := unknown || want.NullN() == got.NullN()
	if want.Len() != got.Len() || !nulls || want.Offset() != got.Offset() {
		return fmt.Errorf("%d rows, %d of them null, from %d on, not %d, %d and %d",
			got.Len(), got.NullN(), got.Offset(), want.Len(), want.NullN(), want.Offset())
	}
	if w, g := len(want.Buffers()), len(got.Buffers()); w != g {
		return fmt.Errorf("%d buffers, not %d", g, w)
	}
	for i := range want.Buffers() {
		w, g := content(want.Buffers()[i]), content(got.Buffers()[i])
		if !bytes.Equal(w, g) {
			return fmt.Errorf("buffer %d: %s, not %s", i, abridged(g), abridged(w))
		}
	}
	if w, g := len(want.Children()), len(got.Children()); w != g {
		return fmt.Errorf("%d children, not %d", g, w)
	}
	for i := range want.Children() {
		if err := sameData(want.Children()[i], got.Children()[i]); err != nil {
			return fmt.Errorf("child %d: %w", i, err)
		}
	}
	if storage(want.DataType()).ID() == arrow.DICTIONARY {
		if err := sameData(want.Dictionary(), got.Dictionary()); err != nil {
			return fmt.Errorf("dictionary: %w", err)
		}
	}
	return nil
}

func storage(dt arrow.DataType) arrow.DataType {
	for {
		ext, ok := dt.(arrow.ExtensionType)
		if !ok {
			return dt
		}
		dt = ext.StorageType()
	}
}

func content(buf *memory.Buffer) []byte {
	if buf == nil {
		return nil
	}
	return buf.Bytes()
}

func abridged(b []byte) string {
	if len(b) > 40 {
		return fmt.Sprintf("%d bytes %x...", len(b), b[:40])
	}
	return fmt.Sprintf("%d bytes %x", len(b), b)
}
