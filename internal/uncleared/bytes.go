//go:build !purego

package uncleared

import (
	"strings"
	"unsafe"
)

// bytes returns n bytes, n > 0, of any content. A strings.Builder is what Go has
// that allocates without clearing. The string of its first byte is where the memory
// starts; nobody else ever has that string.
func bytes(n int) []byte {
	var b strings.Builder
	b.Grow(n)
	b.WriteByte(0)
	if b.Cap() < n {
		return make([]byte, n)
	}
	return unsafe.Slice(unsafe.StringData(b.String()), n)
}
