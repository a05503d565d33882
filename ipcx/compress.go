package ipcx

import (
	"fmt"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// defaultZstdLevel is the level of arrow-go's writer.
const defaultZstdLevel = 3

// compressor compresses whole buffers. It is kept for the life of a stream.
// Calls with different workers may run at the same time.
type compressor interface {
	// next makes ready for a message whose longest buffer is that many bytes.
	next(longest int)

	// compress appends src, compressed, to dst.
	compress(worker int, dst, src []byte) ([]byte, error)

	// compressOffsets appends the offsets of n rows, as lengths in byte planes
	// and compressed, to dst.
	compressOffsets(worker int, dst, offsets []byte, n int, role layout.Buffer) ([]byte, error)
}

// newCompressor returns the compressor of cfg's codec for cfg.concurrency
// workers, nil for none.
func newCompressor(cfg *config) (compressor, error) {
	switch cfg.codec {
	case Zstd:
		return newZstdCompressor(cfg)
	case LZ4Frame:
		return newLZ4Compressor(cfg.concurrency)
	}
	return nil, nil
}

type zstdCompressor struct {
	cfg    *config
	enc    *zstd.Encoder
	frames []*planeframe.Encoder // by worker
	water  highWater
}

func newZstdCompressor(cfg *config) (*zstdCompressor, error) {
	c := &zstdCompressor{cfg: cfg, frames: make([]*planeframe.Encoder, cfg.concurrency)}
	return c, c.start()
}

// start makes the encoders, anew if there are some already.
func (c *zstdCompressor) start() error {
	enc, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(c.cfg.zstdLevel)),
		zstd.WithEncoderConcurrency(c.cfg.concurrency),
		// Arrow C++ writes none either.
		zstd.WithEncoderCRC(false),
		// Without it a block in which no match is found is stored raw, however
		// skewed its bytes are: random text stays at 8 bits a letter.
		zstd.WithAllLitEntropyCompression(true),
	)
	if err != nil {
		return fmt.Errorf("ipcx: zstd encoder: %w", err)
	}
	c.enc = enc
	for i := range c.frames {
		c.frames[i] = planeframe.NewEncoder(enc.EncodeAll)
	}
	return nil
}

func (c *zstdCompressor) next(longest int) {
	if c.water.next(longest) {
		_ = c.start() // or the old ones stay
	}
}

func (c *zstdCompressor) compress(_ int, dst, src []byte) ([]byte, error) {
	return c.enc.EncodeAll(src, dst), nil
}

func (c *zstdCompressor) compressOffsets(worker int, dst, offsets []byte, n int, role layout.Buffer) ([]byte, error) {
	return c.frames[worker].Append(dst, offsets, n, role.Width)
}

type lz4Compressor struct{ workers []lz4Worker }

type lz4Worker struct {
	w      *lz4.Writer
	out    appender
	planes readbuf.Buffer
}

// appender is the io.Writer of append.
type appender struct{ p []byte }

func (a *appender) Write(p []byte) (int, error) {
	a.p = append(a.p, p...)
	return len(p), nil
}

func newLZ4Compressor(workers int) (*lz4Compressor, error) {
	c := &lz4Compressor{workers: make([]lz4Worker, workers)}
	for i := range c.workers {
		w := lz4.NewWriter(nil)
		// What Arrow C++ and arrow-go write.
		if err := w.Apply(lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb)); err != nil {
			return nil, fmt.Errorf("ipcx: LZ4 encoder: %w", err)
		}
		c.workers[i].w = w
	}
	return c, nil
}

func (c *lz4Compressor) next(int) {
	for i := range c.workers {
		c.workers[i].planes.Sized(0)
	}
}

func (c *lz4Compressor) compress(worker int, dst, src []byte) ([]byte, error) {
	l := &c.workers[worker]
	l.out.p = dst
	defer func() { l.out.p = nil }()
	l.w.Reset(&l.out)
	if _, err := l.w.Write(src); err != nil {
		return dst, fmt.Errorf("LZ4: %w", err)
	}
	if err := l.w.Close(); err != nil {
		return dst, fmt.Errorf("LZ4: %w", err)
	}
	return l.out.p, nil
}

func (c *lz4Compressor) compressOffsets(worker int, dst, offsets []byte, n int, role layout.Buffer) ([]byte, error) {
	lengths := c.workers[worker].planes.Again(len(offsets))
	if err := split(role, lengths, offsets, n); err != nil {
		return dst, err
	}
	return c.compress(worker, dst, lengths)
}
