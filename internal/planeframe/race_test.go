//go:build race

package planeframe_test

// race says that the race detector is on, which makes everything ten times
// slower and sync.Pool forget on purpose.
const race = true
