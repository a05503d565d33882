package main

import (
	"math"
	"slices"
)

// median returns the middle of values, the mean of the two middle ones where their
// number is even, and NaN of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// geomean returns the geometric mean of values, and NaN of none.
func geomean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}

// ratios divides ours by theirs, round by round. The machine's pace changes during
// a run, and a round is short enough to have one pace.
func ratios(ours, theirs []float64) []float64 {
	all := make([]float64, min(len(ours), len(theirs)))
	for i := range all {
		all[i] = ours[i] / theirs[i]
	}
	return all
}
