package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// app is what the commands have in common.
type app struct {
	stdin  io.Reader
	stdout io.Writer
	stderr io.Writer
}

// run runs the tool with its arguments, and returns its exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin, stdout, stderr}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := guard(func() error { return root.ExecuteContext(ctx) })
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	a.complain(err)
	return exitCode(err)
}

// guard turns a panic into an error: arrow-go panics on some arrays that do not
// hold what they say.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return f()
}

// complain prints an error, if it has not been printed yet.
func (a *app) complain(err error) {
	var (
		usage *usageError
		said  *saidError
	)
	switch {
	case err == nil, errors.As(err, &said), errors.Is(err, syscall.EPIPE):
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "ipcx: %s (see %s --help)\n", printable(err.Error()), usage.command)
	default:
		fmt.Fprintf(a.stderr, "ipcx: %s\n", printable(explain(err)))
	}
}

// usageError is the error of a command line that makes no sense.
type usageError struct {
	error
	command string // the command's path
}

func (e *usageError) Unwrap() error { return e.error }

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...), cmd.CommandPath()}
}

// saidError is an error that has been printed.
type saidError struct{ error }

func (e *saidError) Unwrap() error { return e.error }

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ipcx",
		Short: "Convert, inspect, check and print Arrow IPC streams and files",
		Long: `ipcx converts, inspects, checks and prints Arrow IPC streams and files (the
file form is also known as Feather V2).

It can store the offsets of strings, binaries, lists and maps as lengths in
byte planes, which compress far better. Record batches stored that way are
flagged: only ipcx and the Go package it is made of read them, any other reader
refuses them. "ipcx convert --codec none" turns them into plain Arrow again.`,
		Example: `  ipcx convert table.arrow small.arrow       compress with zstd, offsets as lengths
  ipcx convert --codec none small.arrow table.arrow     and back to plain Arrow
  ipcx convert -r -j 4 tables/ small/        all Arrow files of a folder
  ipcx stat --estimate table.arrow           where the bytes are, and what could be saved
  ipcx verify *.arrow                        read everything and check it
  ipcx cat -n 10 table.arrow                 the first rows`,
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "no command %q", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), ".FlagUsages", ".FlagUsagesWrapped 80"))
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usagef(cmd, "%w", err) })
	root.AddCommand(a.convertCommand(), a.statCommand(), a.benchCommand(), a.verifyCommand(), a.catCommand(), a.schemaCommand())
	return root
}

// version says what the binary was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "ipcx of an unknown version"
	}
	v := "ipcx " + info.Main.Version
	if info.Main.Version == "" {
		v = "ipcx (devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" && !strings.Contains(v, revision[:min(12, len(revision))]) {
		v += " (" + revision[:min(12, len(revision))]
		if settings["vcs.modified"] == "true" {
			v += ", modified"
		}
		v += ")"
	}
	for _, dep := range info.Deps {
		if dep.Path == "github.com/apache/arrow-go/v18" {
			v += ", arrow-go " + dep.Version
		}
	}
	return v + ", " + info.GoVersion
}

// isTerminal says whether what is written to w, or read from it, is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth returns how many characters a line of a terminal has, 0 where w
// is none.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// needArgs returns a check that there are at least n arguments.
func needArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < n {
			return usagef(cmd, "%s: %d given where at least %d are needed", what, len(args), n)
		}
		return nil
	}
}

// exclusive refuses two flags at once.
func exclusive(cmd *cobra.Command, one, other string) error {
	if cmd.Flags().Changed(one) && cmd.Flags().Changed(other) {
		return usagef(cmd, "--%s and --%s exclude each other", one, other)
	}
	return nil
}

// arrowFiles completes the names of Arrow files and of folders.
func arrowFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var extensions []string
	for ext := range extensionFormats {
		extensions = append(extensions, strings.TrimPrefix(ext, "."))
	}
	return extensions, cobra.ShellCompDirectiveFilterFileExt
}

// exactArgs returns a check that there are n arguments.
func exactArgs(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return usagef(cmd, "%s: %d given where %d is needed", what, len(args), n)
		}
		return nil
	}
}
