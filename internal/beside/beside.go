// Package beside replaces files whole or not at all: what is to become a file
// is written to another one in the same folder, which is renamed at the end.
package beside

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write has write fill a file beside path, which then takes its place. After an
// error, and be it one of write, nothing is left of it and path is as it was. A
// symbolic link stays one: what it leads to is replaced.
//
// The file gets the permissions perm; 0 are those of any new file. Errors name path,
// also where they are about the file beside it.
func Write(path string, perm fs.FileMode, write func(*File) error) error {
	target, replaces, err := resolve(path)
	if err != nil {
		return err
	}
	f, err := create(filepath.Dir(target), perm)
	if err != nil {
		return about(path, err)
	}
	err = write(&File{f, path})
	if err == nil {
		err = about(path, finish(f, perm, replaces))
	}
	if err == nil {
		err = about(path, os.Rename(f.Name(), target))
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
	}
	return err
}

// finish closes a file that has its content.
func finish(f *os.File, perm fs.FileMode, sync bool) error {
	if perm != 0 {
		if err := f.Chmod(perm); err != nil {
			return err
		}
	}
	if sync {
		// Or a power cut could leave neither the old content nor the new.
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return f.Close()
}

// File is a file beside another one, whose own name nobody knows.
type File struct {
	*os.File
	path string
}

// Write writes to the file. Its error is about the one that it is beside of.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	return n, about(f.path, err)
}

// about returns err as one about path, with what the system said.
func about(path string, err error) error {
	var (
		file *fs.PathError
		link *os.LinkError
	)
	switch {
	case errors.As(err, &file):
		return &fs.PathError{Op: file.Op, Path: path, Err: file.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: link.Op, Path: path, Err: link.Err}
	}
	return err
}

// resolve follows symbolic links to the file that is to be replaced, if there
// is one, and refuses what a file must not take the place of.
func resolve(path string) (_ string, exists bool, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, false, nil
	}
	if err != nil {
		return "", false, err
	}
	if !info.Mode().IsRegular() {
		return "", false, &fs.PathError{Op: "replace", Path: path, Err: errors.New("not a regular file")}
	}
	path, err = filepath.EvalSymlinks(path)
	return path, true, err
}

// create creates a file in dir, which nobody else may read while perm is to
// come.
func create(dir string, perm fs.FileMode) (*os.File, error) {
	if perm == 0 {
		perm = 0o666
	} else {
		perm = 0o600
	}
	for tries := 0; ; tries++ {
		name := filepath.Join(dir, fmt.Sprintf(".arrowplanes-%08x", rand.Uint32()))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if !errors.Is(err, fs.ErrExist) || tries > 100 {
			return f, err
		}
	}
}
