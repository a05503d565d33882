package readbuf

import (
	"sync"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// DefaultMaxIdle is how many bytes an [Allocator] keeps idle unless it is told
// otherwise: 256 MiB, the largest message body that readers take by default.
const DefaultMaxIdle = 256 << 20

// alignment of all memory in bytes, as Arrow recommends it.
const alignment = 64

// An Allocator is arrow-go's memory.Allocator with memory that is used again:
// what is freed serves the next request of its size class, as it is. The body of
// a record batch that nobody holds any more, which its buffers' reference counts
// tell, becomes the body of the next one.
//
//	Allocate  --> held by the caller --> Free --> idle --> Allocate ...
//	                                                \--> let go: too much of it, or unused for long
//
// The zero value is ready to use. An Allocator must not be copied after its
// first use. It is safe for concurrent use; memory may be freed by another
// goroutine than the one that allocated it.
//
// Memory is aligned to 64 bytes. There are four size classes for each power of
// two, so that at most a fifth of a block lies beyond what was asked for; a
// request takes an idle block of up to twice its size where there is one.
//
// # What it holds
//
// Memory after Allocate, and after Reallocate beyond the old length, holds
// whatever was there before. Some of arrow-go takes it for zeros: the builders of
// binary and utf8 views, which leave the headers of empty values alone, and the
// encoder behind ipc.Writer, with the bitmap of a column that is all null and the
// tail of a bitmap that was cut. They need [Allocator.Zeroed], and so may
// array.Concatenate and the compute package; the readers and writers of package
// ipcx see to it by themselves. The other builders write everything that their
// arrays show, except the value slots of null rows, which keep what was there:
// see ipcx.WithZeroedNulls.
//
// # What it keeps
//
// No more than MaxIdle bytes are idle: a block that would exceed them is let go
// when it is freed. Further, an idle block that no request took for some time
// is let go: for 32 requests, or twice the number of blocks if that is more, so
// that a producer that asks for hundreds of blocks a batch keeps them. What one
// giant batch needed is gone after 100 small ones.
//
// Free and Reallocate of memory that the Allocator did not hand out, or that was
// freed already, leave it alone, and are counted in [AllocatorStats].Refused.
// Memory that is never freed is Go's to collect, but counts as held for good.
type Allocator struct {
	// MaxIdle is how many bytes are kept idle at most: 0 means DefaultMaxIdle,
	// a negative number none. It must not be changed after the first use.
	MaxIdle int64

	mu      sync.Mutex
	held    map[uintptr]uint8 // class of each block that is out, by its address
	classes []sizeClass
	stats   AllocatorStats
	window  int // requests since the last trim
}

var _ memory.Allocator = (*Allocator)(nil)

// sizeClass has the idle blocks of one class.
type sizeClass struct {
	idle []([]byte) // the last freed at the end; each as long as its capacity
	low  int        // least number of idle blocks since the last trim
}

// AllocatorStats counts what an [Allocator] did, and what it has.
type AllocatorStats struct {
	Reused     int64 // requests served from idle memory, or from the block itself
	New        int64 // requests that new memory was allocated for
	Refused    int64 // slices freed twice, or not handed out by the Allocator
	HeldBlocks int64 // blocks that were handed out and not freed
	HeldBytes  int64 // and their size
	IdleBlocks int64 // blocks that wait for a request
	IdleBytes  int64 // and their size
}

// Allocate returns size bytes of undefined content, and panics as make does if
// size is negative. Beyond them, up to its capacity, the slice has what is left
// of its block, which belongs to the caller as well.
func (a *Allocator) Allocate(size int) []byte {
	b, _ := a.take(size)
	return b
}

// Reallocate returns size bytes that start with those of b, as many as fit, in
// b's memory if there is room. b must not be used any more.
func (a *Allocator) Reallocate(size int, b []byte) []byte {
	grown, _ := a.grow(size, b)
	return grown
}

// Free takes the memory of b back. b must not be used any more.
func (a *Allocator) Free(b []byte) {
	if cap(b) == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	class, ok := a.owner(b)
	if !ok {
		a.stats.Refused++
		return
	}
	block := b[:cap(b)]
	delete(a.held, address(block))
	a.stats.HeldBlocks--
	a.stats.HeldBytes -= int64(len(block))
	if a.stats.IdleBytes+int64(len(block)) > a.maxIdle() {
		return
	}
	c := a.class(class)
	c.idle = append(c.idle, block)
	a.stats.IdleBlocks++
	a.stats.IdleBytes += int64(len(block))
}

// Stats returns what has been counted so far.
func (a *Allocator) Stats() AllocatorStats {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stats
}

// Trim lets go of everything that is idle.
func (a *Allocator) Trim() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i := range a.classes {
		a.drop(&a.classes[i], len(a.classes[i].idle))
	}
}

// take returns size bytes, and whether they are new, which is to say zero up to
// their capacity.
func (a *Allocator) take(size int) (b []byte, fresh bool) {
	if size == 0 {
		return []byte{}, true
	}
	class := classOf(size)
	a.mu.Lock()
	a.trim()
	if block := a.pop(class); block != nil {
		a.hold(block)
		a.stats.Reused++
		a.mu.Unlock()
		return block[:size], false
	}
	a.mu.Unlock()

	block := aligned(classSize(class))
	a.mu.Lock()
	a.hold(block)
	a.stats.New++
	a.mu.Unlock()
	return block[:size], true
}

// grow is Reallocate. It returns from where on the content of the slice is
// undefined, size if nowhere.
func (a *Allocator) grow(size int, b []byte) (_ []byte, undefined int) {
	a.mu.Lock()
	_, own := a.owner(b)
	switch {
	case own && size > 0 && size <= cap(b):
		a.stats.Reused++
		a.mu.Unlock()
		return b[:size], min(len(b), size)
	case !own && cap(b) > 0:
		a.stats.Refused++
	}
	a.mu.Unlock()

	larger, fresh := a.take(size)
	undefined = copy(larger, b)
	if own {
		a.Free(b)
	}
	if fresh {
		undefined = size
	}
	return larger, undefined
}

// owner returns the class of the block that b starts, if it is one that was
// handed out and not freed.
func (a *Allocator) owner(b []byte) (class uint8, ok bool) {
	if cap(b) == 0 {
		return 0, false
	}
	class, ok = a.held[address(b)]
	return class, ok && cap(b) == classSize(class)
}

func (a *Allocator) hold(block []byte) {
	if a.held == nil {
		a.held = make(map[uintptr]uint8)
	}
	key := address(block)
	if lost, ok := a.held[key]; ok {
		// Never freed, and collected: Go has used the address again.
		a.stats.HeldBlocks--
		a.stats.HeldBytes -= int64(classSize(lost))
	}
	a.held[key] = classOf(len(block))
	a.stats.HeldBlocks++
	a.stats.HeldBytes += int64(len(block))
}

// largerClasses is how many classes up an idle block is looked for: those up to
// twice the size.
const largerClasses = 4

// pop takes an idle block for a request of the given class, nil if there is none.
func (a *Allocator) pop(class uint8) []byte {
	for i := int(class); i < len(a.classes) && i <= int(class)+largerClasses; i++ {
		c := &a.classes[i]
		n := len(c.idle)
		if n == 0 {
			continue
		}
		block := c.idle[n-1]
		c.idle[n-1] = nil
		c.idle = c.idle[:n-1]
		c.low = min(c.low, n-1)
		a.stats.IdleBlocks--
		a.stats.IdleBytes -= int64(len(block))
		return block
	}
	return nil
}

// minWindow is how many requests a block must have been idle for at least
// before it is let go.
const minWindow = 32

// trim counts a request, and at the end of a window lets go of the blocks that
// were idle all through it.
func (a *Allocator) trim() {
	a.window++
	if int64(a.window) <= max(minWindow, 2*(a.stats.HeldBlocks+a.stats.IdleBlocks)) {
		return
	}
	a.window = 0
	for i := range a.classes {
		c := &a.classes[i]
		a.drop(c, c.low)
		c.low = len(c.idle)
	}
}

// drop lets go of the n blocks of a class that have been idle for longest.
func (a *Allocator) drop(c *sizeClass, n int) {
	for _, block := range c.idle[:n] {
		a.stats.IdleBlocks--
		a.stats.IdleBytes -= int64(len(block))
	}
	rest := copy(c.idle, c.idle[n:])
	clear(c.idle[rest:])
	c.idle = c.idle[:rest]
	c.low = min(c.low, rest)
}

func (a *Allocator) class(i uint8) *sizeClass {
	for len(a.classes) <= int(i) {
		a.classes = append(a.classes, sizeClass{})
	}
	return &a.classes[i]
}

func (a *Allocator) maxIdle() int64 {
	if a.MaxIdle == 0 {
		return DefaultMaxIdle
	}
	return a.MaxIdle
}

// address is where a slice of some capacity starts. It keeps nothing alive.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// aligned allocates size bytes of zeros.
func aligned(size int) []byte {
	b := make([]byte, size+alignment)
	shift := -address(b) & (alignment - 1)
	return b[shift:][:size:size]
}
