package planeframe_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/huff0"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
	"github.com/arrowplanes/arrowplanes/planes"
)

// foreign makes frames of other shapes than the encoder's: it cuts the content
// anywhere, and codes each part in any way that is right for it.
type foreign struct {
	r    *rand.Rand
	huff huff0.Scratch
	z    func(src, dst []byte) []byte
	used map[string]int
}

func block(kind, size int, data []byte) []byte {
	h := uint32(kind<<1 | size<<3)
	return append([]byte{byte(h), byte(h >> 8), byte(h >> 16)}, data...)
}

func (f *foreign) make(content []byte, most int) []byte {
	f.huff.Reuse = huff0.ReusePolicyNone
	var blocks [][]byte
	rest := content
	sequences := 0
	for len(rest) > 0 {
		n := min(1+f.r.IntN(most), len(rest), 1<<17)
		b, how := f.block(rest[:n], sequences)
		if how == "sequences" {
			sequences++
		}
		if b == nil {
			continue
		}
		f.used[how]++
		blocks = append(blocks, b...)
		rest = rest[n:]
		if f.r.IntN(20) == 0 {
			blocks = append(blocks, block(f.r.IntN(2), 0, []byte{7})) // nothing
			if last := &blocks[len(blocks)-1]; (*last)[0]>>1 == 0 {
				*last = (*last)[:3]
			}
		}
	}
	blocks[len(blocks)-1][0] |= 1
	frame := []byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}
	if f.r.IntN(4) == 0 {
		frame = []byte{0x28, 0xb5, 0x2f, 0xfd, 0x80, byte(f.r.IntN(140))} // a window
	}
	frame = binary.LittleEndian.AppendUint32(frame, uint32(len(content)))
	return append(frame, slices.Concat(blocks...)...)
}

func (f *foreign) block(p []byte, sequences int) (blocks [][]byte, how string) {
	uniform := bytes.Count(p, p[:1]) == len(p)
	kind := f.r.IntN(7)
	section := func(first byte, data []byte) []byte {
		v := uint32(first) | 3<<2 | uint32(len(p))<<4
		s := append([]byte{byte(v), byte(v >> 8), byte(v >> 16)}, data...)
		return append(s, 0)
	}
	switch {
	case uniform && kind < 3:
		return [][]byte{block(1, len(p), p[:1])}, "run"
	case uniform && kind < 5:
		s := section(1, p[:1])
		return [][]byte{block(2, len(s), s)}, "literals run"
	case kind == 0:
		return [][]byte{block(0, len(p), p)}, "raw"
	case kind == 1:
		if s := section(0, p); len(s) <= 1<<17 {
			return [][]byte{block(2, len(s), s)}, "literals raw"
		}
	case kind == 2 && f.z != nil && sequences == 0:
		frame := f.z(p, nil)
		at := 5 + 1<<(frame[4]>>6)
		if frame[4]>>6 == 0 && frame[4]&0x20 == 0 {
			at = 5
		}
		if frame[4]&0x20 == 0 {
			at++
		}
		b := bytes.Clone(frame[at:])
		for i := 0; ; {
			h := int(b[i]) | int(b[i+1])<<8 | int(b[i+2])<<16
			size := h >> 3
			if h>>1&3 == 1 {
				size = 1
			}
			if h&1 == 1 {
				b[i] &^= 1
				break
			}
			i += 3 + size
		}
		f.huff.Reuse = huff0.ReusePolicyNone
		return [][]byte{b}, "sequences"
	case !uniform && len(p) > 20:
		four := len(p) >= 256 && (len(p) > 1000 || f.r.IntN(2) == 0)
		compress := huff0.Compress1X
		if four {
			compress = huff0.Compress4X
		}
		out, reused, err := compress(p, &f.huff)
		if err != nil || len(out) > len(p)-8 {
			f.huff.Reuse = huff0.ReusePolicyNone
			return nil, ""
		}
		how, lit := "huffman", uint64(2)
		f.huff.Reuse = huff0.ReusePolicyPrefer
		if reused {
			how, lit = "treeless", 3
		}
		var s []byte
		if !four {
			how += " one"
			v := lit | uint64(len(p))<<4 | uint64(len(out))<<14
			s = []byte{byte(v), byte(v >> 8), byte(v >> 16)}
		} else {
			v := lit | 3<<2 | uint64(len(p))<<4 | uint64(len(out))<<22
			s = []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24), byte(v >> 32)}
		}
		s = append(append(s, out...), 0)
		return [][]byte{block(2, len(s), s)}, how
	}
	return nil, ""
}

// oracle is the ordinary way: decode, then join.
type oracle func(src, dst []byte) ([]byte, error)

func (o oracle) content(frame []byte, length int) ([]byte, error) {
	content, err := o(frame, make([]byte, 0, length))
	if err == nil && len(content) != length {
		err = fmt.Errorf("content of %d bytes, want %d", len(content), length)
	}
	return content, err
}

func (o oracle) offsets(frame []byte, length, n, w int) ([]byte, error) {
	content, err := o.content(frame, length)
	if err != nil {
		return nil, err
	}
	dst := make([]byte, length)
	if w == 4 {
		err = planes.JoinOffsets32(dst, content, n)
	} else {
		err = planes.JoinOffsets64(dst, content, n)
	}
	return dst, err
}

// agree checks that the decoder gives what the ordinary way gives, or refuses
// what that refuses, or leaves the frame alone. It returns what it did.
func agree(t testing.TB, dec *planeframe.Decoder, o oracle, frame []byte, length, n, w int) (ok bool, err error) {
	t.Helper()
	agreeOnBytes(t, dec, o, frame, length)
	want, wantErr := o.offsets(frame, length, n, w)
	dst := bytes.Repeat([]byte{0xA5}, length)
	ok, err = dec.Offsets(dst, frame, n, w)
	switch {
	case err != nil:
		require.False(t, ok)
		require.ErrorIs(t, err, planeframe.ErrCorrupt)
		require.Error(t, wantErr, "refused: %v\n%x", err, frame)
	case ok:
		require.NoError(t, wantErr, "%x", frame)
		require.True(t, bytes.Equal(want, dst), "%x", frame)
	}
	return ok, err
}

// agreeOnBytes checks that the decoder gives the content that the ordinary way
// gives, or leaves the frame alone. It returns which.
func agreeOnBytes(t testing.TB, dec *planeframe.Decoder, o oracle, frame []byte, length int) bool {
	t.Helper()
	dst := bytes.Repeat([]byte{0xA5}, length)
	if !dec.Bytes(dst, frame) {
		return false
	}
	want, err := o.content(frame, length)
	require.NoError(t, err, "%x", frame)
	require.True(t, bytes.Equal(want, dst), "%x", frame)
	return true
}

func TestForeignFrames(t *testing.T) {
	dec, o := newDecoder(t), oracle(zstdDecoder(t).DecodeAll)
	f := foreign{r: rand.New(rand.NewPCG(3, 4)), z: zstdEncoder(t).EncodeAll, used: map[string]int{}}
	done, left := 0, 0
	rounds := 3000
	if race {
		rounds = 1000
	}
	for i := range rounds {
		k := kinds[i%len(kinds)]
		w := 4 + 4*f.r.IntN(2)
		n := 1 + f.r.IntN([]int{10, 300, 3000}[i%3])
		offsets := buffer(k, n, w, f.r.IntN(2)*f.r.IntN(50))
		frame := f.make(inPlanes(t, offsets, n, w), 1+f.r.IntN(2*n))
		want, err := o.offsets(frame, len(offsets), n, w)
		window := frame[4]&0x20 == 0
		if !window || err == nil { // a window may be too small for the blocks
			require.NoError(t, err, "%x", frame)
			require.Equal(t, offsets, want)
		}
		ok, err := agree(t, dec, o, frame, len(offsets), n, w)
		if !window {
			require.NoError(t, err)
		}
		if ok {
			done++
		} else {
			left++
		}
	}
	for _, how := range []string{
		"run", "literals run", "raw", "literals raw", "sequences",
		"huffman", "huffman one", "treeless", "treeless one",
	} {
		require.Greater(t, f.used[how], 20, how)
	}
	require.Greater(t, done, 4*left)
}

// What is not quite a frame any more is refused, or what the ordinary decoder
// makes of it.
func TestMutatedFrames(t *testing.T) {
	dec, o := newDecoder(t), oracle(zstdDecoder(t).DecodeAll)
	f := foreign{r: rand.New(rand.NewPCG(5, 6)), z: zstdEncoder(t).EncodeAll, used: map[string]int{}}
	refused, decoded, left := 0, 0, 0
	try := func(frame []byte, length, n, w int) {
		switch ok, err := agree(t, dec, o, frame, length, n, w); {
		case err != nil:
			refused++
		case ok:
			decoded++
		default:
			left++
		}
	}
	for i, k := range kinds {
		for _, n := range []int{5, 120} {
			w := 4 + 4*(i%2)
			offsets := buffer(k, n, w, i%3)
			if race && n > 5 && i%5 > 0 {
				continue
			}
			frames := [][]byte{f.make(inPlanes(t, offsets, n, w), 100)}
			frame, err := newEncoder(t).Append(nil, offsets, n, w)
			require.NoError(t, err)
			frames = append(frames, frame)
			for _, frame := range frames {
				if len(frame) > 300 {
					continue
				}
				for at := range frame {
					was := frame[at]
					for bit := range 8 {
						frame[at] = was ^ 1<<bit
						try(frame, len(offsets), n, w)
					}
					for _, v := range []byte{0, 0xFF, byte(f.r.Uint32())} {
						frame[at] = v
						try(frame, len(offsets), n, w)
					}
					frame[at] = was
					try(frame[:at], len(offsets), n, w)
				}
				for _, more := range []string{"\x00", "\x28\xb5\x2f\xfd", "\x50\x2a\x4d\x18\x01\x00\x00\x00x", string(frame)} {
					try(append(bytes.Clone(frame), more...), len(offsets), n, w)
				}
				for _, d := range []int{-1, 1, 256} {
					if l := len(offsets) + d; l >= (n+1)*w {
						try(frame, l, n, w)
					}
				}
			}
		}
	}
	require.Greater(t, refused, 1000)
	require.Greater(t, decoded, 1000)
	require.Greater(t, left, 100)
}

// What the ordinary encoder makes of planes is decoded here too, if it is one
// segment.
func TestOrdinaryFrames(t *testing.T) {
	dec, z, o := newDecoder(t), zstdEncoder(t), oracle(zstdDecoder(t).DecodeAll)
	for _, k := range kinds {
		for _, n := range []int{300, 8192, 70_000} {
			offsets := buffer(k, n, 4, 0)
			ok, err := agree(t, dec, o, z.EncodeAll(inPlanes(t, offsets, n, 4), nil), len(offsets), n, 4)
			require.NoError(t, err)
			require.True(t, ok, "%s %d", k.name, n)
		}
	}
}

// blocksOf counts the blocks of a frame: "raw", "run", the types of literals,
// "sequences".
func blocksOf(frame []byte) map[string]int {
	count := map[string]int{}
	for at := 5 + 1<<(frame[4]>>6); ; {
		h := int(frame[at]) | int(frame[at+1])<<8 | int(frame[at+2])<<16
		size := h >> 3
		b := frame[at+3:]
		switch h >> 1 & 3 {
		case 0:
			count["raw"]++
		case 1:
			count["run"]++
			size = 1
		default:
			count[[]string{"literals raw", "literals run", "huffman", "treeless"}[b[0]&3]]++
			if b[0]&3 >= 2 && b[0]>>2&3 == 3 {
				l := uint64(binary.LittleEndian.Uint32(b)) | uint64(b[4])<<32
				if b[5+l>>22] != 0 {
					count["sequences"]++
				}
			}
		}
		if h&1 == 1 {
			return count
		}
		at += 3 + size
	}
}

// A tree is used again where it fits, and only there.
func TestTrees(t *testing.T) {
	const n = 200_000
	enc := planeframe.NewEncoder(nil)
	frame, err := enc.Append(nil, buffer(kinds[3], n, 4, 0), n, 4)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"raw": 1, "run": 5, "huffman": 1, "treeless": 6}, blocksOf(frame))

	// The same bytes all along, and other ones often.
	r := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 4*n+4)
	for i := range n {
		l := byte(min(r.IntN(40)*r.IntN(40)/40, 31))
		if i >= n/2 {
			l = 31 - l
		}
		content[4+i] = l
	}
	offsets := make([]byte, len(content))
	require.NoError(t, planes.JoinOffsets32(offsets, content, n))
	frame, err = enc.Append(nil, offsets, n, 4)
	require.NoError(t, err)
	blocks := blocksOf(frame)
	require.Contains(t, []int{2, 3}, blocks["huffman"])
	require.Equal(t, 7, blocks["huffman"]+blocks["treeless"])
}

// Behind its last block with sequences, an ordinary frame may have a block that
// shares a tree with it.
func TestTreeOfSequences(t *testing.T) {
	const n = 300_000
	r := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 4*n+4)
	// All of 128 bytes are as frequent everywhere, so one tree is as good as the
	// next, and only the beginning has something twice.
	for i := 0; i < n; i += 128 {
		for k, v := range r.Perm(128)[:min(128, n-i)] {
			content[4+i+k] = byte(v)
		}
	}
	copy(content[4+50*128:4+70*128], content[4:])
	want := make([]byte, len(content))
	require.NoError(t, planes.JoinOffsets32(want, content, n))
	// Its last blocks are those of this package, runs.
	z := zstdEncoder(t)
	frame := z.EncodeAll(content[:4+n], nil)
	blocks := blocksOf(frame)
	require.Equal(t, map[string]int{"huffman": 1, "treeless": 2, "sequences": 1}, blocks)
	binary.LittleEndian.PutUint32(frame[5:], uint32(len(content)))
	frame[lastBlock(frame)] &^= 1
	for left := 3 * n; left > 0; left -= 1 << 17 {
		frame = append(frame, block(1, min(left, 1<<17), []byte{0})...)
	}
	frame[len(frame)-4] |= 1
	ok, err := agree(t, newDecoder(t), oracle(zstdDecoder(t).DecodeAll), frame, len(content), n, 4)
	require.NoError(t, err)
	require.True(t, ok)
}

// lastBlock is where the last block of a frame of one segment begins.
func lastBlock(frame []byte) int {
	for at := 5 + 1<<(frame[4]>>6); ; {
		h := int(frame[at]) | int(frame[at+1])<<8 | int(frame[at+2])<<16
		size := h >> 3
		switch {
		case h&1 == 1:
			return at
		case h>>1&3 == 1:
			size = 1
		}
		at += 3 + size
	}
}

// Sequences that reach further back than the window are not taken here, whether
// or not what they refer to is at hand.
func TestBeyondTheWindow(t *testing.T) {
	const n = 300_000
	r := rand.New(rand.NewPCG(1, 2))
	content := make([]byte, 4*n+4)
	for i := range n {
		content[4+i] = byte(r.Uint32())
		if i >= 150_000 {
			content[4+i] = content[4+i-150_000]
		}
	}
	frame := zstdEncoder(t).EncodeAll(content, nil)
	require.Less(t, len(frame), 160_000)
	dec, o := newDecoder(t), oracle(zstdDecoder(t).DecodeAll)
	ok, err := agree(t, dec, o, frame, len(content), n, 4)
	require.NoError(t, err)
	require.True(t, ok)

	window := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x80, 7 << 3}, frame[5:]...)
	_, err = o.offsets(window, len(content), n, 4)
	require.Error(t, err)
	ok, _ = agree(t, dec, o, window, len(content), n, 4)
	require.False(t, ok)
}

func TestErrors(t *testing.T) {
	// Five entries: 24 bytes.
	header := []byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 24}
	frame := func(blocks ...[]byte) []byte { return append(bytes.Clone(header), slices.Concat(blocks...)...) }
	run := block(1, 24, []byte{0})
	for want, f := range map[string][]byte{
		"byte 4: content of 25 bytes, want 24":                 append(append(bytes.Clone(header[:5]), 25), run...),
		"byte 6: 0 bytes left, a block header has 3":           frame(),
		"byte 10: 2 bytes left, a block header has 3":          frame(block(1, 20, []byte{0}), []byte{1, 2}),
		"byte 6: block of 131073 bytes, the most are 131072":   frame(block(1, 131073, []byte{0})),
		"byte 9: 2 bytes left, the block has 24":               frame(block(0, 24, []byte{0, 0})),
		"byte 6: block of the reserved type":                   frame(block(3, 1, []byte{0})),
		"byte 10: block of 5 bytes, 4 of the content are left": frame(block(1, 20, []byte{0}), block(1, 5, []byte{0})),
		"byte 10: end of the frame after 23 bytes of content, want 24": func() []byte {
			f := frame(block(1, 23, []byte{0}))
			f[6] |= 1
			return f
		}(),
		"byte 6: literals header of more than the 0 bytes of the block": frame(block(2, 0, nil)),
		"byte 6: 131073 literals, the most are 131072":                  frame(block(2, 5, []byte{0x1d, 0, 0x20, 0, 0})),
		"byte 6: 3 bytes of literals, the block has 2 for them":         frame(block(2, 4, []byte{3 << 3, 1, 2, 0})),
		"byte 6: 1 bytes left behind a block without sequences":         frame(block(2, 4, []byte{1 << 3, 1, 0, 9})),
		"byte 6: literals without a tree, and no tree before them":      frame(block(2, 6, []byte{0x83, 0x80, 0, 1, 2, 0})),
		"byte 6: Huffman tree: ":                                        frame([]byte{1 | 2<<1 | 6<<3, 0, 0, 0x82, 0x81, 0, 1, 2, 0}),
	} {
		ok, err := agree(t, newDecoder(t), zstdDecoder(t).DecodeAll, f, 24, 5, 4)
		require.False(t, ok, want)
		require.ErrorContains(t, err, "planeframe: corrupt frame: "+want)
	}
}
