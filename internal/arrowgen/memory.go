package arrowgen

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// spare is how much zeroed memory follows the end of every buffer. arrow-go's
// encoder slices type ids by their padded length, beyond the end of the buffer,
// and panics where there is no such memory.
const spare = 64

// zeroed makes a buffer of n bytes.
func (g *gen) zeroed(n int) *memory.Buffer {
	buf := memory.NewResizableBuffer(g.Mem)
	buf.Resize(n + spare)
	clear(buf.Bytes())
	buf.ResizeNoShrink(n)
	return buf
}

// copied makes a buffer with the given bytes.
func (g *gen) copied(b []byte) *memory.Buffer {
	buf := g.zeroed(len(b))
	copy(buf.Bytes(), b)
	return buf
}

// integers makes a buffer of integers of 4 or 8 bytes, in the order of this
// machine, as all numbers here are.
func (g *gen) integers(width int, values []int) *memory.Buffer {
	buf := g.zeroed(width * len(values))
	for i, v := range values {
		putInt(buf.Bytes()[i*width:], width, v)
	}
	return buf
}

func putInt[T int | int64](dst []byte, width int, v T) {
	switch width {
	case 1:
		dst[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(dst, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(dst, uint32(v))
	default:
		binary.NativeEndian.PutUint64(dst, uint64(v))
	}
}

// validity makes a bitmap and counts its nulls. Without nulls there may be no
// bitmap at all, as in arrays that were read.
func (g *gen) validity(n int, nullable bool) (bitmap *memory.Buffer, nulls int) {
	share := g.Nulls
	if !nullable {
		share = 0
	}
	if n == 0 || share <= 0 && g.rng.IntN(2) == 0 {
		return nil, 0
	}
	bitmap = g.zeroed(int(bitutil.BytesForBits(int64(n))))
	for i := range n {
		if share > 0 && (share >= 1 || g.rng.Float64() < share) {
			nulls++
		} else {
			bitutil.SetBit(bitmap.Bytes(), i)
		}
	}
	return bitmap, nulls
}

func isNull(bitmap *memory.Buffer, i int) bool {
	return bitmap != nil && bitutil.BitIsNotSet(bitmap.Bytes(), i)
}

// assemble makes the data of an array at offset zero and gives up its own hold
// on the buffers and children.
func (g *gen) assemble(dt arrow.DataType, n, nulls int, buffers []*memory.Buffer, children ...arrow.ArrayData) *array.Data {
	data := array.NewData(dt, n, buffers, children, nulls, 0)
	for _, b := range buffers {
		if b != nil {
			b.Release()
		}
	}
	for _, c := range children {
		c.Release()
	}
	return data
}
