package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// batches gives the record batches of an input, one by one.
type batches struct {
	in     *input
	schema *arrow.Schema
	file   *ipcx.FileReader // nil where it is not read by its footer
	footer arrow.Metadata
	read   func() (arrow.RecordBatch, error)
	stats  func() ipcx.Stats
	close  func()
	i      int // record batches read

	spoolErr error // of turning a file into a stream, once close has returned
}

// readBatches opens the record batches of an input.
func readBatches(ctx context.Context, in *input, opts ...ipcx.Option) (*batches, error) {
	b := &batches{in: in, close: func() {}}
	err := guard(func() error {
		if in.format() == ipcx.FileFormat && in.file != nil {
			return b.openFile(opts)
		}
		return b.openStream(ctx, opts)
	})
	if err != nil {
		b.close()
		return nil, in.wrap(err)
	}
	return b, nil
}

func (b *batches) openFile(opts []ipcx.Option) error {
	r, err := ipcx.NewFileReader(b.in.reader().(ipcx.ReadAtSeeker), opts...)
	if err != nil {
		return err
	}
	b.schema, b.footer, b.file, b.stats = r.Schema(), r.FooterMetadata(), r, r.Stats
	b.read = func() (arrow.RecordBatch, error) {
		if b.i >= r.NumRecords() {
			return nil, io.EOF
		}
		return r.RecordBatch(b.i)
	}
	b.close = func() { r.Close() }
	return nil
}

func (b *batches) openStream(ctx context.Context, opts []ipcx.Option) error {
	src := b.in.reader()
	if b.in.format() == ipcx.FileFormat {
		src = b.asStream(ctx, src, opts)
	}
	r, err := ipcx.NewReader(src, opts...)
	if err != nil {
		b.close()
		b.close = func() {}
		if b.spoolErr != nil {
			return b.spoolErr // the cause
		}
		if b.in.format() == ipcx.StreamFormat && (errors.Is(err, io.EOF) || errors.Is(err, ipcx.ErrCorrupt)) {
			return &kindError{err, ipcx.ErrNotArrow} // nothing of it made sense
		}
		return err
	}
	b.schema, b.read, b.stats = r.Schema(), r.Read, r.Stats
	closeSource := b.close
	b.close = func() { r.Release(); closeSource() }
	return nil
}

// asStream returns the stream of a file that comes through a pipe: a conversion
// spools it, since it has to be read from its end.
func (b *batches) asStream(ctx context.Context, src io.Reader, opts []ipcx.Option) io.Reader {
	ctx, cancel := context.WithCancelCause(ctx)
	pr, pw := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		err := guard(func() error {
			_, err := ipcx.Convert(ctx, pw, src, opts...)
			return err
		})
		pw.CloseWithError(err)
		if !errors.Is(err, io.ErrClosedPipe) && !errors.Is(err, errClosing) {
			b.spoolErr = err
		}
	}()
	b.close = func() {
		cancel(errClosing)
		pr.Close()
		<-done
	}
	return pr
}

// skip passes over the record batches that are all in the first n rows, where
// that is less work than reading them, and returns how many of those rows are
// left.
func (b *batches) skip(n int64, opts []ipcx.Option) (int64, error) {
	if b.file == nil || n == 0 {
		return n, nil
	}
	err := guard(func() error {
		counter, err := ipcx.NewFileReader(b.in.reader().(ipcx.ReadAtSeeker), append(opts, ipcx.WithColumns())...)
		if err != nil {
			return err
		}
		defer counter.Close()
		for ; b.i < counter.NumRecords(); b.i++ {
			rec, err := counter.RecordBatch(b.i)
			if err != nil {
				return &placeError{b.i, "", err}
			}
			if rec.NumRows() > n {
				return nil
			}
			n -= rec.NumRows()
		}
		return nil
	})
	return n, b.in.wrap(err)
}

// errClosing is why a conversion ends that nobody reads from any more.
var errClosing = errors.New("closing")

// next returns the next record batch, or io.EOF after the last one. It is valid
// until the next call.
func (b *batches) next(ctx context.Context) (rec arrow.RecordBatch, err error) {
	if ctx.Err() != nil {
		return nil, b.in.wrap(context.Cause(ctx))
	}
	err = guard(func() error {
		rec, err = b.read()
		return err
	})
	if err == io.EOF {
		return nil, err
	}
	b.i++
	if err != nil {
		return nil, b.in.wrap(placed(err, b.i-1))
	}
	return rec, nil
}

// addRows returns the total of rows with those of another record batch, i.
func addRows(total, rows, i int64) (int64, error) {
	switch {
	case rows < 0:
		return 0, &kindError{fmt.Errorf("record batch %d has %d rows", i, rows), ipcx.ErrCorrupt}
	case rows > math.MaxInt64-total:
		return 0, fmt.Errorf("rows of record batches 0 to %d come to more than %d", i, int64(math.MaxInt64))
	}
	return total + rows, nil
}

// placed says which record batch an error is about, and which column if it knows.
func placed(err error, batch int) error {
	invalid := new(ipcx.InvalidError)
	switch {
	case !errors.As(err, &invalid):
		return &placeError{batch, "", err}
	case invalid.Row >= 0:
		err = fmt.Errorf("row %d: %w", invalid.Row, invalid.Err)
	default:
		err = invalid.Err
	}
	return &placeError{batch, invalid.Path, &kindError{err, ipcx.ErrCorrupt}}
}
