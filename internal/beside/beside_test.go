package beside_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/beside"
)

func fill(text string) func(*beside.File) error {
	return func(f *beside.File) error {
		_, err := io.WriteString(f, text)
		return err
	}
}

func TestWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "target")
	require.NoError(t, beside.Write(path, 0o640, fill("one")))
	requireFile(t, path, "one", 0o640)
	require.NoError(t, beside.Write(path, 0o600, fill("two")))
	requireFile(t, path, "two", 0o600)
	requireAlone(t, path)
}

func TestWriteLikeNewFile(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new"), nil, 0o666))
	info, err := os.Stat(filepath.Join(dir, "new"))
	require.NoError(t, err)
	path := filepath.Join(dir, "target")
	require.NoError(t, beside.Write(path, 0, fill("one")))
	requireFile(t, path, "one", info.Mode().Perm())
}

func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "target")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	broken := errors.New("broken")
	err := beside.Write(path, 0, func(f *beside.File) error {
		_, err := f.WriteString("half")
		require.NoError(t, err)
		requireFile(t, path, "old", 0o644)
		return broken
	})
	require.ErrorIs(t, err, broken)
	requireFile(t, path, "old", 0o644)
	requireAlone(t, path)
}

func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "target"), filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
	if err := os.Symlink(path, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	require.NoError(t, beside.Write(link, 0o644, fill("new")))
	requireFile(t, path, "new", 0o644)
	requireAlone(t, path)
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
}

func TestWriteRefuses(t *testing.T) {
	dir := t.TempDir()
	never := func(*beside.File) error { panic("called") }
	require.ErrorContains(t, beside.Write(dir, 0, never), "not a regular file")
	require.ErrorIs(t, beside.Write(filepath.Join(dir, "missing", "target"), 0, never), fs.ErrNotExist)
}

func requireFile(t *testing.T, path, text string, perm fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, text, string(got))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, perm, info.Mode().Perm())
}

// requireAlone requires that nothing else is in the folder of path.
func requireAlone(t *testing.T, path string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}
