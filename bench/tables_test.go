package main

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"
)

func TestCut(t *testing.T) {
	for _, src := range generated() {
		t.Run(src.name, func(t *testing.T) {
			whole, err := src.load(130)
			require.NoError(t, err)
			dir := t.TempDir()
			table, err := cut(whole, src.name, 50, dir)
			require.NoError(t, err)
			require.Equal(t, 130, table.rows)
			require.Len(t, table.batches, 3)
			require.Equal(t, 30, int(table.batches[2].NumRows()))

			// what was cut is a table again, and the same
			again, err := file(src.name, "", table.path).load(130)
			require.NoError(t, err)
			require.True(t, array.RecordEqual(whole, again))
			some, err := file(src.name, "", table.path).load(60)
			require.NoError(t, err)
			require.True(t, array.RecordEqual(whole.NewSlice(0, 60), some))
		})
	}
}

func TestRowsFor(t *testing.T) {
	var src source
	for _, s := range generated() {
		if s.name == "int64" {
			src = s // about 8 bytes a row, and those of metadata
		}
	}
	rows, err := rowsFor(src, 256, 1<<20, 1<<30)
	require.NoError(t, err)
	require.Zero(t, rows%256, "whole batches")
	require.InDelta(t, 1<<20/9, rows, 1<<20/9/5)

	rows, err = rowsFor(src, 65536, 1000, 1<<30)
	require.NoError(t, err)
	require.Equal(t, 65536, rows, "one batch at least")

	rows, err = rowsFor(src, 65536, 1000, 100_000)
	require.NoError(t, err)
	require.Zero(t, rows, "a batch of half a MiB is too large")
}
