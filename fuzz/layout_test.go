package fuzz

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/arrowgen/written"
	"github.com/arrowplanes/arrowplanes/layout"
)

// FuzzLayout holds the layout of a random schema against what arrow-go writes
// for it, and asks for its buffers with counts and versions that fit nothing.
func FuzzLayout(f *testing.F) {
	f.Add(uint64(1), uint8(0), uint8(0), uint8(0), false, int16(4), int64(0))
	f.Add(uint64(2), uint8(3), uint8(10), uint8(1), true, int16(3), int64(-1))
	f.Add(uint64(3), uint8(6), uint8(64), uint8(2), false, int16(-1), int64(1<<40))
	f.Fuzz(func(t *testing.T, seed uint64, depth, rows, nulls uint8, sliced bool, version int16, count int64) {
		rng := rand.New(rand.NewPCG(seed, 0))
		schema := arrowgen.RandomSchema(rng, int(depth%8))
		rec := arrowgen.Batch(seed, schema, arrowgen.Options{
			Rows:   int(rows),
			Nulls:  float64(nulls%3) / 2,
			Sliced: sliced,
		})
		defer rec.Release()
		require.NoError(t, written.Check(rec), schema)

		// Small counts are honest about memory, and large ones are refused.
		table := layout.Of(schema)
		if count > 1000 {
			count += 1 << 24
		}
		counts := make([]int64, len(table.Variadic()))
		for i := range counts {
			counts[i] = count
		}
		bufs, err := table.Buffers(layout.Version(version), counts)
		n, countErr := table.NumBuffers(layout.Version(version), counts)
		require.Equal(t, err, countErr)
		if err == nil {
			require.Len(t, bufs, n)
		}
	})
}
