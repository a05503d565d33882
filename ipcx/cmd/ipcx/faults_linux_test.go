package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// requireTarget requires a folder to have nothing but the target as it was.
func requireTarget(t testing.TB, dst string) {
	t.Helper()
	require.Equal(t, []string{filepath.Base(dst)}, entries(t, filepath.Dir(dst)))
	require.Equal(t, "old", string(readFile(t, dst)))
}

// faultTarget makes a folder with a target in it that must stay as it is.
func faultTarget(t testing.TB) string {
	return writeFile(t, filepath.Join(t.TempDir(), "dst.arrow"), []byte("old"))
}

// TestFullDisk converts to a disk without room, and under a limit of the size of
// files, which works without being root.
func TestFullDisk(t *testing.T) {
	src := filepath.Join(t.TempDir(), "large.arrow")
	largeFile(t, src)

	t.Run("disk", func(t *testing.T) {
		disk := t.TempDir()
		if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=64k"); err != nil {
			t.Skipf("no file system of a limited size: mount: %v (needs root)", err)
		}
		t.Cleanup(func() { require.NoError(t, syscall.Unmount(disk, 0)) })
		dst := writeFile(t, filepath.Join(disk, "dst.arrow"), []byte("old"))
		requireFails(t, exitFailed, []string{"convert", "--force", src, dst}, "write "+dst+": no space left on device")
		requireTarget(t, dst)
	})
	t.Run("limit", func(t *testing.T) {
		dst := faultTarget(t)
		tool := command(t, "convert", "--force", src, dst)
		cmd := exec.Command("sh", append([]string{"-c", `ulimit -f 100 && exec "$@"`, "sh"}, tool.Args...)...)
		cmd.Env = tool.Env
		var stderr strings.Builder
		cmd.Stderr = &stderr
		_ = cmd.Run()
		require.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), stderr.String())
		require.Equal(t, "ipcx: "+src+": write "+dst+": file too large\n", stderr.String())
		requireTarget(t, dst)
	})
	t.Run("device", func(t *testing.T) {
		if _, err := os.Stat("/dev/full"); err != nil {
			t.Skip(err)
		}
		requireFails(t, exitFailed, []string{"convert", tablePath(t), "/dev/full"}, "write /dev/full", "no space left on device")
	})
}

// started starts a conversion that goes on for a while, and waits until it has
// written something.
func started(t testing.TB, src, dst string) (cmd *exec.Cmd, stderr *strings.Builder) {
	stderr = &strings.Builder{}
	cmd = command(t, "convert", "--force", "--level", "19", src, dst)
	cmd.Stderr = stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool {
		paths, err := filepath.Glob(filepath.Join(filepath.Dir(dst), ".arrowplanes-*"))
		if err != nil || len(paths) != 1 {
			return false
		}
		info, err := os.Stat(paths[0])
		return err == nil && info.Size() > 0
	}, 20*time.Second, time.Millisecond, "no file beside the target")
	return cmd, stderr
}

// TestToolKilled kills the tool in the middle of a conversion. The target is as it
// was; what had been written stays beside it, and the next run takes no notice.
func TestToolKilled(t *testing.T) {
	src := filepath.Join(t.TempDir(), "large.arrow")
	largeFile(t, src)
	dst := faultTarget(t)
	cmd, stderr := started(t, src, dst)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.False(t, cmd.ProcessState.Exited(), "it came to its end: %s", stderr)
	require.Equal(t, "old", string(readFile(t, dst)))
	left := entries(t, filepath.Dir(dst))
	require.Len(t, left, 2)
	require.Regexp(t, regexp.MustCompile(`^\.arrowplanes-[0-9a-f]{8}$`), left[0])
	before := readFile(t, filepath.Join(filepath.Dir(dst), left[0]))

	requireTool(t, "convert", "-q", "--force", "--codec", "none", src, dst)
	requireSame(t, readFile(t, src), readFile(t, dst))
	require.Equal(t, left, entries(t, filepath.Dir(dst)))
	require.Equal(t, before, readFile(t, filepath.Join(filepath.Dir(dst), left[0])))
}

// TestSourceCut makes the source shorter in the middle of a conversion.
func TestSourceCut(t *testing.T) {
	src := filepath.Join(t.TempDir(), "large.arrow")
	largeFile(t, src)
	dst := faultTarget(t)
	cmd, stderr := started(t, src, dst)
	require.NoError(t, os.Truncate(src, 1000))
	_ = cmd.Wait()
	require.Equal(t, exitFailed, cmd.ProcessState.ExitCode(), stderr)
	require.Regexp(t, "^ipcx: .*large.arrow: .*the file has become shorter.*\n$", stderr.String())
	requireTarget(t, dst)
}
