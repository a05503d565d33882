package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// request is what a process is asked, and answer what it says: lines of JSON on
// its standard input and output. python/peers.py answers the same requests.
type request struct {
	Op    string `json:"op"` // open, write, read
	Path  string `json:"path"`
	Times int    `json:"times"`
	Fresh bool   `json:"fresh"`
	setting
}

type answer struct {
	Version     string `json:"version"`
	Unsupported bool   `json:"unsupported"`
	Error       string `json:"error"`
	sample
}

// worker is a library in a process of its own.
type worker struct {
	label   string
	version string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
}

// start starts a process that answers requests.
func start(label string, env []string, name string, args ...string) (*worker, error) {
	w := &worker{label: label, cmd: exec.Command(name, args...)}
	w.cmd.Env = append(os.Environ(), env...)
	w.cmd.Stderr = os.Stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReader(out)
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", label, err)
	}
	return w, nil
}

func (w *worker) name() string { return w.label }

// close ends the process and waits for it.
func (w *worker) close() error {
	w.in.Close()
	return w.cmd.Wait()
}

func (w *worker) open(path string) error {
	a, err := w.ask(request{Op: "open", Path: path})
	w.version = a.Version
	return err
}

func (w *worker) run(op string, s setting, times int, fresh bool) (sample, error) {
	a, err := w.ask(request{Op: op, setting: s, Times: times, Fresh: fresh})
	return a.sample, err
}

func (w *worker) ask(q request) (a answer, err error) {
	if err := json.NewEncoder(w.in).Encode(q); err != nil {
		return a, fmt.Errorf("%s: %w", w.label, err)
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("%s: %w", w.label, err)
	}
	if err := json.Unmarshal(line, &a); err != nil {
		return a, fmt.Errorf("%s: %w", w.label, err)
	}
	switch {
	case a.Unsupported:
		return a, errNotOffered
	case a.Error != "":
		return a, fmt.Errorf("%s: %s", w.label, a.Error)
	}
	return a, nil
}

// serve answers requests with a library of this process, until there are no more.
func serve(p peer, in io.Reader, out io.Writer) error {
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var q request
		if err := requests.Decode(&q); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var a answer
		var err error
		if q.Op == "open" {
			err = p.open(q.Path)
		} else {
			a.sample, err = p.run(q.Op, q.setting, q.Times, q.Fresh)
		}
		if errors.Is(err, errNotOffered) {
			a.Unsupported = true
		} else if err != nil {
			a.Error = err.Error()
		}
		if err := answers.Encode(a); err != nil {
			return err
		}
	}
}
