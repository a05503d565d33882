package ipcx

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A message in a stream or a file is
//
//	FF FF FF FF | int32: length of what follows up to the body | metadata | padding | body
//
// with metadata and padding together a multiple of 8 bytes. A length of zero
// ends a stream. Before Arrow 0.15 there was no FF FF FF FF.
const (
	continuation  = 0xFFFFFFFF
	framePrefix   = 8
	minMetadata   = 4 // bytes of a flatbuffer's root offset
	endOfStream   = "\xFF\xFF\xFF\xFF\x00\x00\x00\x00"
	zeros         = "\x00\x00\x00\x00\x00\x00\x00" // the longest padding
	bodyAlignment = 64                             // of the buffers in a decoded body
)

// appendFrame appends everything of a message that comes before its body.
func appendFrame(dst, metadata []byte) []byte {
	pad := padding(len(metadata))
	dst = binary.LittleEndian.AppendUint32(dst, continuation)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(metadata)+pad))
	dst = append(dst, metadata...)
	return append(dst, zeros[:pad]...)
}

// gatherWriter joins small writes, so that a message of many small buffers
// reaches w in few calls, and hands large ones on without a copy. A w that has
// memory of its own, as its WriteByte tells (bytes.Buffer, bufio.Writer), gets all
// of them as they come. It counts what reached w, and stays failed once a write
// has failed.
type gatherWriter struct {
	w      io.Writer
	direct bool // w joins writes itself
	buf    []byte
	n      int64
	err    error
	blank  [len(zeros)]byte // zeros as bytes, of which a slice takes no allocation
}

func newGatherWriter(w io.Writer) gatherWriter {
	_, direct := w.(io.ByteWriter)
	return gatherWriter{w: w, direct: direct}
}

const (
	gatherMax    = 32 << 10 // held back at most, in bytes
	gatherDirect = 8 << 10  // this and more is not copied
)

func (g *gatherWriter) Write(p []byte) (int, error) {
	if g.err == nil && (g.atOnce(len(p)) || len(g.buf)+len(p) > gatherMax) {
		_ = g.flush() // kept in g.err
	}
	if g.err != nil {
		return 0, g.err
	}
	if g.atOnce(len(p)) {
		return len(p), g.write(p)
	}
	g.buf = append(g.buf, p...)
	return len(p), nil
}

// expect makes room for n bytes that are to be held back, at once and not in
// growing steps.
func (g *gatherWriter) expect(n int) {
	if n = min(n, gatherMax); cap(g.buf) < n {
		g.buf = append(make([]byte, 0, n), g.buf...)
	}
}

// atOnce says whether n bytes go to w as they are.
func (g *gatherWriter) atOnce(n int) bool { return g.direct || n >= gatherDirect }

// pad writes n zeros, fewer than 8.
func (g *gatherWriter) pad(n int) error {
	if n == 0 {
		return nil
	}
	_, err := g.Write(g.blank[:n])
	return err
}

// written returns how many bytes were written, those held back included.
func (g *gatherWriter) written() int64 { return g.n + int64(len(g.buf)) }

// flush writes what is held back.
func (g *gatherWriter) flush() error {
	if g.err != nil || len(g.buf) == 0 {
		return g.err
	}
	err := g.write(g.buf)
	g.buf = g.buf[:0]
	return err
}

func (g *gatherWriter) write(p []byte) error {
	n, err := g.w.Write(p)
	g.n += int64(max(n, 0))
	if err == nil && n != len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		g.err = fmt.Errorf("ipcx: writing %d bytes at %d: %w", len(p), g.n-int64(max(n, 0)), err)
	}
	return g.err
}
