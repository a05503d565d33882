package ipcx_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// A reader that tells how much it still has is given memory for a whole body at
// once; any other is read in growing steps. Either way the batches are the same.
func TestReadersThatKnowTheirLength(t *testing.T) {
	tab := dataset(t, "random-strings", 2, 20_000)
	for name, opts := range map[string][]ipcx.Option{"plain": nil, "zstd": {ipcx.WithZstd()}} {
		stream := writeTable(t, tab, opts...)
		path := filepath.Join(t.TempDir(), "stream.arrows")
		require.NoError(t, os.WriteFile(path, append([]byte("before"), stream...), 0o600))
		file, err := os.Open(path)
		require.NoError(t, err)
		defer file.Close()
		_, err = file.Seek(6, io.SeekStart)
		require.NoError(t, err)
		section := io.NewSectionReader(bytes.NewReader(append([]byte("before"), stream...)), 6, int64(len(stream)))
		sources := map[string]io.Reader{
			"bytes":   bytes.NewReader(stream),
			"buffer":  bytes.NewBuffer(bytes.Clone(stream)),
			"file":    file,
			"section": section,
			"unknown": iotest.HalfReader(bytes.NewReader(stream)),
		}
		costs := make(map[string]int)
		for source, r := range sources {
			costs[source] = cost(func() {
				reader, err := ipcx.NewReader(r)
				require.NoError(t, err, "%s, %s", name, source)
				requireTable(t, tab, reader)
			})
		}
		for source := range sources {
			if name == "plain" && source != "unknown" {
				require.Less(t, costs[source]+costs[source]/8, costs["unknown"], "%s, %s", name, source)
			}
		}
	}
}
