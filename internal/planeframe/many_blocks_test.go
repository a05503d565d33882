package planeframe_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
)

// A frame of very many blocks is left alone: there would be more to remember
// than to decode.
func TestManyBlocks(t *testing.T) {
	const n = 4096
	offsets := buffer(kinds[1], n, 4, 0)
	content := inPlanes(t, offsets, n, 4)
	frame := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, uint32(len(content)))
	for i := range content {
		frame = append(frame, block(i%2, 1, content[i:i+1])...)
	}
	frame[len(frame)-4] |= 1
	o := oracle(zstdDecoder(t).DecodeAll)
	want, err := o.offsets(frame, len(offsets), n, 4)
	require.NoError(t, err)
	require.Equal(t, offsets, want)
	ok, err := agree(t, newDecoder(t), o, frame, len(offsets), n, 4)
	require.NoError(t, err)
	require.False(t, ok)
}

// So is one of a long content in blocks that would do for a short one, without
// having remembered many of them.
func TestManyBlocksOfLongContent(t *testing.T) {
	for n, want := range map[int]bool{1<<17 - 1: true, 1<<22 - 1: false} {
		dst := make([]byte, 4*(n+1))
		frame := binary.LittleEndian.AppendUint32([]byte{0x28, 0xb5, 0x2f, 0xfd, 0xa0}, uint32(len(dst)))
		for range len(dst) / 64 {
			frame = append(frame, block(1, 64, []byte{0})...)
		}
		frame[len(frame)-4] |= 1
		dec := planeframe.NewDecoder(zstdDecoder(t).DecodeAll)
		ok, err := dec.Offsets(dst, frame, n, 4)
		require.NoError(t, err)
		require.Equal(t, want, ok, "%d entries", n)
	}
}
