package ipcx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ConvertFile is [Convert] from the file at src to the one at dst, paths that
// may be the same. It writes beside dst and renames at the end, so that after
// an error dst is what it was. dst gets the mode of src.
func ConvertFile(ctx context.Context, dst, src string, opts ...Option) (stats Stats, err error) {
	in, err := os.Open(src)
	if err != nil {
		return Stats{}, fmt.Errorf("ipcx: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return Stats{}, fmt.Errorf("ipcx: %w", err)
	}
	if info.IsDir() {
		return Stats{}, fmt.Errorf("ipcx: %w", &fs.PathError{Op: "convert", Path: src, Err: errors.New("is a folder")})
	}
	err = writeBeside(dst, info.Mode().Perm(), func(out *os.File) error {
		stats, err = Convert(ctx, out, in, opts...)
		return err
	})
	return stats, err
}

// writeBeside has write fill a file beside path, which then takes its place.
// After an error nothing is left of it, and path is as it was.
func writeBeside(path string, mode fs.FileMode, write func(*os.File) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("ipcx: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := write(f); err != nil {
		return err
	}
	if err := f.Chmod(mode); err != nil {
		return fmt.Errorf("ipcx: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("ipcx: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("ipcx: %w", err)
	}
	return nil
}
