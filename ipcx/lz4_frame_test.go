package ipcx_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestLZ4Frames reads buffers in frames of every form, those that are decoded
// block by block and those that are not: what they hold, and whether they are
// refused, must be what the LZ4 library says.
func TestLZ4Frames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = "aabcdefg"[rng.IntN(8)]
		}
		for i := 0; i+100 < n; i += 300 { // something to refer back to
			copy(p[i:i+100], p[:100])
		}
		return p
	}
	noise := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			p[i] = byte(rng.Uint32())
		}
		return p
	}
	all := messages(t, write(t, smallBatches(1), ipcx.WithLZ4()))
	for _, content := range [][]byte{text(1), text(100), text(64 << 10), text(200_001), text(5 << 20), noise(70_000)} {
		for name, opts := range map[string][]lz4.Option{
			"plain":             {lz4.ChecksumOption(false)},
			"64 KiB blocks":     {lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block64Kb)},
			"content checksum":  {lz4.ChecksumOption(true)},
			"block checksums":   {lz4.ChecksumOption(false), lz4.BlockChecksumOption(true)},
			"content size":      {lz4.ChecksumOption(false), lz4.SizeOption(uint64(len(content)))},
			"1 MiB blocks, max": {lz4.ChecksumOption(false), lz4.BlockSizeOption(lz4.Block1Mb), lz4.CompressionLevelOption(lz4.Level9)},
		} {
			frame := lz4Frame(t, content, opts...)
			what := fmt.Sprintf("%s, %d bytes", name, len(content))
			requireLZ4(t, all, frame, content, what)
			if len(content) != 100 {
				continue
			}
			frame = lz4Frame(t, content, append(opts, lz4.BlockSizeOption(lz4.Block64Kb))...)
			// Every byte changed, and every length cut to.
			for i := range frame {
				broken := bytes.Clone(frame)
				broken[i] ^= 1 << rng.IntN(8)
				requireLZ4(t, all, broken, content, what+", changed")
				requireLZ4(t, all, frame[:i], content, what+", cut")
			}
			requireLZ4(t, all, append(bytes.Clone(frame), 0), content, what+", a byte more")
			requireLZ4(t, all, append(bytes.Clone(frame), frame...), content, what+", twice")
		}
	}
}

// requireLZ4 reads frame as a buffer of len(content) bytes.
// A frame that holds something is refused where there is to be nothing, and no
// memory for any of it.
func TestLZ4FrameOfNothing(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.PrimitiveTypes.Int32}}, nil)
	all := messages(t, write(t, []arrow.RecordBatch{array.NewRecordBatch(schema, []arrow.Array{noInts()}, 0)}, ipcx.WithLZ4()))
	for n := range 100 {
		frame := lz4Frame(t, bytes.Repeat([]byte("arrow"), n+1), lz4.ChecksumOption(false))
		bad := rebody(all[1], nil, prefixed(0, frame))
		for way, err := range everyWay([]raw{all[0], bad}) {
			require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
			require.ErrorContains(t, err, "not the 0 claimed", way)
		}
	}
}

func noInts() arrow.Array {
	b := array.NewInt32Builder(memory.DefaultAllocator)
	defer b.Release()
	return b.NewArray()
}

func requireLZ4(t *testing.T, all []raw, frame, content []byte, what string) {
	t.Helper()
	want := make([]byte, len(content))
	wantErr := fillFrom(lz4.NewReader(bytes.NewReader(frame)), want)
	got, err := decodeBuffer(all, frame, len(content))
	if wantErr != nil {
		require.Error(t, err, "%s: %v", what, wantErr)
		return
	}
	require.NoError(t, err, what)
	require.True(t, bytes.Equal(want, got), what)
}

// fillFrom fills p from r, which must hold nothing more.
func fillFrom(r io.Reader, p []byte) error {
	if _, err := io.ReadFull(r, p); err != nil {
		return err
	}
	switch n, err := r.Read(make([]byte, 1)); {
	case n > 0:
		return errors.New("more")
	case err != nil && err != io.EOF:
		return err
	}
	return nil
}

// decodeBuffer has a decoder decompress a buffer of n bytes, in a batch that is
// the second of all.
func decodeBuffer(all []raw, stored []byte, n int) ([]byte, error) {
	all = slices.Clone(all)
	all[1] = rebody(all[1], replaced(buffers(all[1]), textData, prefixed(int64(n), stored))...)
	decoded, err := decodeAll(all)
	if err != nil {
		return nil, err
	}
	return buffers(decoded[1])[textData], nil
}
