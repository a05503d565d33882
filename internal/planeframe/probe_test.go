package planeframe

import (
	"math/rand/v2"
	"testing"
	"encoding/binary"
	"github.com/klauspost/compress/huff0"
	"github.com/klauspost/compress/zstd"
	"github.com/arrowplanes/arrowplanes/planes"
)

func vocab(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]int, 1000)
	for i := range words { words[i] = 3 + r.IntN(6) + r.IntN(8) }
	b := make([]byte, 4*n+4)
	o := uint32(0)
	for i := range n { o += uint32(words[r.IntN(1000)]); binary.LittleEndian.PutUint32(b[4*i+4:], o) }
	return b
}

func BenchmarkProbe(b *testing.B) {
	n := 8192
	off := vocab(n)
	dst := make([]byte, len(off))
	b.Run("copy", func(b *testing.B) { for b.Loop() { copy(dst, off) } })
	b.Run("split", func(b *testing.B) { for b.Loop() { planes.SplitOffsets32(dst, off, n) } })
	pl := make([]byte, len(off))
	planes.SplitOffsets32(pl, off, n)
	b.Run("join", func(b *testing.B) { for b.Loop() { planes.JoinOffsets32(dst, pl, n) } })
	low := pl[4:4+n]
	var s huff0.Scratch
	s.Reuse = huff0.ReusePolicyNone
	b.Run("compress4x", func(b *testing.B) { for b.Loop() { huff0.Compress4X(low, &s) } })
	out, _, err := huff0.Compress4X(low, &s)
	if err != nil { b.Fatal(err) }
	b.Log(len(out))
	out = append([]byte(nil), out...)
	var t huff0.Scratch
	b.Run("readtable", func(b *testing.B) { for b.Loop() { huff0.ReadTable(out, &t) } })
	_, rem, _ := huff0.ReadTable(out, &t)
	lits := make([]byte, 0, n)
	b.Run("decompress4x", func(b *testing.B) { for b.Loop() { t.Decoder().Decompress4X(lits, rem) } })
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true))
	dec, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	var fr []byte
	b.Run("encodeall", func(b *testing.B) { for b.Loop() { fr = enc.EncodeAll(pl, fr[:0]) } })
	b.Log(len(fr))
	b.Run("encodealllow", func(b *testing.B) { for b.Loop() { enc.EncodeAll(low, fr[:0]) } })
	b.Run("decodeall", func(b *testing.B) { for b.Loop() { dec.DecodeAll(fr, dst[:0:len(dst)]) } })
}
