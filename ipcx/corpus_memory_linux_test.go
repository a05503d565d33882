package ipcx_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// corpusProcess names the variable that has the file for a process of its own.
const corpusProcess = "ARROWPLANES_CORPUS_FILE"

// TestCorpusMemory reads each hostile file, and each golden one, in a process of its
// own, in all ways and with the limits that readers have by default, and asks the
// system for the most memory that the process had.
func TestCorpusMemory(t *testing.T) {
	if path := os.Getenv(corpusProcess); path != "" {
		readCorpusFile(t, path)
		return
	}
	if raceEnabled {
		t.Skip("the race detector takes memory and time of its own")
	}
	const mostKiB = 512 << 10
	root := testdata.ArrowTestData(t)
	files, highest, slowest := 0, 0, time.Duration(0)
	for _, pattern := range []string{
		"arrow-ipc-stream/*", "arrow-ipc-file/*", "arrow-ipc-tensor-stream/*", "forward-compatibility/*",
		"arrow-ipc-stream/integration/*/*.stream", "arrow-ipc-stream/integration/*/*.arrow_file",
	} {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for i, path := range paths {
			info, err := os.Stat(path)
			require.NoError(t, err)
			if info.IsDir() || testing.Short() && i%10 > 0 {
				continue
			}
			cmd := exec.Command(os.Args[0], "-test.run", "^TestCorpusMemory$", "-test.v")
			cmd.Env = append(os.Environ(), corpusProcess+"="+path)
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s", path, out)
			_, text, ok := strings.Cut(string(out), "VmHWM:")
			require.True(t, ok, "%s", out)
			var (
				kiB  int
				unit string
				took time.Duration
			)
			_, err = fmt.Sscan(text, &kiB, &unit, (*int64)(&took))
			require.NoError(t, err)
			require.Less(t, kiB, mostKiB, path)
			files, highest, slowest = files+1, max(highest, kiB), max(slowest, took)
		}
	}
	require.NotZero(t, files)
	t.Logf("%d files, at most %d MiB in a process and %v for a reading", files, highest>>10, slowest)
}

func readCorpusFile(t *testing.T, path string) {
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	ways := map[string]func() error{
		"stream":           func() error { return drainBytes(data).Err },
		"stream validated": func() error { return drainBytes(data, ipcx.WithValidation()).Err },
		"file":             func() error { return drainFile(t, "reader", data, ipcx.WithValidation()).Err },
		"mapped file":      func() error { return drainFile(t, "mapped", data, ipcx.WithValidation()).Err },
		"conversion": func() error {
			_, err := convert(data, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
			return err
		},
		"inspection": func() error {
			return ipcx.Inspect(context.Background(), bytes.NewReader(data), func(*ipcx.MessageInfo) error { return nil })
		},
	}
	slowest := time.Duration(0)
	for way, read := range ways {
		start := time.Now()
		err := read()
		took := time.Since(start)
		slowest = max(slowest, took)
		require.Less(t, took, corpusTime, way)
		require.False(t, ipcx.IsPanic(err), "%s: %v", way, err)
	}
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "VmHWM:") {
			fmt.Println(strings.TrimSpace(line), int64(slowest))
		}
	}
}
