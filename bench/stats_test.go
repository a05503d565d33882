package main

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMedian(t *testing.T) {
	require.Equal(t, 3.0, median([]float64{9, 3, 1}))
	require.Equal(t, 2.5, median([]float64{4, 1, 2, 3}))
	require.Equal(t, 7.0, median([]float64{7}))
	require.True(t, math.IsNaN(median(nil)))

	values := []float64{3, 1, 2}
	median(values)
	require.Equal(t, []float64{3, 1, 2}, values, "rounds stay in their order")
}

func TestGeomean(t *testing.T) {
	require.InDelta(t, 2, geomean([]float64{1, 4}), 1e-12)
	require.InDelta(t, 1, geomean([]float64{0.5, 2, 1}), 1e-12)
	require.True(t, math.IsNaN(geomean(nil)))
}

func TestRatiosAreOfRounds(t *testing.T) {
	// the machine slowed down tenfold in the second round
	require.Equal(t, []float64{0.5, 0.5, 2}, ratios([]float64{1, 10, 4}, []float64{2, 20, 2}))
	require.Len(t, ratios([]float64{1, 2}, []float64{1}), 1)
}
