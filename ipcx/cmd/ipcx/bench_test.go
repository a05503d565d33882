package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// benchOf returns what bench --json says of a file, measured for an instant.
func benchOf(t testing.TB, path string, args ...string) benchReport {
	t.Helper()
	var r benchReport
	out := requireTool(t, append([]string{"bench", "--json", "--time", "1ns", path}, args...)...)
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	return r
}

// TestBench holds the sizes against what is written otherwise.
func TestBench(t *testing.T) {
	threads := runtime.GOMAXPROCS(0)
	r := benchOf(t, tablePath(t), "--levels", "7,1,7")
	require.Equal(t, threads, runtime.GOMAXPROCS(0))
	require.Equal(t, int64(600), r.Rows)
	require.Equal(t, 3, r.RecordBatches)

	type key struct {
		writer, codec string
		level         int
		lengths       bool
	}
	want := []key{
		{arrowWriter, "none", 0, false}, {arrowWriter, "lz4", 0, false}, {arrowWriter, "zstd", 3, false},
		{ownWriter, "none", 0, false}, {ownWriter, "none", 0, true},
		{ownWriter, "lz4", 0, false}, {ownWriter, "lz4", 0, true},
		{ownWriter, "zstd", 1, false}, {ownWriter, "zstd", 1, true},
		{ownWriter, "zstd", 7, false}, {ownWriter, "zstd", 7, true},
	}
	var got []key
	ref := r.Settings[2]
	for _, s := range r.Settings {
		got = append(got, key{s.Writer, s.Codec, s.Level, s.Lengths})
		codec, ok := codecNamed(s.Codec)
		require.True(t, ok)
		if s.Writer == ownWriter {
			opts := []ipcx.Option{ipcx.WithCodec(codec)}
			if s.Level > 0 {
				opts = append(opts, ipcx.WithZstdLevel(s.Level))
			}
			if s.Lengths {
				opts = append(opts, ipcx.WithOffsetsAsLengths(codec))
			}
			require.Equal(t, streamBytes(t, tablePath(t), func(w io.Writer, schema *arrow.Schema) arrio.Writer {
				return ipcx.NewWriter(w, append(opts, ipcx.WithSchema(schema))...)
			}), s.Bytes, s)
		} else {
			opts := map[string]ipc.Option{"lz4": ipc.WithLZ4(), "zstd": ipc.WithZstd(), "none": ipc.WithMinSpaceSavings(0)}
			require.Equal(t, streamBytes(t, tablePath(t), func(w io.Writer, schema *arrow.Schema) arrio.Writer {
				return ipc.NewWriter(w, ipc.WithSchema(schema), opts[s.Codec])
			}), s.Bytes, s)
		}
		require.InDelta(t, float64(s.Bytes)/600, s.BytesPerRow, 1e-9)
		require.GreaterOrEqual(t, s.Runs, leastRuns)
		require.Positive(t, s.WriteNs)
		require.Positive(t, s.ReadNs)
		require.InDelta(t, float64(s.Bytes)/float64(ref.Bytes), *s.SizeRatio, 1e-9)
		require.InDelta(t, s.WriteNs/ref.WriteNs, *s.WriteRatio, 1e-9)
		require.InDelta(t, s.ReadNs/ref.ReadNs, *s.ReadRatio, 1e-9)
	}
	require.Equal(t, want, got)
	require.Equal(t, 2, *r.Reference)
	require.NotEmpty(t, r.Advice)
}

// streamBytes returns how long a writer makes a stream of the batches of a file.
func streamBytes(t *testing.T, path string, create func(io.Writer, *arrow.Schema) arrio.Writer) int64 {
	t.Helper()
	r, err := ipc.NewFileReader(bytes.NewReader(readFile(t, path)))
	require.NoError(t, err)
	defer r.Close()
	var out bytes.Buffer
	w := create(&out, r.Schema())
	for i := range r.NumRecords() {
		rec, err := r.RecordBatchAt(i)
		require.NoError(t, err)
		require.NoError(t, w.Write(rec))
		rec.Release()
	}
	require.NoError(t, w.(io.Closer).Close())
	return int64(out.Len())
}

// TestBenchInputs measures the same batches, however they are stored.
func TestBenchInputs(t *testing.T) {
	dir := t.TempDir()
	sizes := func(r benchReport) (all []int64) {
		for _, s := range r.Settings {
			all = append(all, s.Bytes)
		}
		return all
	}
	want := sizes(benchOf(t, tablePath(t), "--codecs", "lz4"))
	require.Len(t, want, 3)
	for name, args := range map[string][]string{
		"flagged.arrow":  nil,
		"plain.arrows":   {"--codec", "none"},
		"lz4.arrow":      {"--codec", "lz4"},
		"flagged.arrows": {"--codec", "none", "--offsets-as-lengths"},
	} {
		path := filepath.Join(dir, name)
		requireTool(t, append([]string{"convert", "-q", tablePath(t), path}, args...)...)
		require.Equal(t, want, sizes(benchOf(t, path, "--codecs", "lz4")), name)

		o := toolWith(readFile(t, path), "bench", "--json", "--time", "1ns", "--codecs", "lz4", "-")
		require.Equal(t, exitOK, o.code, o.stderr)
		var r benchReport
		require.NoError(t, json.Unmarshal([]byte(o.stdout), &r))
		require.Equal(t, want, sizes(r), name)
		require.Equal(t, "standard input", r.File)
	}
}

// TestBenchSize takes no more of a table than it is told to.
func TestBenchSize(t *testing.T) {
	args := func(size string) []string {
		return []string{"bench", "--time", "1ns", "--codecs", "none", "--size", size, tablePath(t)}
	}
	out := requireTool(t, args("1B")...)
	require.Contains(t, out, ": 200 rows in 1 record batch,")
	require.Regexp(t, `These are the first record batches alone, [0-9.]+ KiB of them in memory: --size takes more\.`, out)
	for _, size := range []string{"0", "1MB"} {
		out = requireTool(t, args(size)...)
		require.Contains(t, out, ": 600 rows in 3 record batches,")
		require.NotContains(t, out, "alone")
	}
}

func TestBenchTable(t *testing.T) {
	out := requireTool(t, "bench", "--time", "1ns", "--codecs", "zstd", "--levels", "3", "--concurrency", "2", "--rows", "201", tablePath(t))
	require.Contains(t, out, ": 400 rows in 2 record batches, 2 threads\n")
	require.Regexp(t, `(?m)^arrow/ipc  zstd       3  plain +[\d.]+  1\.00 +[\d.]+  1\.00 +[\d.]+  1\.00( +◀)?$`, out)
	require.Regexp(t, `(?m)^ipcx       zstd       3  lengths `, out)
	require.Equal(t, 1, strings.Count(out, "◀"))
	require.Regexp(t, `\n\n(Use|Stay with) .*\.\n$`, out)
	require.Equal(t, 3, strings.Count(out, " zstd  "))
}

func TestBenchLengths(t *testing.T) {
	lengths := func(r benchReport) (all []bool) {
		for _, s := range r.Settings {
			if s.Writer == ownWriter {
				all = append(all, s.Lengths)
			}
		}
		return all
	}
	require.Equal(t, []bool{true}, lengths(benchOf(t, tablePath(t), "--codecs", "none", "--offsets-as-lengths", "true")))
	require.Equal(t, []bool{false}, lengths(benchOf(t, tablePath(t), "--codecs", "none", "--offsets-as-lengths=false")))

	for want, field := range map[string]arrow.Field{
		"there are no offsets": {Name: "n", Type: arrow.PrimitiveTypes.Int64},
		`column v is of type`:  {Name: "v", Type: arrow.BinaryTypes.StringView},
	} {
		path := writeFile(t, filepath.Join(t.TempDir(), "x.arrows"), streamOf(t, field))
		r := benchOf(t, path, "--codecs", "zstd", "--levels", "3")
		require.Equal(t, []bool{false}, lengths(r))
		require.Contains(t, r.Note, want)
		require.Contains(t, requireTool(t, "bench", "--time", "1ns", "--codecs", "none", path), r.Note)
	}
}

// streamOf is a stream of a few rows of a field.
func streamOf(t *testing.T, field arrow.Field) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{field}, nil)
	rec := arrowgen.Batch(1, schema, arrowgen.Options{Rows: 20})
	defer rec.Release()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	return out.Bytes()
}

func TestBenchRefuses(t *testing.T) {
	for text, args := range map[string][]string{
		`"snappy" is none`:       {"--codecs", "zstd,snappy"},
		"23 is outside 1 to 22":  {"--levels", "3,23"},
		`"maybe" is none`:        {"--offsets-as-lengths", "maybe"},
		"is not more than":       {"--time", "0s"},
		"0 is outside 1 to 256":  {"--concurrency", "0"},
		"-1 is less than":        {"--rows", "-1"},
		"--codecs names none":    {"--codecs", ""},
		`argument ""`:            {"--levels", ""},
		"2 given where 1 is":     {tablePath(t)},
		"invalid argument \"x\"": {"--time", "x"},
	} {
		requireFails(t, exitUsage, append([]string{"bench", tablePath(t)}, args...), text)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	var out bytes.Buffer
	require.NoError(t, ipc.NewWriter(&out, ipc.WithSchema(schema)).Close())
	path := writeFile(t, filepath.Join(t.TempDir(), "empty.arrows"), out.Bytes())
	requireFails(t, exitFailed, []string{"bench", path}, "no rows")
	requireFails(t, exitFailed, []string{"bench", "none.arrow"}, "none.arrow", "no such file")
}

func TestBenchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	time.AfterFunc(200*time.Millisecond, func() { cancel(&interrupted{syscall.SIGINT}) })
	var stdout, stderr bytes.Buffer
	start := time.Now()
	code := run(ctx, []string{"bench", "--time", "1h", tablePath(t)}, nil, &stdout, &stderr)
	require.Equal(t, 130, code)
	require.Less(t, time.Since(start), 30*time.Second)
	require.Empty(t, stdout.String())
	require.Contains(t, stderr.String(), "interrupted (interrupt)\n")
	require.Equal(t, 1, strings.Count(stderr.String(), "\n"))
}

func TestBenchAdvice(t *testing.T) {
	setting := func(writer string, codec ipcx.Codec, level int, lengths bool, bytes int64, write, read float64) *benchSetting {
		return &benchSetting{Writer: writer, Codec: codec.String(), codec: codec, Level: level, Lengths: lengths, Bytes: bytes, WriteNs: write, ReadNs: read}
	}
	ref := func() *benchSetting { return setting(arrowWriter, ipcx.Zstd, 3, false, 1000, 100, 50) }
	for name, tt := range map[string]struct {
		own  []*benchSetting
		want string
	}{
		"the smallest that is fast enough": {
			[]*benchSetting{
				setting(ownWriter, ipcx.Uncompressed, 0, false, 3000, 1, 1),
				setting(ownWriter, ipcx.Zstd, 3, true, 390, 70, 25),
				setting(ownWriter, ipcx.Zstd, 7, true, 300, 120, 20), // too slow a writer
				setting(ownWriter, ipcx.Zstd, 8, true, 300, 20, 56),  // too slow a reader
			},
			"Use zstd level 3 with offsets as lengths: 61 % smaller than arrow/ipc with zstd, and takes 0.70 times as long to write and 0.50 times to read.",
		},
		"hardly longer": {
			[]*benchSetting{setting(ownWriter, ipcx.Zstd, 3, true, 390, 109, 54)},
			"Use zstd level 3 with offsets as lengths: 61 % smaller than arrow/ipc with zstd, and takes 1.09 times as long to write and 1.08 times to read.",
		},
		"nearly as small and faster": {
			[]*benchSetting{
				setting(ownWriter, ipcx.LZ4Frame, 0, true, 509, 9, 9),
				setting(ownWriter, ipcx.Zstd, 3, false, 500, 70, 25),
				setting(ownWriter, ipcx.LZ4Frame, 0, false, 511, 1, 1),
			},
			"Use LZ4 with offsets as lengths: 49 % smaller than arrow/ipc with zstd, and takes 0.09 times as long to write and 0.18 times to read.",
		},
		"no codec": {
			[]*benchSetting{setting(ownWriter, ipcx.Uncompressed, 0, false, 1001, 1, 1)},
			"Use no codec: as small as arrow/ipc with zstd, and takes 0.01 times as long to write and 0.02 times to read.",
		},
		"a little larger": {
			[]*benchSetting{setting(ownWriter, ipcx.LZ4Frame, 0, false, 1020, 1, 1)},
			"Use LZ4: 2 % larger than arrow/ipc with zstd, and takes 0.01 times as long to write and 0.02 times to read.",
		},
		"none": {
			[]*benchSetting{setting(ownWriter, ipcx.Zstd, 7, true, 300, 111, 20)},
			"Stay with arrow/ipc with zstd: nothing else here is smaller without taking longer.",
		},
	} {
		table := &benchTable{rows: 1}
		all := append([]*benchSetting{setting(arrowWriter, ipcx.LZ4Frame, 0, false, 1, 1, 1), ref()}, tt.own...)
		require.Equal(t, tt.want, newBenchReport(name, table, all, &benchFlags{}).Advice, name)
	}
	broken := ref()
	broken.Error = "it fails"
	s := setting(ownWriter, ipcx.Zstd, 3, false, 300, 111, 20)
	s.BytesPerRow = 30
	r := newBenchReport("x", &benchTable{rows: 10}, []*benchSetting{broken, s}, &benchFlags{})
	require.Nil(t, r.Reference)
	require.Equal(t, "Use zstd level 3: 30.0 bytes a row, the smallest.", r.Advice)
	var out bytes.Buffer
	r.print(&out)
	require.Contains(t, out.String(), "arrow/ipc with zstd fails: it fails\n")
}

func TestBenchMedians(t *testing.T) {
	s := &benchSetting{Bytes: 300}
	s.samples.write = []time.Duration{50, 10, 20, 40}
	s.samples.read = []time.Duration{900, 100, 500}
	s.settle(10)
	require.Equal(t, []float64{2, 50, 30}, []float64{s.WriteNs, s.ReadNs, s.BytesPerRow})
	require.Equal(t, 3, s.Runs)
}
