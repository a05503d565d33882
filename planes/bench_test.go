package planes_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Each benchmark says how long one entry takes; BenchmarkCopy is copy() of the
// same bytes, to be held against it.

func BenchmarkSplit(b *testing.B)        { benchmark(b, codec.benchSplit) }
func BenchmarkJoin(b *testing.B)         { benchmark(b, codec.benchJoin) }
func BenchmarkSplitInPlace(b *testing.B) { benchmark(b, codec.benchSplitInPlace) }
func BenchmarkJoinInPlace(b *testing.B)  { benchmark(b, codec.benchJoinInPlace) }

func BenchmarkCopy(b *testing.B) {
	for _, c := range codecs {
		for _, n := range benchSizes {
			b.Run(fmt.Sprintf("%d/n=%d", 8*c.width, n), func(b *testing.B) {
				dst, src := make([]byte, (n+1)*c.width), bytes.Repeat([]byte{1}, (n+1)*c.width)
				measure(b, n, func() { copy(dst, src) })
			})
		}
	}
}

var benchSizes = []int{8192, 1 << 18}

var benchData = []struct {
	name    string
	lengths func(r *rand.Rand) uint64
}{
	{"short", func(r *rand.Rand) uint64 { return r.Uint64N(64) }},
	{"constant", func(*rand.Rand) uint64 { return 36 }},
	{"rarely-long", func(r *rand.Rand) uint64 {
		if r.IntN(2000) == 0 {
			return 1000
		}
		return r.Uint64N(64)
	}},
	{"16bit", func(r *rand.Rand) uint64 { return r.Uint64N(600) }},
	{"random", (*rand.Rand).Uint64},
}

func benchmark(b *testing.B, run func(c codec, b *testing.B, src []byte, n int)) {
	for _, c := range codecs {
		for _, n := range benchSizes {
			for _, d := range benchData {
				b.Run(fmt.Sprintf("%d/n=%d/%s", 8*c.width, n, d.name), func(b *testing.B) {
					r := rand.New(rand.NewPCG(1, 2))
					offset := uint64(0)
					src := c.append(nil, offset)
					for range n {
						offset += d.lengths(r)
						src = c.append(src, offset)
					}
					run(c, b, src, n)
				})
			}
		}
	}
}

func measure(b *testing.B, n int, f func()) {
	b.Helper()
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entry")
}

func (c codec) benchSplit(b *testing.B, src []byte, n int) {
	dst := make([]byte, len(src))
	measure(b, n, func() { _ = c.split(dst, src, n) })
}

func (c codec) benchJoin(b *testing.B, src []byte, n int) {
	dst := make([]byte, len(src))
	planes := c.reference(src, n)
	measure(b, n, func() { _ = c.join(dst, planes, n) })
}

// In place, each run needs its input again; the copy is in the time.
func (c codec) benchSplitInPlace(b *testing.B, src []byte, n int) {
	buf, scratch := make([]byte, len(src)), make([]byte, n*c.width)
	measure(b, n, func() { copy(buf, src); _ = c.splitInPlace(buf, n, scratch) })
}

func (c codec) benchJoinInPlace(b *testing.B, src []byte, n int) {
	buf, scratch := make([]byte, len(src)), make([]byte, n*c.width)
	planes := c.reference(src, n)
	measure(b, n, func() { copy(buf, planes); _ = c.joinInPlace(buf, n, scratch) })
}
