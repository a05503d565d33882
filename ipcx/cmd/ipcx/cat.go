package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/spf13/cobra"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

type catFlags struct {
	limits  limits
	format  string
	rows    int64
	skip    int64
	columns []string
	null    string
	header  bool
}

const (
	// tableRows is how many rows a table shows where nobody says how many.
	tableRows = 20

	// tableMost is how many values a table has at most: it is in memory until the
	// widths of its columns are known.
	tableMost = 1 << 18
)

func (a *app) catCommand() *cobra.Command {
	f := &catFlags{}
	cmd := &cobra.Command{
		Use:   "cat FILE",
		Short: "Print rows as CSV, JSON lines or a table",
		Long: `Prints the rows of an Arrow stream or file. FILE - is standard input.

--format table is for people: it shows 20 rows unless -n says otherwise, with at most
262,144 values in all, and cuts long values. --format csv and json (one object a
line) print all rows as they are.
Without --format it is a table on a terminal, and CSV anywhere else.

With --columns only those columns are read and decompressed.`,
		Example: `  ipcx cat table.arrow
  ipcx cat -n 5 --skip 1000 --columns name,city table.arrow
  ipcx cat --format csv table.arrow > table.csv
  ipcx cat --format json table.arrow | jq .name`,
		Args:              exactArgs(1, "FILE"),
		ValidArgsFunction: arrowFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("rows") {
				f.rows = -1
			}
			if err := f.check(cmd, isTerminal(a.stdout)); err != nil {
				return err
			}
			return a.cat(cmd.Context(), args[0], f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.format, "format", "", "csv, json or table")
	flags.Int64VarP(&f.rows, "rows", "n", 0, "print at most `N` rows, -1 for all")
	flags.Lookup("rows").DefValue = ""
	flags.Int64Var(&f.skip, "skip", 0, "leave out the first `N` rows")
	flags.StringSliceVar(&f.columns, "columns", nil, "print only the columns of these `NAMES`, with commas between them, in this order")
	flags.StringVar(&f.null, "null", "", "print null values of CSV as `TEXT`")
	flags.BoolVar(&f.header, "header", true, "begin CSV with the names of the columns")
	f.limits.addTo(flags)
	completeWords(cmd, "format", "csv", "json", "table")
	return cmd
}

// check checks the flags and fills in what depends on others.
func (f *catFlags) check(cmd *cobra.Command, terminal bool) error {
	switch f.format {
	case "":
		f.format = "csv"
		if terminal {
			f.format = "table"
		}
	case "csv", "json", "table":
	default:
		return usagef(cmd, "--format %q is none of csv, json and table", f.format)
	}
	if f.skip < 0 {
		return usagef(cmd, "--skip %d is negative", f.skip)
	}
	if f.format == "table" && !cmd.Flags().Changed("rows") {
		f.rows = tableRows
	}
	return nil
}

// rowPrinter prints rows in some format.
type rowPrinter interface {
	begin(schema *arrow.Schema) error
	print(rec arrow.RecordBatch) error
	end(more bool) error // more says that rows were left out
}

func (a *app) cat(ctx context.Context, name string, f *catFlags) error {
	in, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer in.close()
	opts := f.limits.options()
	if f.columns != nil {
		opts = append(opts, ipcx.WithColumns(f.columns...))
	}
	b, err := readBatches(ctx, in, append(opts, ipcx.WithValidation())...)
	if err != nil {
		return err
	}
	defer b.close()

	skip, err := b.skip(f.skip, f.limits.options())
	if err != nil {
		return err
	}
	var failed error
	err = through(ctx, a.stdout, func(w io.Writer) error {
		out := bufio.NewWriter(w)
		p, rows := f.printer(out, terminalWidth(a.stdout), b.schema.NumFields())
		failed = printRows(ctx, b, p, skip, rows)
		return out.Flush() // the rows before a fault too
	})
	if failed != nil {
		return failed
	}
	return err
}

// printer returns what prints rows of so many columns to w, a terminal of a width or
// 0, and how many of them, all if that is negative.
func (f *catFlags) printer(w io.Writer, width, columns int) (rowPrinter, int64) {
	switch f.format {
	case "json":
		return &jsonPrinter{w: w}, f.rows
	case "table":
		p := &tablePrinter{w: w, width: width, hint: "-n N shows N, -n -1 all"}
		most := int64(max(1, tableMost/max(1, columns)))
		if f.rows >= 0 && f.rows <= most {
			return p, f.rows
		}
		p.hint = "--format csv prints all"
		return p, most
	}
	return newCSVPrinter(w, f.null, f.header), f.rows
}

// rowsAtOnce is how many rows are printed before a look at whether to go on.
const rowsAtOnce = 1 << 14

// printRows prints at most n rows after the first skip ones, all if n is
// negative.
func printRows(ctx context.Context, b *batches, p rowPrinter, skip, n int64) error {
	if err := p.begin(b.schema); err != nil {
		return err
	}
	counter := newRowCounter(b.schema)
	for {
		rec, err := b.next(ctx)
		if err == io.EOF {
			return p.end(false)
		}
		if err != nil {
			return err
		}
		if skip >= rec.NumRows() {
			skip -= rec.NumRows()
			continue
		}
		if n == 0 {
			return p.end(true)
		}
		end := rec.NumRows()
		if n >= 0 {
			end = min(end, skip+n)
			n -= end - skip
		}
		for ; skip < end; skip += rowsAtOnce {
			if ctx.Err() != nil {
				return b.in.wrap(context.Cause(ctx))
			}
			if err := printPart(p, counter, rec, skip, min(end, skip+rowsAtOnce)); err != nil {
				return b.in.wrap(&placeError{b.i - 1, "", err})
			}
		}
		skip = 0
		if n == 0 && end < rec.NumRows() {
			return p.end(true)
		}
	}
}

// printPart prints the rows from start to end, or those before one that is too long.
func printPart(p rowPrinter, counter *rowCounter, rec arrow.RecordBatch, start, end int64) error {
	part := rec.NewSlice(start, end)
	defer part.Release()
	return guard(func() error {
		rows, tooLong := counter.fit(part)
		if tooLong != nil {
			tooLong = fmt.Errorf("row %d: %w", start+rows, tooLong)
			before := part.NewSlice(0, rows)
			defer before.Release()
			return errors.Join(p.print(before), tooLong)
		}
		return p.print(part)
	})
}

// completeWords completes the values of a flag.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
