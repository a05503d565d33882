//go:build linux || darwin

package planekernel_test

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// guardedArea gives at least size bytes between two pages that must not be touched.
func guardedArea(t testing.TB, size int) []byte {
	page := os.Getpagesize()
	inside := (size + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, page+inside+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(b)) })
	require.NoError(t, syscall.Mprotect(b[:page], syscall.PROT_NONE))
	require.NoError(t, syscall.Mprotect(b[page+inside:], syscall.PROT_NONE))
	return b[page : page+inside : page+inside]
}

// A guard that guards nothing would let every test pass.
func TestGuardedArea(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	b := guardedArea(t, areaSize)
	around := unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(&b[0]), -1)), len(b)+2)
	around[1], around[len(b)] = 1, 1
	require.Panics(t, func() { around[0] = 1 })
	require.Panics(t, func() { around[len(b)+1] = 1 })
}
