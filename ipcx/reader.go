package ipcx

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// Reader reads record batches from a stream. It stands in for arrow-go's
// ipc.Reader: arrow-go builds the arrays, from messages that are decoded here.
//
// It is not safe for concurrent use, Retain and Release apart.
type Reader struct {
	refs   atomic.Int64
	r      *ipc.Reader
	msgs   MessageReader
	mr     ownReader // msgs, nil where the messages are somebody else's
	broken error     // of a panic in arrow-go's loader, or of validation
	failed bool      // in arrow-go's loader

	nests func() bool       // whether dictionaries hold others
	own   arrow.RecordBatch // where they do, what stands for arrow-go's

	validates bool
	batches   int // validated
	known     validatedDictionaries
}

var (
	_ array.RecordReader = (*Reader)(nil)
	_ arrio.Reader       = (*Reader)(nil)
)

// NewReader returns a reader of the stream r. Unless [WithDelayReadSchema] is
// given, it reads the schema. The caller releases it.
//
// What the stream can make it allocate is bounded by [WithMetadataSizeLimit],
// [WithBodySizeLimit] and [WithDecodedSizeLimit], whose errors name them.
func NewReader(r io.Reader, opts ...Option) (*Reader, error) {
	cfg := newConfig(opts)
	mr := newMessageReader(r, cfg)
	if cfg.readAhead > 0 {
		return newReader(newAheadReader(mr, cfg.readAhead), cfg)
	}
	return newReader(mr, cfg)
}

// NewReaderFromMessageReader returns a reader of the messages of r, which it
// takes over: Release releases it. Flagged messages must have been decoded, as
// those of [NewMessageReader] are; from any other r they are an error.
func NewReaderFromMessageReader(r MessageReader, opts ...Option) (*Reader, error) {
	return newReader(r, newConfig(opts))
}

func newReader(mr MessageReader, cfg *config) (_ *Reader, err error) {
	reader := &Reader{msgs: mr, validates: cfg.validate}
	reader.refs.Store(1)
	reader.mr, _ = mr.(ownReader)
	reader.nests = sync.OnceValue(func() bool { return hasType(reader.r.Schema(), nestsDictionary) })
	if cfg.err != nil {
		mr.Release()
		return nil, cfg.err
	}
	defer func() {
		if p := recover(); p != nil {
			err = schemaPanic(p, reader.mr != nil)
		}
	}()
	r, err := ipc.NewReaderFromMessageReader(mr, cfg.arrowOptions()...)
	if err != nil {
		return nil, reader.ourError(err)
	}
	reader.r = r
	if mr, ok := mr.(*messageReader); ok && !cfg.delayReadSchema {
		mr.dec.adopt(r.Schema())
	}
	return reader, nil
}

// ownReader is a message reader of this package.
type ownReader interface {
	MessageReader
	lastErr() error // of Message
	statistics() Stats
}

// ourError returns err without what arrow-go put around an error of ours. An error of
// somebody else's message reader stays as it is.
func (r *Reader) ourError(err error) error {
	switch {
	case err == nil || err == io.EOF || r.mr == nil:
		return err
	case r.mr.lastErr() != nil && r.mr.lastErr() != io.EOF && errors.Is(err, r.mr.lastErr()):
		return r.mr.lastErr()
	case r.mr.lastErr() == nil && r.mr.statistics().Messages == 1:
		return undecodable(err)
	}
	return fmt.Errorf("ipcx: %w", err)
}

// Err returns the error that ended the iteration, nil at the end of the stream.
func (r *Reader) Err() error {
	if r.broken != nil {
		return r.broken
	}
	return r.ourError(r.r.Err())
}

// Schema returns the schema of the stream, nil where it could not be read: Err
// then says why.
func (r *Reader) Schema() (schema *arrow.Schema) {
	defer func() {
		if p := recover(); p != nil {
			r.broken = schemaPanic(p, r.mr != nil)
		}
	}()
	return r.r.Schema()
}

// Retain increases the reference count by 1.
func (r *Reader) Retain() { r.refs.Add(1) }

// Release decreases the reference count by 1. At zero it releases the current
// record batch, the dictionaries and the decompressors; after an error of arrow-go
// in a stream with deltas of dictionaries, the decompressors alone, and the rest is
// left to Go's collector.
func (r *Reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.letGo()
	if r.failed && (r.mr == nil || r.mr.statistics().DictionaryDeltas > 0) {
		// Where joining the deltas of a dictionary fails, arrow-go's reader has
		// released them and would do so again, though record batches may hold
		// them. What of the dictionaries is left is for Go's collector.
		r.msgs.Release()
		return
	}
	r.r.Release()
}

// Next reads the next record batch and says whether there is one. Where there
// is none, Err says whether that was an error.
func (r *Reader) Next() bool {
	if r.broken != nil {
		return false
	}
	r.letGo()
	if !r.r.Next() {
		r.note(r.r.Err())
		return false
	}
	return r.accept(r.r.RecordBatch())
}

// note notes whether an error of arrow-go's reader is of its loader, and not of
// the messages that it was given.
func (r *Reader) note(err error) {
	switch {
	case err == nil || err == io.EOF:
	case r.mr == nil:
		r.failed = isPanic(err)
	default:
		r.failed = r.mr.lastErr() == nil
	}
}

// accept says whether a record batch is, with WithValidation, what it should be.
// If it is not, it is the last one.
func (r *Reader) accept(rec arrow.RecordBatch) bool {
	if r.validates {
		r.broken = validate(rec, r.batches, &r.known)
		r.batches++
	}
	if r.broken == nil && r.nests() {
		r.own = withOwnDictionaries(rec)
	}
	return r.broken == nil
}

// letGo releases the record batch that was read last, where it is not arrow-go's.
func (r *Reader) letGo() {
	if r.own != nil {
		r.own.Release()
		r.own = nil
	}
}

// RecordBatch returns the record batch that Next read. It is valid until the
// next call of Next or Read, unless it is retained.
func (r *Reader) RecordBatch() arrow.RecordBatch {
	switch {
	case r.broken != nil:
		return nil
	case r.own != nil:
		return r.own
	}
	return r.r.RecordBatch()
}

// Record returns the record batch that Next read.
//
// Deprecated: Use [Reader.RecordBatch] instead.
func (r *Reader) Record() arrow.Record { return r.RecordBatch() }

// Read returns the next record batch, or io.EOF at the end of the stream. It is
// valid until the next call of Next or Read, unless it is retained.
func (r *Reader) Read() (arrow.RecordBatch, error) {
	if r.broken != nil {
		return nil, r.broken
	}
	r.letGo()
	rec, err := r.r.Read()
	if err != nil {
		r.note(err)
		return nil, r.ourError(err)
	}
	if !r.accept(rec) {
		return nil, r.broken
	}
	return r.RecordBatch(), nil
}

// Stats returns what has been read so far. It is zero for the messages of
// somebody else's message reader.
func (r *Reader) Stats() Stats {
	if r.mr == nil {
		return Stats{}
	}
	return r.mr.statistics()
}
