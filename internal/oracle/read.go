package oracle

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// maxAlloc bounds a single allocation of arrow-go's reader, and maxTotal all
// that one reading makes, in bytes.
const (
	maxAlloc = 64 << 20
	maxTotal = 256 << 20
)

// ErrPanic is in the Err of a Result where the reader panicked.
var ErrPanic = errors.New("oracle: panic")

// Result is what a reader made of its input. The batches live as long as it
// does; nothing has to be released, since the memory is Go's.
type Result struct {
	Schema  *arrow.Schema
	Batches []arrow.RecordBatch
	Err     error // why there are no more batches; nil at a clean end
}

// Reader is what arrow-go's stream reader and those that stand in for it have
// in common.
type Reader interface {
	Schema() *arrow.Schema
	Next() bool
	RecordBatch() arrow.RecordBatch
	Err() error
	Release()
}

// Drain reads everything that the reader open returns has. A panic in either is
// the Result's Err, with [ErrPanic]. max bounds the number of batches, 0 does
// not.
func Drain(open func() (Reader, error), max int) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res.Err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	r, err := open()
	if err != nil {
		return Result{Err: err}
	}
	res.Schema = r.Schema()
	for (max == 0 || len(res.Batches) < max) && r.Next() {
		rec := r.RecordBatch()
		rec.Retain()
		res.Batches = append(res.Batches, rec)
	}
	if res.Err = r.Err(); res.Err == nil {
		// After a dictionary delta that it could not add, arrow-go's reader
		// releases the dictionary twice, though the batches still hold it.
		r.Release()
	}
	return res
}

// Stream reads the stream data with arrow-go. Metadata that lies may cost it more
// than there is, which ends the program: see [StreamBatches].
func Stream(data []byte, opts ...ipc.Option) Result { return StreamBatches(data, 0, opts...) }

// StreamBatches is [Stream] up to as many batches, for input of which the
// metadata has been verified that far.
func StreamBatches(data []byte, max int, opts ...ipc.Option) Result {
	return Drain(func() (Reader, error) {
		// The message reader alone keeps to the limits.
		opts := append([]ipc.Option{ipc.WithAllocator(&allocator{}), ipc.WithBodySizeLimit(maxAlloc)}, opts...)
		return ipc.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(data), opts...), opts...)
	}, max)
}

// File reads the file data with arrow-go.
func File(data []byte, opts ...ipc.Option) Result {
	return FileBatches(data, func(int) bool { return true }, opts...)
}

// FileBatches is [File] for the record batches that wanted says yes to, for a
// file that has others that nobody vouches for.
func FileBatches(data []byte, wanted func(i int) bool, opts ...ipc.Option) (res Result) {
	defer func() {
		if p := recover(); p != nil {
			res.Err = fmt.Errorf("%w: %v", ErrPanic, p)
		}
	}()
	opts = append([]ipc.Option{ipc.WithAllocator(&allocator{}), ipc.WithBodySizeLimit(maxAlloc)}, opts...)
	r, err := ipc.NewFileReader(bytes.NewReader(data), opts...)
	if err != nil {
		return Result{Err: err}
	}
	defer r.Close()
	res.Schema = r.Schema()
	for i := range r.NumRecords() {
		if !wanted(i) {
			continue
		}
		rec, err := r.RecordBatchAt(i)
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			res.Err = err
			return res
		}
		res.Batches = append(res.Batches, rec)
	}
	return res
}

// allocator is Go's, which panics rather than give more than the bounds allow.
// A failed allocation of Go's own ends the program.
type allocator struct {
	memory.GoAllocator
	total int64
}

func (a *allocator) Allocate(size int) []byte {
	a.check(size)
	return a.GoAllocator.Allocate(size)
}

func (a *allocator) Reallocate(size int, b []byte) []byte {
	if size > cap(b) {
		a.check(size)
	}
	return a.GoAllocator.Reallocate(size, b)
}

func (a *allocator) check(size int) {
	a.total += int64(size)
	if size < 0 || size > maxAlloc || a.total > maxTotal {
		panic(fmt.Sprintf("allocation of %d bytes, %d in all", size, a.total))
	}
}
