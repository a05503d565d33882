package ipcx

import (
	"encoding/binary"
	"slices"

	"github.com/pierrec/lz4/v4"

	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

type lz4Compressor struct{ workers []lz4Worker }

type lz4Worker struct {
	frames lz4Encoder
	planes readbuf.Buffer
}

func newLZ4Compressor(workers int) *lz4Compressor {
	return &lz4Compressor{make([]lz4Worker, workers)}
}

func (c *lz4Compressor) next(workload) {
	for i := range c.workers {
		c.workers[i].planes.Sized(0)
	}
}

func (c *lz4Compressor) compress(worker, _ int, dst, src []byte) ([]byte, error) {
	return c.workers[worker].frames.append(dst, src), nil
}

func (c *lz4Compressor) compressOffsets(worker int, dst, offsets []byte, n int, role layout.Buffer) ([]byte, error) {
	lengths := c.workers[worker].planes.Again(len(offsets))
	if err := split(role, lengths, offsets, n); err != nil {
		return dst, err
	}
	return c.workers[worker].frames.append(dst, lengths), nil
}

// lz4Encoder makes LZ4 frames as Arrow's writers do, of blocks that do not refer
// to each other. The zero value is ready to use.
type lz4Encoder struct {
	table    *lz4.Compressor // made when it is first needed: it has 136 KiB
	checksum bool            // of the content, behind the end mark
}

// lz4Block is how many bytes of content a block has, the last one apart: what
// Arrow C++ and arrow-go write.
const lz4Block = 64 << 10

// append appends a frame of src to dst.
func (e *lz4Encoder) append(dst, src []byte) []byte {
	if e.table == nil {
		e.table = new(lz4.Compressor)
	}
	start := len(dst)
	dst = binary.LittleEndian.AppendUint32(dst, lz4Magic)
	flags := byte(lz4Version | lz4Independent)
	if e.checksum {
		flags |= lz4Checksum
	}
	dst = append(dst, flags, lz4Sizes64KiB)
	dst = append(dst, byte(xxh32(dst[start+4:])>>8))
	content := src
	for len(src) > 0 {
		block := src[:min(len(src), lz4Block)]
		src = src[len(block):]
		dst = slices.Grow(dst, 4+len(block)+8) // and what ends the frame
		into := dst[len(dst)+4 : len(dst)+4+len(block)]
		// Room for as many bytes as the block has tells the compressor that it
		// may give up, which is 0 and perhaps an error.
		size, _ := e.table.CompressBlock(block, into)
		head := uint32(size)
		if size == 0 {
			size = copy(into, block)
			head = uint32(size) | lz4RawFlag
		}
		dst = binary.LittleEndian.AppendUint32(dst, head)
		dst = dst[:len(dst)+size]
	}
	dst = append(dst, 0, 0, 0, 0)
	if e.checksum {
		dst = binary.LittleEndian.AppendUint32(dst, xxh32(content))
	}
	return dst
}
