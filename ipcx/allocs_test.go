//go:build !race

// The race detector allocates too, and has pools forget at random.

package ipcx_test

import (
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// endless is a stream whose second message comes again and again.
type endless struct {
	schema, message []byte
	rest            []byte
}

func newEndless(t testing.TB, stream []byte) *endless {
	t.Helper()
	frames := cutStream(t, stream)
	require.Len(t, frames, 2)
	schema := joinStream(frames[:1])
	message := joinStream(frames[1:])
	schema = schema[:len(schema)-8]
	return &endless{schema, message[:len(message)-8], schema}
}

func (e *endless) Read(p []byte) (int, error) {
	if len(e.rest) == 0 {
		e.rest = e.message
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// recycler gives out freed memory again, so that what it gives out does not
// show on Go's heap, and counts how often it was asked.
type recycler struct {
	memory.Allocator
	free  [][]byte
	asked int
}

func (r *recycler) Allocate(n int) []byte {
	r.asked++
	for i, p := range r.free {
		if cap(p) >= n {
			r.free = append(r.free[:i], r.free[i+1:]...)
			return p[:n]
		}
	}
	return r.Allocator.Allocate(n)
}

func (r *recycler) Free(p []byte) { r.free = append(r.free, p) }

// perCall is what a call of do puts on Go's heap once it is warm: the least of
// some rounds, since others use that heap too.
type perCall struct{ objects, bytes float64 }

func measure(do func()) perCall {
	const rounds, calls = 4, 8
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // it empties pools
	least := perCall{math.Inf(1), math.Inf(1)}
	for range rounds {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range calls {
			do()
		}
		runtime.ReadMemStats(&after)
		least.objects = min(least.objects, float64(after.Mallocs-before.Mallocs)/calls)
		least.bytes = min(least.bytes, float64(after.TotalAlloc-before.TotalAlloc)/calls)
	}
	return least
}

// What reading and writing allocate has nothing to do with how many rows there
// are, the body of a batch apart.
func TestAllocationsDoNotGrowWithRows(t *testing.T) {
	for _, name := range []string{"vocabulary", "lists", "int64"} {
		var reads, writes []perCall
		for _, rows := range []int{1 << 10, 1 << 16} {
			tab := dataset(t, name, 1, rows)

			mem := &recycler{Allocator: memory.DefaultAllocator}
			w := ipcx.NewWriter(io.Discard, append(flaggedZstd(), ipcx.WithAllocator(mem))...)
			writes = append(writes, measure(func() {
				if err := w.Write(tab.batches[0]); err != nil {
					t.Fatal(err)
				}
			}))
			require.NoError(t, w.Close())

			src := newEndless(t, writeTable(t, tab, flaggedZstd()...))
			r, err := ipcx.NewReader(src, ipcx.WithAllocator(mem))
			require.NoError(t, err)
			require.True(t, r.Next())
			asked := mem.asked
			require.True(t, r.Next())
			require.Equal(t, 1, mem.asked-asked, "a body a batch")
			reads = append(reads, measure(func() {
				if !r.Next() {
					t.Fatal(r.Err())
				}
			}))
			require.NoError(t, r.Err())
			r.Release()
		}
		t.Logf("%s: write %v, read %v", name, writes, reads)
		for _, c := range [][]perCall{reads, writes} {
			require.InDelta(t, c[0].objects, c[1].objects, 5, name)
			require.InDelta(t, c[0].bytes, c[1].bytes, 1024, name)
		}
	}
}
