package planeframe_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
)

// bytesKinds are buffers without long matches, and with them.
func bytesKinds(n int) (without, with map[string][]byte) {
	rng := rand.New(rand.NewPCG(1, 2))
	fill := func(one func(i int) []byte) []byte {
		p := make([]byte, 0, n)
		for i := 0; len(p) < n; i++ {
			p = append(p, one(i)...)
		}
		return p[:n:n]
	}
	words := make([]string, 1000)
	for i := range words {
		words[i] = fmt.Sprintf("%x", rng.Uint64N(1<<(8+rng.Uint64N(24))))
	}
	without = map[string][]byte{
		"random bytes": fill(func(int) []byte { return []byte{byte(rng.Uint32())} }),
		"digits":       fill(func(int) []byte { return fmt.Append(nil, rng.IntN(10)) }),
		"letters":      fill(func(int) []byte { return []byte{"abcdefghijklmnopqrstuvwxyz"[rng.IntN(26)]} }),
		"doubles": fill(func(int) []byte {
			return binary.LittleEndian.AppendUint64(nil, math.Float64bits(rng.Float64()*180))
		}),
	}
	with = map[string][]byte{
		"zeros":       make([]byte, n),
		"sorted ints": fill(func(i int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(i)) }),
		"prefixed":    fill(func(int) []byte { return fmt.Appendf(nil, "customer-%04d", rng.IntN(10_000)) }),
		"words":       fill(func(int) []byte { return []byte(words[rng.IntN(len(words))]) }),
		"runs":        fill(func(int) []byte { return []byte(fmt.Sprintf("%0*d", 20+rng.IntN(50), rng.IntN(10))) }),
	}
	return without, with
}

func TestAppendBytes(t *testing.T) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true))
	require.NoError(t, err)
	dec, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer dec.Close()
	e := planeframe.NewEncoder(enc.EncodeAll)
	before := []byte("before")
	for _, n := range []int{1 << 10, 1025, 5000, 32 << 10, 32<<10 + 1, 100_000, 300_000} {
		without, with := bytesKinds(n)
		for name, p := range without {
			frame, ok := e.AppendBytes(before, p)
			require.True(t, ok, "%s, %d bytes", name, n)
			require.Equal(t, before, frame[:len(before)])
			frame = frame[len(before):]
			require.LessOrEqual(t, len(frame), len(p)+17+3*(len(p)>>17+1), name)
			got, err := dec.DecodeAll(frame, nil)
			require.NoError(t, err, "%s, %d bytes", name, n)
			require.Equal(t, p, got, "%s, %d bytes", name, n)
			// What it saves in time, it does not cost in bytes.
			require.LessOrEqual(t, len(frame), len(enc.EncodeAll(p, nil))*102/100+16, "%s, %d bytes", name, n)
		}
		for name, p := range with {
			frame, ok := e.AppendBytes(before, p)
			require.False(t, ok && (n >= 5000 || name != "words"), "%s, %d bytes", name, n)
			require.Equal(t, before, frame[:len(before)])
		}
	}
	for n := range 1 << 10 {
		_, ok := e.AppendBytes(nil, make([]byte, n))
		require.False(t, ok)
	}
}

func TestAppendBytesAllocatesNothing(t *testing.T) {
	without, _ := bytesKinds(50_000)
	e := planeframe.NewEncoder(nil)
	dst := make([]byte, 0, 60_000)
	for name, p := range without {
		e.AppendBytes(dst, p)
		require.Zero(t, testing.AllocsPerRun(5, func() { e.AppendBytes(dst, p) }), name)
	}
}

func TestBytes(t *testing.T) {
	enc, o, dec := zstdEncoder(t), oracle(zstdDecoder(t).DecodeAll), newDecoder(t)
	e := planeframe.NewEncoder(enc.EncodeAll)
	for _, n := range []int{1 << 10, 5000, 32<<10 + 1, 300_000} {
		without, with := bytesKinds(n)
		for name, p := range without {
			frame, ok := e.AppendBytes(nil, p)
			require.True(t, ok)
			require.True(t, agreeOnBytes(t, dec, o, frame, n), "%s, %d bytes", name, n)
			for _, other := range []int{0, 1, n - 1, n + 1} {
				require.False(t, agreeOnBytes(t, dec, o, frame, other), "%s, %d of %d bytes", name, other, n)
			}
			for cut := range 200 {
				require.False(t, agreeOnBytes(t, dec, o, frame[:len(frame)*cut/200], n), "%s, %d bytes", name, n)
			}
			require.False(t, agreeOnBytes(t, dec, o, append(frame, frame...), n), "two frames")
			agreeOnBytes(t, dec, o, enc.EncodeAll(p, nil), n)
		}
		for name, p := range with {
			ok := agreeOnBytes(t, dec, o, enc.EncodeAll(p, nil), n)
			require.False(t, ok && name != "zeros", "%s, %d bytes, in sequences", name, n)
		}
	}
	// Of one byte again and again there are blocks without sequences as well.
	run := []byte{0x28, 0xB5, 0x2F, 0xFD, 0x20, 200, 1 | 1<<1 | 200<<3&0xFF, 200 >> 5, 0, 7}
	require.True(t, agreeOnBytes(t, dec, o, run, 200))
}

func TestBytesAllocatesNothing(t *testing.T) {
	without, _ := bytesKinds(50_000)
	e, dec := planeframe.NewEncoder(nil), newDecoder(t)
	dst := make([]byte, 50_000)
	for name, p := range without {
		frame, _ := e.AppendBytes(nil, p)
		dec.Bytes(dst, frame)
		require.Zero(t, testing.AllocsPerRun(5, func() { dec.Bytes(dst, frame) }), name)
	}
}

func BenchmarkBytes(b *testing.B) {
	e, dec, z := planeframe.NewEncoder(nil), newDecoder(b), zstdDecoder(b)
	for _, n := range []int{2000, 64 << 10} {
		without, _ := bytesKinds(n)
		for name, p := range without {
			frame, _ := e.AppendBytes(nil, p)
			dst := make([]byte, n, n+32)
			for way, decode := range map[string]func(){
				"ours": func() { dec.Bytes(dst, frame) },
				"zstd": func() { dst, _ = z.DecodeAll(frame, dst[:0]) },
			} {
				b.Run(fmt.Sprintf("%s/%d/%s", name, n, way), func(b *testing.B) {
					b.SetBytes(int64(n))
					for b.Loop() {
						decode()
					}
				})
			}
		}
	}
}

func BenchmarkAppendBytes(b *testing.B) {
	enc, _ := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true), zstd.WithEncoderConcurrency(1))
	e := planeframe.NewEncoder(enc.EncodeAll)
	without, with := bytesKinds(64 << 10)
	dst := make([]byte, 0, 70<<10)
	for name, p := range without {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				e.AppendBytes(dst, p)
			}
		})
		b.Run(name+"/zstd", func(b *testing.B) {
			b.SetBytes(int64(len(p)))
			for b.Loop() {
				enc.EncodeAll(p, dst)
			}
		})
	}
	b.Run("look", func(b *testing.B) {
		for b.Loop() {
			e.AppendBytes(dst, with["words"])
		}
	})
}
