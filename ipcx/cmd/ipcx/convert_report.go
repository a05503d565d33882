package main

import (
	"context"
	"fmt"
	"math"
	"time"
)

// line prints what became of a job, unless that has to wait for the end.
func (c *conversion) line(r *converted) {
	if c.progress.shown() || c.flags.quiet || c.flags.json || r.err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.printLine(r)
}

func (c *conversion) printLine(r *converted) {
	target := r.Target
	if target == stdio {
		target = "standard output"
	}
	end := ""
	switch {
	case r.Flagged > 0 && r.Flagged == r.Batches:
		end = ", offsets as lengths"
	case r.Flagged > 0:
		end = fmt.Sprintf(", offsets as lengths in %d", r.Flagged)
	}
	switch {
	case r.Verified:
		end += ", verified"
	case c.flags.dryRun:
		end += ", not written"
	}
	fmt.Fprintf(c.report, "%s: %s%s\n", printable(target), numbers(r.SourceBytes, r.TargetBytes, r.Rows, r.Batches, r.Seconds), end)
}

func numbers(before, after, rows, batches int64, seconds float64) string {
	return fmt.Sprintf("%s -> %s (%s), %s, %s, %.2f s", size(before), size(after), percent(after, before),
		count(rows, "row"), count(batches, "batch"), seconds)
}

// result is what --json prints.
type result struct {
	Conversions []converted `json:"conversions"`
	Total       total       `json:"total"`
}

type total struct {
	Files       int     `json:"files"`
	Failed      int     `json:"failed"`
	Rows        int64   `json:"rows"`
	Batches     int64   `json:"record_batches"`
	SourceBytes int64   `json:"source_bytes"`
	TargetBytes int64   `json:"target_bytes"`
	Ratio       float64 `json:"ratio"`
	Seconds     float64 `json:"seconds"`
}

// finish prints the rest and returns the error of the command.
func (c *conversion) finish(ctx context.Context, results []converted, took time.Duration) error {
	t := total{Files: len(results), Seconds: took.Seconds()}
	for i := range results {
		r := &results[i]
		if r.err != nil {
			t.Failed++
			r.Rows, r.Batches, r.Flagged, r.Dicts, r.TargetBytes, r.Ratio = 0, 0, 0, 0, 0, 0
			r.Error = printable(explain(r.err))
			continue
		}
		if c.progress.shown() && !c.flags.quiet && !c.flags.json {
			c.printLine(r)
		}
		if t.Rows += r.Rows; t.Rows < 0 {
			t.Rows = math.MaxInt64 // or more
		}
		t.Batches += r.Batches
		t.SourceBytes += r.SourceBytes
		t.TargetBytes += r.TargetBytes
	}
	t.Ratio = ratio(t.TargetBytes, t.SourceBytes)
	if c.flags.json {
		if err := c.app.printJSON(result{results, t}); err != nil {
			return err
		}
	} else if len(results) > 1 && !c.flags.quiet && t.Failed < len(results) {
		fmt.Fprintf(c.report, "%s: %s\n", count(int64(t.Files-t.Failed), "file"), numbers(t.SourceBytes, t.TargetBytes, t.Rows, t.Batches, t.Seconds))
	}
	return c.failures(ctx, results, t.Failed)
}

// failures lists what failed.
func (c *conversion) failures(ctx context.Context, results []converted, failed int) error {
	if failed == 0 {
		return nil
	}
	if ctx.Err() != nil {
		left := ""
		if len(results) > 1 {
			left = fmt.Sprintf(": %d of %s converted, the others are as they were", len(results)-failed, count(int64(len(results)), "file"))
		}
		fmt.Fprintf(c.app.stderr, "ipcx: %s%s\n", context.Cause(ctx), left)
		return &saidError{context.Cause(ctx)}
	}
	var first error
	for i := range results {
		if results[i].err == nil {
			continue
		}
		if first == nil {
			first = results[i].err
		}
		c.app.complain(results[i].err)
	}
	if len(results) > 1 {
		fmt.Fprintf(c.app.stderr, "ipcx: %d of %s not converted\n", failed, count(int64(len(results)), "file"))
	}
	return &saidError{first}
}
