package ipcx_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestConvertOverlap has a plain batch of a few KiB whose buffers are all of its
// body, many times over. A conversion that gives each its own place is held to the
// limit of decoded data; one that copies the body as it is has nothing to fear.
func TestConvertOverlap(t *testing.T) {
	all := messages(t, write(t, []arrow.RecordBatch{batchOfRows(t, smallBatch().Schema(), "")}))
	const size, copies = 64 << 10, 32
	body := make([]byte, size)
	all[1] = edited(all[1], func(fb *flatbuf.MessageT) {
		fb.BodyLength = size
		b := batchOf(fb)
		for _, buf := range b.Buffers {
			*buf = flatbuf.BufferT{}
		}
		for range copies {
			b.Buffers = append(b.Buffers, &flatbuf.BufferT{Offset: 0, Length: size})
		}
	})
	all[1].body = body
	for name, opts := range map[string][]ipcx.Option{
		"zstd":         {ipcx.WithZstd()},
		"LZ4, flagged": {ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame)},
		"zeroed nulls": {ipcx.WithZeroedNulls(), ipcx.WithLZ4()},
	} {
		_, err := convert(stream(all...), append(opts, ipcx.WithDecodedSizeLimit(copies*size-1))...)
		require.ErrorIs(t, err, ipcx.ErrLimit, name)
		require.ErrorContains(t, err, "WithDecodedSizeLimit", name)
		_, err = convert(stream(all...), append(opts, ipcx.WithDecodedSizeLimit(copies*size))...)
		require.NoError(t, err, name)
	}
	same, err := convert(stream(all...), ipcx.WithDecodedSizeLimit(size))
	require.NoError(t, err)
	require.Equal(t, stream(all...), same)
}
