package readbuf

import "github.com/apache/arrow-go/v18/arrow/memory"

// Zeroed returns an allocator over the same memory that gives zeros, for what
// takes them for granted; [Allocator] says what that is. Memory of the one may
// be freed with the other.
func (a *Allocator) Zeroed() memory.Allocator { return zeroed{a} }

// zeroed is an Allocator that clears what was used before.
type zeroed struct{ a *Allocator }

func (z zeroed) Allocate(size int) []byte {
	b, fresh := z.a.take(size)
	if !fresh {
		clear(b)
	}
	return b
}

func (z zeroed) Reallocate(size int, b []byte) []byte {
	b, undefined := z.a.grow(size, b)
	clear(b[undefined:])
	return b
}

func (z zeroed) Free(b []byte) { z.a.Free(b) }

// Zeroed returns an allocator that takes its memory from mem and gives zeros: mem
// itself where it is arrow-go's GoAllocator, which does, and
// [Allocator.Zeroed] where it is an Allocator.
func Zeroed(mem memory.Allocator) memory.Allocator {
	switch mem := mem.(type) {
	case *memory.GoAllocator, zeroed, clearing:
		return mem
	case *Allocator:
		return mem.Zeroed()
	}
	return clearing{mem}
}

// clearing clears what an allocator gives that nothing is known of.
type clearing struct{ mem memory.Allocator }

func (c clearing) Allocate(size int) []byte {
	b := c.mem.Allocate(size)
	clear(b)
	return b
}

func (c clearing) Reallocate(size int, b []byte) []byte {
	old := len(b)
	b = c.mem.Reallocate(size, b)
	if old < size {
		clear(b[old:])
	}
	return b
}

func (c clearing) Free(b []byte) { c.mem.Free(b) }
