// Command make writes the files that other implementations of Arrow are to
// read and to refuse, and a manifest of them:
//
//	make DIR
//
//	DIR/manifest.json          see cases.Manifest
//	DIR/reference/TABLE        by arrow-go, not compressed
//	DIR/read/FORM/TABLE        by ipcx, not flagged
//	DIR/refuse/CODEC/TABLE     by ipcx, flagged
//	DIR/accept/CODEC/TABLE     the same without the second mark
//
// TABLE ends in .arrows for a stream and in .arrow for a file.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/arrowplanes/arrowplanes/interop/cases"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: make DIR")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "make:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	o := &output{dir: dir}
	for _, table := range cases.Tables() {
		if err := o.plain(&table); err != nil {
			return fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	for _, table := range cases.Flagged() {
		if err := o.flagged(&table); err != nil {
			return fmt.Errorf("%s: %w", table.Name, err)
		}
	}
	if err := o.mixed(); err != nil {
		return fmt.Errorf("mixed: %w", err)
	}
	for i := range 3 {
		o.manifest.Values = append(o.manifest.Values, cases.Rows(i))
	}
	text, err := json.Marshal(&o.manifest)
	if err != nil {
		return err
	}
	return o.save("manifest.json", text)
}

// output is the folder that is written.
type output struct {
	dir      string
	manifest cases.Manifest
}

func (o *output) save(name string, data []byte) error {
	path := filepath.Join(o.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o644)
}
