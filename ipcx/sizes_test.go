package ipcx_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// openTable has arrow-go read a table from a file.
func openTable(t testing.TB, path string) table {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r, err := ipc.NewFileReader(f)
	require.NoError(t, err, path)
	defer r.Close()
	var batches []arrow.RecordBatch
	for i := range r.NumRecords() {
		rec, err := r.RecordBatchAt(i)
		require.NoError(t, err, path)
		batches = append(batches, rec)
	}
	return newTable(t, filepath.Base(path), r.Schema(), batches...)
}

// share is what a table takes with its offsets as lengths, in terms of what
// arrow-go makes of it. The table is read back.
func share(t *testing.T, tab table) float64 {
	t.Helper()
	theirs := arrowWriteTable(t, tab, ipc.WithZstd())
	ours := writeTable(t, tab, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	requireTable(t, tab, newReader(t, ours))
	share := float64(len(ours)) / float64(len(theirs))
	t.Logf("%s: %d of %d bytes, %.3f", tab.name, len(ours), len(theirs), share)
	return share
}

// How much smaller zstd makes real tables with the option on.
func TestSizesOfTables(t *testing.T) {
	want := map[string]float64{
		"birdstrikes":     0.36,
		"flights-airport": 0.33,
		"zipcodes":        0.63,
		"airports":        0.65,
		"flights-200k":    1.01,
	}
	paths := testdata.Tables(t)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".arrow")
		if most, ok := want[name]; ok {
			t.Run(name, func(t *testing.T) { require.LessOrEqual(t, share(t, openTable(t, path)), most) })
			delete(want, name)
		}
	}
	if len(want) > 0 {
		t.Skipf("not there: %v", want)
	}
}

// And generated ones, in batches of 8192 rows.
func TestSizesOfDatasets(t *testing.T) {
	for name, most := range map[string]float64{
		"ids":            0.46,
		"varying-ids":    0.46,
		"vocabulary":     0.48,
		"random-strings": 0.60, // 0.86 with blocks of literals left raw
	} {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, share(t, dataset(t, name, 1, 8192)), most)
		})
	}
}
