package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

type statFlags struct {
	limits   limits
	json     bool
	html     string
	estimate bool
	force    bool
}

func (a *app) statCommand() *cobra.Command {
	f := &statFlags{}
	cmd := &cobra.Command{
		Use:   "stat FILE...",
		Short: "Show where the bytes of a stream or file are",
		Long: `Shows, for each Arrow stream or file, rows, record batches, codec, how many record
batches are flagged (their offsets are stored as lengths), and for each column what
its buffers take, by role:

  validity   the bitmaps that say what is null
  offsets    of strings, binaries, lists and maps, and sizes of list views
  values     fixed-width values, indices of dictionaries, views
  data       the bytes of strings and binaries

STORED is what the buffers take in the FILE, RAW what they take once decompressed,
and RATIO the one as a share of the other. A dictionary counts for its column.
Nothing is decompressed, unless --estimate is given. FILE - is standard input.

--estimate shows what the FILE would take with zstd, and what with zstd and
--offsets-as-lengths (+LENGTHS), without writing anything.`,
		Example: `  ipcx stat table.arrow
  ipcx stat --estimate table.arrow
  ipcx stat --json *.arrow | jq '.[].stored_bytes'
  ipcx stat --html report.html table.arrow`,
		Args:              needArgs(1, "FILE"),
		ValidArgsFunction: arrowFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := exclusive(cmd, "json", "html"); err != nil {
				return err
			}
			return a.stat(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.estimate, "estimate", false, "show what zstd and --offsets-as-lengths would save")
	flags.BoolVar(&f.json, "json", false, "print a JSON array with an object for each FILE")
	flags.StringVar(&f.html, "html", "", "write a page with charts to `OUT` instead, complete in itself; - is standard output")
	flags.BoolVar(&f.force, "force", false, "overwrite OUT if it exists")
	f.limits.addTo(flags)
	return cmd
}

func (a *app) stat(ctx context.Context, names []string, f *statFlags) error {
	var (
		stats  []*fileStat
		failed error
	)
	for _, name := range names {
		s, err := a.statOne(ctx, name, f)
		if err != nil {
			a.complain(err)
			failed = &saidError{err}
			if ctx.Err() != nil {
				return failed
			}
			continue
		}
		stats = append(stats, s)
		if !f.json && f.html == "" {
			if len(stats) > 1 {
				fmt.Fprintln(a.stdout)
			}
			a.printStat(s)
		}
	}
	var err error
	switch {
	case f.json:
		err = a.printJSON(stats)
	case f.html != "" && len(stats) > 0:
		err = a.writePage(f.html, f.force, stats)
	}
	if err != nil {
		return err
	}
	return failed
}
