package planeframe_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
)

// sizes are numbers of entries: many small ones, and those around the size of a
// block.
func sizes() []int {
	var sizes []int
	step := 1
	if race {
		step = 11
	}
	for n := 1; n <= 300; n += step {
		sizes = append(sizes, n)
	}
	sizes = append(sizes, 1000, 1023, 1024, 8192)
	if race {
		return append(sizes, 131073)
	}
	sizes = append(sizes, 16383, 16384, 1<<14+1<<6-1, 65536, 131071, 131072, 131073)
	if testing.Short() {
		return sizes
	}
	return append(sizes, 1_000_000)
}

// Every frame is the planes to klauspost's decoder, and the offsets to ours.
func TestFrames(t *testing.T) {
	for _, k := range kinds {
		for _, w := range []int{4, 8} {
			t.Run(fmt.Sprintf("%s/%d", k.name, 8*w), func(t *testing.T) {
				t.Parallel()
				enc, dec, zd := newEncoder(t), newDecoder(t), zstdDecoder(t)
				for _, n := range sizes() {
					if w == 8 && (n < 300 && n%7 != 0 || n > 200_000) {
						continue
					}
					checkFrame(t, enc, dec, zd.DecodeAll, buffer(k, n, w, n%6), n, w)
				}
			})
		}
	}
}

// The content size has 1, 2 or 4 bytes in a frame.
func TestContentSizes(t *testing.T) {
	enc, dec, zd := newEncoder(t), newDecoder(t), zstdDecoder(t)
	for _, size := range []int{8, 254, 255, 256, 257, 65535, 65536, 65791, 65792, 65793} {
		frame := checkFrame(t, enc, dec, zd.DecodeAll, buffer(kinds[1], 1, 4, size-8), 1, 4)
		flag := 0
		if size >= 256 {
			flag = 1
		}
		if size >= 65792 {
			flag = 2
		}
		require.Equal(t, flag, int(frame[4]>>6), size)
	}
}

func TestTenMillion(t *testing.T) {
	if testing.Short() || race {
		t.Skip("takes seconds")
	}
	enc, dec, zd := newEncoder(t), newDecoder(t), zstdDecoder(t)
	for _, k := range kinds {
		switch k.name {
		case "constant", "vocabulary", "rarely long":
			checkFrame(t, enc, dec, zd.DecodeAll, buffer(k, 10_000_000, 4, 0), 10_000_000, 4)
		}
	}
}

// Above 128 MiB a frame is not one segment.
func TestLargerThanAWindow(t *testing.T) {
	if testing.Short() || race {
		t.Skip("takes 512 MiB")
	}
	const n = 1<<24 + 1000
	offsets := buffer(kinds[1], n, 8, 3)
	frame, err := newEncoder(t).Append(nil, offsets, n, 8)
	require.NoError(t, err)
	require.Less(t, len(frame), 6000)
	require.Zero(t, frame[4]&0x20, "single segment")
	content, err := zstdDecoder(t).DecodeAll(frame, make([]byte, 0, len(offsets)))
	require.NoError(t, err)
	require.True(t, bytes.Equal(inPlanes(t, offsets, n, 8), content))
	clear(content)
	ok, err := newDecoder(t).Offsets(content, frame, n, 8)
	require.NoError(t, err)
	require.True(t, ok)
	require.True(t, bytes.Equal(offsets, content))
}

func checkFrame(t testing.TB, enc *planeframe.Encoder, dec *planeframe.Decoder,
	decodeAll func(src, dst []byte) ([]byte, error), offsets []byte, n, w int,
) (frame []byte) {
	t.Helper()
	prefix := []byte("before")
	frame, err := enc.Append(bytes.Clone(prefix), offsets, n, w)
	require.NoError(t, err)
	require.Equal(t, prefix, frame[:len(prefix)], n)
	frame = frame[len(prefix):]
	require.LessOrEqual(t, len(frame), len(offsets)+12+3*(len(offsets)>>17), n)

	content, err := decodeAll(frame, make([]byte, 0, len(offsets)))
	require.NoError(t, err, n)
	require.True(t, bytes.Equal(inPlanes(t, offsets, n, w), content), n)

	dst := bytes.Repeat([]byte{0xA5}, len(offsets))
	ok, err := dec.Offsets(dst, frame, n, w)
	require.NoError(t, err, n)

	require.True(t, ok, n)
	require.True(t, bytes.Equal(offsets, dst), n)
	return frame
}

// libzstd reads all of them too. Frames one after the other are their contents
// one after the other to it, so one run is enough for a lot of them.
func TestLibzstd(t *testing.T) {
	tool, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("needs zstd, libzstd's command line tool: ", err)
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			enc := newEncoder(t)
			var frames, want []byte
			var err error
			for _, n := range sizes() {
				for _, w := range []int{4, 8} {
					if n > 300 && w == 8 {
						continue
					}
					offsets := buffer(k, n, w, n%3)
					frames, err = enc.Append(frames, offsets, n, w)
					require.NoError(t, err)
					want = append(want, inPlanes(t, offsets, n, w)...)
				}
			}
			cmd := exec.Command(tool, "-dcq")
			cmd.Stdin = bytes.NewReader(frames)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			got, err := cmd.Output()
			require.NoError(t, err, stderr.String())
			require.True(t, bytes.Equal(want, got))
		})
	}
}

// An encoder without an ordinary one makes frames without sequences, and a
// decoder without one leaves those that have some alone.
func TestWithoutOrdinary(t *testing.T) {
	alone, enc, dec, zd := planeframe.NewEncoder(nil), newEncoder(t), planeframe.NewDecoder(nil), zstdDecoder(t)
	sequences := 0
	for _, k := range kinds {
		for _, n := range []int{1, 50, 256, 8192} {
			offsets := buffer(k, n, 4, 0)
			checkFrame(t, alone, dec, zd.DecodeAll, offsets, n, 4)

			frame, err := enc.Append(nil, offsets, n, 4)
			require.NoError(t, err)
			dst := make([]byte, len(offsets))
			ok, err := dec.Offsets(dst, frame, n, 4)
			require.NoError(t, err)
			if ok {
				require.True(t, bytes.Equal(offsets, dst))
			} else {
				require.NotEqual(t, "rarely long", k.name, "not worth the time it takes to decode")
				sequences++
			}
		}
	}
	require.Greater(t, sequences, 10)
}

// What an ordinary encoder gives may be of no use, and then it is not used.
func TestUselessOrdinary(t *testing.T) {
	dec, zd := newDecoder(t), zstdDecoder(t)
	z := zstdEncoder(t)
	for name, encodeAll := range map[string]func(src, dst []byte) []byte{
		"nothing":   func(_, dst []byte) []byte { return dst },
		"no frame":  func(_, dst []byte) []byte { return append(dst, "not a frame"...) },
		"cut":       func(src, dst []byte) []byte { f := z.EncodeAll(src, dst); return f[:len(f)-1] },
		"no blocks": func(src, dst []byte) []byte { return z.EncodeAll(src, dst)[:7] },
		"dictionary": func(src, dst []byte) []byte {
			f := z.EncodeAll(src, dst)
			f[4] |= 1
			return f
		},
	} {
		for _, k := range kinds {
			for _, n := range []int{40, 300, 8192} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, k.name, n), func(t *testing.T) {
					checkFrame(t, planeframe.NewEncoder(encodeAll), dec, zd.DecodeAll, buffer(k, n, 4, 0), n, 4)
				})
			}
		}
	}
}

// Frames are about as short as those of the ordinary encoder, or shorter.
func TestSizes(t *testing.T) {
	enc, z := newEncoder(t), zstdEncoder(t)
	for _, k := range kinds {
		for _, n := range []int{100, 256, 1000, 8192, 65536, 200_000} {
			if race && n > 8192 {
				continue
			}
			if n <= 1000 && (k.name == "down" || k.name == "sparse everywhere") {
				continue // all planes alike: no valid offsets are like that
			}
			for _, w := range []int{4, 8} {
				offsets := buffer(k, n, w, 0)
				frame, err := enc.Append(nil, offsets, n, w)
				require.NoError(t, err)
				other := z.EncodeAll(inPlanes(t, offsets, n, w), nil)
				assert.LessOrEqual(t, len(frame), len(other)+len(other)/200+12, "%s, %d entries, %d bytes", k.name, n, w)
			}
		}
	}
}

// The worked example of the format is what comes out.
func TestFormatExample(t *testing.T) {
	offsets := []byte{0, 0, 0, 0, 3, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0, 0, 12, 0, 0, 0}
	frame, err := newEncoder(t).Append(nil, offsets, 5, 4)
	require.NoError(t, err)
	require.Equal(t, []byte{
		0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x18,
		0x48, 0, 0, 0, 0, 0, 0, 3, 5, 0, 0, 4,
		0x7b, 0, 0, 0,
	}, frame)
}

func TestNoAllocations(t *testing.T) {
	if race {
		t.Skip("sync.Pool forgets under the race detector")
	}
	for _, k := range kinds {
		for _, w := range []int{4, 8} {
			const n = 8192
			enc, dec := newEncoder(t), newDecoder(t)
			offsets := buffer(k, n, w, 5)
			dst := make([]byte, len(offsets))
			frame, err := enc.Append(nil, offsets, n, w)
			require.NoError(t, err)
			require.Zero(t, int(testing.AllocsPerRun(20, func() {
				frame, _ = enc.Append(frame[:0], offsets, n, w)
			})), "append %s %d", k.name, w)
			require.Zero(t, int(testing.AllocsPerRun(20, func() {
				_, _ = dec.Offsets(dst, frame, n, w)
			})), "offsets %s %d", k.name, w)
		}
	}
}

func TestArguments(t *testing.T) {
	enc, dec := newEncoder(t), newDecoder(t)
	frame, err := enc.Append(nil, make([]byte, 44), 10, 4)
	require.NoError(t, err)
	for _, c := range []struct {
		length, n, width int
		want             string
	}{
		{44, 10, 5, "planeframe: offsets of 5 bytes, want 4 or 8"},
		{44, 0, 4, "planeframe: planes: no such number of entries: 0, where offsets of 4 bytes allow 0 to "},
		{44, -1, 8, "planeframe: planes: no such number of entries: -1, where offsets of 8 bytes allow 0 to "},
		{44, int(^uint(0) >> 1), 8, "planeframe: planes: no such number of entries: "},
		{43, 10, 4, "%s has 43 bytes, needs 44 (10 entries)"},
		{44, 10, 8, "%s has 44 bytes, needs 88 (10 entries)"},
	} {
		want := func(what string) string {
			if bytes.Contains([]byte(c.want), []byte("%s")) {
				return "planeframe: planes: too short: " + fmt.Sprintf(c.want, what)
			}
			return c.want
		}
		dst, err := enc.Append([]byte("before"), make([]byte, c.length), c.n, c.width)
		require.ErrorContains(t, err, want("offsets"))
		require.Equal(t, "before", string(dst))
		ok, err := dec.Offsets(make([]byte, c.length), frame, c.n, c.width)
		require.False(t, ok)
		require.ErrorContains(t, err, want("dst"))
	}
}
