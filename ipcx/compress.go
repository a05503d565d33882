package ipcx

import (
	"github.com/arrowplanes/arrowplanes/layout"
)

// compressor compresses whole buffers. It is kept for the life of a stream.
// Calls with different workers may run at the same time.
type compressor interface {
	// next makes ready for a message.
	next(w workload)

	// compress appends src, compressed, to dst. It is buffer i of the message.
	compress(worker, i int, dst, src []byte) ([]byte, error)

	// compressOffsets appends the offsets of n rows, as lengths in byte planes
	// and compressed, to dst.
	compressOffsets(worker int, dst, offsets []byte, n int, role layout.Buffer) ([]byte, error)
}

// workload is what a message gives a compressor to do.
type workload struct {
	buffers int
	longest int // bytes of the longest buffer
	total   int // bytes of all of them
	flagged bool
}

func workloadOf(bufs [][]byte, flagged bool) workload {
	w := workload{buffers: len(bufs), flagged: flagged}
	for _, p := range bufs {
		w.longest = max(w.longest, len(p))
		w.total += len(p)
	}
	return w
}

// newCompressor returns the compressor of cfg's codec for cfg.concurrency
// workers, nil for none.
func newCompressor(cfg *config) (compressor, error) {
	switch cfg.codec {
	case Zstd:
		return newZstdCompressor(cfg)
	case LZ4Frame:
		c := newLZ4Compressor(cfg.concurrency)
		for i := range c.workers {
			c.workers[i].frames.checksum = cfg.checksum
		}
		return c, nil
	}
	return nil, nil
}
