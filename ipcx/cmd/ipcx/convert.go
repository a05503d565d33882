package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

type convertFlags struct {
	limits    limits
	codecName string
	level     int
	lengths   bool
	to        string
	suffix    string
	columns   []string
	parallel  int
	recursive bool
	dryRun    bool
	verify    bool
	force     bool
	quiet     bool
	json      bool

	codec ipcx.Codec // that codecName names
}

func (a *app) convertCommand() *cobra.Command {
	f := &convertFlags{}
	cmd := &cobra.Command{
		Use:   "convert SRC... DST",
		Short: "Compress, decompress and reframe streams and files",
		Long: `Converts Arrow streams and files: from either to either, to any codec, and with
offsets stored as lengths or not. What is in them stays the same: schema, rows,
metadata. SRC may have any codec and offsets stored either way.

One SRC becomes the file DST, or a file of the same name in DST if that is a folder.
Several become files in the folder DST, which is made if need be; with -r, SRC may
be a folder, whose Arrow files (` + extensionList + `) keep their places
in DST. - is standard input or output.

By default the result is compressed with zstd and has its offsets stored as lengths,
which only ipcx and the Go package it is made of read. For all other readers:

  --offsets-as-lengths=false    zstd, and plain Arrow
  --codec none                  not compressed, and plain Arrow
  --codec lz4                   LZ4, and plain Arrow

DST is written beside its place and renamed at the end, so that a failure or an
interruption leaves nothing half-written; killed outright, it leaves what it wrote
in a file .arrowplanes-XXXXXXXX beside DST, which may be removed. If one SRC fails,
the others are still converted, and the exit code is 1.`,
		Example: `  ipcx convert table.arrow small.arrow                   zstd, offsets as lengths
  ipcx convert --codec none small.arrow table.arrow      back to plain Arrow
  ipcx convert -r -j 4 --verify tables/ small/           a folder, 4 files at a time
  ipcx convert --to stream table.arrow table.arrows      a file becomes a stream
  ipcx convert --columns name,city table.arrow cut.arrow
  producer | ipcx convert - - | consumer
  ipcx convert --dry-run -r tables/ small/               what it would save`,
		Args:              needArgs(2, "SRC and DST"),
		ValidArgsFunction: arrowFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(cmd); err != nil {
				return err
			}
			last := len(args) - 1
			return a.convert(cmd.Context(), cmd, args[:last], args[last], f)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.codecName, "codec", "zstd", "zstd, lz4 or none")
	flags.IntVar(&f.level, "level", 3, "zstd level, 1 to 22")
	flags.BoolVar(&f.lengths, "offsets-as-lengths", false, "store offsets as lengths; on by default with zstd, =false turns it off, and given it is on with lz4 and none too")
	flags.StringVar(&f.to, "to", "", "write a stream or a file (default: by the extension of DST, .arrows for a stream; else as SRC is)")
	flags.StringVar(&f.suffix, "suffix", "", "let names in a folder DST end in `TEXT` instead of the extension of SRC, such as .arrows or -small.arrow")
	flags.StringSliceVar(&f.columns, "columns", nil, "convert only the columns of these `NAMES`, with commas between them, in this order")
	flags.BoolVarP(&f.recursive, "recursive", "r", false, "convert the Arrow files of folders, and of the folders in them")
	flags.IntVarP(&f.parallel, "jobs", "j", min(runtime.NumCPU(), 4), "convert `N` files at a time")
	flags.BoolVar(&f.force, "force", false, "overwrite files that exist, SRC itself included")
	flags.BoolVar(&f.verify, "verify", false, "read what was written and compare every array with SRC, before DST gets its name")
	flags.BoolVar(&f.dryRun, "dry-run", false, "convert, and say what comes of it, but write nothing")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print errors only")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	f.limits.addTo(flags)
	flags.Lookup("offsets-as-lengths").DefValue = ""
	completeWords(cmd, "codec", "zstd", "lz4", "none")
	completeWords(cmd, "to", "stream", "file")
	return cmd
}

// check checks the flags and fills in what depends on others.
func (f *convertFlags) check(cmd *cobra.Command) error {
	switch f.codecName {
	case "zstd":
		f.codec = ipcx.Zstd
	case "lz4":
		f.codec = ipcx.LZ4Frame
	case "none":
		f.codec = ipcx.Uncompressed
	default:
		return usagef(cmd, "--codec %q is none of zstd, lz4 and none", f.codecName)
	}
	if !cmd.Flags().Changed("offsets-as-lengths") {
		f.lengths = f.codec == ipcx.Zstd
	}
	if err := exclusive(cmd, "quiet", "json"); err != nil {
		return err
	}
	if err := exclusive(cmd, "dry-run", "verify"); err != nil {
		return err
	}
	switch {
	case f.to != "" && f.to != "stream" && f.to != "file":
		return usagef(cmd, "--to %q is neither stream nor file", f.to)
	case cmd.Flags().Changed("level") && f.codec != ipcx.Zstd:
		return usagef(cmd, "--level is for zstd, and --codec is %s", f.codec)
	case f.level < 1 || f.level > 22:
		return usagef(cmd, "--level %d is outside 1 to 22", f.level)
	case f.parallel < 1:
		return usagef(cmd, "--jobs %d is less than 1", f.parallel)
	}
	return nil
}

// options are the options of every conversion.
func (f *convertFlags) options() []ipcx.Option {
	opts := append(f.limits.options(), ipcx.WithCodec(f.codec), ipcx.WithZstdLevel(f.level))
	if f.lengths {
		opts = append(opts, ipcx.WithOffsetsAsLengths(f.codec))
	}
	if f.columns != nil {
		opts = append(opts, ipcx.WithColumns(f.columns...))
	}
	return opts
}

func (a *app) convert(ctx context.Context, cmd *cobra.Command, sources []string, dst string, f *convertFlags) error {
	plan, err := a.plan(cmd, sources, dst, f)
	if err != nil {
		return err
	}
	report := a.stdout
	if dst == stdio {
		report = a.stderr // standard output has the data
	}
	if plan.leftOut > 0 && !f.quiet && !f.json {
		fmt.Fprintf(a.stderr, "ipcx: left out: %s without an Arrow extension (%s)\n", count(int64(plan.leftOut), "file"), extensionList)
	}
	c := &conversion{
		app:      a,
		flags:    f,
		opts:     f.options(),
		parallel: min(f.parallel, len(plan.jobs)),
		report:   report,
	}
	return c.run(ctx, plan.jobs)
}
