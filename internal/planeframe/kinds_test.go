package planeframe_test

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
	"github.com/arrowplanes/arrowplanes/planes"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"
)

// kind is a sort of lengths.
type kind struct {
	name    string
	lengths func(r *rand.Rand, n int) []uint64
}

func each(length func(r *rand.Rand, i int) uint64) func(r *rand.Rand, n int) []uint64 {
	return func(r *rand.Rand, n int) []uint64 {
		l := make([]uint64, n)
		for i := range l {
			l[i] = length(r, i)
		}
		return l
	}
}

var kinds = []kind{
	{"zero", each(func(*rand.Rand, int) uint64 { return 0 })},
	{"constant", each(func(*rand.Rand, int) uint64 { return 36 })},
	{"constant wide", each(func(*rand.Rand, int) uint64 { return 0x01020304 })},
	{"vocabulary", func(r *rand.Rand, n int) []uint64 {
		words := make([]uint64, 1000)
		for i := range words {
			words[i] = 3 + r.Uint64N(6) + r.Uint64N(8)
		}
		return each(func(r *rand.Rand, _ int) uint64 { return words[r.IntN(len(words))] })(r, n)
	}},
	{"random byte", each(func(r *rand.Rand, _ int) uint64 { return r.Uint64N(256) })},
	{"text", each(func(r *rand.Rand, _ int) uint64 { return 10 + r.Uint64N(41) })},
	{"16 bits mixed", each(func(r *rand.Rand, i int) uint64 {
		if r.IntN(3) == 0 {
			return r.Uint64N(1000)
		}
		return r.Uint64N(30)
	})},
	{"around 300", each(func(r *rand.Rand, _ int) uint64 { return 260 + r.Uint64N(60) })},
	{"sorted", func(r *rand.Rand, n int) []uint64 {
		l := each(func(r *rand.Rand, _ int) uint64 { return r.Uint64N(40) })(r, n)
		slices.Sort(l)
		return l
	}},
	{"periodic", func(r *rand.Rand, n int) []uint64 {
		period := each(func(r *rand.Rand, _ int) uint64 { return r.Uint64N(60) })(r, 97)
		return each(func(_ *rand.Rand, i int) uint64 { return period[i%97] })(r, n)
	}},
	{"periodic wide", func(r *rand.Rand, n int) []uint64 {
		period := each(func(r *rand.Rand, _ int) uint64 { return r.Uint64N(60000) })(r, 97)
		return each(func(_ *rand.Rand, i int) uint64 { return period[i%97] })(r, n)
	}},
	{"rows repeated", func(r *rand.Rand, n int) []uint64 {
		var l []uint64
		for len(l) < n {
			v := 5 + r.Uint64N(15)
			for range 1 + r.IntN(12) {
				l = append(l, v)
			}
		}
		return l[:n]
	}},
	{"rarely long", each(func(r *rand.Rand, _ int) uint64 {
		if r.IntN(500) == 0 {
			return 300 + r.Uint64N(5000)
		}
		return r.Uint64N(50)
	})},
	{"nulls", each(func(r *rand.Rand, _ int) uint64 {
		if r.IntN(20) == 0 {
			return 0
		}
		return 36
	})},
	{"few nulls", each(func(r *rand.Rand, _ int) uint64 {
		if r.IntN(300) == 0 {
			return 0
		}
		return 36
	})},
	{"sparse everywhere", each(func(r *rand.Rand, _ int) uint64 {
		// Every plane has about as many runs as runs are good for.
		if r.IntN(66) == 0 {
			return 0x01010101_01010101
		}
		return 0
	})},
	{"drifting", each(func(r *rand.Rand, i int) uint64 { return uint64(i/60000)*20 + r.Uint64N(12) })},
	{"bits", each(func(r *rand.Rand, _ int) uint64 { return r.Uint64N(2) })},
	{"any", each(func(r *rand.Rand, _ int) uint64 { return r.Uint64() })},
	{"down", each(func(r *rand.Rand, _ int) uint64 { return -r.Uint64N(20) })},
}

// buffer returns an offsets buffer of n lengths of a kind, starting somewhere,
// and trailing bytes.
func buffer(k kind, n, width, trailing int) []byte {
	r := rand.New(rand.NewPCG(uint64(n), uint64(width)))
	var o uint64
	if n%2 == 0 {
		o = r.Uint64N(1 << 20)
	}
	b := make([]byte, 0, (n+1)*width+trailing+8)
	put := func() { b = binary.LittleEndian.AppendUint64(b, o)[:len(b)+width] }
	put()
	for _, l := range k.lengths(r, n) {
		o += l
		put()
	}
	for i := range trailing {
		b = append(b, byte(i/3))
	}
	return b
}

// inPlanes is what the content of a frame has to be.
func inPlanes(t testing.TB, offsets []byte, n, width int) []byte {
	content := make([]byte, len(offsets))
	var err error
	if width == 4 {
		err = planes.SplitOffsets32(content, offsets, n)
	} else {
		err = planes.SplitOffsets64(content, offsets, n)
	}
	require.NoError(t, err)
	return content
}

func zstdEncoder(t testing.TB) *zstd.Encoder {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithAllLitEntropyCompression(true))
	require.NoError(t, err)
	return enc
}

func zstdDecoder(t testing.TB) *zstd.Decoder {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	require.NoError(t, err)
	t.Cleanup(dec.Close)
	return dec
}

func newEncoder(t testing.TB) *planeframe.Encoder {
	return planeframe.NewEncoder(zstdEncoder(t).EncodeAll)
}

func newDecoder(t testing.TB) *planeframe.Decoder {
	return planeframe.NewDecoder(zstdDecoder(t).DecodeAll)
}
