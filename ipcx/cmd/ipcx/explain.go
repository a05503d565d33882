package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// fileError is an error about a file.
type fileError struct {
	name  string
	first []byte // of the file
	err   error
}

func (e *fileError) Error() string { return e.name + ": " + e.err.Error() }
func (e *fileError) Unwrap() error { return e.err }

// placeError is an error about a place in a file.
type placeError struct {
	batch  int
	column string // or none
	err    error
}

func (e *placeError) Error() string {
	at := fmt.Sprintf("record batch %d", e.batch)
	// Of a file the library says it too.
	detail := strings.TrimPrefix(strings.TrimPrefix(e.err.Error(), "ipcx: "), at+": ")
	if e.column != "" {
		at += fmt.Sprintf(", column %q", e.column)
	}
	return at + ": " + detail
}

func (e *placeError) Unwrap() error { return e.err }

// kindError is an error text with what errors.Is is to find besides.
type kindError struct {
	error
	kind error
}

func (e *kindError) Unwrap() []error { return []error{e.error, e.kind} }

// explain says in one line what is wrong and what can be done.
func explain(err error) string {
	var (
		about *fileError
		path  *fs.PathError
		name  string
		first []byte
	)
	if errors.As(err, &about) {
		name, first, err = about.name+": ", about.first, about.err
	}
	var signal *interrupted
	detail := strings.TrimPrefix(err.Error(), "ipcx: ")
	switch {
	case errors.As(err, &signal):
		return name + signal.Error()
	case errors.Is(err, ipcx.ErrNotArrow) && !strings.HasPrefix(string(first), streamStart):
		return name + notArrow(first)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Sprintf("%sit is cut, the end is missing (%s): get it again, whole", name, detail)
	case errors.Is(err, ipcx.ErrLimit):
		return name + limitAdvice(detail)
	case errors.Is(err, ipcx.ErrUnsupported):
		return fmt.Sprintf("%sit is newer than this ipcx, or of a kind it does not know (%s): update ipcx, and see ipcx --version", name, detail)
	case errors.Is(err, ipcx.ErrReplacement):
		return fmt.Sprintf("%sa file cannot have what this stream has (%s): add --to stream", name, detail)
	case errors.Is(err, ipcx.ErrOption):
		return name + columnsAdvice(detail)
	case errors.Is(err, ipcx.ErrCorrupt), errors.Is(err, ipcx.ErrNotArrow), errors.Is(err, ipcx.ErrUnmappedLayout):
		return fmt.Sprintf("%sit is damaged (%s): get it again, or write it anew", name, detail)
	case errors.As(err, &path) && about != nil:
		if path.Path == about.name {
			return name + path.Err.Error()
		}
		return name + path.Error()
	}
	return name + detail
}

// columnsAdvice says what is wrong with --columns.
func columnsAdvice(detail string) string {
	_, problem, found := strings.Cut(detail, "WithColumns: ")
	if !found {
		return detail
	}
	problem, _, _ = strings.Cut(problem, ": choose by WithColumnIndexes")
	return "--columns: " + problem + ": ipcx schema FILE lists them"
}

// limitAdvice says which flag raises the limit that an error is about.
func limitAdvice(detail string) string {
	for option, flag := range map[string]string{
		"WithMetadataSizeLimit": metadataLimitFlag,
		"WithBodySizeLimit":     bodyLimitFlag,
		"WithDecodedSizeLimit":  decodedLimitFlag,
	} {
		if before, after, found := strings.Cut(detail, " ("+option+")"); found {
			return before + after + ": raise --" + flag + " if you trust the file"
		}
	}
	return detail
}

// streamStart is what a stream starts with since Arrow 0.15.
const streamStart = "\xFF\xFF\xFF\xFF"

// kinds are the first bytes of what is easily taken for Arrow, or holds it.
var kinds = []struct{ magic, advice string }{
	{"PAR1", "it is a Parquet file: read it with a Parquet library and write it as Arrow"},
	{"FEA1", "it is a Feather V1 file: read it with pyarrow.feather and write it as Feather V2, which is an Arrow file"},
	{"ORC", "it is an ORC file: read it with an ORC library and write it as Arrow"},
	{"Obj\x01", "it is an Avro file: read it with an Avro library and write it as Arrow"},
	{"\x1f\x8b", "it is compressed with gzip: gzip -dc FILE | ipcx ... -"},
	{"\x28\xb5\x2f\xfd", "it is compressed as a whole with zstd: zstd -dc FILE | ipcx ... -"},
	{"\x04\x22\x4d\x18", "it is compressed as a whole with LZ4: lz4 -dc FILE | ipcx ... -"},
	{"PK\x03\x04", "it is a ZIP archive: unpack it first"},
}

// notArrow says what a file that is no Arrow data is instead.
func notArrow(first []byte) string {
	start := string(first)
	if start == "" {
		return "it is empty, not an Arrow stream or file"
	}
	if strings.HasPrefix(start, string(ipcx.Magic)) {
		return "it starts as an Arrow file, but is cut, the end with its footer is missing: get it again, whole"
	}
	for _, kind := range kinds {
		if strings.HasPrefix(start, kind.magic) {
			return "not an Arrow stream or file: " + kind.advice
		}
	}
	return fmt.Sprintf("not an Arrow stream or file, it starts with %q: ipcx reads Arrow IPC only", start)
}
