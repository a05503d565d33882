package ipcx

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
)

// decompressors are the decompressors of a stream, made when the first buffer
// needs one and kept until close. The zero value is ready to use.
type decompressors struct {
	zstd   *zstd.Decoder
	frames *planeframe.Decoder
	lz4    *lz4.Reader
	src    bytes.Reader
}

// zstdSlack is how many bytes of room behind its destination let the zstd decoder
// copy in whole words rather than byte by byte at the end of each match.
const zstdSlack = 32

// decompress fills dst with what src holds, which must be exactly len(dst)
// bytes. Between that and the capacity of dst it may write anything. Errors carry ErrCorrupt, or ErrUnsupported where the codec is none.
func (d *decompressors) decompress(codec Codec, dst, src []byte) error {
	switch codec {
	case Zstd:
		return d.unzstd(dst, src)
	case LZ4Frame:
		return d.unlz4(dst, src)
	}
	return tag(ErrUnsupported, fmt.Errorf("codec %v holds no compressed buffers", codec))
}

// makeZstd makes the zstd decoders.
func (d *decompressors) makeZstd() error {
	if d.zstd != nil {
		return nil
	}
	// The limit to the capacity of the destination is what keeps a frame from
	// growing past the length it was claimed to have, and zstdSlack.
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return fmt.Errorf("zstd decoder: %w", err)
	}
	d.zstd = dec
	d.frames = planeframe.NewDecoder(dec.DecodeAll)
	return nil
}

// unzstdOffsets writes the offsets of n rows, width bytes each, to dst, from a
// frame of their lengths in byte planes. Where it is not ok and there is no
// error, the frame has another shape than this package's writer gives it, and
// unzstd may know it.
func (d *decompressors) unzstdOffsets(dst, src []byte, n, width int) (ok bool, err error) {
	if err := d.makeZstd(); err != nil {
		return false, err
	}
	ok, err = d.frames.Offsets(dst, src, n, width)
	if err != nil {
		err = tag(ErrCorrupt, fmt.Errorf("zstd: %d stored bytes for the %d claimed: %w", len(src), len(dst), withoutEOF(err)))
	}
	return ok, err
}

func (d *decompressors) unzstd(dst, src []byte) error {
	if err := d.makeZstd(); err != nil {
		return err
	}
	if d.frames.Bytes(dst, src) {
		return nil
	}
	out, err := d.zstd.DecodeAll(src, dst[:0])
	switch {
	case errors.Is(err, zstd.ErrDecoderSizeExceeded), err == nil && len(out) > len(dst):
		return tag(ErrCorrupt, fmt.Errorf("zstd: %d stored bytes hold more than the %d bytes claimed", len(src), len(dst)))
	case err != nil:
		return tag(ErrCorrupt, fmt.Errorf("zstd: %d stored bytes for the %d claimed: %w", len(src), len(dst), withoutEOF(err)))
	case len(out) != len(dst):
		return tag(ErrCorrupt, fmt.Errorf("zstd: %d stored bytes hold %d bytes, not the %d claimed", len(src), len(out), len(dst)))
	}
	return nil
}

func (d *decompressors) unlz4(dst, src []byte) error {
	if unlz4Frame(dst, src) {
		return nil
	}
	d.src.Reset(src)
	if d.lz4 == nil {
		d.lz4 = lz4.NewReader(nil)
	}
	d.lz4.Reset(&d.src)
	n, err := io.ReadFull(d.lz4, dst)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return tag(ErrCorrupt, fmt.Errorf("LZ4: %d stored bytes hold %d bytes, not the %d claimed", len(src), n, len(dst)))
	case err != nil:
		return tag(ErrCorrupt, fmt.Errorf("LZ4: %d stored bytes for the %d claimed: %w", len(src), len(dst), err))
	}
	var more [512]byte // how many too many there are, if they are few
	switch n, err := io.ReadFull(d.lz4, more[:]); {
	case n == len(more):
		return tag(ErrCorrupt, fmt.Errorf("LZ4: %d stored bytes hold %d bytes or more, not the %d claimed", len(src), len(dst)+n, len(dst)))
	case n > 0:
		return tag(ErrCorrupt, fmt.Errorf("LZ4: %d stored bytes hold %d bytes, not the %d claimed", len(src), len(dst)+n, len(dst)))
	case err != nil && !errors.Is(err, io.EOF):
		return tag(ErrCorrupt, fmt.Errorf("LZ4: %d stored bytes go on after the %d claimed: %w", len(src), len(dst), withoutEOF(err)))
	}
	return nil
}

// close frees what the decompressors hold. They may be used again after it.
func (d *decompressors) close() {
	if d.zstd != nil {
		d.zstd.Close()
	}
	*d = decompressors{}
}

// Bounds of what compressed bytes can hold, as the formats have them: a zstd
// block of at least 4 bytes gives at most 128 KiB, and an LZ4 match gives at
// most 255 bytes for each byte of its length.
const (
	zstdMagic    = 0xFD2FB528
	zstdMaxRatio = (128 << 10) / 4
	lz4MaxRatio  = 255
)

// startsFrame says whether some bytes begin as a frame of codec does.
func startsFrame(codec Codec, p []byte) bool {
	magic := uint32(zstdMagic)
	if codec == LZ4Frame {
		magic = lz4Magic
	}
	return len(p) >= 4 && binary.LittleEndian.Uint32(p) == magic
}

// plausible returns an error where stored, the compressed bytes of a buffer,
// cannot hold n bytes. It is asked before anything of n bytes is allocated.
func plausible(codec Codec, stored []byte, n int64) error {
	ratio := int64(zstdMaxRatio)
	if codec == LZ4Frame {
		ratio = lz4MaxRatio
	}
	if n/ratio > int64(len(stored)) {
		return tag(ErrCorrupt, fmt.Errorf("%d stored bytes cannot hold the %d bytes claimed", len(stored), n))
	}
	if codec != Zstd {
		return nil
	}
	var header zstd.Header
	if err := header.Decode(stored); err != nil {
		return tag(ErrCorrupt, fmt.Errorf("zstd frame header: %w", withoutEOF(err)))
	}
	if header.HasFCS && header.FrameContentSize > uint64(n) {
		return tag(ErrCorrupt, fmt.Errorf("zstd frame of %d bytes where %d bytes are claimed", header.FrameContentSize, n))
	}
	return nil
}

// withoutEOF keeps an error from looking like the end of a stream. Of one that
// wraps io.EOF only the text survives.
func withoutEOF(err error) error {
	switch {
	case err == io.EOF:
		return io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w (%v)", io.ErrUnexpectedEOF, err)
	}
	return err
}
