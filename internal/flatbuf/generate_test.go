package flatbuf_test

import (
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The generated files are committed; this keeps them and arrow.fbs together.
func TestGenerateChangesNothing(t *testing.T) {
	const want = "flatc version 2.0.8"
	version, err := exec.Command("flatc", "--version").Output()
	if err != nil {
		t.Skipf("needs flatc, from Debian's flatbuffers-compiler: %v", err)
	}
	if got := strings.TrimSpace(string(version)); got != want {
		t.Skipf("needs %q, this is %q", want, got)
	}

	dir := t.TempDir()
	out, err := exec.Command("flatc", "--go", "--gen-object-api", "--no-warnings", "-o", dir, "arrow.fbs").CombinedOutput()
	require.NoError(t, err, "%s", out)
	generated, err := filepath.Glob(filepath.Join(dir, "flatbuf", "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, generated)

	committed := make(map[string]bool)
	names, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range names {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		if strings.HasPrefix(string(src), "// Code generated") {
			committed[name] = true
		}
	}
	for _, path := range generated {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		src, err = format.Source(src)
		require.NoError(t, err)
		name := filepath.Base(path)
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(src), string(have), "%s: run go generate", name)
		delete(committed, name)
	}
	require.Empty(t, committed, "files that flatc no longer makes")
}
