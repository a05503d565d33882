package readbuf_test

import (
	"bytes"
	"math/rand/v2"
	"sync"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

func addressOf(p []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(p))) }

func fillWith(p []byte, b byte) {
	for i := range p {
		p[i] = b
	}
}

func TestAllocatorSizes(t *testing.T) {
	var a readbuf.Allocator
	sizes := []int{1, 63, 64, 65, 128, 255, 256, 257, 320, 321, 511, 512, 513, 1000, 1024, 1025}
	for shift := 11; shift < 19; shift++ {
		for _, quarter := range []int{4, 5, 6, 7} {
			n := quarter << (shift - 2)
			sizes = append(sizes, n-1, n, n+1)
		}
	}
	for _, n := range sizes {
		p := a.Allocate(n)
		require.Len(t, p, n)
		require.Zero(t, addressOf(p)%64, n)
		require.GreaterOrEqual(t, cap(p), n)
		if n > 64 {
			require.LessOrEqual(t, cap(p), n+max(64, n/4), n)
		}
		require.Zero(t, bytes.Trim(p, "\x00"), "new memory is zero")
		p[0], p[n-1] = 1, 1
		a.Free(p)
		a.Trim()
	}
	require.Zero(t, a.Stats().HeldBytes)
	require.Zero(t, a.Stats().HeldBlocks)
	require.Zero(t, a.Stats().Refused)

	require.Empty(t, a.Allocate(0))
	require.NotNil(t, a.Allocate(0))
	a.Free(nil)
	a.Free([]byte{})
	require.Zero(t, a.Stats().Refused)
	require.Panics(t, func() { a.Allocate(-1) })
}

func TestAllocatorReuses(t *testing.T) {
	var a readbuf.Allocator
	p := a.Allocate(1000)
	fillWith(p, 7)
	a.Free(p)
	require.Equal(t, readbuf.AllocatorStats{New: 1, IdleBlocks: 1, IdleBytes: 1024}, a.Stats())

	q := a.Allocate(950)
	require.Equal(t, addressOf(p), addressOf(q))
	require.Equal(t, bytes.Repeat([]byte{7}, 950), q, "as it is")
	require.Equal(t, readbuf.AllocatorStats{New: 1, Reused: 1, HeldBlocks: 1, HeldBytes: 1024}, a.Stats())
	a.Free(q)

	// A smaller request takes a block of up to twice its size, and no larger one.
	q = a.Allocate(513)
	require.Equal(t, addressOf(p), addressOf(q))
	a.Free(q)
	q = a.Allocate(400)
	require.NotEqual(t, addressOf(p), addressOf(q))
	require.Equal(t, 448, cap(q))
	// A larger one takes none.
	r := a.Allocate(1025)
	require.NotEqual(t, addressOf(p), addressOf(r))
	a.Free(q)
	a.Free(r)

	require.EqualValues(t, 3, a.Stats().IdleBlocks)
	a.Trim()
	require.Zero(t, a.Stats().IdleBlocks)
	require.Zero(t, a.Stats().IdleBytes)
	a.Allocate(1000)
	require.EqualValues(t, 4, a.Stats().New)
}

func TestAllocatorZeroed(t *testing.T) {
	var a readbuf.Allocator
	z := a.Zeroed()
	for _, n := range []int{1, 64, 1000, 5000} {
		p := a.Allocate(n)
		fillWith(p[:cap(p)], 0xA5)
		a.Free(p)
		p = z.Allocate(n)
		require.Equal(t, make([]byte, n), p)

		// Grown where it is, and grown elsewhere into memory that was used.
		fillWith(p[:cap(p)], 0xA5)
		q := a.Allocate(3 * cap(p))
		fillWith(q[:cap(q)], 0xA5)
		a.Free(q)
		for _, size := range []int{cap(p), 3 * cap(p)} {
			old := bytes.Clone(p)
			p = z.Reallocate(size, p)
			require.Len(t, p, size)
			require.Equal(t, append(old, make([]byte, size-len(old))...), p)
		}
		short := z.Reallocate(n, p)
		require.Equal(t, p[:n], short)
		z.Free(short)
	}
	require.Zero(t, a.Stats().HeldBytes)
	require.Zero(t, a.Stats().Refused)
}

func TestZeroed(t *testing.T) {
	var a readbuf.Allocator
	goAllocator := memory.NewGoAllocator()
	require.Same(t, goAllocator, readbuf.Zeroed(goAllocator))
	require.Equal(t, a.Zeroed(), readbuf.Zeroed(&a))
	require.Equal(t, a.Zeroed(), readbuf.Zeroed(a.Zeroed()))

	z := readbuf.Zeroed(&filling{})
	require.Equal(t, z, readbuf.Zeroed(z))
	p := z.Allocate(100)
	require.Equal(t, make([]byte, 100), p)
	p[99] = 1
	p = z.Reallocate(200, p)
	require.Equal(t, append(append(make([]byte, 99), 1), make([]byte, 100)...), p)
	p = z.Reallocate(50, p)
	require.Equal(t, make([]byte, 50), p)
	z.Free(p)
}

// filling is an allocator whose memory is full of 0xA5.
type filling struct{ memory.GoAllocator }

func (f *filling) Allocate(size int) []byte {
	p := f.GoAllocator.Allocate(size)
	fillWith(p, 0xA5)
	return p
}

func (f *filling) Reallocate(size int, b []byte) []byte {
	p := f.Allocate(size)
	copy(p, b)
	return p
}

func TestAllocatorReallocates(t *testing.T) {
	var a readbuf.Allocator
	p := a.Allocate(100)
	fillWith(p, 1)
	q := a.Reallocate(128, p)
	require.Equal(t, addressOf(p), addressOf(q), "there is room")
	require.Equal(t, p, q[:100])
	r := a.Reallocate(200, q)
	require.NotEqual(t, addressOf(p), addressOf(r))
	require.Equal(t, p, r[:100])
	require.EqualValues(t, 1, a.Stats().IdleBlocks, "the old block is free")
	require.Empty(t, a.Reallocate(0, r))
	require.Zero(t, a.Stats().HeldBlocks)
	require.Len(t, a.Reallocate(10, nil), 10)
	require.Zero(t, a.Stats().Refused)
}

func TestAllocatorRefuses(t *testing.T) {
	var a, other readbuf.Allocator
	p := a.Allocate(1000)
	a.Free(p)
	a.Free(p)
	require.EqualValues(t, 1, a.Stats().Refused)
	require.EqualValues(t, 1, a.Stats().IdleBlocks, "it is idle once")
	x, y := a.Allocate(1000), a.Allocate(1000)
	require.NotEqual(t, addressOf(x), addressOf(y))

	a.Free(make([]byte, 1024))
	a.Free(other.Allocate(1000))
	a.Free(x[64:])
	a.Free(x[:10:10])
	require.EqualValues(t, 5, a.Stats().Refused)
	require.EqualValues(t, 2, a.Stats().HeldBlocks)
	require.Zero(t, a.Stats().IdleBlocks)

	foreign := bytes.Repeat([]byte{3}, 500)
	q := a.Reallocate(100, foreign)
	require.NotEqual(t, addressOf(foreign), addressOf(q))
	require.Equal(t, foreign[:100], q)
	require.EqualValues(t, 6, a.Stats().Refused)
}

func TestAllocatorMaxIdle(t *testing.T) {
	a := readbuf.Allocator{MaxIdle: 4096}
	var all [][]byte
	for range 10 {
		all = append(all, a.Allocate(1024))
	}
	for _, p := range all {
		a.Free(p)
	}
	require.EqualValues(t, 4096, a.Stats().IdleBytes)
	none := readbuf.Allocator{MaxIdle: -1}
	none.Free(none.Allocate(64))
	require.Zero(t, none.Stats().IdleBytes)
	var usual readbuf.Allocator
	usual.Free(usual.Allocate(readbuf.DefaultMaxIdle + 1))
	require.Zero(t, usual.Stats().IdleBytes)
}

// One giant among small ones is gone after 100 of them, and what a producer of
// many blocks needs for each batch is not.
func TestAllocatorTrims(t *testing.T) {
	var a readbuf.Allocator
	for range 1000 {
		a.Free(a.Allocate(64 << 10))
	}
	a.Free(a.Allocate(64 << 20))
	for range 100 {
		a.Free(a.Allocate(64 << 10))
	}
	require.Less(t, a.Stats().IdleBytes, int64(1<<20))
	require.EqualValues(t, 2, a.Stats().New)

	var b readbuf.Allocator
	for range 20 {
		var batch [][]byte
		for size := 64; size <= 1<<20; size *= 2 {
			for range 20 {
				batch = append(batch, b.Allocate(size))
			}
		}
		for _, p := range batch {
			b.Free(p)
		}
	}
	require.EqualValues(t, 20*15, b.Stats().New, "only for the first batch")
}

// Memory that is held is never handed out: whoever holds a block finds in it what
// he wrote, whatever others do at the same time.
func TestAllocatorHeld(t *testing.T) {
	var (
		a  readbuf.Allocator
		wg sync.WaitGroup
	)
	passed := make(chan []byte, 100) // to be freed by another goroutine
	for g := range byte(4) {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(g), 0))
			var held [][]byte
			check := func(p []byte, mark byte) {
				if len(bytes.Trim(p, string([]byte{mark}))) != 0 {
					t.Errorf("somebody wrote into a block of %d bytes", len(p))
				}
			}
			for i := range 2000 {
				switch n := len(held); {
				case n < 5 || n < 50 && rng.IntN(2) == 0:
					mem := memory.Allocator(&a)
					if i%3 == 0 {
						mem = a.Zeroed()
					}
					p := mem.Allocate(1 + rng.IntN(1<<rng.IntN(13)))
					fillWith(p, g+1)
					held = append(held, p)
				case rng.IntN(3) == 0:
					k := rng.IntN(n)
					old := len(held[k])
					p := a.Reallocate(1+rng.IntN(8000), held[k])
					check(p[:min(old, len(p))], g+1)
					fillWith(p, g+1)
					held[k] = p
				default:
					k := rng.IntN(n)
					p := held[k]
					held[k] = held[n-1]
					held = held[:n-1]
					check(p, g+1)
					select {
					case passed <- p:
					case q := <-passed:
						a.Free(q)
						a.Free(p)
					}
				}
			}
			for _, p := range held {
				check(p, g+1)
				a.Free(p)
			}
		})
	}
	wg.Wait()
	close(passed)
	for p := range passed {
		a.Free(p)
	}
	stats := a.Stats()
	require.Zero(t, stats.HeldBlocks)
	require.Zero(t, stats.HeldBytes)
	require.Zero(t, stats.Refused)
	require.Positive(t, stats.Reused)
}

// batches builds n batches with one builder that recycles, and gives each to
// release. Those not released yet must stay what they are.
func batches(t *testing.T, a *readbuf.Allocator, n int, release func(i int, rec arrow.RecordBatch) (held bool)) {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64, Nullable: true},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	b := array.NewRecordBuilder(a, schema)
	defer b.Release()
	held := map[int]arrow.RecordBatch{}
	for i := range n {
		rows := 1 + i*37%500
		for k := range rows {
			if k%3 == 0 {
				b.Field(0).AppendNull()
				b.Field(1).AppendNull()
				continue
			}
			b.Field(0).(*array.Int64Builder).Append(int64(i*1000 + k))
			b.Field(1).(*array.StringBuilder).Append(string(rune('a' + i%26)))
		}
		rec := b.NewRecordBatch()
		if release(i, rec) {
			held[i] = rec
		}
		for j, rec := range held {
			numbers, texts := rec.Column(0).(*array.Int64), rec.Column(1).(*array.String)
			require.EqualValues(t, 1+j*37%500, rec.NumRows())
			for k := range numbers.Len() {
				require.Equal(t, k%3 == 0, numbers.IsNull(k))
				if k%3 != 0 {
					require.EqualValues(t, j*1000+k, numbers.Value(k))
					require.Equal(t, string(rune('a'+j%26)), texts.Value(k))
				}
			}
		}
	}
	for _, rec := range held {
		rec.Release()
	}
}

func TestAllocatorUnderBuilder(t *testing.T) {
	t.Run("every batch is kept", func(t *testing.T) {
		var a readbuf.Allocator
		batches(t, &a, 15, func(int, arrow.RecordBatch) bool { return true })
		require.Zero(t, a.Stats().HeldBlocks)
	})
	t.Run("each goes before the next", func(t *testing.T) {
		var a readbuf.Allocator
		batches(t, &a, 200, func(_ int, rec arrow.RecordBatch) bool { rec.Release(); return false })
		require.Zero(t, a.Stats().HeldBlocks)
		require.Less(t, a.Stats().New, int64(100))
		require.Greater(t, a.Stats().Reused, int64(1000))
	})
	t.Run("some are held", func(t *testing.T) {
		var a readbuf.Allocator
		batches(t, &a, 30, func(i int, rec arrow.RecordBatch) bool {
			if i%4 != 0 {
				rec.Release()
			}
			return i%4 == 0
		})
		require.Zero(t, a.Stats().HeldBlocks)
	})
	t.Run("another goroutine releases", func(t *testing.T) {
		var (
			a  readbuf.Allocator
			wg sync.WaitGroup
		)
		todo := make(chan arrow.RecordBatch, 3)
		wg.Go(func() {
			for rec := range todo {
				rec.Release()
			}
		})
		batches(t, &a, 30, func(i int, rec arrow.RecordBatch) bool {
			if i%5 == 0 {
				return true
			}
			todo <- rec
			return false
		})
		close(todo)
		wg.Wait()
		require.Zero(t, a.Stats().HeldBlocks)
		require.Zero(t, a.Stats().Refused)
	})
}
