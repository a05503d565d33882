//go:build !linux

package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// readOnly copies data, and fails the test if the copy is written to.
func readOnly(t testing.TB, data []byte) []byte {
	mapped := bytes.Clone(data)
	t.Cleanup(func() { require.True(t, bytes.Equal(data, mapped), "the mapping was written to") })
	return mapped
}
