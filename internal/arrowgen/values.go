package arrowgen

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/float16"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

func (g *gen) booleans(dt arrow.DataType, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	bits := g.zeroed(int(bitutil.BytesForBits(int64(n))))
	for i := range n {
		bitutil.SetBitTo(bits.Bytes(), i, g.rng.IntN(3) == 0)
	}
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap, bits})
}

func (g *gen) fixedWidth(dt arrow.FixedWidthDataType, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	width := dt.Bytes()
	values := g.zeroed(n * width)
	for i := range n {
		if !isNull(bitmap, i) {
			g.value(dt, values.Bytes()[i*width:(i+1)*width])
		}
	}
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap, values})
}

// value writes a value that is sensible for its type: times within the day,
// dates of this century, decimals within their precision.
func (g *gen) value(dt arrow.FixedWidthDataType, dst []byte) {
	const day int64 = 86400
	switch dt := dt.(type) {
	case *arrow.Float16Type:
		binary.NativeEndian.PutUint16(dst, float16.New(float32(g.rng.NormFloat64())).Uint16())
	case *arrow.Float32Type:
		binary.NativeEndian.PutUint32(dst, math.Float32bits(float32(g.rng.NormFloat64())))
	case *arrow.Float64Type:
		binary.NativeEndian.PutUint64(dst, math.Float64bits(g.rng.NormFloat64()))
	case arrow.DecimalType:
		v := g.rng.Int64N(200_000) - 100_000
		for i := range dst {
			dst[i] = byte(v >> min(8*i, 63))
		}
		if endian.IsBigEndian {
			// As arrow-go has them, unlike Arrow: the lowest word first.
			for word := range slices.Chunk(dst, min(8, len(dst))) {
				slices.Reverse(word)
			}
		}
	case *arrow.Date32Type:
		putInt(dst, 4, g.rng.Int64N(20_000))
	case *arrow.Date64Type:
		putInt(dst, 8, g.rng.Int64N(20_000)*day*1000)
	case *arrow.Time32Type:
		putInt(dst, 4, g.rng.Int64N(day*perSecond(dt.Unit)))
	case *arrow.Time64Type:
		putInt(dst, 8, g.rng.Int64N(day*perSecond(dt.Unit)))
	case *arrow.TimestampType:
		putInt(dst, 8, (1_700_000_000+g.rng.Int64N(day))*perSecond(dt.Unit))
	case *arrow.DurationType:
		putInt(dst, 8, g.rng.Int64N(day*perSecond(dt.Unit)))
	case *arrow.MonthIntervalType:
		putInt(dst, 4, g.rng.Int64N(200)-100)
	case *arrow.DayTimeIntervalType:
		putInt(dst, 4, g.rng.Int64N(30))
		putInt(dst[4:], 4, g.rng.Int64N(day*1000))
	case *arrow.MonthDayNanoIntervalType:
		putInt(dst, 4, g.rng.Int64N(12))
		putInt(dst[4:], 4, g.rng.Int64N(30))
		putInt(dst[8:], 8, g.rng.Int64N(day)*1_000_000_000)
	case *arrow.FixedSizeBinaryType:
		for i := range dst {
			dst[i] = byte(g.rng.Uint32())
		}
	default: // integers
		v := g.rng.Int64N(100)
		if g.rng.IntN(4) == 0 {
			v = int64(g.rng.Uint64())
		}
		putInt(dst, len(dst), v)
	}
}

func perSecond(unit arrow.TimeUnit) int64 {
	switch unit {
	case arrow.Second:
		return 1
	case arrow.Millisecond:
		return 1e3
	case arrow.Microsecond:
		return 1e6
	}
	return 1e9
}

func (g *gen) varWidth(dt arrow.DataType, width, n int, nullable bool) arrow.ArrayData {
	bitmap, nulls := g.validity(n, nullable)
	var data []byte
	if g.Sliced {
		data = append(data, "unused"...)
	}
	offsets := []int{len(data)}
	for i := range n {
		if !isNull(bitmap, i) {
			data = append(data, g.text(dt)...)
		}
		offsets = append(offsets, len(data))
	}
	return g.assemble(dt, n, nulls, []*memory.Buffer{bitmap, g.integers(width, offsets), g.copied(data)})
}

// words has two words that are not ASCII, of two and of three bytes a letter.
func words(i int) string {
	all := [...]string{"amber", "birch", "copper", "dune", "ember", "fjörd", "granite", "harbour", "iris", "東京", "juniper", "k"}
	return all[i%len(all)]
}

// text makes a value of a binary or utf8 type: now and then empty, seldom long,
// and bytes that are no UTF-8 only where the type allows it.
func (g *gen) text(dt arrow.DataType) string {
	switch k := g.rng.IntN(16); {
	case k == 0:
		return ""
	case k == 1:
		return strings.Repeat(words(g.rng.IntN(12))+" ", 1+g.rng.IntN(30))
	case k == 2 && (dt.ID() == arrow.BINARY || dt.ID() == arrow.LARGE_BINARY || dt.ID() == arrow.BINARY_VIEW):
		return string([]byte{0x00, 0xFF, byte(g.rng.Uint32())})
	case k < 9:
		return words(g.rng.IntN(12))
	}
	return words(g.rng.IntN(12)) + "-" + words(g.rng.IntN(12))
}

func (g *gen) views(dt arrow.DataType, n int, nullable bool) arrow.ArrayData {
	const inline, block = 12, 200
	bitmap, nulls := g.validity(n, nullable)
	headers := g.zeroed(n * arrow.ViewHeaderSizeBytes)
	var blocks [][]byte
	for i := range n {
		if isNull(bitmap, i) {
			continue
		}
		v := g.text(dt)
		for g.InlineViews && len(v) > inline {
			v = g.text(dt)
		}
		h := headers.Bytes()[i*arrow.ViewHeaderSizeBytes:]
		putInt(h, 4, len(v))
		if len(v) <= inline {
			copy(h[4:], v)
			continue
		}
		if len(blocks) == 0 || len(blocks[len(blocks)-1]) > block {
			blocks = append(blocks, nil)
		}
		last := len(blocks) - 1
		copy(h[4:8], v)
		putInt(h[8:], 4, last)
		putInt(h[12:], 4, len(blocks[last]))
		blocks[last] = append(blocks[last], v...)
	}
	buffers := []*memory.Buffer{bitmap, headers}
	for _, b := range blocks {
		buffers = append(buffers, g.copied(b))
	}
	return g.assemble(dt, n, nulls, buffers)
}
