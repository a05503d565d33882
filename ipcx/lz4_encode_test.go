package ipcx_test

import (
	"bytes"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// arrowLZ4 are the options of arrow-go's writer.
func arrowLZ4() []lz4.Option {
	return []lz4.Option{lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb)}
}

// lz4Contents are buffers that make blocks of every kind: full and not, that
// shrink and that do not, one kind after the other.
func lz4Contents() [][]byte {
	rng := rand.New(rand.NewPCG(5, 6))
	noise := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(rng.Uint32())
		}
		return p
	}
	text := func(n int) []byte {
		p := make([]byte, 0, n+8)
		for len(p) < n {
			p = append(p, []string{"oak", "elm ", "ash-", "fir", "yew"}[rng.IntN(5)]...)
		}
		return p[:n]
	}
	const block = 64 << 10
	var all [][]byte
	for _, n := range []int{1, 2, 11, 13, 14, 15, 16, 100, 255, 4096, block - 1, block, block + 1, 2*block - 1, 2 * block, 3*block + 100} {
		all = append(all, noise(n), text(n), make([]byte, n))
	}
	for range 200 {
		all = append(all, text(rng.IntN(2000)+1))
	}
	for _, shrinks := range []int{1, 5, 14, 15, 16, 17, 18, 20, 24, 40} { // just so, or just not
		all = append(all, append(noise(1000), make([]byte, shrinks)...), append(make([]byte, shrinks), noise(1000)...))
	}
	mixed := bytes.Join([][]byte{noise(block), text(block), make([]byte, block), noise(block), noise(1)}, nil)
	return append(all, mixed, mixed[:4*block], mixed[block:])
}

// TestLZ4Blocks holds the frames that an encoder writes against those of the LZ4
// library with arrow-go's options, byte by byte.
func TestLZ4Blocks(t *testing.T) {
	plain := messages(t, write(t, smallBatches(1)))
	for _, workers := range []int{1, 3} {
		enc, err := ipcx.NewEncoder(ipcx.WithLZ4(), ipcx.WithCompressConcurrency(workers))
		require.NoError(t, err)
		_, _, err = enc.Encode(plain[0].metadata, plain[0].body)
		require.NoError(t, err)
		for _, content := range lz4Contents() {
			m := rebody(plain[1], replaced(buffers(plain[1]), textData, content)...)
			var got raw
			got.metadata, got.body, err = enc.Encode(m.metadata, m.body)
			require.NoError(t, err)
			want := prefixed(int64(len(content)), lz4Frame(t, content, arrowLZ4()...))
			require.True(t, bytes.Equal(want, buffers(got)[textData]), "%d bytes, %d workers", len(content), workers)
		}
	}
}

// TestLZ4Interop has the lz4 tool and arrow-go read what is written.
func TestLZ4Interop(t *testing.T) {
	tab := dataset(t, "vocabulary", 2, 8192)
	stream := writeTable(t, tab, ipcx.WithLZ4())
	r, err := ipc.NewReader(bytes.NewReader(stream))
	require.NoError(t, err)
	defer r.Release()
	for _, want := range tab.batches {
		require.True(t, r.Next(), r.Err())
		require.True(t, array.RecordEqual(want, r.RecordBatch()))
	}
	require.False(t, r.Next())
	require.NoError(t, r.Err())

	tool, err := exec.LookPath("lz4")
	if err != nil {
		t.Skip("no lz4 tool")
	}
	var frames, want []byte // the tool takes one frame after the other
	plain := messages(t, writeTable(t, tab))
	for i, m := range messages(t, stream)[1:] {
		for k, p := range buffers(m) {
			if len(p) > 0 {
				frames = append(frames, p[8:]...)
				want = append(want, buffers(plain[1+i])[k]...)
			}
		}
	}
	cmd := exec.Command(tool, "-dc")
	cmd.Stdin = bytes.NewReader(frames)
	got, err := cmd.Output()
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got))
}

// BenchmarkLZ4 compresses the seven string columns of a batch.
func BenchmarkLZ4(b *testing.B) {
	for _, name := range []string{"ids", "vocabulary", "random-strings"} {
		b.Run(name, func(b *testing.B) {
			tab := dataset(b, name, 1, 8192)
			plain := messages(b, writeTable(b, tab))
			content := buffers(plain[1])
			size := 0
			for _, p := range content {
				size += len(p)
			}
			b.Run("encoder", func(b *testing.B) {
				enc, err := ipcx.NewEncoder(ipcx.WithLZ4())
				require.NoError(b, err)
				_, _, err = enc.Encode(plain[0].metadata, plain[0].body)
				require.NoError(b, err)
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					if _, _, err := enc.Encode(plain[1].metadata, plain[1].body); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run("library writer", func(b *testing.B) {
				w := lz4.NewWriter(nil)
				require.NoError(b, w.Apply(arrowLZ4()...))
				var out bytes.Buffer
				b.SetBytes(int64(size))
				b.ReportAllocs()
				for b.Loop() {
					out.Reset()
					for _, p := range content {
						w.Reset(&out)
						if _, err := w.Write(p); err != nil {
							b.Fatal(err)
						}
						if err := w.Close(); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		})
	}
}
