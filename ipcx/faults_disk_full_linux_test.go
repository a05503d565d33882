package ipcx_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestDeviceFull writes to a device that is always full.
func TestDeviceFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("no device that is full: %v", err)
	}
	defer full.Close()
	for name, c := range destinations(t) {
		for door, open := range writers() {
			w, err := open(full, c.opts...)
			require.NoError(t, err)
			err = w.Write(c.batches[0])
			require.ErrorIs(t, err, syscall.ENOSPC, "%s, %s", name, door)
			require.ErrorContains(t, err, "ipcx: writing ", "%s, %s", name, door)
			require.Error(t, w.Close(), "%s, %s", name, door)
		}
	}
	data := write(t, smallBatches(2))
	for _, format := range []ipcx.Format{ipcx.StreamFormat, ipcx.FileFormat} {
		_, err = ipcx.Convert(context.Background(), full, bytes.NewReader(data), ipcx.WithFormat(format))
		require.ErrorIs(t, err, syscall.ENOSPC)
	}
	dir, src := folderOf(t, "a.arrow", data)
	_, err = ipcx.ConvertFile(context.Background(), "/dev/full", src)
	require.ErrorContains(t, err, "not a regular file", "a device is nothing to be replaced")
	requireFiles(t, dir, "a.arrow")
}

// smallDisk returns a folder that has room for size bytes.
func smallDisk(t testing.TB, size string) string {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no file system of a limited size: mount: %v (needs root; the tests under a file size limit need not)", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(dir, 0)) })
	return dir
}

// TestDiskFull converts to a disk that has too little room, and then has it.
func TestDiskFull(t *testing.T) {
	disk := smallDisk(t, "64k")
	_, src := folderOf(t, "a.arrow", write(t, largeBatches(t)))
	small := write(t, smallBatches(2))
	dst := filepath.Join(disk, "b.arrow")
	require.NoError(t, os.WriteFile(dst, small, 0o604))
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithFormat(ipcx.FileFormat)}, {ipcx.WithZstd(), ipcx.WithCompressConcurrency(4)}} {
		_, err := ipcx.ConvertFile(context.Background(), dst, src, opts...)
		require.ErrorIs(t, err, syscall.ENOSPC)
		require.Regexp(t, "^ipcx: writing .*no space left on device", err.Error())
		requireFiles(t, disk, "b.arrow")
		requireFile(t, dst, small, 0o604)
		// In place, when there is no room for both.
		_, err = ipcx.ConvertFile(context.Background(), dst, dst, opts...)
		require.NoError(t, err)
		requireFiles(t, disk, "b.arrow")
		require.NoError(t, os.WriteFile(dst, small, 0o604))
	}

	// A file from a pipe that there is no room for.
	t.Setenv("TMPDIR", disk)
	file := writeFile(t, largeBatches(t))
	_, err := ipcx.Convert(context.Background(), io.Discard, onlyReader{bytes.NewReader(file)})
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.Regexp(t, "^ipcx: copying the file to a temporary one: ", err.Error())
	requireFiles(t, disk, "b.arrow")
}

// requireFile requires a file to be as it was.
func requireFile(t testing.TB, path string, data []byte, perm os.FileMode, args ...any) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err, args...)
	require.True(t, bytes.Equal(data, got), args...)
	info, err := os.Stat(path)
	require.NoError(t, err, args...)
	require.Equal(t, perm, info.Mode().Perm(), args...)
}

// asChild is the variable that tells a test that it runs in a process of its own.
const asChild = "ARROWPLANES_TEST_AS_CHILD"

// child returns this test as a process of its own, which the variable tells what
// to do.
func child(t testing.TB, what string) *exec.Cmd {
	exe, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), exe, "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), asChild+"="+what)
	return cmd
}

// TestFileSizeLimit converts under a limit of the size of files, of every number
// of bytes below that of the whole.
func TestFileSizeLimit(t *testing.T) {
	if os.Getenv(asChild) == "" {
		out, err := child(t, "convert").CombinedOutput()
		require.NoError(t, err, string(out))
		return
	}
	defer goleak.VerifyNone(t)
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	set := func(n uint64) {
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: limit.Max}))
	}
	old := []byte("what was there")
	for name, data := range map[string][]byte{"stream": write(t, faultBatches(), ipcx.WithDictionaryDeltas(true)), "file": writeFile(t, smallBatches(2))} {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithFormat(ipcx.FileFormat)}} {
			want, err := convert(data, opts...)
			require.NoError(t, err)
			dir, src := folderOf(t, "a.arrow", data)
			dst := filepath.Join(dir, "b.arrow")
			require.NoError(t, os.WriteFile(dst, old, 0o604))
			for n := 0; n < len(want); n += faultStep() {
				set(uint64(n))
				for _, path := range []string{dst, filepath.Join(dir, "c.arrow")} {
					_, err := ipcx.ConvertFile(context.Background(), path, src, opts...)
					require.ErrorIs(t, err, syscall.EFBIG, "%s, %d bytes", name, n)
					require.Regexp(t, "^ipcx: writing .*file too large", err.Error(), "%s, %d bytes", name, n)
				}
				requireFiles(t, dir, "a.arrow", "b.arrow")
				requireFile(t, dst, old, 0o604, "%s, %d bytes", name, n)
			}
			set(uint64(len(want)))
			_, err = ipcx.ConvertFile(context.Background(), dst, src, opts...)
			require.NoError(t, err)
			requireFile(t, dst, want, 0o644)
			set(limit.Cur)
		}
	}
}
