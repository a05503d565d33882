// Package arrowgen makes schemas and record batches for tests: every type that
// arrow-go can build, in every state that a writer has to cope with (no nulls,
// some, all; no rows; sliced arrays whose offsets start anywhere).
//
// Everything follows from seeds: the same arguments give the same arrays, bit
// for bit. All memory is written, including the spare bytes behind the end that
// arrow-go's encoder may send, so that an allocator that does not zero gives
// the same arrays too. Arrays pass arrow-go's ValidateFull.
package arrowgen
