package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// stdio is the name of standard input and output.
const stdio = "-"

// input is an Arrow stream or file to read.
type input struct {
	name  string
	first []byte // of it, as many as tell what it is
	file  *os.File
	start int64 // of the Arrow data in the file
	size  int64 // -1 where it is not known
	perm  fs.FileMode
	pipe  io.Reader
	seen  atomic.Int64 // bytes read, some of them perhaps twice
	tick  func(n int64)
	close func()
}

// firstBytes is how much of an input is looked at to tell what it is.
const firstBytes = 8

// open opens a path, or standard input. Cancelling ctx ends reads that wait for
// a pipe.
func (a *app) open(ctx context.Context, name string) (*input, error) {
	in := &input{name: name, size: -1, close: func() {}}
	if name == stdio {
		in.name = "standard input"
		return in, in.use(ctx, a.stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, &fileError{name: name, err: err}
	}
	in.close = func() { f.Close() }
	if err := in.use(ctx, f); err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

// use reads the first bytes of r, which is kept as it is if it is a file.
func (in *input) use(ctx context.Context, r io.Reader) error {
	if f, ok := r.(*os.File); ok {
		info, err := f.Stat()
		if err != nil {
			return in.wrap(err)
		}
		if info.IsDir() {
			return in.wrap(errors.New("is a folder"))
		}
		if info.Mode().IsRegular() {
			start, err := f.Seek(0, io.SeekCurrent)
			if err != nil {
				return in.wrap(err)
			}
			in.file, in.start, in.size, in.perm = f, start, info.Size()-start, info.Mode().Perm()
			in.first = make([]byte, firstBytes)
			n, err := f.ReadAt(in.first, start)
			if err != nil && !errors.Is(err, io.EOF) {
				return in.wrap(err)
			}
			in.first = in.first[:n]
			return nil
		}
	}
	br := bufio.NewReaderSize(cancellable(ctx, r), 64<<10)
	first, err := br.Peek(firstBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return in.wrap(err)
	}
	in.first, in.pipe = append([]byte(nil), first...), br
	return nil
}

// wrap says which input an error is about.
func (in *input) wrap(err error) error {
	if err == nil {
		return nil
	}
	return &fileError{in.name, in.first, err}
}

// format returns the format that the first bytes say.
func (in *input) format() ipcx.Format {
	if len(in.first) >= len(ipcx.Magic) && string(in.first[:len(ipcx.Magic)]) == string(ipcx.Magic) {
		return ipcx.FileFormat
	}
	return ipcx.StreamFormat
}

// reader returns what to read from. It has ReadAt and Seek if it is a file.
func (in *input) reader() io.Reader {
	if in.file != nil {
		return &countedFile{in.file, in}
	}
	return &countedPipe{in.pipe, in}
}

// rewind goes back to where a file began, for another reader.
func (in *input) rewind() error {
	_, err := in.file.Seek(in.start, io.SeekStart)
	return err
}

func (in *input) read(n int) {
	in.seen.Add(int64(n))
	if in.tick != nil {
		in.tick(int64(n))
	}
}

type countedPipe struct {
	r  io.Reader
	in *input
}

func (c *countedPipe) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.in.read(n)
	return n, err
}

type countedFile struct {
	*os.File
	in *input
}

func (c *countedFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	c.in.read(n)
	return n, err
}

func (c *countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.File.ReadAt(p, at)
	c.in.read(n)
	return n, err
}

// WriteTo hides the file's own, which would not be counted.
func (c *countedFile) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{c})
}

// cancellable returns a reader of r that fails once ctx is cancelled, even in a
// read that waits. That read goes on and takes what comes.
func cancellable(ctx context.Context, r io.Reader) io.Reader {
	pr, pw := io.Pipe()
	context.AfterFunc(ctx, func() { pw.CloseWithError(context.Cause(ctx)) })
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{pw}, struct{ io.Reader }{r}, make([]byte, 64<<10))
		pw.CloseWithError(err)
	}()
	return pr
}

// cancellableWriter writes to w in another goroutine, and fails once ctx is
// cancelled, even in a write that waits. Close waits for the rest.
type cancellableWriter struct {
	*io.PipeWriter
	done chan error
}

func newCancellableWriter(ctx context.Context, w io.Writer) *cancellableWriter {
	pr, pw := io.Pipe()
	c := &cancellableWriter{pw, make(chan error, 1)}
	stop := context.AfterFunc(ctx, func() {
		pr.CloseWithError(context.Cause(ctx))
		c.done <- context.Cause(ctx)
	})
	go func() {
		_, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{pr}, make([]byte, 64<<10))
		pr.CloseWithError(err)
		if stop() {
			c.done <- err
		}
	}()
	return c
}

func (c *cancellableWriter) Close() error {
	c.PipeWriter.Close()
	return <-c.done
}
