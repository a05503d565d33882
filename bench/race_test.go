//go:build race

package main

// raceDetector says that allocations are not those of a plain build: with the
// detector sync.Pool drops some of what it is given.
const raceDetector = true
