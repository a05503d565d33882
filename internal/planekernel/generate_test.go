package planekernel_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The assembly is committed; this keeps it and what generates it together.
func TestGenerateChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the Go toolchain")
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = "_asm"
		// The generator runs on this machine, whatever the tests are for.
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOOS=", "GOARCH=", "GOFLAGS=")
		return cmd.CombinedOutput()
	}
	if out, err := run("list", "-deps", "."); err != nil {
		t.Skipf("needs Go and avo in its module cache (go -C _asm mod download): %v\n%s", err, out)
	}
	dir := t.TempDir()
	out, err := run("run", ".", "-pkg", "planekernel",
		"-out", filepath.Join(dir, "avx2_amd64.s"), "-stubs", filepath.Join(dir, "avx2_amd64.go"))
	require.NoError(t, err, "%s", out)
	for _, name := range []string{"avx2_amd64.s", "avx2_amd64.go"} {
		want, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		have, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, withoutCommand(want), withoutCommand(have), "%s: run go generate", name)
	}
}

// withoutCommand drops the first line, which has the command with its paths.
func withoutCommand(src []byte) string {
	_, rest, _ := bytes.Cut(src, []byte("\n"))
	return string(rest)
}
