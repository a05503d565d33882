package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

type verifyFlags struct {
	limits limits
	json   bool
	quiet  bool
}

func (a *app) verifyCommand() *cobra.Command {
	f := &verifyFlags{}
	cmd := &cobra.Command{
		Use:   "verify FILE...",
		Short: "Read everything and check it",
		Long: `Reads every record batch of Arrow streams and files, decompresses all of it, and
checks every array in full and at every depth, dictionaries included: lengths of
buffers and children, null counts, that offsets do not decrease and stay inside of
their data, UTF-8, indices, views, type ids and run ends. Checksums are checked
where there are any.

Prints a line for each FILE, and of one that is not good the first fault with its
place: record batch and column. FILE - is standard input. The exit code is 1 if
any FILE is not good.`,
		Example: `  ipcx verify table.arrow
  ipcx verify --quiet *.arrow && echo all good
  ipcx verify - < table.arrow`,
		Args:              needArgs(1, "FILE"),
		ValidArgsFunction: arrowFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.verify(cmd.Context(), args, f)
		},
	}
	flags := cmd.Flags()
	f.limits.addTo(flags)
	flags.BoolVar(&f.json, "json", false, "print a JSON array with an object for each FILE")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print faults only")
	return cmd
}

// verified is what became of one file.
type verified struct {
	File    string `json:"file"`
	Format  string `json:"format,omitempty"`
	Good    bool   `json:"good"`
	Rows    int64  `json:"rows"`
	Batches int    `json:"record_batches"` // that are good
	Error   string `json:"error,omitempty"`
	err     error
}

func (a *app) verify(ctx context.Context, names []string, f *verifyFlags) error {
	var (
		results []verified
		failed  error
	)
	for _, name := range names {
		v := a.verifyOne(ctx, name, f)
		if v.err != nil {
			v.Error = printable(explain(v.err))
			failed = &saidError{v.err}
		}
		switch {
		case f.json:
			results = append(results, v)
		case v.err != nil:
			fmt.Fprintf(a.stderr, "ipcx: %s\n", v.Error)
		case !f.quiet:
			fmt.Fprintf(a.stdout, "%s: good, %s in %s\n", printable(v.File), count(v.Rows, "row"), count(int64(v.Batches), "record batch"))
		}
		if ctx.Err() != nil {
			break
		}
	}
	if f.json {
		if err := a.printJSON(results); err != nil {
			return err
		}
	}
	return failed
}

func (a *app) verifyOne(ctx context.Context, name string, f *verifyFlags) verified {
	v := verified{File: name}
	in, err := a.open(ctx, name)
	if err != nil {
		v.err = err
		return v
	}
	defer in.close()
	v.File, v.Format = in.name, in.format().String()
	b, err := readBatches(ctx, in, append(f.limits.options(), ipcx.WithValidation())...)
	if err != nil {
		v.err = err
		return v
	}
	defer b.close()
	for {
		rec, err := b.next(ctx)
		if err == io.EOF {
			v.Good = true
			return v
		}
		if err != nil {
			v.err = err
			return v
		}
		rows, err := addRows(v.Rows, rec.NumRows(), int64(v.Batches))
		if err != nil {
			v.err = in.wrap(err)
			return v
		}
		v.Rows = rows
		v.Batches++
	}
}

// printJSON prints a value as indented JSON.
func (a *app) printJSON(v any) error {
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
