package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

func TestConvertTables(t *testing.T) {
	for _, path := range tables(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			want := readFile(t, path)
			ways := map[string][]string{
				"zstd":         nil,
				"zstd plain":   {"--offsets-as-lengths=false", "--level", "1"},
				"lz4":          {"--codec", "lz4"},
				"lz4 lengths":  {"--codec", "lz4", "--offsets-as-lengths"},
				"none":         {"--codec", "none"},
				"none lengths": {"--codec=none", "--offsets-as-lengths=true"},
			}
			for name, args := range ways {
				if path != tablePath(t) && name != "zstd" {
					continue // the real tables take their time
				}
				small, back := filepath.Join(t.TempDir(), "small.arrow"), filepath.Join(t.TempDir(), "back.arrow")
				requireTool(t, append([]string{"convert", "--verify", path, small}, args...)...)
				requireSame(t, want, readFile(t, small))

				s := statOf(t, small)
				require.Equal(t, []string{strings.Fields(name)[0]}, s.Codecs)
				lengths := name == "zstd" || strings.HasSuffix(name, "lengths")
				if s.FlaggedBatches > 0 {
					require.True(t, lengths, name)
					require.Equal(t, s.RecordBatches, s.FlaggedBatches)
					require.Error(t, oracle.File(readFile(t, small)).Err)
				} else {
					require.NoError(t, oracle.File(readFile(t, small)).Err)
				}
				if filepath.Base(path) == "table.arrow" {
					require.Equal(t, lengths, s.FlaggedBatches > 0, name)
				}

				requireTool(t, "convert", "--codec", "none", small, back)
				got := oracle.File(readFile(t, back))
				require.NoError(t, got.Err)
				require.NoError(t, oracle.SameBatches(oracle.File(want).Batches, got.Batches))
			}
		})
	}
}

func TestConvertFormats(t *testing.T) {
	dir := t.TempDir()
	file := tablePath(t)
	stream := writeFile(t, filepath.Join(dir, "stream"), convertBytes(t, readFile(t, file)))
	for name, tt := range map[string]struct {
		args []string
		file bool
	}{
		"a.arrow":   {[]string{stream}, true},
		"a.feather": {[]string{stream}, true},
		"a.IPC":     {[]string{stream}, true},
		"a.arrows":  {[]string{file}, false},
		"like-file": {[]string{file}, true},
		"like":      {[]string{stream}, false},
		"b.arrow":   {[]string{"--to", "stream", file}, false},
		"b.arrows":  {[]string{"--to=file", file}, true},
	} {
		dst := filepath.Join(dir, name)
		requireTool(t, append(append([]string{"convert"}, tt.args...), dst)...)
		got := readFile(t, dst)
		require.Equal(t, tt.file, isFile(got), name)
		requireSame(t, readFile(t, file), got)
	}
}

func TestConvertRefusesToOverwrite(t *testing.T) {
	dst := writeFile(t, filepath.Join(t.TempDir(), "dst.arrow"), []byte("precious"))
	requireFails(t, exitFailed, []string{"convert", tablePath(t), dst}, dst+": it exists already: add --force")
	require.Equal(t, "precious", string(readFile(t, dst)))
	requireTool(t, "convert", "--force", tablePath(t), dst)
	requireSame(t, readFile(t, tablePath(t)), readFile(t, dst))
}

func TestConvertInPlace(t *testing.T) {
	dir := t.TempDir()
	path := writeFile(t, filepath.Join(dir, "table.arrow"), readFile(t, tablePath(t)))
	require.NoError(t, os.Chmod(path, 0o640))
	requireTool(t, "convert", "--force", "--verify", path, path)
	require.Less(t, len(readFile(t, path)), len(readFile(t, tablePath(t))))
	requireSame(t, readFile(t, tablePath(t)), readFile(t, path))
	require.Equal(t, []string{"table.arrow"}, entries(t, dir))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
}

func TestConvertFailsAlone(t *testing.T) {
	dir := t.TempDir()
	good := readFile(t, tablePath(t))
	for _, name := range []string{"a.arrow", "c.arrow"} {
		writeFile(t, filepath.Join(dir, "src", name), good)
	}
	cut := filepath.Join(dir, "src", "b.arrows")
	writeFile(t, cut, convertBytes(t, good)[:40_000])
	old := writeFile(t, filepath.Join(dir, "dst", "b.arrows"), []byte("old"))

	o := tool("convert", "-r", "--force", filepath.Join(dir, "src"), filepath.Join(dir, "dst"))
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stderr, "ipcx: "+cut+": it is cut")
	require.Contains(t, o.stderr, "ipcx: 1 of 3 files not converted\n")
	require.Contains(t, o.stdout, "2 files: ")
	require.Equal(t, "old", string(readFile(t, old)))
	require.Equal(t, []string{"a.arrow", "b.arrows", "c.arrow"}, entries(t, filepath.Join(dir, "dst")))
	requireSame(t, good, readFile(t, filepath.Join(dir, "dst", "c.arrow")))
}

func TestConvertFolder(t *testing.T) {
	good := readFile(t, tablePath(t))
	src := t.TempDir()
	for _, name := range []string{"a.arrow", "x/b.arrows", "x/y/c.FEATHER", "x/.hidden.arrow", ".git/d.arrow", "notes.txt"} {
		writeFile(t, filepath.Join(src, filepath.FromSlash(name)), good)
	}
	requireFails(t, exitUsage, []string{"convert", src, t.TempDir()}, src+" is a folder: add -r")
	for name, tt := range map[string]struct{ args, want []string }{
		"as they are": {nil, []string{"a.arrow", "x/b.arrows", "x/y/c.FEATHER"}},
		"suffix":      {[]string{"--suffix", "-small.arrow"}, []string{"a-small.arrow", "x/b-small.arrow", "x/y/c-small.arrow"}},
		"streams":     {[]string{"--to", "stream"}, []string{"a.arrows", "x/b.arrows", "x/y/c.arrows"}},
		"files":       {[]string{"--to", "file"}, []string{"a.arrow", "x/b.arrow", "x/y/c.FEATHER"}},
	} {
		t.Run(name, func(t *testing.T) {
			dst := filepath.Join(t.TempDir(), "new", "dst")
			o := tool(append([]string{"convert", "-r", "-j", "3", src, dst}, tt.args...)...)
			require.Equal(t, exitOK, o.code, o.stderr)
			require.Equal(t, "ipcx: left out: 1 file without an Arrow extension (.arrow, .arrows, .feather, .ipc)\n", o.stderr)
			require.Equal(t, tt.want, entries(t, dst))
			for _, path := range tt.want {
				got := readFile(t, filepath.Join(dst, path))
				requireSame(t, good, got)
				require.Equal(t, name != "streams", isFile(got), "%s", path)
			}
		})
	}
}

func TestConvertIntoItself(t *testing.T) {
	src := t.TempDir()
	writeFile(t, filepath.Join(src, "a.arrow"), readFile(t, tablePath(t)))
	for range 2 { // the second time there is something in out, which is no source
		requireTool(t, "convert", "-r", "--force", src, filepath.Join(src, "out"))
		require.Equal(t, []string{"a.arrow", "out/a.arrow"}, entries(t, src))
	}
}

func TestConvertSeveral(t *testing.T) {
	dir, dst := t.TempDir(), t.TempDir()
	a := writeFile(t, filepath.Join(dir, "a.arrow"), readFile(t, tablePath(t)))
	same := writeFile(t, filepath.Join(dir, "other", "a.arrow"), readFile(t, tablePath(t)))
	out := requireTool(t, "convert", a, tablePath(t), dst)
	require.Equal(t, []string{"a.arrow", "table.arrow"}, entries(t, dst))
	require.Equal(t, 3, strings.Count(out, "\n"))
	require.Contains(t, out, "2 files: ")
	requireFails(t, exitUsage, []string{"convert", "--force", a, same, dst}, a+" and "+same+" would both become")
}

func TestConvertDryRun(t *testing.T) {
	dir := t.TempDir()
	dst := filepath.Join(dir, "new", "a.arrow")
	require.Contains(t, requireTool(t, "convert", "--dry-run", tablePath(t), dst), ", not written\n")
	require.Empty(t, entries(t, dir))
	real := filepath.Join(dir, "a.arrow")
	requireTool(t, "convert", tablePath(t), real)
	var r result
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, "convert", "--dry-run", "--json", tablePath(t), dst)), &r))
	require.Equal(t, int64(len(readFile(t, real))), r.Total.TargetBytes)
}

func TestConvertPrints(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "a.arrow")
	require.Regexp(t, `^\S+a\.arrow: 66 KiB -> \d+ KiB \(\d\d\.\d %\), 600 rows, 3 batches, \d+\.\d\d s, offsets as lengths\n$`,
		requireTool(t, "convert", tablePath(t), dst))
	require.Empty(t, requireTool(t, "convert", "-q", "--force", tablePath(t), dst))

	var r result
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, "convert", "--json", "--force", "--verify", tablePath(t), dst)), &r))
	require.Len(t, r.Conversions, 1)
	c := r.Conversions[0]
	require.Positive(t, c.Seconds)
	c.Seconds = 0
	before, after := int64(len(readFile(t, tablePath(t)))), int64(len(readFile(t, dst)))
	require.Equal(t, converted{
		Source: tablePath(t), Target: dst, Format: "file", Rows: 600, Batches: 3, Flagged: 3,
		SourceBytes: before, TargetBytes: after, Ratio: float64(after) / float64(before), Verified: true,
	}, c)
	require.Equal(t, 1, r.Total.Files)
	require.Equal(t, after, r.Total.TargetBytes)
}

func TestConvertPrintsFailureAsJSON(t *testing.T) {
	bad := writeFile(t, filepath.Join(t.TempDir(), "bad.arrow"), []byte("hello, world"))
	o := tool("convert", "--json", bad, filepath.Join(t.TempDir(), "x"))
	require.Equal(t, exitFailed, o.code)
	var r result
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &r))
	require.Contains(t, r.Conversions[0].Error, "not an Arrow stream or file")
	require.Equal(t, 1, r.Total.Failed)
}

func TestConvertPipes(t *testing.T) {
	file := readFile(t, tablePath(t))
	for name, stdin := range map[string][]byte{"file": file, "stream": convertBytes(t, file)} {
		o := toolWith(stdin, "convert", "-", "-")
		require.Equal(t, exitOK, o.code, o.stderr)
		require.Equal(t, name == "file", isFile([]byte(o.stdout)))
		requireSame(t, file, []byte(o.stdout))
		require.Contains(t, o.stderr, "standard output: ")
		require.Contains(t, o.stderr, "600 rows")

		o = toolWith(stdin, "convert", "--quiet", "--to", "stream", "--codec", "none", "-", "-")
		require.Equal(t, outcome{exitOK, string(convertBytes(t, file)), ""}, o)
	}
	dst := filepath.Join(t.TempDir(), "new.arrow")
	require.Equal(t, exitOK, toolWith(file, "convert", "-", dst).code)
	requireSame(t, file, readFile(t, dst))
}

func TestConvertToDevice(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no " + os.DevNull + " to look at")
	}
	requireTool(t, "convert", tablePath(t), os.DevNull)
	info, err := os.Stat(os.DevNull)
	require.NoError(t, err)
	require.NotZero(t, info.Mode()&os.ModeDevice, "a device must not be replaced")
}

func TestConvertColumns(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "a.arrow")
	requireTool(t, "convert", "--verify", "--columns", "price,city", tablePath(t), dst)
	schema := readAll(t, readFile(t, dst)).Schema
	require.Equal(t, "price", schema.Field(0).Name)
	require.Equal(t, "city", schema.Field(1).Name)
	require.Equal(t, 2, schema.NumFields())
	requireFails(t, exitFailed, []string{"convert", "--columns", "prize", "--force", tablePath(t), dst},
		tablePath(t)+`: --columns: no column "prize" among the 8 of the schema`)
}

func TestConvertLevel(t *testing.T) {
	dir := t.TempDir()
	sizes := map[string]int{}
	for _, level := range []string{"1", "4", "19"} {
		dst := filepath.Join(dir, level)
		requireTool(t, "convert", "--level", level, tablePath(t), dst)
		sizes[level] = len(readFile(t, dst))
	}
	require.NotEqual(t, sizes["1"], sizes["4"])
	require.NotEqual(t, sizes["4"], sizes["19"])
}

// TestConvertSameBytes converts in one goroutine and in several.
func TestConvertSameBytes(t *testing.T) {
	want := convertBytes(t, readFile(t, tablePath(t)), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths(), ipcx.WithFormat(ipcx.FileFormat))
	dst := filepath.Join(t.TempDir(), "a.arrow")
	requireTool(t, "convert", tablePath(t), dst)
	require.Equal(t, want, readFile(t, dst))
}

func TestConvertUsage(t *testing.T) {
	table, dir := tablePath(t), t.TempDir()
	for _, tt := range []struct {
		args []string
		text string
	}{
		{nil, "SRC and DST: 0 given where at least 2 are needed"},
		{[]string{table}, "SRC and DST: 1 given"},
		{[]string{"--codec", "gzip", table, "x"}, `--codec "gzip" is none of zstd, lz4 and none`},
		{[]string{"--level", "23", table, "x"}, "--level 23 is outside 1 to 22"},
		{[]string{"--level", "3", "--codec", "lz4", table, "x"}, "--level is for zstd"},
		{[]string{"--to", "disk", table, "x"}, `--to "disk" is neither stream nor file`},
		{[]string{"-j", "0", table, "x"}, "--jobs 0"},
		{[]string{"--verify", "-", "x"}, "--verify cannot read standard input again"},
		{[]string{"--verify", table, "-"}, "--verify cannot read standard output again"},
		{[]string{"--json", table, "-"}, "--json would mix"},
		{[]string{"--suffix", ".x", table, "x"}, "--suffix is for a folder"},
		{[]string{"--suffix", "/x", table, dir}, "has a path separator"},
		{[]string{"-", dir}, "standard input has no name"},
		{[]string{table, table, "-"}, "standard output takes one SRC"},
		{[]string{"--max-body", "much", table, "x"}, `"much" is no size such as`},
		{[]string{"--nonsense", table, "x"}, "unknown flag: --nonsense"},
		{[]string{"--quiet", "--json", table, "x"}, "--quiet and --json exclude each other"},
	} {
		o := tool(append([]string{"convert"}, tt.args...)...)
		require.Contains(t, o.stderr, tt.text)
		require.Contains(t, o.stderr, "(see ipcx convert --help)\n")
		require.Equal(t, exitUsage, o.code, tt.text)
	}
	requireFails(t, exitFailed, []string{"convert", "-r", dir, filepath.Join(dir, "x")}, "no Arrow files found")
	requireFails(t, exitFailed, []string{"convert", filepath.Join(dir, "none"), filepath.Join(dir, "x")}, "none: no such file")
	requireFails(t, exitFailed, []string{"convert", table, filepath.Join(dir, "none", "x")}, "no such file or directory")
}

func TestConvertBrokenOutput(t *testing.T) {
	full := errors.New("disk full")
	var stderr strings.Builder
	code := run(t.Context(), []string{"convert", tablePath(t), "-"}, nil, broken{full}, &stderr)
	require.Equal(t, exitFailed, code)
	require.Contains(t, stderr.String(), "disk full")
}

// TestConvertVerifyFails converts what no reader can make arrays of: messages
// are converted as they are, and comparing the arrays finds it.
func TestConvertVerifyFails(t *testing.T) {
	dir := t.TempDir()
	src := writeFile(t, filepath.Join(dir, "src.arrows"), shortOffsets(t))
	dst := writeFile(t, filepath.Join(dir, "dst.arrows"), []byte("old"))
	args := []string{"convert", "--force", src, dst}
	requireFails(t, exitFailed, append(args, "--verify"), "record batch 0")
	require.Equal(t, "old", string(readFile(t, dst)))
	require.Len(t, entries(t, dir), 2)
	requireTool(t, args...)
}

// TestConvertInterrupted interrupts a conversion that waits for its source.
func TestConvertInterrupted(t *testing.T) {
	stdin, never := io.Pipe()
	defer never.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(&interrupted{2}) })
	var stderr strings.Builder
	dir := t.TempDir()
	code := run(ctx, []string{"convert", "-", filepath.Join(dir, "x")}, stdin, io.Discard, &stderr)
	require.Equal(t, 130, code)
	require.Contains(t, stderr.String(), "interrupted")
	require.Empty(t, entries(t, dir))
}
