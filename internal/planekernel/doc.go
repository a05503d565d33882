// Package planekernel has the loops of package planes, and those over single
// byte planes that a fused format needs: writing plane 0 alone while learning
// what the planes above it hold, and summing lengths whose high planes are known
// without being there.
//
// Terms are those of package planes: offsets are little-endian, w bytes wide, 4
// or 8; n entries have n+1 of them; length i is offset i+1 less offset i, modulo
// 2^(8w); and byte i of plane j is byte j of length i. A name like Sum1of4 says
// that the first one plane of the four of a 4-byte offset is at hand, the others
// being zero.
//
// Every function takes the offsets with the first one, (n+1)*w bytes, and planes
// of n bytes; of slices that are longer, only that is looked at. It panics where
// a slice is too short, before it writes anything: its callers have checked what
// came from outside. The kernels in assembly rely on that check and make none.
// Nothing is allocated or kept, and n may be 0 unless a function says otherwise.
//
// Long offsets can be done in pieces. Each piece begins with the last offset of
// the one before; here entries 0 to 99, then 100 to 149:
//
//	Sum1of4(offsets[:404], low[:100])
//	Sum1of4(offsets[400:604], low[100:150])
//
// The kernels take whole groups of 32 entries; the last few of any other number
// are slower.
//
// There is more than one [Set] of kernels: a generic one in Go, which is all
// there is under the build tag purego, and one for AVX2, chosen when the program
// starts. There is none for arm64: what it would gain over the generic one,
// which handles up to eight bytes at once, has not been measured.
package planekernel
