package planekernel

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// A kernel that gives up too early leaves the work to a slower one, and the
// result is right all the same. So this asks whether they go all the way.
func TestKernelsGoAllTheWay(t *testing.T) {
	const n = block
	high := make([]byte, 7*n)
	p0, p1, p2, p3 := make([]byte, n), high[:n], high[n:2*n], high[2*n:3*n]
	buffer := func(width int, bits ...uint64) []byte {
		var b []byte
		offset := uint64(1000)
		for i := range n + 1 {
			b = append(b, binary.LittleEndian.AppendUint64(nil, offset)[:width]...)
			offset += (0xB7B7B7B7_B7B7B7B7 + uint64(i)*0x01010101_01010101) & bits[i%len(bits)]
		}
		return b
	}
	byteLengths := []uint64{0xFF, 0x7F, 0}
	require.Equal(t, n, split1of4(p0, buffer(4, byteLengths...)))
	require.Equal(t, n, split1of8(p0, buffer(8, byteLengths...)))
	require.Equal(t, n, split2of4(p0, p1, buffer(4, 0xFFFF, 0xFF, 0)))
	require.Equal(t, n, split4of8(p0, p1, p2, p3, buffer(8, 0xFFFFFFFF, 0xFFFF, 0)))

	for _, entries := range []int{1, group - 1, group, group + 1, n - 1, n} {
		for _, set := range Sets() {
			require.False(t, set.Split32(p0[:entries], high[:3*entries], buffer(4, byteLengths...)[:4*entries+4]), set)
			require.False(t, set.Split64(p0[:entries], high[:7*entries], buffer(8, byteLengths...)[:8*entries+8]), set)
		}
	}
}

// Each kernel stops before the first group that is not for it, whichever entry
// of the group it is.
func TestKernelsStop(t *testing.T) {
	const n = 4 * group
	p0, p1, p2, p3 := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
	for k := range n {
		buffer := func(width int, length uint64) []byte {
			var b []byte
			offset := uint64(0)
			for i := range n + 1 {
				b = append(b, binary.LittleEndian.AppendUint64(nil, offset)[:width]...)
				if i == k {
					offset += length
				}
			}
			return b
		}
		for _, done := range []int{
			split1of4(p0, buffer(4, 1<<8)),
			split1of8(p0, buffer(8, 1<<8)),
			split2of4(p0, p1, buffer(4, 1<<16)),
			split4of8(p0, p1, p2, p3, buffer(8, 1<<32)),
		} {
			require.LessOrEqual(t, done, k)
			require.Greater(t, done, k-group)
		}
	}
}
