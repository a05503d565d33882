package main

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// asTool is the variable that makes the test binary the tool itself.
const asTool = "ARROWPLANES_TEST_AS_TOOL"

func TestMain(m *testing.M) {
	if os.Getenv(asTool) != "" {
		main()
	}
	os.Exit(m.Run())
}

// command returns the tool as a process of its own.
func command(t testing.TB, args ...string) *exec.Cmd {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), asTool+"=1")
	return cmd
}

// outcome is what came of a run of the tool.
type outcome struct {
	code           int
	stdout, stderr string
}

// tool runs the tool in this process.
func tool(args ...string) outcome { return toolWith(nil, args...) }

// toolWith runs the tool with standard input.
func toolWith(stdin []byte, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(context.Background(), args, bytes.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// requireTool runs the tool, which must succeed and complain of nothing, and
// returns what it printed.
func requireTool(t testing.TB, args ...string) string {
	t.Helper()
	o := tool(args...)
	require.Empty(t, o.stderr)
	require.Equal(t, exitOK, o.code)
	return o.stdout
}

// requireFails runs the tool, which must fail with one line that has all of
// texts.
func requireFails(t testing.TB, code int, args []string, texts ...string) {
	t.Helper()
	o := tool(args...)
	require.Equal(t, code, o.code, o.stderr)
	require.Equal(t, 1, strings.Count(o.stderr, "\n"), o.stderr)
	require.True(t, strings.HasPrefix(o.stderr, "ipcx: "), o.stderr)
	for _, text := range texts {
		require.Contains(t, o.stderr, text)
	}
}

// tables returns testdata/table.arrow and the real tables that are there.
func tables(t *testing.T) []string {
	paths := []string{tablePath(t)}
	t.Run("real tables", func(t *testing.T) { paths = append(paths, testdata.Tables(t)...) })
	return paths
}

// readAll reads a stream or file with ipcx.
func readAll(t testing.TB, data []byte) oracle.Result {
	t.Helper()
	var stream bytes.Buffer
	_, err := ipcx.Convert(context.Background(), &stream, bytes.NewReader(data))
	require.NoError(t, err)
	return oracle.Stream(stream.Bytes())
}

func requireSame(t testing.TB, want, got []byte) {
	t.Helper()
	w, g := readAll(t, want), readAll(t, got)
	require.NoError(t, w.Err)
	require.NoError(t, g.Err)
	require.NoError(t, oracle.SameSchema(w.Schema, g.Schema))
	require.NoError(t, oracle.SameBatches(w.Batches, g.Batches))
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func writeFile(t testing.TB, path string, data []byte) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return path
}

// entries returns the paths of all files below dir.
func entries(t testing.TB, dir string) []string {
	t.Helper()
	names := []string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	}))
	return names
}

// convertBytes converts in memory.
func convertBytes(t testing.TB, data []byte, opts ...ipcx.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	_, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), opts...)
	require.NoError(t, err)
	return out.Bytes()
}

func isFile(data []byte) bool { return bytes.HasPrefix(data, ipcx.Magic) }

// broken fails every write.
type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }
