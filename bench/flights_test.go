package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// flights returns the file that scripts/flights.sh makes, in the folder that the
// environment variable ARROWPLANES_FLIGHTS names.
func flights(tb testing.TB, codec string) string {
	tb.Helper()
	dir := os.Getenv("ARROWPLANES_FLIGHTS")
	if dir == "" {
		tb.Skip("ARROWPLANES_FLIGHTS is not set: the folder that scripts/flights.sh filled")
	}
	return filepath.Join(dir, "flights-3m."+codec+".arrow")
}

// fileReader is what both file readers have in common.
type fileReader interface {
	NumRecords() int
	Read() (arrow.RecordBatch, error)
	Close() error
}

var fileWays = []struct {
	name string
	open func(*os.File) (fileReader, error)
}{
	{"arrow-go", func(f *os.File) (fileReader, error) { return ipc.NewFileReader(f) }},
	{"ipcx", func(f *os.File) (fileReader, error) { return ipcx.NewFileReader(f) }},
	{"ipcx-reuse", func(f *os.File) (fileReader, error) { return ipcx.NewFileReader(f, ipcx.WithBufferReuse()) }},
}

// readFile reads a file to its end. Each batch is released before the one after
// the next is read.
func readFile(path string, open func(*os.File) (fileReader, error)) (batches, rows int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	r, err := open(f)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	for range r.NumRecords() {
		rec, err := r.Read()
		if err != nil {
			return batches, rows, err
		}
		batches++
		rows += rec.NumRows()
	}
	return batches, rows, nil
}

// BenchmarkFlights reads three million flights from a file, 65536 a batch.
func BenchmarkFlights(b *testing.B) {
	for _, codec := range []string{"none", "lz4", "zstd"} {
		path := flights(b, codec)
		for _, way := range fileWays {
			b.Run(codec+"/"+way.name, func(b *testing.B) {
				measured(b, func() (int64, int64) {
					batches, rows, err := readFile(path, way.open)
					require.NoError(b, err)
					return batches, rows
				})
			})
		}
	}
}

// TestFlightsMemory compares the most memory that a process needs to read the
// flights, above that of one that reads nothing.
func TestFlightsMemory(t *testing.T) {
	const variable = "ARROWPLANES_BENCH_READ"
	path := flights(t, "lz4")
	if name := os.Getenv(variable); name != "" {
		for _, way := range fileWays {
			if way.name == name {
				_, _, err := readFile(path, way.open)
				require.NoError(t, err)
			}
		}
		fmt.Println("peak:", peakMemory(t))
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("peak memory is read from /proc")
	}
	peak := func(name string) int {
		cmd := exec.Command(os.Args[0], "-test.run=^TestFlightsMemory$")
		cmd.Env = append(os.Environ(), variable+"="+name)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		_, text, ok := strings.Cut(string(out), "peak: ")
		require.True(t, ok, "%s", out)
		n, err := strconv.Atoi(strings.Fields(text)[0])
		require.NoError(t, err)
		return n
	}
	idle := peak("idle")
	theirs := peak("arrow-go") - idle
	for _, name := range []string{"ipcx", "ipcx-reuse"} {
		ours := peak(name) - idle
		t.Logf("%s: %d KiB, arrow-go: %d KiB, idle: %d KiB", name, ours, theirs, idle)
		if name == "ipcx-reuse" {
			require.Less(t, ours, theirs/2)
		}
	}
}

// peakMemory returns the most resident memory the process has had, in KiB.
func peakMemory(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.Fields(value)[0])
			require.NoError(t, err)
			return n
		}
	}
	t.Fatal("no VmHWM")
	return 0
}
