package ipcx_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// readOnly maps memory that cannot be written to and has the bytes of data.
func readOnly(t testing.TB, data []byte) []byte {
	t.Helper()
	if len(data) == 0 {
		return nil
	}
	mapped, err := syscall.Mmap(-1, 0, len(data), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, syscall.Munmap(mapped)) })
	copy(mapped, data)
	require.NoError(t, syscall.Mprotect(mapped, syscall.PROT_READ))
	return mapped
}
