package ipcx

import (
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// defaultZstdLevel is the level of arrow-go's writer.
const defaultZstdLevel = 3

// smallMessage is how many bytes of buffers are few: less than 256 KiB. Setting
// up the tables of level 3, 1.3 MB of them, is then a good part of the work.
// Those of level 1 are a fifth of that.
const smallMessage = 256 << 10

type zstdCompressor struct {
	cfg    *config
	enc    *zstd.Encoder         // of the level
	quick  *zstd.Encoder         // of the fastest setting, at level 3
	frames []*planeframe.Encoder // by worker
	planes []readbuf.Buffer      // by worker, where there are checksums
	water  highWater

	small    bool      // the message at hand is one for quick
	chooses  bool      // its buffers may be
	settings []setting // by buffer
}

func newZstdCompressor(cfg *config) (*zstdCompressor, error) {
	c := &zstdCompressor{cfg: cfg, frames: make([]*planeframe.Encoder, cfg.concurrency), planes: make([]readbuf.Buffer, cfg.concurrency)}
	return c, c.start()
}

// start makes the encoders, anew if there are some already. Their tables come
// with the first buffer.
func (c *zstdCompressor) start() error {
	enc, err := c.encoder(c.cfg.zstdLevel)
	if err != nil {
		return err
	}
	var quick *zstd.Encoder
	if c.cfg.zstdLevel == defaultZstdLevel {
		if quick, err = c.encoder(1); err != nil {
			return err
		}
	}
	c.enc, c.quick = enc, quick
	for i := range c.frames {
		c.frames[i] = planeframe.NewEncoder(c.encodePlanes)
	}
	return nil
}

func (c *zstdCompressor) encoder(level int) (*zstd.Encoder, error) {
	var opts []zstd.EOption
	if level < 6 {
		// The memory of a window is cleared for each encoder, which a short
		// stream feels. Most buffers are smaller than this, or little alike
		// across it. Set before the level it leaves the blocks of level 1 as
		// long as the others', 128 KiB: what fits into one needs no window.
		opts = append(opts, zstd.WithWindowSize(1<<20))
	}
	opts = append(opts,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(c.cfg.concurrency),
		// Arrow C++ writes none.
		zstd.WithEncoderCRC(c.cfg.checksum),
		// Without it a block in which no match is found is stored raw, however
		// skewed its bytes are: random text stays at 8 bits a letter.
		zstd.WithAllLitEntropyCompression(true),
		zstd.WithLowerEncoderMem(true),
	)
	enc, err := zstd.NewWriter(nil, opts...)
	if err != nil {
		return nil, fmt.Errorf("ipcx: zstd encoder: %w", err)
	}
	return enc, nil
}

func (c *zstdCompressor) next(w workload) {
	if c.water.next(w.longest) {
		_ = c.start() // or the old ones stay
	}
	for i := range c.planes {
		c.planes[i].Sized(0)
	}
	// A message that is not flagged is to be no larger than arrow-go's.
	c.chooses = c.quick != nil && w.flagged
	c.small = c.chooses && w.total < smallMessage
	if c.chooses && len(c.settings) < w.buffers {
		c.settings = append(c.settings, make([]setting, w.buffers-len(c.settings))...)
	}
}

// encodeAll appends the ordinary frame of src to dst.
func (c *zstdCompressor) encodeAll(src, dst []byte) []byte {
	if c.small {
		return c.quick.EncodeAll(src, dst)
	}
	return c.enc.EncodeAll(src, dst)
}

// encodePlanes is encodeAll for planes, in which the fastest setting finds about
// as much as the default, in less time and with smaller tables.
func (c *zstdCompressor) encodePlanes(src, dst []byte) []byte {
	if c.quick != nil {
		return c.quick.EncodeAll(src, dst)
	}
	return c.enc.EncodeAll(src, dst)
}

func (c *zstdCompressor) compress(worker, i int, dst, src []byte) ([]byte, error) {
	// The levels from 6 on look for what little there is to find.
	if c.cfg.zstdLevel < 6 && !c.cfg.checksum {
		if frame, ok := c.frames[worker].AppendBytes(dst, src); ok {
			return frame, nil
		}
	}
	if !c.chooses || c.small {
		return c.encodeAll(src, dst), nil
	}
	enc, fastest, start := c.enc, c.settings[i].next(), len(dst)
	if fastest {
		enc = c.quick
	}
	dst = enc.EncodeAll(src, dst)
	c.settings[i].note(fastest, len(src), len(dst)-start)
	return dst, nil
}

func (c *zstdCompressor) compressOffsets(worker int, dst, offsets []byte, n int, role layout.Buffer) ([]byte, error) {
	if c.cfg.checksum {
		// Which is of all of the planes; frames are made without some of them.
		lengths := c.planes[worker].Again(len(offsets))
		if err := split(role, lengths, offsets, n); err != nil {
			return dst, err
		}
		return c.encodeAll(lengths, dst), nil
	}
	return c.frames[worker].Append(dst, offsets, n, role.Width)
}
