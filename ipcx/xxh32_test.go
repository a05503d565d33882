package ipcx

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
)

// TestXXH32 holds the hash against the checksum that the LZ4 library puts at the
// end of a frame.
func TestXXH32(t *testing.T) {
	require.Equal(t, uint32(0x02CC5D05), xxh32(nil))
	content := make([]byte, 70_000)
	for i := range content {
		content[i] = byte(i * i >> 3)
	}
	for n := 1; n <= len(content); n += 1 + n/20 {
		var frame bytes.Buffer
		w := lz4.NewWriter(&frame)
		_, err := w.Write(content[:n])
		require.NoError(t, err)
		require.NoError(t, w.Close())
		require.Equal(t, binary.LittleEndian.Uint32(frame.Bytes()[frame.Len()-4:]), xxh32(content[:n]), n)

		var enc lz4Encoder
		enc.checksum = true
		got := make([]byte, n)
		require.True(t, unlz4Frame(got, enc.append(nil, content[:n])))
		require.True(t, bytes.Equal(content[:n], got))
		ours := enc.append(nil, content[:n])
		ours[len(ours)-1]++
		require.False(t, unlz4Frame(got, ours))
	}
}
