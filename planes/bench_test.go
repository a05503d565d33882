package planes_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// Each benchmark says how long one entry takes, how many bytes of offsets that
// is in a second, and how fast it is beside copy() of the same bytes: 1 is as
// fast, 0.5 takes twice as long. A copy is timed after every turn, so that both
// see the same machine, and medians are told.

func BenchmarkSplit(b *testing.B)        { benchmark(b, codec.benchSplit) }
func BenchmarkJoin(b *testing.B)         { benchmark(b, codec.benchJoin) }
func BenchmarkSplitInPlace(b *testing.B) { benchmark(b, codec.benchSplitInPlace) }
func BenchmarkJoinInPlace(b *testing.B)  { benchmark(b, codec.benchJoinInPlace) }

// The second number makes 1 MiB of 32 bit offsets, and 2 MiB of 64 bit ones.
var benchSizes = []int{8192, 1<<18 - 1}

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

// measure times f, which handles n entries, in turns with a copy of src to dst.
func measure(b *testing.B, n int, dst, src []byte, f func()) {
	b.Helper()
	turn := max(1, 1<<19/len(src))
	var ours, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		for range turn {
			f()
		}
		between := time.Now()
		for range turn {
			copy(dst, src)
		}
		ours = append(ours, between.Sub(start)/time.Duration(turn))
		theirs = append(theirs, time.Since(between)/time.Duration(turn))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2].Nanoseconds())
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ours)/float64(n), "ns/entry")
	b.ReportMetric(float64(len(src))/median(ours), "GB/s")
	b.ReportMetric(median(theirs)/median(ours), "of-copy")
}

func (c codec) benchSplit(b *testing.B, src []byte, n int) {
	dst := make([]byte, len(src))
	measure(b, n, dst, src, func() { _ = c.split(dst, src, n) })
}

func (c codec) benchJoin(b *testing.B, src []byte, n int) {
	dst := make([]byte, len(src))
	planes := c.reference(src, n)
	measure(b, n, dst, src, func() { _ = c.join(dst, planes, n) })
}

// In place, each run needs its input again; that copy is in the time.
func (c codec) benchSplitInPlace(b *testing.B, src []byte, n int) {
	buf, scratch := make([]byte, len(src)), make([]byte, n*c.width)
	measure(b, n, buf, src, func() { copy(buf, src); _ = c.splitInPlace(buf, n, scratch) })
}

func (c codec) benchJoinInPlace(b *testing.B, src []byte, n int) {
	buf, scratch := make([]byte, len(src)), make([]byte, n*c.width)
	planes := c.reference(src, n)
	measure(b, n, buf, src, func() { copy(buf, planes); _ = c.joinInPlace(buf, n, scratch) })
}
