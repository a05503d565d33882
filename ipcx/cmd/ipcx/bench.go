package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

type benchFlags struct {
	limits      limits
	codecNames  []string
	levels      []int
	lengths     string
	budget      time.Duration
	concurrency int
	rows        int64
	size        byteSize
	json        bool
	quiet       bool

	codecs []ipcx.Codec // that codecNames name
}

func (a *app) benchCommand() *cobra.Command {
	f := &benchFlags{size: benchSize}
	cmd := &cobra.Command{
		Use:   "bench FILE",
		Short: "Measure what each codec and option makes of a stream or file",
		Long: `Measures, on the record batches of an Arrow stream or file, how small each codec
makes them, with and without offsets stored as lengths and at some zstd levels, and
how long writing and reading take. arrow-go's own arrow/ipc is measured beside it,
at its one level. In the end a sentence says what to use: the smallest that takes at
most a tenth longer than arrow/ipc, in either direction, and of those nearly as
small the fastest.

FILE is read into memory first, up to --size of it, and nothing is written anywhere: a
write makes a stream of all record batches, a read gives them back. It takes several
times that size. The settings take turns, so that what else the machine does meets
them all, and each figure is the median of its runs, as a clock on the wall shows
it. Times are for one thread, unless --concurrency says more.

  B/ROW        bytes of the stream for each row
  WRITE, READ  nanoseconds for each row
  ×            the figure before it as a multiple of the line marked 1.00

Offsets as lengths are read by ipcx and the Go package it is made of alone. FILE
itself may be compressed and have its offsets stored either way; - is standard
input.`,
		Example: `  ipcx bench table.arrow
  ipcx bench --codecs zstd --levels 1,3,7 --time 2s table.arrow
  ipcx bench --concurrency 4 --rows 1000000 large.arrow
  ipcx bench --json table.arrow | jq '.settings[] | {codec, level, bytes_per_row}'`,
		Args:              exactArgs(1, "FILE"),
		ValidArgsFunction: arrowFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			return a.bench(cmd.Context(), args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringSliceVar(&f.codecNames, "codecs", []string{"none", "lz4", "zstd"}, "the `CODECS` to measure, with commas between them")
	flags.IntSliceVar(&f.levels, "levels", []int{1, 3, 7, 11}, "the zstd `LEVELS` to measure, 1 to 22, with commas between them")
	flags.StringVar(&f.lengths, "offsets-as-lengths", "both", "measure with the option `ON`: true, false or both")
	flags.DurationVar(&f.budget, "time", 300*time.Millisecond, "how long to measure each setting; there are at least 3 runs")
	flags.IntVar(&f.concurrency, "concurrency", 1, "let a write or a read use `N` threads, arrow/ipc's too")
	flags.Int64VarP(&f.rows, "rows", "n", 0, "take only the first `N` rows, or a little more, of whole record batches")
	flags.Var(&f.size, "size", "take only the first record batches, of SIZE or a little more in memory, 0 for all")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "show no progress")
	f.limits.addTo(flags)
	completeWords(cmd, "codecs", "none", "lz4", "zstd")
	completeWords(cmd, "offsets-as-lengths", "both", "true", "false")
	return cmd
}

// check checks the flags and fills in what depends on others.
func (f *benchFlags) check(cmd *cobra.Command) error {
	for _, name := range f.codecNames {
		switch codec, ok := codecNamed(name); {
		case !ok:
			return usagef(cmd, "--codecs: %q is none of none, lz4 and zstd", name)
		case !slices.Contains(f.codecs, codec):
			f.codecs = append(f.codecs, codec)
		}
	}
	for _, level := range f.levels {
		if level < 1 || level > 22 {
			return usagef(cmd, "--levels: %d is outside 1 to 22", level)
		}
	}
	slices.Sort(f.levels)
	f.levels = slices.Compact(f.levels)
	switch {
	case len(f.codecs) == 0:
		return usagef(cmd, "--codecs names none")
	case f.lengths != "both" && f.lengths != "true" && f.lengths != "false":
		return usagef(cmd, "--offsets-as-lengths %q is none of both, true and false", f.lengths)
	case f.budget <= 0:
		return usagef(cmd, "--time %s is not more than nothing", f.budget)
	case f.concurrency < 1 || f.concurrency > 256:
		return usagef(cmd, "--concurrency %d is outside 1 to 256", f.concurrency)
	case f.rows < 0:
		return usagef(cmd, "--rows %d is less than nothing", f.rows)
	}
	return nil
}

// codecNamed returns the codec with a name of ipcx.Codec.String.
func codecNamed(name string) (ipcx.Codec, bool) {
	for _, codec := range []ipcx.Codec{ipcx.Uncompressed, ipcx.LZ4Frame, ipcx.Zstd} {
		if codec.String() == name {
			return codec, true
		}
	}
	return 0, false
}

func (a *app) bench(ctx context.Context, name string, f *benchFlags) error {
	in, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer in.close()
	t, err := loadBench(ctx, in, f)
	if err != nil {
		return err
	}
	defer t.release()

	settings, note, err := t.settings(ctx, f)
	if err != nil {
		return in.wrap(err)
	}
	progress := a.startBenchProgress(len(settings), f)
	err = t.measure(ctx, settings, f, progress.step)
	progress.stop()
	if err != nil {
		return in.wrap(err)
	}
	r := newBenchReport(in.name, t, settings, f)
	r.Note = strings.TrimSpace(t.note + " " + note)
	if f.json {
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	r.print(a.stdout)
	return nil
}

// benchTable is record batches in memory.
type benchTable struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	rows    int64
	note    string // where it is not all of the input, though nobody asked for that
}

// benchSize is how much of an input is taken where nobody says how much.
const benchSize = byteSize(1 << 28 << (bits.UintSize / 32)) // 512 MiB, or 1 GiB

// loadBench reads the record batches of an input, up to the one with the last
// row or byte to take.
func loadBench(ctx context.Context, in *input, f *benchFlags) (*benchTable, error) {
	b, err := readBatches(ctx, in, f.limits.options()...)
	if err != nil {
		return nil, err
	}
	defer b.close()
	t := &benchTable{schema: b.schema}
	for f.rows == 0 || t.rows < f.rows {
		held := b.stats().RawBodyBytes
		rec, err := b.next(ctx)
		if err == io.EOF {
			break
		}
		if f.size > 0 && held >= int64(f.size) && len(t.batches) > 0 {
			t.note = fmt.Sprintf("These are the first record batches alone, %s of them in memory: --size takes more.", humanize.IBytes(uint64(held)))
			break
		}
		if err != nil {
			t.release()
			return nil, err
		}
		rows, err := addRows(t.rows, rec.NumRows(), int64(len(t.batches)))
		if err != nil {
			t.release()
			return nil, in.wrap(err)
		}
		rec.Retain()
		t.batches = append(t.batches, rec)
		t.rows = rows
	}
	if t.rows == 0 {
		t.release()
		return nil, in.wrap(errors.New("it has no rows to measure with"))
	}
	return t, nil
}

func (t *benchTable) release() {
	for _, rec := range t.batches {
		rec.Release()
	}
}
