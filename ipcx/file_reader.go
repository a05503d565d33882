package ipcx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// FileReader reads the record batches of an Arrow file in any order. It stands
// in for arrow-go's ipc.FileReader.
//
// RecordBatchAt is safe for concurrent use; the other methods that read are
// not. Close must come after all of them.
type FileReader struct {
	cfg    *config
	r      io.ReaderAt
	mapped []byte // all of the file where it is mapped, else nil
	footer *footer
	head   []byte // metadata of the schema message
	schema *arrow.Schema
	nests  bool // whether dictionaries hold others

	mu           sync.Mutex
	idle         []*fileLoader
	dictionaries []*ipc.Message  // decoded, shared by the loaders
	dicts        dictionaryState // with those, and before any record batch
	stats        Stats
	closed       bool

	record arrow.RecordBatch
	next   int
	ahead  fileAhead
}

var (
	_ arrio.Reader   = (*FileReader)(nil)
	_ arrio.ReaderAt = (*FileReader)(nil)
)

// NewFileReader opens the file r: it reads the footer and the dictionaries, if
// there are any. The caller closes the reader, and r after it.
//
// The file should stay as it is until then. What needs bytes that are gone, once
// it was made shorter, is an error; bytes behind its end mean nothing. Whether
// bytes were overwritten, nobody looks: checksums find it in compressed buffers
// that have them, see [WithChecksum].
func NewFileReader(r ReadAtSeeker, opts ...Option) (*FileReader, error) {
	end, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("ipcx: finding the end of the file: %w", err)
	}
	return openFile(&FileReader{cfg: newConfig(opts), r: r}, end)
}

// NewMappedFileReader opens the file whose bytes are data, a mapping of it for
// example. The buffers of record batches that are neither compressed nor
// flagged are those bytes, not copies: data must stay as long as they do. data
// is never written to.
//
// A file that is mapped must not be made shorter. The system then stops a program
// that comes to the bytes that are gone, by a fault (SIGBUS on Unix) that is no
// error to return. What is written to the file shows in record batches that were
// read before.
func NewMappedFileReader(data []byte, opts ...Option) (*FileReader, error) {
	return openFile(&FileReader{cfg: newConfig(opts), r: bytes.NewReader(data), mapped: data}, int64(len(data)))
}

func openFile(f *FileReader, end int64) (_ *FileReader, err error) {
	if f.cfg.err != nil {
		return nil, f.cfg.err
	}
	if f.cfg.footerEnd > 0 {
		end = min(end, f.cfg.footerEnd)
	}
	if f.footer, err = readFooter(f.r, end, f.cfg); err != nil {
		return nil, err
	}
	if f.head, err = f.footer.schemaMessage(); err != nil {
		return nil, err
	}
	l, err := newFileLoader(f)
	if err != nil {
		return nil, err
	}
	f.schema = l.r.Schema()
	f.nests = hasType(f.schema, nestsDictionary)
	// Bytes that will be swapped in place cannot be shared by the loaders.
	if !l.dec.swaps {
		if f.dictionaries, err = l.loadDictionaries(); err != nil {
			l.release()
			return nil, err
		}
		f.dicts = l.dec.dicts.clone()
	}
	if err := l.prime(); err != nil {
		l.release()
		_ = f.Close()
		return nil, err
	}
	f.put(l)
	return f, nil
}

// Schema returns the schema, with the columns asked for alone.
func (f *FileReader) Schema() *arrow.Schema { return f.schema }

// NumDictionaries returns how many dictionary batches the file has, deltas
// included.
func (f *FileReader) NumDictionaries() int { return len(f.footer.dictionaries) }

// NumRecords returns how many record batches the file has.
func (f *FileReader) NumRecords() int { return len(f.footer.batches) }

// Version returns the version of the footer's metadata.
func (f *FileReader) Version() MetadataVersion { return MetadataVersion(f.footer.fb.Version()) }

// FooterMetadata returns the custom metadata of the footer.
func (f *FileReader) FooterMetadata() arrow.Metadata { return arrowMetadata(f.footer.custom()) }

// Stats returns what has been read so far: the schema and the dictionaries once,
// and a record batch as often as it was read.
func (f *FileReader) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stats
}

// Close releases what the reader holds. It does not close the underlying
// reader. Record batches that the caller owns stay valid.
func (f *FileReader) Close() error {
	f.ahead.drain()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	for _, l := range f.idle {
		l.release()
	}
	for _, msg := range f.dictionaries {
		msg.Release()
	}
	f.idle, f.dictionaries = nil, nil
	if f.record != nil {
		f.record.Release()
		f.record = nil
	}
	return nil
}

// RecordBatchAt returns record batch i, from 0 on. The caller releases it. It
// is safe for concurrent use. The error is arrow.ErrIndex for an i that is out
// of range.
func (f *FileReader) RecordBatchAt(i int) (arrow.RecordBatch, error) {
	if i < 0 || i >= f.NumRecords() {
		return nil, fmt.Errorf("ipcx: %w: record batch %d of a file that has %d", arrow.ErrIndex, i, f.NumRecords())
	}
	l, err := f.take()
	if err != nil {
		return nil, err
	}
	defer f.put(l)
	return l.load(i)
}

// RecordAt returns record batch i.
//
// Deprecated: Use [FileReader.RecordBatchAt] instead.
func (f *FileReader) RecordAt(i int) (arrow.Record, error) { return f.RecordBatchAt(i) }

// RecordBatch returns record batch i, from 0 on. It is valid until the next
// call of RecordBatch, Read or ReadAt, unless it is retained.
func (f *FileReader) RecordBatch(i int) (arrow.RecordBatch, error) {
	return f.replace(f.RecordBatchAt(i))
}

// replace makes rec the record batch that the reader holds.
func (f *FileReader) replace(rec arrow.RecordBatch, err error) (arrow.RecordBatch, error) {
	if err != nil {
		return nil, err
	}
	if f.record != nil {
		f.record.Release()
	}
	f.record = rec
	return rec, nil
}

// Record returns record batch i.
//
// Deprecated: Use [FileReader.RecordBatch] instead.
func (f *FileReader) Record(i int) (arrow.Record, error) { return f.RecordBatch(i) }

// Read returns the next record batch, or io.EOF after the last one. It is valid
// until the next call of RecordBatch, Read or ReadAt, unless it is retained.
func (f *FileReader) Read() (arrow.RecordBatch, error) {
	if f.next >= f.NumRecords() {
		return nil, io.EOF
	}
	f.next++
	if f.cfg.readAhead > 0 {
		return f.replace(f.ahead.next(f, f.next-1))
	}
	return f.RecordBatch(f.next - 1)
}

// ReadAt returns record batch i, as RecordBatch does.
func (f *FileReader) ReadAt(i int64) (arrow.RecordBatch, error) {
	if i < 0 || i >= int64(f.NumRecords()) {
		return nil, fmt.Errorf("ipcx: %w: record batch %d of a file that has %d", arrow.ErrIndex, i, f.NumRecords())
	}
	return f.RecordBatch(int(i))
}

// errFileClosed is the error of reading after Close.
var errFileClosed = errors.New("ipcx: read from a closed file reader")

// take returns a loader for the caller alone, who puts it back.
func (f *FileReader) take() (*fileLoader, error) {
	f.mu.Lock()
	if f.closed {
		f.mu.Unlock()
		return nil, errFileClosed
	}
	if n := len(f.idle); n > 0 {
		l := f.idle[n-1]
		f.idle = f.idle[:n-1]
		f.mu.Unlock()
		return l, nil
	}
	f.mu.Unlock()
	l, err := newFileLoader(f)
	if err != nil {
		return nil, err
	}
	if err := l.prime(); err != nil {
		l.release()
		return nil, err
	}
	l.dec.stats.Stats = Stats{} // schema and dictionaries were counted before
	return l, nil
}

// put takes a loader back. One that broke, or that there is no use for, is
// released.
func (f *FileReader) put(l *fileLoader) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats.Add(l.dec.stats.Stats)
	l.dec.stats.Stats = Stats{}
	if f.closed || l.broken || len(f.idle) >= max(runtime.GOMAXPROCS(0), f.cfg.readAhead) {
		l.release()
		return
	}
	f.idle = append(f.idle, l)
}
