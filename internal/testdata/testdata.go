// Package testdata finds the files that tests read and that are not part of
// the module: Arrow's own test files, and real tables. A test that needs files
// that are not there is skipped, with the reason.
package testdata

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Root returns the folder of go.mod. Tests run in the folder of their package,
// which is in or below it.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	require.NoError(t, err)
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		require.NotEqual(t, parent, dir, "no go.mod above the test's folder")
		dir = parent
	}
}

// ArrowTestData returns the folder with the files of apache/arrow-testing: what
// the environment variable ARROW_TEST_DATA says, else
// ../shared/arrow-testing/data beside the module.
func ArrowTestData(t testing.TB) string {
	t.Helper()
	return folder(t, "ARROW_TEST_DATA", "arrow-testing", "data")
}

// Seeds returns the contents of Arrow's own streams and files of up to limit
// bytes, to start fuzzing with; none where ArrowTestData would skip the test.
func Seeds(t testing.TB, limit int) [][]byte {
	t.Helper()
	dir, ok := find(t, "ARROW_TEST_DATA", "arrow-testing", "data")
	if !ok {
		return nil
	}
	var seeds [][]byte
	for _, pattern := range []string{"arrow-ipc-*/*", "arrow-ipc-stream/integration/*/*.stream", "arrow-ipc-stream/integration/*/*.arrow_file"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		require.NoError(t, err)
		for _, path := range paths {
			info, err := os.Stat(path)
			require.NoError(t, err)
			if info.IsDir() || info.Size() > int64(limit) {
				continue
			}
			data, err := os.ReadFile(path)
			require.NoError(t, err)
			seeds = append(seeds, data)
		}
	}
	return seeds
}

// Tables returns the paths of real tables in Arrow files: those in the folder
// that the environment variable ARROWPLANES_DATA names, else in ../shared/data
// beside the module.
func Tables(t testing.TB) []string {
	t.Helper()
	dir := folder(t, "ARROWPLANES_DATA", "data")
	paths, err := filepath.Glob(filepath.Join(dir, "*.arrow"))
	require.NoError(t, err)
	if len(paths) == 0 {
		t.Skipf("no .arrow files in %s: set ARROWPLANES_DATA to a folder of tables", dir)
	}
	return paths
}

// folder is find for a test that needs the files.
func folder(t testing.TB, variable string, beside ...string) string {
	t.Helper()
	dir, ok := find(t, variable, beside...)
	if !ok {
		t.Skipf("%s is not set, and there is no %s", variable, dir)
	}
	return dir
}

// find returns the folder that the environment variable names, which must exist,
// else the one beside the module, and whether there is one.
func find(t testing.TB, variable string, beside ...string) (dir string, ok bool) {
	t.Helper()
	if dir := os.Getenv(variable); dir != "" {
		info, err := os.Stat(dir)
		require.NoError(t, err, "%s names no folder", variable)
		require.True(t, info.IsDir(), "%s=%s is no folder", variable, dir)
		return dir, true
	}
	dir = filepath.Join(append([]string{Root(t), "..", "shared"}, beside...)...)
	_, err := os.Stat(dir)
	return dir, err == nil
}
