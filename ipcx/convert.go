package ipcx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// Convert reads an Arrow stream or file from src, told apart by its first
// bytes, and writes it to dst as a stream, compressed and flagged as the
// options say; without options it becomes an uncompressed stream that every
// reader takes. It works on messages and builds no arrays. Metadata of version
// 4 becomes version 5, unless there are unions, whose buffers differ.
//
// A file is read by its footer, dictionaries first. It takes a src that can
// seek and read anywhere; any other is copied to a temporary file first.
//
// The result counts what was written. ctx is looked at before each message; its
// error is in the one returned. What was written up to an error is no complete
// stream.
func Convert(ctx context.Context, dst io.Writer, src io.Reader, opts ...Option) (Stats, error) {
	cfg := newConfig(opts)
	cfg.ensureNativeEndian = false // bytes stay in the order the schema says
	w := newPayloadWriter(dst, cfg)
	if w.err != nil {
		return Stats{}, w.err
	}
	in, done, err := newSource(src, cfg)
	if err != nil {
		return Stats{}, err
	}
	defer done()
	c := converter{src: in, dec: newDecoder(cfg), w: w}
	defer c.dec.Close()
	if err := c.run(ctx); err != nil {
		return w.enc.stats, err
	}
	return w.enc.stats, w.Close()
}

// source gives the messages of a stream or a file, one by one: next its
// metadata, then bodyScratch its body. Both are valid until the next message.
type source interface {
	next() ([]byte, error)
	bodyScratch(n int64) ([]byte, error)
}

// newSource returns the messages of r. done frees what it took.
func newSource(r io.Reader, cfg *config) (_ source, done func(), err error) {
	done = func() {}
	if file, at, size, ok := seekable(r); ok {
		section := io.NewSectionReader(file, at, size)
		var first [len(magic)]byte
		if n, _ := section.ReadAt(first[:], 0); n == len(magic) && string(first[:]) == magic {
			src, err := newFileSource(section, size, cfg)
			return src, done, err
		}
	}
	br := bufio.NewReader(r)
	first, err := br.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, done, fmt.Errorf("ipcx: reading the first bytes: %w", err)
	}
	if string(first) != magic {
		return &streamSource{r: br, cfg: cfg}, done, nil
	}
	spool, size, err := spool(br)
	if err != nil {
		return nil, done, err
	}
	done = func() {
		spool.Close()
		os.Remove(spool.Name())
	}
	src, err := newFileSource(spool, size, cfg)
	if err != nil {
		done()
		return nil, func() {}, err
	}
	return src, done, nil
}

// seekable returns r as something to read anywhere, with where it stands and
// how many bytes follow, if it is. A pipe has the methods, but they fail.
func seekable(r io.Reader) (_ io.ReaderAt, at, size int64, ok bool) {
	file, ok := r.(ReadAtSeeker)
	if !ok {
		return nil, 0, 0, false
	}
	at, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0, 0, false
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, 0, 0, false
	}
	if _, err := file.Seek(at, io.SeekStart); err != nil {
		return nil, 0, 0, false
	}
	return file, at, max(end-at, 0), true
}

// spool copies r to a temporary file, which the caller closes and removes.
func spool(r io.Reader) (*os.File, int64, error) {
	f, err := os.CreateTemp("", "arrowplanes-*.arrow")
	if err != nil {
		return nil, 0, fmt.Errorf("ipcx: temporary file for a file that cannot be read by its footer: %w", err)
	}
	n, err := io.Copy(f, r)
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, 0, fmt.Errorf("ipcx: copying the file to a temporary one: %w", err)
	}
	return f, n, nil
}

// converter moves messages from a source to a payload writer.
type converter struct {
	src  source
	dec  *Decoder
	w    *payloadWriter
	bufs [][]byte
}

func (c *converter) run(ctx context.Context) error {
	for {
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("ipcx: conversion stopped after %d messages: %w", c.w.enc.stats.Messages, err)
		}
		metadata, err := c.src.next()
		switch {
		case err == nil:
			err = c.message(metadata)
		case errors.Is(err, io.EOF) && !c.dec.started:
			return tag(ErrNotArrow, errors.New("ipcx: the input ended before a schema: it is empty, or no Arrow data"))
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, ErrCorrupt) && !c.dec.started:
			err = tag(ErrNotArrow, err)
		}
		if err != nil {
			return err
		}
	}
}

// message converts one message.
func (c *converter) message(metadata []byte) error {
	passes, err := c.dec.begin(metadata)
	if err != nil {
		return err
	}
	m := &c.dec.in
	body, err := c.src.bodyScratch(m.bodyLength)
	if err != nil {
		return err
	}
	if !m.isBatch() {
		if m.kind != flatbuf.MessageHeaderSchema {
			return c.dec.wrap(tag(ErrUnsupported, errors.New("has no place in a stream of record batches")))
		}
		if err := c.dec.pass(body); err != nil {
			return err
		}
		if metadata, err = c.w.enc.other(m, metadata); err != nil {
			return err
		}
		return c.w.put(metadata, nil)
	}
	c.bufs = c.bufs[:0]
	if passes {
		if err := c.dec.pass(body); err != nil {
			return err
		}
		for i, s := range m.buffers {
			if s.length == 0 {
				s.offset = 0
			}
			p, err := cut(body, s, i)
			if err != nil {
				return c.dec.wrap(err)
			}
			c.bufs = append(c.bufs, p)
		}
		if c.w.enc.verbatim(m) {
			c.w.enc.count(m, c.bufs, m.bodyLength, false)
			c.bufs = append(c.bufs[:0], body)
			return c.w.put(metadata, c.bufs)
		}
	} else {
		size, err := c.dec.measure(body)
		if err != nil {
			return err
		}
		dst := c.dec.body.Sized(size)
		if err := c.dec.fill(dst); err != nil {
			return err
		}
		m = c.dec.plain()
		for _, s := range m.buffers {
			c.bufs = append(c.bufs, dst[s.offset:s.offset+s.length])
		}
	}
	metadata, segments, err := c.w.enc.batch(m, c.bufs)
	if err != nil {
		return err
	}
	return c.w.put(metadata, segments)
}
