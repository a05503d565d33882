// Package planekernel has the loops over single byte planes that fused formats
// need: writing plane 0 alone while learning what the planes above it hold, and
// summing lengths whose high planes are known without being there.
//
// Terms are those of package planes: n+1 offsets of w bytes, little-endian, and
// length i is offset i+1 less offset i, modulo 2^(8w). Every function takes the
// offsets with the first one, n+1 of them, and planes of n bytes.
//
// A function's size is told by its arguments alone, so it panics where they do
// not fit each other: its callers have checked what came from outside.
package planekernel

// block is a number of entries small enough that lengths below 1<<8, added up
// over it, stay far below 1<<31.
const block = 1024

// chunk is the number of entries that the unrolled loops take at once.
const chunk = 8
