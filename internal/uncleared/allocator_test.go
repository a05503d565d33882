package uncleared

import (
	std "bytes"
	"runtime"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestAllocate(t *testing.T) {
	var a Allocator
	for _, n := range []int{0, 1, 7, 63, 64, 65, 1000, 32 << 10, 100_000, 3 << 20} {
		b := a.Allocate(n)
		require.Len(t, b, n)
		require.Equal(t, n, cap(b))
		require.Zero(t, uintptr(unsafe.Pointer(unsafe.SliceData(b)))%64)
	}
	require.Panics(t, func() { a.Allocate(-65) })
}

// Blocks are apart from each other, and live as long as they are reachable.
func TestBlocksLive(t *testing.T) {
	var a Allocator
	var blocks [][]byte
	for i := range 200 {
		b := a.Allocate(100 + 997*i)
		copy(b, std.Repeat([]byte{byte(i)}, len(b)))
		blocks = append(blocks, b)
		if i%50 == 0 {
			runtime.GC()
		}
	}
	for i, b := range blocks {
		require.Equal(t, len(b), std.Count(b, []byte{byte(i)}), "block %d", i)
	}
}

func TestReallocate(t *testing.T) {
	var a Allocator
	b := a.Allocate(100)
	for i := range b {
		b[i] = byte(i)
	}
	less := a.Reallocate(10, b)
	require.Equal(t, b[:10], less)
	more := a.Reallocate(1000, b)
	require.Len(t, more, 1000)
	require.Equal(t, b, more[:100])
	a.Free(more)
}

func BenchmarkAllocate(b *testing.B) {
	for b.Loop() {
		_ = Allocator{}.Allocate(4 << 20)
	}
}

func BenchmarkMake(b *testing.B) {
	for b.Loop() {
		sink = make([]byte, 4<<20)
	}
}

var sink []byte
