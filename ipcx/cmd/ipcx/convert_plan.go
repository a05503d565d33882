package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// extensionFormats has the usual extensions of Arrow files and streams.
var extensionFormats = map[string]ipcx.Format{
	".arrow":   ipcx.FileFormat,
	".feather": ipcx.FileFormat,
	".ipc":     ipcx.FileFormat,
	".arrows":  ipcx.StreamFormat,
}

const extensionList = ".arrow, .arrows, .feather, .ipc"

// job is a source with where it goes.
type job struct {
	src, dst string
	bytes    int64 // of src, -1 where it is not known
	exists   bool  // what dst names
	special  bool  // dst is a device or a pipe, to write to as it is
	mkdir    bool  // the folder of dst may have to be made
	named    bool  // dst is what the user wrote, and its extension tells the format
}

// plan is what a command line asks for.
type plan struct {
	jobs    []job
	leftOut int // files of folders that are no Arrow files by their names
}

// plan finds out what is to become what.
func (a *app) plan(cmd *cobra.Command, sources []string, dst string, f *convertFlags) (*plan, error) {
	p := &plan{}
	intoFolder := len(sources) > 1 || strings.HasSuffix(dst, string(filepath.Separator)) || isFolder(dst)
	for _, src := range sources {
		intoFolder = intoFolder || isFolder(src)
	}
	switch {
	case dst == stdio && intoFolder:
		return nil, usagef(cmd, "standard output takes one SRC, no folder")
	case dst == stdio && f.verify:
		return nil, usagef(cmd, "--verify cannot read standard output again")
	case dst == stdio && f.json && !f.dryRun:
		return nil, usagef(cmd, "--json would mix with the data on standard output")
	case dst == stdio && !f.dryRun && isTerminal(a.stdout):
		return nil, usagef(cmd, "standard output is a terminal, and Arrow data is no text: name a DST, or see ipcx cat")
	case f.suffix != "" && !intoFolder:
		return nil, usagef(cmd, "--suffix is for a folder DST")
	case strings.ContainsAny(f.suffix, `/\`):
		return nil, usagef(cmd, "--suffix %q has a path separator", f.suffix)
	}
	for _, src := range sources {
		if err := p.source(cmd, src, dst, intoFolder, f); err != nil {
			return nil, err
		}
	}
	if len(p.jobs) == 0 {
		return nil, errors.New("no Arrow files found: a folder is searched for the extensions " + extensionList)
	}
	return p, p.look(cmd)
}

// source adds the jobs of a source.
func (p *plan) source(cmd *cobra.Command, src, dst string, intoFolder bool, f *convertFlags) error {
	switch {
	case src == stdio && intoFolder:
		return usagef(cmd, "standard input has no name for a file in a folder: name one")
	case src == stdio && f.verify:
		return usagef(cmd, "--verify cannot read standard input again")
	case isFolder(src) && !f.recursive:
		return usagef(cmd, "%s is a folder: add -r for the Arrow files in it", src)
	case isFolder(src):
		return p.folder(src, dst, f)
	case intoFolder:
		p.jobs = append(p.jobs, job{src: src, dst: filepath.Join(dst, targetName(filepath.Base(src), f)), mkdir: true, named: f.suffix != ""})
	default:
		p.jobs = append(p.jobs, job{src: src, dst: dst, named: true})
	}
	return nil
}

// folder adds the Arrow files of a folder.
func (p *plan) folder(src, dst string, f *convertFlags) error {
	target, _ := filepath.Abs(dst)
	return filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != src && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			if abs, _ := filepath.Abs(path); path != src && abs == target {
				return fs.SkipDir // what an earlier run has written
			}
			return nil
		}
		if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
			return nil
		}
		if _, ok := extensionFormats[strings.ToLower(filepath.Ext(path))]; !ok {
			p.leftOut++
			return nil
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		rel = filepath.Join(filepath.Dir(rel), targetName(filepath.Base(rel), f))
		p.jobs = append(p.jobs, job{src: path, dst: filepath.Join(dst, rel), mkdir: true, named: f.suffix != ""})
		return nil
	})
}

// targetName returns the name in a folder of what comes of a file.
func targetName(name string, f *convertFlags) string {
	ext := filepath.Ext(name)
	format, known := extensionFormats[strings.ToLower(ext)]
	switch {
	case f.suffix != "" && known:
		return strings.TrimSuffix(name, ext) + f.suffix
	case f.suffix != "":
		return name + f.suffix
	case f.to == "stream" && known && format == ipcx.FileFormat:
		return strings.TrimSuffix(name, ext) + ".arrows"
	case f.to == "file" && known && format == ipcx.StreamFormat:
		return strings.TrimSuffix(name, ext) + ".arrow"
	}
	return name
}

// look looks at what is there already, and refuses two sources for one target.
func (p *plan) look(cmd *cobra.Command) error {
	sources := make(map[string]string, len(p.jobs))
	for i := range p.jobs {
		j := &p.jobs[i]
		j.bytes = -1
		if info, err := os.Stat(j.src); err == nil && info.Mode().IsRegular() && j.src != stdio {
			j.bytes = info.Size()
		}
		if j.dst == stdio {
			continue
		}
		if other, ok := sources[filepath.Clean(j.dst)]; ok {
			return usagef(cmd, "%s and %s would both become %s", other, j.src, j.dst)
		}
		sources[filepath.Clean(j.dst)] = j.src
		if info, err := os.Stat(j.dst); err == nil {
			j.exists = true
			j.special = !info.Mode().IsRegular()
		}
	}
	return nil
}

// format returns what is to be written.
func (j *job) format(in *input, f *convertFlags) ipcx.Format {
	switch f.to {
	case "stream":
		return ipcx.StreamFormat
	case "file":
		return ipcx.FileFormat
	}
	if format, ok := extensionFormats[strings.ToLower(filepath.Ext(j.dst))]; ok && j.named {
		return format
	}
	return in.format()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return path != stdio && err == nil && info.IsDir()
}
