package ipcx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

// streamSource cuts a stream into messages. For each, next gives the metadata,
// and then one of the body methods has to be called with its length.
type streamSource struct {
	r       io.Reader
	cfg     *config
	head    [framePrefix]byte
	meta    readbuf.Buffer
	scratch readbuf.Buffer
	arrived int64 // bytes of bodies read so far
	at      int64 // bytes of everything read so far
}

// next reads up to the next message's body. The metadata is valid until the
// next call. The error is io.EOF, or wraps it, only at the end of the stream
// between two messages.
func (s *streamSource) next() ([]byte, error) {
	start := s.at
	n, err := readFull(s.r, s.head[:4])
	s.at += int64(n)
	switch {
	case err != nil && n == 0 && errors.Is(err, io.EOF):
		// Wrapped as arrow-go wraps it, whose reader tells this end from that
		// of a stream with its marker where dictionaries are missing.
		return nil, fmt.Errorf("ipcx: no message at byte %d: %w", start, err)
	case err != nil:
		return nil, fmt.Errorf("ipcx: reading the start of a message at byte %d: %d of 4 bytes: %w", start, n, withoutEOF(err))
	}
	if start == 0 && string(s.head[:4]) == magic[:4] {
		return nil, tag(ErrNotArrow, errors.New("ipcx: this is an Arrow file, not a stream: use NewFileReader"))
	}
	length := binary.LittleEndian.Uint32(s.head[:4])
	if length == continuation {
		n, err := readFull(s.r, s.head[4:])
		s.at += int64(n)
		if err != nil {
			return nil, fmt.Errorf("ipcx: reading a message's metadata length at byte %d: %d of 4 bytes: %w", start+4, n, withoutEOF(err))
		}
		length = binary.LittleEndian.Uint32(s.head[4:])
	}
	if length == 0 {
		return nil, io.EOF
	}
	if err := checkMetadataLength(s.cfg, start, int64(int32(length))); err != nil {
		return nil, err
	}
	metadata, err := s.meta.ReadFull(s.r, int64(length))
	s.at += int64(length)
	if err != nil {
		return nil, fmt.Errorf("ipcx: metadata of the message at byte %d: %w", start, err)
	}
	return metadata, nil
}

// checkMetadataLength checks the length of the metadata of the message at byte
// at.
func checkMetadataLength(cfg *config, at, n int64) error {
	if n < minMetadata {
		return tag(ErrCorrupt, fmt.Errorf("ipcx: message at byte %d: metadata length of %d bytes, which must be at least %d", at, n, minMetadata))
	}
	if cfg.metadataLimit > 0 && n > cfg.metadataLimit {
		return tag(ErrLimit, fmt.Errorf("ipcx: message at byte %d: metadata of %d bytes exceeds the limit of %d (WithMetadataSizeLimit)", at, n, cfg.metadataLimit))
	}
	return nil
}

// maxBody is how many bytes a body may have at most, in memory that is aligned and
// rounded up: what a machine of 32 bits cannot have, a file can.
const maxBody = math.MaxInt - 2*bodyAlignment

// checkBodyLength checks the length of the body of the message at byte at.
func checkBodyLength(cfg *config, at, n int64) error {
	if cfg.bodyLimit > 0 && n > cfg.bodyLimit {
		return tag(ErrLimit, fmt.Errorf("ipcx: message body at byte %d: %d bytes exceed the limit of %d (WithBodySizeLimit)", at, n, cfg.bodyLimit))
	}
	if n > maxBody {
		return tag(ErrLimit, fmt.Errorf("ipcx: message body at byte %d: %d bytes are more than the %d that this machine can address", at, n, int64(maxBody)))
	}
	return nil
}

// body reads the body of the message that dec has begun. It is valid until the
// next call.
func (s *streamSource) body(dec *Decoder, _ step) (storedBody, error) {
	p, err := s.bodyScratch(dec.in.bodyLength)
	return wholeBody(p), err
}

// bodyScratch reads a body of n bytes. It is valid until the next call.
func (s *streamSource) bodyScratch(n int64) ([]byte, error) { return s.bodyIn(&s.scratch, n) }

// bodyIn reads a body of n bytes into scratch.
func (s *streamSource) bodyIn(scratch *readbuf.Buffer, n int64) ([]byte, error) {
	if err := checkBodyLength(s.cfg, s.at, n); err != nil {
		return nil, err
	}
	if n > int64(scratch.Cap()) && s.left() >= n {
		scratch.Again(int(n)) // at once, and not in growing steps
	}
	body, err := scratch.ReadFull(s.r, n)
	if err != nil {
		return nil, fmt.Errorf("ipcx: message body at byte %d: %w", s.at, err)
	}
	s.arrive(n)
	return body, nil
}

// bodyBuffer reads a body of n bytes into memory of its own. The caller
// releases it.
func (s *streamSource) bodyBuffer(n int64) (*memory.Buffer, error) {
	if err := checkBodyLength(s.cfg, s.at, n); err != nil {
		return nil, err
	}
	var arrived []byte
	if n > 2*s.arrived+firstStep && s.left() < n {
		// Too much to allocate on the word of the metadata alone.
		p, err := s.scratch.ReadFull(s.r, n)
		if err != nil {
			return nil, fmt.Errorf("ipcx: message body at byte %d: %w", s.at, err)
		}
		arrived = p
	} else {
		s.scratch.Sized(0)
	}
	buf := newBuffer(s.cfg.bodies, int(n))
	if arrived != nil {
		copy(buf.Bytes(), arrived)
	} else if got, err := readFull(s.r, buf.Bytes()); err != nil {
		buf.Release()
		return nil, fmt.Errorf("ipcx: message body at byte %d: %d of %d bytes: %w", s.at, got, n, withoutEOF(err))
	}
	s.arrive(n)
	return buf, nil
}

// left returns how many bytes are certain to come, as far as the reader itself
// tells: one of bytes or strings, or a file.
func (s *streamSource) left() int64 {
	switch r := s.r.(type) {
	case interface{ Len() int }:
		return int64(r.Len())
	case *io.SectionReader:
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			return r.Size() - at
		}
	case *os.File:
		info, err := r.Stat()
		if err != nil || !info.Mode().IsRegular() {
			return 0
		}
		if at, err := r.Seek(0, io.SeekCurrent); err == nil {
			return info.Size() - at
		}
	}
	return 0
}

// firstStep is how many bytes of a body are allocated before any has arrived.
const firstStep = 64 << 10

func (s *streamSource) arrive(n int64) {
	s.arrived += n
	s.at += n
}

// newBuffer allocates a buffer of n bytes, which may hold anything.
func newBuffer(alloc memory.Allocator, n int) *memory.Buffer {
	buf := memory.NewResizableBuffer(alloc)
	buf.Resize(n)
	return buf
}

// maxEmptyReads is how often in a row a reader may return nothing at all.
const maxEmptyReads = 100

// readFull is io.ReadFull for readers that nobody vouches for: one that keeps
// returning neither bytes nor an error is io.ErrNoProgress.
func readFull(r io.Reader, p []byte) (n int, err error) {
	for empty := 0; n < len(p) && err == nil && empty < maxEmptyReads; empty++ {
		var m int
		if m, err = r.Read(p[n:]); m < 0 || m > len(p)-n {
			return n, fmt.Errorf("reader claims to have read %d bytes into %d", m, len(p)-n)
		}
		if n += m; m > 0 {
			empty = 0
		}
	}
	switch {
	case n == len(p):
		return n, nil
	case err == nil:
		return n, io.ErrNoProgress
	}
	return n, err
}
