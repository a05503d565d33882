// Command bench measures ipcx beside the other implementations of Arrow, all of
// them in one run and on the same record batches:
//
//	go run ./bench          minutes
//	go run ./bench -full    a quarter of an hour: every batch size with every codec,
//	                        more rows, lineitem at scale 1 too
//
// It writes BENCHMARKS.md, and bench/results with every figure as CSV and charts.
//
//	tables   generated, TPC-H lineitem, real ones -> uncompressed Arrow files
//	peers    ipcx, arrow-go in this process, pyarrow, polars, ... each in its own
//	rounds   ours theirs ..., theirs ours ..., and the medians of them
//
// Libraries of other languages and lineitem come from a package index by
// scripts/prepare.sh; what cannot be had is left out with a message. The package's
// own benchmarks, of memory and of single tables, are in its tests: see README.md.
package main
