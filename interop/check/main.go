// Command check judges what other implementations of Arrow did with the files
// of command make: it reads what they wrote, and makes a table of it all.
//
//	check DIR [FILE...]
//
// The table goes to standard output, and into those files that have a line
// "<!-- interop -->" and one "<!-- /interop -->", between the two. Anything that
// must not be is listed on standard error, and makes the command fail.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/arrowplanes/arrowplanes/interop/cases"
)

const maxFaults = 50 // printed

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: check DIR [FILE...]")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "check:", err)
		os.Exit(1)
	}
}

func run(dir string, files []string) error {
	results, err := load(filepath.Join(dir, "results"))
	if err != nil {
		return err
	}
	read, err := readTheirs(dir, results)
	if err != nil {
		return err
	}
	report := summarize(append(results, read...))
	text := report.markdown()
	fmt.Print(text)
	for _, name := range files {
		if err := insert(name, text); err != nil {
			return err
		}
	}
	for i, fault := range report.faults {
		if i == maxFaults {
			fmt.Fprintln(os.Stderr, "...")
			break
		}
		fmt.Fprintln(os.Stderr, fault)
	}
	passed := len(results) + len(read) - len(report.faults)
	fmt.Printf("%d passed, %d failed\n", passed, len(report.faults))
	if len(report.faults) > 0 {
		return fmt.Errorf("%d faults", len(report.faults))
	}
	return nil
}

// load reads the results of all implementations.
func load(dir string) ([]cases.Result, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no results in %s", dir)
	}
	var results []cases.Result
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			var r cases.Result
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
			}
			results = append(results, r)
		}
		if err := errors.Join(lines.Err(), f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return results, nil
}

const begin, end = "<!-- interop -->\n", "<!-- /interop -->\n"

// insert puts the text between the markers of a file, if it has them.
func insert(name, text string) error {
	old, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	if !ok {
		return nil
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return fmt.Errorf("%s has %q without %q", name, begin, end)
	}
	return os.WriteFile(name, []byte(before+begin+text+end+after), 0o644)
}
