package readbuf_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// uses are the three ways to use n bytes of a Buffer, all bytes written.
var uses = map[string]func(b *readbuf.Buffer, n int) error{
	"Sized": func(b *readbuf.Buffer, n int) error {
		if got := len(b.Sized(n)); got != n {
			return fmt.Errorf("%d bytes, want %d", got, n)
		}
		return nil
	},
	"ReadFull": func(b *readbuf.Buffer, n int) error {
		p, err := b.ReadFull(zeroes{}, int64(n))
		if err == nil && len(p) != n {
			return fmt.Errorf("%d bytes, want %d", len(p), n)
		}
		return err
	},
	"Empty and Keep": func(b *readbuf.Buffer, n int) error {
		p := b.Empty()
		if cap(p) < n {
			p = make([]byte, 0, n) // stands for what append does
		}
		b.Keep(p[:n])
		return nil
	},
}

// zeroes is an endless reader that leaves the memory it is given as it is.
type zeroes struct{}

func (zeroes) Read(p []byte) (int, error) { return len(p), nil }

func TestSizedLengthAndCapacity(t *testing.T) {
	var b readbuf.Buffer
	require.Equal(t, 0, b.Cap())
	for _, n := range []int{0, 1, 7, 100, 3, 0, 65536, 65537, 5} {
		p := b.Sized(n)
		require.Len(t, p, n)
		require.Equal(t, n, cap(p), "an append must not reach the memory behind the slice")
		require.GreaterOrEqual(t, b.Cap(), n)
	}
	require.Empty(t, b.Sized(-1))
	require.Empty(t, b.Sized(math.MinInt))
}

func TestNothingIsCleared(t *testing.T) {
	var b readbuf.Buffer
	old := bytes.Repeat([]byte{0xA5}, 100*kib)
	copy(b.Sized(len(old)), old)

	copy(b.Sized(3), "abc")
	require.Equal(t, append([]byte("abc"), old[3:]...), b.Sized(len(old)))

	p, err := b.ReadFull(bytes.NewReader([]byte("12345")), 5)
	require.NoError(t, err)
	require.Equal(t, "12345", string(p))
	require.Equal(t, append([]byte("12345"), old[5:]...), b.Sized(len(old)))

	b.Keep(append(b.Empty(), "xyz"...))
	require.Equal(t, append([]byte("xyz45"), old[5:]...), b.Sized(len(old)))
}

func TestGrowsByDoubling(t *testing.T) {
	for _, name := range []string{"Sized", "ReadFull"} {
		t.Run(name, func(t *testing.T) {
			var b readbuf.Buffer
			grown, last := 0, 0
			for n := 1; n <= 200*kib; n += 13 {
				require.NoError(t, uses[name](&b, n))
				require.GreaterOrEqual(t, b.Cap(), n)
				if c := b.Cap(); c != last {
					// At 64 KiB ReadFull pauses, the first step is not exceeded.
					if c != 64*kib {
						require.GreaterOrEqual(t, c, 2*last)
					}
					grown, last = grown+1, c
				}
			}
			require.LessOrEqual(t, grown, 20)
			require.LessOrEqual(t, last, 400*kib)
		})
	}
}

func TestKeepAdoptsWhatAppendMoved(t *testing.T) {
	var b readbuf.Buffer
	p := append(b.Empty(), bytes.Repeat([]byte("a"), 1000)...)
	require.Equal(t, 0, b.Cap(), "only Keep adopts")
	b.Keep(p)
	require.Equal(t, cap(p), b.Cap())

	q := b.Empty()
	require.Empty(t, q)
	require.Equal(t, b.Cap(), cap(q), "all of the memory is there to append to")
	q = append(q, 'b')
	require.Same(t, &p[0], &q[0])

	// A slice of less capacity is not adopted, whatever its origin.
	b.Keep(make([]byte, 10))
	require.Equal(t, cap(p), b.Cap())
	b.Keep(make([]byte, cap(p)))
	b.Keep(p[500:])
	require.Same(t, &p[0], &b.Sized(1)[0])

	// Capacity counts, not length.
	b.Keep(make([]byte, 1, cap(p)+1))
	require.Equal(t, cap(p)+1, b.Cap())
}

func TestGiantIsLetGo(t *testing.T) {
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			giant := make([]byte, 256*mib)
			// Where in a window the giant comes must not matter.
			for before := range 70 {
				var b readbuf.Buffer
				for range before {
					require.NoError(t, use(&b, 64*kib))
				}
				b.Keep(giant)
				for i := range 100 {
					if i < 32 {
						require.Equal(t, 256*mib, b.Cap(), "too early, after %d uses", i)
					}
					require.NoError(t, use(&b, 64*kib))
				}
				require.Less(t, b.Cap(), mib, "%d uses before", before)
				require.GreaterOrEqual(t, b.Cap(), 64*kib)
			}
		})
	}
}

func TestNoMoreThanNeededIsLetGo(t *testing.T) {
	var b readbuf.Buffer
	b.Sized(10 * mib)
	for i := range 200 {
		b.Sized(100 + i%5*100*kib)
	}
	require.Equal(t, 100+400*kib, b.Cap(), "the longest of the last windows")

	// Within a factor of 4, and within 64 KiB, everything stays.
	for range 200 {
		b.Sized(101 * kib)
	}
	require.Equal(t, 100+400*kib, b.Cap())
	for range 200 {
		b.Sized(99 * kib)
	}
	require.Equal(t, 99*kib, b.Cap())
	for range 200 {
		b.Sized(0)
	}
	require.Equal(t, 64*kib, b.Cap())
	for range 200 {
		b.Sized(1)
	}
	require.Equal(t, 64*kib, b.Cap())

	var small readbuf.Buffer
	small.Sized(1000)
	for range 200 {
		small.Sized(1)
	}
	require.Equal(t, 1000, small.Cap())
}

func TestLengthsThatDidNotComeDoNotCount(t *testing.T) {
	var b readbuf.Buffer
	b.Sized(mib)
	for range 50 {
		_, err := b.ReadFull(strings.NewReader("abc"), mib)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		b.Sized(1)
	}
	require.Equal(t, 64*kib, b.Cap())
}

func TestUseThatNeedsTheMemoryKeepsIt(t *testing.T) {
	for _, name := range []string{"Sized", "ReadFull"} {
		t.Run(name, func(t *testing.T) {
			var b readbuf.Buffer
			first := &b.Sized(mib)[0]
			for range 95 {
				b.Sized(1)
			}
			require.NoError(t, uses[name](&b, mib)) // a short one would have dropped
			require.Same(t, first, &b.Sized(1)[0])
		})
	}
}

// Keep ends a use: if it dropped, the slice that was appended to would be gone.
func TestOnlyTheBeginningOfAUseDrops(t *testing.T) {
	var b readbuf.Buffer
	b.Sized(mib)
	drops := 0
	for i := range 200 {
		before := b.Cap()
		p := append(b.Empty(), "0123456789"...)
		held := b.Cap()
		b.Keep(p)
		require.Equal(t, held, b.Cap(), "use %d", i)
		if held < before {
			drops++
			require.Equal(t, "0123456789", string(b.Sized(10)), "the memory changed at use %d", i)
		}
	}
	require.Equal(t, 1, drops)
}

// A size that comes back within 64 uses never allocates again.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	for name, use := range uses {
		for _, period := range []int{1, 2, 10, 32, 33, 63, 64} {
			t.Run(fmt.Sprintf("%s every %d", name, period), func(t *testing.T) {
				var b readbuf.Buffer
				i := 0
				run := func() {
					for range 64 {
						n := 100
						if i%period == 0 {
							n = 4 * mib
						}
						if err := use(&b, n); err != nil {
							t.Fatal(err)
						}
						i++
					}
				}
				run()
				require.Zero(t, testing.AllocsPerRun(70, run))
			})
		}
	}
}

// However often one use asks again, it counts once: what other uses need is kept,
// and the memory is let go as if it had asked once for the most.
func TestAgainBeginsNoUse(t *testing.T) {
	var b readbuf.Buffer
	for range 10 {
		b.Sized(0)
		require.Len(t, b.Again(1<<20), 1<<20)
		for range 200 {
			p := b.Again(100)
			require.Len(t, p, 100)
			require.Equal(t, 100, cap(p))
		}
		require.Equal(t, 1<<20, b.Cap(), "the next use needs it")
	}
	for range 100 {
		b.Sized(0)
		b.Again(100)
	}
	require.Less(t, b.Cap(), 1<<20)
	require.Empty(t, b.Again(-1))
	require.Len(t, b.Again(1<<21), 1<<21)
}
