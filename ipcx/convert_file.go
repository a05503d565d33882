package ipcx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/arrowplanes/arrowplanes/internal/beside"
)

// ConvertFile is [Convert] from the file at src to the one at dst, paths that
// may be the same. It writes beside dst and renames at the end, so that after
// an error dst is what it was. dst gets the permissions of src.
//
// A process that is killed in the middle leaves dst as it was too, and beside it
// what it had written so far, a file .arrowplanes- and eight hexadecimal digits,
// which nothing reads and which may be removed.
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
	var converted error
	err = beside.Write(dst, info.Mode().Perm(), func(out *beside.File) error {
		stats, converted = Convert(ctx, out, in, opts...)
		return converted
	})
	if err != nil && converted == nil {
		err = fmt.Errorf("ipcx: %w", err)
	}
	return stats, err
}
