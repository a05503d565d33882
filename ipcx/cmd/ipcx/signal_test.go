//go:build unix

package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestProcess runs the tool as a process of its own, as a shell does.
func TestProcess(t *testing.T) {
	dst := filepath.Join(t.TempDir(), "small.arrow")
	require.NoError(t, command(t, "convert", tablePath(t), dst).Run())
	requireSame(t, readFile(t, tablePath(t)), readFile(t, dst))

	for code, args := range map[int][]string{
		exitOK:     {"verify", dst},
		exitFailed: {"verify", filepath.Join(t.TempDir(), "none")},
		exitUsage:  {"verify"},
	} {
		cmd := command(t, args...)
		_ = cmd.Run()
		require.Equal(t, code, cmd.ProcessState.ExitCode(), args)
	}

	// A file as standard input can be read by its footer, a pipe cannot.
	file, err := os.Open(dst)
	require.NoError(t, err)
	defer file.Close()
	for _, stdin := range []io.Reader{file, bytes.NewReader(readFile(t, dst))} {
		cmd := command(t, "convert", "-q", "--codec", "none", "-", "-")
		cmd.Stdin = stdin
		out, err := cmd.Output()
		require.NoError(t, err)
		requireSame(t, readFile(t, tablePath(t)), out)
	}
}

// largeFile writes a file that takes a while to convert.
func largeFile(t *testing.T, path string) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "token", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	rng := rand.New(rand.NewPCG(3, 4))
	for range 8192 {
		token := make([]byte, 64)
		for i := range token {
			token[i] = 'a' + byte(rng.IntN(26))
		}
		b.Field(0).(*array.StringBuilder).BinaryBuilder.Append(token)
	}
	rec := b.NewRecordBatch()
	defer rec.Release()
	f, err := os.Create(path)
	require.NoError(t, err)
	defer f.Close()
	w, err := ipc.NewFileWriter(f, ipc.WithSchema(schema))
	require.NoError(t, err)
	for range 60 {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
}

func TestInterrupt(t *testing.T) {
	src := filepath.Join(t.TempDir(), "large.arrow")
	largeFile(t, src)
	stream := convertBytes(t, readFile(t, tablePath(t)))
	for name, tt := range map[string]struct {
		signal syscall.Signal
		code   int
		pipe   bool // the source, which then waits
	}{
		"SIGINT, file":  {syscall.SIGINT, 130, false},
		"SIGTERM, file": {syscall.SIGTERM, 143, false},
		"SIGINT, pipe":  {syscall.SIGINT, 130, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			dst := writeFile(t, filepath.Join(dir, "dst.arrow"), []byte("old"))
			from := src
			if tt.pipe {
				from = stdio
			}
			cmd := command(t, "convert", "--force", "--level", "19", from, dst)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			if tt.pipe {
				_, err := stdin.Write(stream[:len(stream)/2])
				require.NoError(t, err)
			}
			require.Eventually(t, func() bool { return written(t, dir) }, 20*time.Second, time.Millisecond, "no file beside the target")
			require.NoError(t, cmd.Process.Signal(tt.signal))
			_ = cmd.Wait()
			require.Equal(t, tt.code, cmd.ProcessState.ExitCode(), stderr.String())
			require.Contains(t, stderr.String(), "ipcx: interrupted ("+tt.signal.String()+")\n")
			require.Equal(t, []string{"dst.arrow"}, entries(t, dir))
			require.Equal(t, "old", string(readFile(t, dst)))
		})
	}
}

// written says whether a file in dir is being written to.
func written(t *testing.T, dir string) bool {
	paths, err := filepath.Glob(filepath.Join(dir, ".arrowplanes-*"))
	require.NoError(t, err)
	if len(paths) == 0 {
		return false
	}
	info, err := os.Stat(paths[0])
	return err == nil && info.Size() > 0
}

// TestInterruptFolder interrupts several conversions at once.
func TestInterruptFolder(t *testing.T) {
	src, dst := t.TempDir(), t.TempDir()
	largeFile(t, filepath.Join(src, "0.arrow"))
	for _, name := range []string{"1.arrow", "2.arrow", "3.arrow"} {
		require.NoError(t, os.Link(filepath.Join(src, "0.arrow"), filepath.Join(src, name)))
	}
	cmd := command(t, "convert", "-r", "-j", "2", "--level", "19", src, dst)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())
	require.Eventually(t, func() bool { return written(t, dst) }, 20*time.Second, time.Millisecond)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	require.Equal(t, 130, cmd.ProcessState.ExitCode(), stderr.String())
	require.Contains(t, stderr.String(), "of 4 files converted")
	for _, name := range entries(t, dst) {
		requireSame(t, readFile(t, filepath.Join(src, name)), readFile(t, filepath.Join(dst, name)))
	}
}

// TestBlockedOutput interrupts a conversion whose reader has stopped reading.
func TestBlockedOutput(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	src := filepath.Join(t.TempDir(), "large.arrow")
	largeFile(t, src)
	cmd := command(t, "convert", "--codec", "none", src, "-")
	cmd.Stdout = w
	require.NoError(t, cmd.Start())
	w.Close()
	_, err = io.ReadFull(r, make([]byte, 1000))
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait()
	require.Equal(t, 130, cmd.ProcessState.ExitCode())
}

// TestReaderGoesAway ends quietly, and removes its temporary file.
func TestReaderGoesAway(t *testing.T) {
	file := convertBytes(t, readFile(t, tablePath(t)), ipcx.WithFormat(ipcx.FileFormat))
	r, w, err := os.Pipe()
	require.NoError(t, err)
	cmd := command(t, "convert", "-", "-")
	temp := t.TempDir()
	cmd.Env = append(cmd.Env, "TMPDIR="+temp)
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = w, &stderr
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	w.Close()
	r.Close()
	_, err = stdin.Write(file)
	require.NoError(t, err)
	stdin.Close()
	_ = cmd.Wait()
	require.Equal(t, 141, cmd.ProcessState.ExitCode())
	require.Empty(t, stderr.String())
	require.Empty(t, entries(t, temp))
}
