package datasets_test

import (
	"encoding/binary"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
)

// The four tables of strings are what the sizes of this module are stated on:
// arrow-go's zstd has to need what it needed when they were first measured,
// and offsets as lengths have to leave room below the share that is promised.
func TestSizes(t *testing.T) {
	const perBatch, batches = 8192, 2
	for _, c := range []struct {
		name   string
		theirs float64 // bytes per row of arrow-go's stream
		ours   float64 // the same with offsets as lengths, when first measured
		share  float64 // of arrow-go's bytes, at most
	}{
		{"ids", 49.7, 21.7, 0.46},
		{"varying-ids", 48.6, 21.6, 0.46},
		{"vocabulary", 46.9, 21.8, 0.48},
		{"random-strings", 84.1, 70.4, 0.86},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, ok := datasets.ByName(c.name)
			require.True(t, ok)
			rows := generate(t, d, batches*perBatch, perBatch)
			theirs := float64(len(stream(t, d.Schema, rows, ipc.WithZstd()))) / (batches * perBatch)
			ours := float64(asLengths(t, rows)) / (batches * perBatch)
			t.Logf("arrow-go %.2f B/row, as lengths %.2f B/row, share %.3f", theirs, ours, ours/theirs)

			require.InEpsilon(t, c.theirs, theirs, 0.05)
			require.LessOrEqual(t, ours/theirs, c.share-0.02)
			require.LessOrEqual(t, ours, c.ours*1.05)
		})
	}
}

// asLengths estimates the bytes of batches of string columns whose offsets are
// stored as lengths in byte planes: the bodies, with a bound for the metadata.
func asLengths(t *testing.T, batches []arrow.RecordBatch) (size int) {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1),
		zstd.WithEncoderCRC(false), zstd.WithAllLitEntropyCompression(true))
	require.NoError(t, err)
	defer enc.Close()
	stored := func(buffer []byte) int {
		n := 8 + min(len(buffer), len(enc.EncodeAll(buffer, nil)))
		return (n + 7) &^ 7
	}
	for _, b := range batches {
		const perColumn, rest = 16 + 3*16, 256
		size += rest + perColumn*int(b.NumCols())
		n := int(b.NumRows())
		for _, c := range b.Columns() {
			buffers := c.Data().Buffers()
			size += stored(planes(buffers[1].Bytes(), n)) + stored(buffers[2].Bytes())
		}
	}
	return size
}

// planes is the plainest way to write n+1 offsets as the first offset and four
// planes of n lengths.
func planes(offsets []byte, n int) []byte {
	out := make([]byte, 4*(n+1))
	copy(out, offsets[:4])
	for i := range n {
		length := binary.LittleEndian.Uint32(offsets[4*i+4:]) - binary.LittleEndian.Uint32(offsets[4*i:])
		for j := range 4 {
			out[4+j*n+i] = byte(length >> (8 * j))
		}
	}
	return out
}
