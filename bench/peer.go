package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// setting says how to write and to read.
type setting struct {
	Codec   string `json:"codec"` // none, lz4, zstd
	Level   int    `json:"level"` // of zstd, as its command line tool counts them
	Threads int    `json:"threads"`
	Ahead   int    `json:"ahead"`
	Plain   bool   `json:"plain"` // offsets as offsets
}

func (s setting) String() string {
	if s.Codec == "zstd" {
		return fmt.Sprintf("zstd %d", s.Level)
	}
	return s.Codec
}

// ownZstd is the level that arrow-go, polars and arro3 write zstd at: they have no
// other.
const ownZstd = 3

// sample is what one library took for a table, times over.
type sample struct {
	NS      int64 `json:"ns"`
	CPU     int64 `json:"cpu"`   // processor time in ns, of all threads
	Bytes   int64 `json:"bytes"` // written, by one
	Mallocs int64 `json:"mallocs"`
	Alloc   int64 `json:"alloc"`
}

// errNotOffered says that a library does not do what a setting asks for.
var errNotOffered = errors.New("not offered")

// A peer is a library that writes and reads.
type peer interface {
	name() string
	open(path string) error
	// run writes the opened file's record batches, or reads what it wrote last,
	// as often as times says. If fresh it writes, untimed, before it reads.
	run(op string, s setting, times int, fresh bool) (sample, error)
	close() error
}

// goPeer is a library of Go, in this process.
type goPeer struct {
	label   string
	writer  func(io.Writer, *arrow.Schema, setting) (recordWriter, error)
	reader  func(io.Reader, setting) (recordReader, error)
	batches []arrow.RecordBatch
	written bytes.Buffer
}

type recordWriter interface {
	Write(arrow.RecordBatch) error
	io.Closer
}

type recordReader interface {
	Next() bool
	Err() error
	Release()
}

func arrowGo() *goPeer {
	return &goPeer{
		label: "arrow-go",
		writer: func(w io.Writer, schema *arrow.Schema, s setting) (recordWriter, error) {
			opts := []ipc.Option{ipc.WithSchema(schema)}
			switch {
			case s.Codec == "lz4":
				opts = append(opts, ipc.WithLZ4())
			case s.Codec == "zstd" && s.Level == ownZstd:
				opts = append(opts, ipc.WithZstd())
			case s.Codec != "none":
				return nil, errNotOffered
			}
			return ipc.NewWriter(w, opts...), nil
		},
		reader: func(r io.Reader, _ setting) (recordReader, error) { return ipc.NewReader(r) },
	}
}

func ours() *goPeer {
	return &goPeer{
		label: "ipcx",
		writer: func(w io.Writer, schema *arrow.Schema, s setting) (recordWriter, error) {
			return ipcx.NewWriter(w, writeOptions(schema, s)...), nil
		},
		reader: func(r io.Reader, s setting) (recordReader, error) {
			return ipcx.NewReader(r, ipcx.WithDecompressConcurrency(s.Threads), ipcx.WithReadAhead(s.Ahead))
		},
	}
}

// writeOptions are those of ipcx that a setting means. Offsets are lengths wherever
// there is a codec.
func writeOptions(schema *arrow.Schema, s setting) []ipcx.Option {
	opts := []ipcx.Option{ipcx.WithSchema(schema), ipcx.WithCompressConcurrency(s.Threads)}
	switch s.Codec {
	case "lz4":
		opts = append(opts, ipcx.WithLZ4())
	case "zstd":
		opts = append(opts, ipcx.WithZstd(), ipcx.WithZstdLevel(s.Level))
	}
	if !s.Plain {
		opts = append(opts, ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame, ipcx.Zstd))
	}
	return opts
}

func (p *goPeer) name() string { return p.label }

func (p *goPeer) close() error { return nil }

func (p *goPeer) open(path string) (err error) {
	p.batches, err = fileBatches(path, math.MaxInt)
	return err
}

func (p *goPeer) run(op string, s setting, times int, fresh bool) (sample, error) {
	once := func() error { return p.write(s) }
	if op == "read" {
		if fresh {
			if err := p.write(s); err != nil {
				return sample{}, err
			}
		}
		once = func() error { return p.read(s) }
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, cpu := usage()
	start := time.Now()
	for range times {
		if err := once(); err != nil {
			return sample{}, fmt.Errorf("%s: %s with %s: %w", p.label, op, s, err)
		}
	}
	ns := time.Since(start).Nanoseconds()
	_, cpuAfter := usage()
	runtime.ReadMemStats(&after)
	return sample{
		NS:      ns,
		CPU:     (cpuAfter - cpu).Nanoseconds(),
		Bytes:   int64(p.written.Len()),
		Mallocs: int64(after.Mallocs - before.Mallocs),
		Alloc:   int64(after.TotalAlloc - before.TotalAlloc),
	}, nil
}

func (p *goPeer) write(s setting) error {
	p.written.Reset()
	w, err := p.writer(&p.written, p.batches[0].Schema(), s)
	if err != nil {
		return err
	}
	for _, rec := range p.batches {
		if err := w.Write(rec); err != nil {
			return err
		}
	}
	return w.Close()
}

func (p *goPeer) read(s setting) error {
	r, err := p.reader(bytes.NewReader(p.written.Bytes()), s)
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
	}
	return r.Err()
}
