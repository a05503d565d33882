package ipcx_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// pipeOf makes a pipe with a name, for another process to read.
func pipeOf(t testing.TB, dir string) string {
	path := filepath.Join(dir, "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	return path
}

// TestKilled kills a process in the middle of a conversion, wherever it stands:
// the target is as it was. What is left beside it has a name that says what it
// is, and is in nobody's way.
func TestKilled(t *testing.T) {
	if dir := os.Getenv(asChild); dir != "" {
		_, err := ipcx.ConvertFile(context.Background(), filepath.Join(dir, "b.arrow"), filepath.Join(dir, "pipe"))
		t.Fatal("not killed: ", err)
	}
	whole := write(t, faultBatches())
	out, err := convert(whole)
	require.NoError(t, err)
	require.Equal(t, whole, out)
	old := []byte("what was there")
	starts := []int{0}
	for _, m := range messages(t, whole) {
		starts = append(starts, starts[len(starts)-1]+len(frame(m)))
	}
	for i, start := range starts {
		dir := t.TempDir()
		dst := filepath.Join(dir, "b.arrow")
		require.NoError(t, os.WriteFile(dst, old, 0o604))
		cmd := child(t, dir)
		pipe := pipeOf(t, dir)
		require.NoError(t, cmd.Start())
		w, err := os.OpenFile(pipe, os.O_RDWR, 0) // which does not wait for the child
		require.NoError(t, err)
		_, err = w.Write(whole[:min(start+5, len(whole)-1)]) // and a bit of the next one
		require.NoError(t, err)

		var left string
		require.Eventually(t, func() bool {
			found, err := filepath.Glob(filepath.Join(dir, ".arrowplanes-????????"))
			if err != nil || len(found) != 1 {
				return false
			}
			left = found[0]
			info, err := os.Stat(left)
			return err == nil && info.Size() == int64(start)
		}, 20*time.Second, time.Millisecond, "message %d", i)
		require.NoError(t, cmd.Process.Kill())
		_ = cmd.Wait()
		w.Close()

		requireFiles(t, dir, "b.arrow", "pipe", filepath.Base(left))
		requireFile(t, dst, old, 0o604)
		requireFile(t, left, whole[:start], 0o600)

		// The next conversion takes no notice.
		src := filepath.Join(dir, "a.arrow")
		require.NoError(t, os.WriteFile(src, whole, 0o644))
		_, err = ipcx.ConvertFile(context.Background(), dst, src)
		require.NoError(t, err)
		requireFile(t, dst, whole, 0o644)
		requireFiles(t, dir, "a.arrow", "b.arrow", "pipe", filepath.Base(left))
	}
}

// TestKilledSpool kills a process that copies a file from a pipe to a temporary
// one, which is then left where temporary files are.
func TestKilledSpool(t *testing.T) {
	if dir := os.Getenv(asChild); dir != "" {
		_, err := ipcx.ConvertFile(context.Background(), filepath.Join(dir, "b.arrow"), filepath.Join(dir, "pipe"))
		t.Fatal("not killed: ", err)
	}
	whole := writeFile(t, smallBatches(1))
	dir, temp := t.TempDir(), t.TempDir()
	cmd := child(t, dir)
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	pipe := pipeOf(t, dir)
	require.NoError(t, cmd.Start())
	w, err := os.OpenFile(pipe, os.O_RDWR, 0) // which does not wait for the child
	require.NoError(t, err)
	defer w.Close()
	_, err = w.Write(whole[:len(whole)/2])
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		found, err := filepath.Glob(filepath.Join(temp, "arrowplanes-*.arrow"))
		if err != nil || len(found) != 1 {
			return false
		}
		info, err := os.Stat(found[0])
		return err == nil && info.Size() == int64(len(whole)/2)
	}, 20*time.Second, time.Millisecond)
	require.NoError(t, cmd.Process.Kill())
	_ = cmd.Wait()
	require.NoFileExists(t, filepath.Join(dir, "b.arrow"))
}
