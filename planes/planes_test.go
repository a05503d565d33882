package planes_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/planes"
)

// codec is the four functions of one width.
type codec struct {
	width        int
	split, join  func(dst, src []byte, n int) error
	splitInPlace func(buf []byte, n int, scratch []byte) error
	joinInPlace  func(buf []byte, n int, scratch []byte) error
}

var codecs = []codec{
	{4, planes.SplitOffsets32, planes.JoinOffsets32, planes.SplitOffsets32InPlace, planes.JoinOffsets32InPlace},
	{8, planes.SplitOffsets64, planes.JoinOffsets64, planes.SplitOffsets64InPlace, planes.JoinOffsets64InPlace},
}

func (c codec) append(b []byte, v uint64) []byte {
	return append(b, binary.LittleEndian.AppendUint64(nil, v)[:c.width]...)
}

func (c codec) at(b []byte, i int) uint64 {
	var v [8]byte
	copy(v[:c.width], b[i*c.width:])
	return binary.LittleEndian.Uint64(v[:])
}

// reference is the format, word for word: n >= 1.
func (c codec) reference(src []byte, n int) []byte {
	dst := slices.Clone(src)
	for i := range n {
		length := c.at(src, i+1) - c.at(src, i)
		for j := range c.width {
			dst[c.width+j*n+i] = byte(length >> (8 * j))
		}
	}
	return dst
}

// mixtures are lengths that send the kernels each of their ways: the number is
// the bits that a length may have, by turns of 1 to 2048 entries.
var mixtures = []struct {
	name string
	bits []int
}{
	{"zero", []int{0}},
	{"one plane", []int{8}},
	{"two planes", []int{16}},
	{"three planes", []int{24}},
	{"any bits", []int{64}},
	{"31 bits", []int{31}},
	{"33 bits", []int{33}},
	{"one, two", []int{8, 16}},
	{"one, three", []int{8, 24}},
	{"one, all", []int{8, 64}},
	{"one, two, four", []int{8, 16, 32}},
	{"mixed", []int{0, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 40, 48, 56, 57, 64}},
}

func (c codec) offsets(r *rand.Rand, n int, first uint64, bits []int, trailing int) []byte {
	b := c.append(nil, first)
	offset, turn, width := first, 0, 0
	for range n {
		if turn == 0 {
			turn = 1 + r.IntN(1<<r.IntN(12))
			width = bits[r.IntN(len(bits))]
		}
		turn--
		length := r.Uint64()
		if r.IntN(4) == 0 {
			length = math.MaxUint64 // the largest of its bits
		}
		offset += length & (1<<width - 1)
		b = c.append(b, offset)
	}
	for range trailing {
		b = append(b, byte(r.Uint32()))
	}
	return b
}

func sizes() (n []int) {
	for i := range 71 {
		n = append(n, i)
	}
	return append(n, 255, 256, 257, 1023, 1024, 1025, 1039, 1040, 2047, 2064, 3000, 4100)
}

func TestRoundTrip(t *testing.T) {
	for _, c := range codecs {
		r := rand.New(rand.NewPCG(1, uint64(c.width)))
		firsts := []uint64{0, 1000, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<63 - 1, math.MaxUint64}
		for _, m := range mixtures {
			for _, n := range sizes() {
				for range 2 {
					first := firsts[r.IntN(len(firsts))]
					c.check(t, c.offsets(r, n, first, m.bits, r.IntN(21)), n, m.name)
				}
			}
		}
	}
}

// TestOneLength puts a length that has bits in one plane alone among others
// that are short, at every place that a kernel may treat differently: the
// groups, the blocks and what is left over.
func TestOneLength(t *testing.T) {
	places := map[int][]int{1049: {0, 15, 16, 1022, 1023, 1024, 1039, 1040, 1048}}
	for _, n := range []int{1, 2, 15, 16, 17, 32, 33} {
		for k := range n {
			places[n] = append(places[n], k)
		}
	}
	for _, c := range codecs {
		for n, ks := range places {
			for _, k := range ks {
				for j := range c.width {
					for _, others := range []uint64{0, 0xFF} {
						c.check(t, c.oneLength(n, k, 1<<(8*j), others), n,
							fmt.Sprintf("1<<%d in entry %d, others %d", 8*j, k, others))
					}
				}
			}
		}
	}
}

func (c codec) oneLength(n, k int, length, others uint64) []byte {
	offset := uint64(0)
	b := c.append(nil, offset)
	for i := range n {
		if i == k {
			offset += length
		} else {
			offset += others
		}
		b = c.append(b, offset)
	}
	return b
}

// check takes src through all four functions.
func (c codec) check(t *testing.T, src []byte, n int, name string) {
	t.Helper()
	want := src
	if n > 0 {
		want = c.reference(src, n)
	}
	same := func(what string, want, got []byte) {
		t.Helper()
		if !slices.Equal(want, got) {
			t.Fatalf("%s of %d bit offsets, n = %d, %s: want\n%x\ngot\n%x", what, 8*c.width, n, name, want, got)
		}
	}

	dst, whole := guarded(make([]byte, len(src)), 0xA5)
	require.NoError(t, c.split(dst, src, n))
	same("split", want, dst)
	same("outside of split", guard, outside(whole))

	dst, whole = guarded(make([]byte, len(src)), 0xA5)
	require.NoError(t, c.join(dst, want, n))
	same("join", src, dst)
	same("outside of join", guard, outside(whole))

	buf, whole := guarded(src, 0)
	scratch, wholeScratch := guarded(make([]byte, n*c.width), 0xA5)
	require.NoError(t, c.splitInPlace(buf, n, scratch))
	same("split in place", want, buf)
	same("outside of split in place", guard, outside(whole))
	same("outside of its scratch", guard, outside(wholeScratch))

	buf, whole = guarded(want, 0)
	scratch, wholeScratch = guarded(make([]byte, n*c.width), 0xA5)
	require.NoError(t, c.joinInPlace(buf, n, scratch))
	same("join in place", src, buf)
	same("outside of join in place", guard, outside(whole))
	same("outside of its scratch", guard, outside(wholeScratch))
}

var guard = slices.Repeat([]byte{0xC3}, 80)

// guarded gives a copy of b, with every byte XORed with fill, that has 40 guard
// bytes on either side within its capacity.
func guarded(b []byte, fill byte) (part, whole []byte) {
	whole = slices.Concat(guard[:40], b, guard[:40])
	part = whole[40 : 40+len(b)]
	for i := range part {
		part[i] ^= fill
	}
	return part, whole
}

func outside(whole []byte) []byte {
	return slices.Concat(whole[:40], whole[len(whole)-40:])
}

func TestAllocatesNothing(t *testing.T) {
	const n = 3000
	for _, c := range codecs {
		r := rand.New(rand.NewPCG(2, uint64(c.width)))
		for _, m := range mixtures {
			src := c.offsets(r, n, 0, m.bits, 5)
			dst, scratch := make([]byte, len(src)), make([]byte, n*c.width)
			allocs := testing.AllocsPerRun(5, func() {
				_ = c.split(dst, src, n)
				_ = c.join(src, dst, n)
				_ = c.splitInPlace(src, n, scratch)
				_ = c.joinInPlace(src, n, scratch)
			})
			require.Zero(t, allocs, m.name)
		}
	}
}
