// Package bench has the benchmarks. They need no data but what internal/datasets
// generates, and the tables of internal/testdata where a benchmark says so; what
// is missing is skipped. See README.md beside this file for what was measured.
package bench
