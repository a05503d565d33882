package ipcx_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// folderOf makes a folder with one file in it.
func folderOf(t *testing.T, name string, data []byte) (dir, path string) {
	t.Helper()
	dir = t.TempDir()
	path = filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, data, 0o644))
	return dir, path
}

func requireFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	var got []string
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, e := range entries {
		got = append(got, e.Name())
	}
	require.ElementsMatch(t, want, got)
}

func TestConvertFile(t *testing.T) {
	batches := annotatedBatches()
	for _, data := range [][]byte{write(t, batches), writeFile(t, batches)} {
		for _, v := range variants() {
			dir, src := folderOf(t, "a.arrow", data)
			dst := filepath.Join(dir, "b.arrow")
			stats, err := ipcx.ConvertFile(context.Background(), dst, src, v.toFile()...)
			require.NoError(t, err)
			require.Equal(t, int64(len(batches)), stats.RecordBatches)
			requireFiles(t, dir, "a.arrow", "b.arrow")
			left, err := os.ReadFile(src)
			require.NoError(t, err)
			require.Equal(t, data, left)
			got, err := os.ReadFile(dst)
			require.NoError(t, err)
			want, err := convert(data, v.toFile()...)
			require.NoError(t, err)
			require.Equal(t, want, got)

			// Over itself, and over what is there already.
			for range 2 {
				_, err = ipcx.ConvertFile(context.Background(), src, src, v.toFile()...)
				require.NoError(t, err)
				requireFiles(t, dir, "a.arrow", "b.arrow")
				requireSame(t, oracle.Stream(write(t, batches)), drainPath(t, src))
			}
			_, err = ipcx.ConvertFile(context.Background(), dst, src)
			require.NoError(t, err)
			got, err = os.ReadFile(dst)
			require.NoError(t, err)
			requireEqual(t, batches, oracle.Stream(got).Batches)
		}
	}
}

// drainPath reads the file at path while it is open.
func drainPath(t *testing.T, path string) oracle.Result {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	f, err := ipcx.NewFileReader(file)
	require.NoError(t, err)
	defer f.Close()
	return readBatches(f)
}

// TestConvertFileMode keeps the permissions of the source.
func TestConvertFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such permissions")
	}
	data := write(t, []arrow.RecordBatch{smallBatch()})
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o640, 0o777, 0o444} {
		dir, src := folderOf(t, "a.arrow", data)
		require.NoError(t, os.Chmod(src, mode))
		for _, name := range []string{"new.arrow", "old.arrow", "a.arrow"} {
			dst := filepath.Join(dir, name)
			if name == "old.arrow" {
				require.NoError(t, os.WriteFile(dst, nil, 0o606))
			}
			_, err := ipcx.ConvertFile(context.Background(), dst, src, ipcx.WithZstd())
			require.NoError(t, err)
			info, err := os.Stat(dst)
			require.NoError(t, err)
			require.Equal(t, mode, info.Mode().Perm(), name)
		}
	}
}

// TestConvertFileFails leaves an old target as it was, and nothing beside it.
func TestConvertFileFails(t *testing.T) {
	data := write(t, generated(arrowgen.MappedTypes(), 20, false))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	const old = "what was there"
	for name, c := range map[string]struct {
		ctx  context.Context
		data []byte
		opts []ipcx.Option
		is   error
	}{
		"cancelled":   {cancelled, data, nil, context.Canceled},
		"not Arrow":   {context.Background(), []byte("a,b\n1,2\n"), nil, ipcx.ErrNotArrow},
		"empty":       {context.Background(), nil, nil, ipcx.ErrNotArrow},
		"a limit":     {context.Background(), data, []ipcx.Option{ipcx.WithBodySizeLimit(100)}, ipcx.ErrLimit},
		"options":     {context.Background(), data, []ipcx.Option{ipcx.WithCodec(5)}, ipcx.ErrOption},
		"replacement": {context.Background(), write(t, grownAndReplaced()), []ipcx.Option{ipcx.WithFormat(ipcx.FileFormat)}, ipcx.ErrReplacement},
	} {
		t.Run(name, func(t *testing.T) {
			dir, src := folderOf(t, "a.arrow", c.data)
			dst := filepath.Join(dir, "b.arrow")
			_, err := ipcx.ConvertFile(c.ctx, dst, src, c.opts...)
			require.ErrorIs(t, err, c.is)
			require.Regexp(t, "^ipcx: ", err.Error())
			requireFiles(t, dir, "a.arrow")

			require.NoError(t, os.WriteFile(dst, []byte(old), 0o604))
			_, err = ipcx.ConvertFile(c.ctx, dst, src, c.opts...)
			require.ErrorIs(t, err, c.is)
			requireFiles(t, dir, "a.arrow", "b.arrow")
			left, err := os.ReadFile(dst)
			require.NoError(t, err)
			require.Equal(t, old, string(left))
			info, err := os.Stat(dst)
			require.NoError(t, err)
			require.Equal(t, fs.FileMode(0o604), info.Mode().Perm())

			_, err = ipcx.ConvertFile(c.ctx, src, src, c.opts...)
			require.ErrorIs(t, err, c.is)
			left, err = os.ReadFile(src)
			require.NoError(t, err)
			require.Equal(t, string(c.data), string(left))
			requireFiles(t, dir, "a.arrow", "b.arrow")
		})
	}
}

func TestConvertFilePaths(t *testing.T) {
	data := write(t, []arrow.RecordBatch{smallBatch()})
	dir, src := folderOf(t, "a.arrow", data)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "folder"), 0o755))
	convertFile := func(dst, src string) error {
		_, err := ipcx.ConvertFile(context.Background(), filepath.Join(dir, dst), filepath.Join(dir, src))
		require.Error(t, err)
		require.Regexp(t, "^ipcx: ", err.Error())
		requireFiles(t, dir, "a.arrow", "folder")
		return err
	}
	require.ErrorIs(t, convertFile("b.arrow", "none.arrow"), fs.ErrNotExist)
	require.ErrorIs(t, convertFile("none/b.arrow", "a.arrow"), fs.ErrNotExist)
	require.ErrorContains(t, convertFile("b.arrow", "folder"), "folder")
	require.ErrorContains(t, convertFile("folder", "a.arrow"), "folder")
	requireFiles(t, filepath.Join(dir, "folder"))
	require.Error(t, convertFile("a.arrow/b.arrow", "a.arrow"))
	left, err := os.ReadFile(src)
	require.NoError(t, err)
	require.Equal(t, data, left)
}

// TestConvertFileUnwritable has a folder that nothing can be made in.
func TestConvertFileUnwritable(t *testing.T) {
	dir, src := folderOf(t, "a.arrow", write(t, []arrow.RecordBatch{smallBatch()}))
	closed := filepath.Join(dir, "closed")
	require.NoError(t, os.Mkdir(closed, 0o555))
	if f, err := os.Create(filepath.Join(closed, "probe")); err == nil {
		f.Close()
		t.Skip("this user can write to any folder")
	}
	_, err := ipcx.ConvertFile(context.Background(), filepath.Join(closed, "b.arrow"), src)
	require.ErrorIs(t, err, fs.ErrPermission)
	requireFiles(t, closed)
}

// TestConvertFileLink replaces what a symbolic link leads to.
func TestConvertFileLink(t *testing.T) {
	dir, src := folderOf(t, "a.arrow", write(t, []arrow.RecordBatch{smallBatch()}))
	link := filepath.Join(dir, "link.arrow")
	if err := os.Symlink("a.arrow", link); err != nil {
		t.Skip(err)
	}
	_, err := ipcx.ConvertFile(context.Background(), link, link, ipcx.WithFormat(ipcx.FileFormat))
	require.NoError(t, err)
	requireFiles(t, dir, "a.arrow", "link.arrow")
	info, err := os.Lstat(link)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&fs.ModeSymlink)
	requireEqual(t, []arrow.RecordBatch{smallBatch()}, drainPath(t, src).Batches)
}
