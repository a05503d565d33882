package planeframe_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/klauspost/compress/huff0"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/planes"
)

// BenchmarkAgainst times pieces of work in turn, so that what else the machine
// does hits them alike, and reports the median of each, and what it is as a
// multiple of the first one's.
func BenchmarkAgainst(b *testing.B) {
	const n = 8192
	for _, w := range []int{4, 8} {
		for _, k := range kinds {
			b.Run(fmt.Sprintf("%s/%d", k.name, 8*w), func(b *testing.B) { benchAgainst(b, k, n, w) })
		}
	}
}

type work struct {
	name string
	f    func()
}

func benchAgainst(b *testing.B, k kind, n, w int) {
	offsets := buffer(k, n, w, 0)
	content := inPlanes(b, offsets, n, w)
	enc, dec, z, zd := newEncoder(b), newDecoder(b), zstdEncoder(b), zstdDecoder(b)
	frame, err := enc.Append(nil, offsets, n, w)
	require.NoError(b, err)
	other := z.EncodeAll(content, nil)

	split, join := planes.SplitOffsets32, planes.JoinOffsets32
	if w == 8 {
		split, join = planes.SplitOffsets64, planes.JoinOffsets64
	}
	dst, tmp := make([]byte, len(offsets)), make([]byte, len(offsets))
	low := content[w : w+n]
	s, literals := &huff0.Scratch{Reuse: huff0.ReusePolicyNone}, make([]byte, 0, n)
	reader := &huff0.Scratch{}
	section, _, huffErr := huff0.Compress4X(low, s)
	section = slices.Clone(section)

	write := []work{
		{"copy", func() { copy(dst, offsets) }},
		{"compress4X", func() { _, _, _ = huff0.Compress4X(low, s) }},
		{"append", func() { frame, _ = enc.Append(frame[:0], offsets, n, w) }},
		{"split+encodeAll", func() { _ = split(tmp, offsets, n); other = z.EncodeAll(tmp, other[:0]) }},
	}
	read := []work{
		{"copy", func() { copy(dst, offsets) }},
		{"decompress4X", func() {
			if huffErr == nil {
				_, streams, _ := huff0.ReadTable(section, reader)
				_, _ = reader.Decoder().Decompress4X(literals, streams)
			}
		}},
		{"offsets", func() { _, _ = dec.Offsets(dst, frame, n, w) }},
		{"decodeAll+join", func() { tmp, _ = zd.DecodeAll(other, tmp[:0]); _ = join(dst, tmp, n) }},
		{"ours,decodeAll+join", func() { tmp, _ = zd.DecodeAll(frame, tmp[:0]); _ = join(dst, tmp, n) }},
	}
	all := append(write, read...)
	times := make([][]time.Duration, len(all))
	const repeat = 8
	for b.Loop() {
		for i, x := range all {
			start := time.Now()
			for range repeat {
				x.f()
			}
			times[i] = append(times[i], time.Since(start))
		}
	}
	for i, x := range all {
		name := "w:"
		if i >= len(write) {
			name = "r:"
		}
		slices.Sort(times[i])
		b.ReportMetric(float64(times[i][len(times[i])/2].Nanoseconds())/repeat, name+x.name+"-ns")
	}
	b.ReportMetric(float64(len(frame)), "bytes")
	b.ReportMetric(float64(len(other)), "zstd-bytes")
	b.ReportMetric(0, "ns/op")
}
