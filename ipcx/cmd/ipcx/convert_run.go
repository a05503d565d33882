package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/arrowplanes/arrowplanes/internal/beside"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

var errExists = errors.New("it exists already: add --force to overwrite it")

// conversion is a run of the convert command.
type conversion struct {
	app      *app
	flags    *convertFlags
	opts     []ipcx.Option
	parallel int
	report   io.Writer
	progress *progress

	mu sync.Mutex // of what is printed
}

// converted is what became of a job.
type converted struct {
	Source      string  `json:"source"`
	Target      string  `json:"target"`
	Format      string  `json:"format,omitempty"`
	Rows        int64   `json:"rows"`
	Batches     int64   `json:"record_batches"`
	Flagged     int64   `json:"flagged_batches"`
	Dicts       int64   `json:"dictionary_batches"`
	SourceBytes int64   `json:"source_bytes"`
	TargetBytes int64   `json:"target_bytes"`
	Ratio       float64 `json:"ratio"`
	Seconds     float64 `json:"seconds"`
	Verified    bool    `json:"verified,omitempty"`
	Error       string  `json:"error,omitempty"`

	err error
}

// run does the jobs, several at a time.
func (c *conversion) run(ctx context.Context, jobs []job) error {
	start := time.Now()
	c.progress = c.startProgress(jobs)
	results := make([]converted, len(jobs))
	next := make(chan int)
	var workers sync.WaitGroup
	for range c.parallel {
		workers.Go(func() {
			for i := range next {
				results[i] = c.job(ctx, &jobs[i])
			}
		})
	}
	for i := range jobs {
		if ctx.Err() != nil {
			results[i] = converted{Source: jobs[i].src, Target: jobs[i].dst, err: context.Cause(ctx)}
			continue
		}
		next <- i
	}
	close(next)
	workers.Wait()
	c.progress.stop()
	return c.finish(ctx, results, time.Since(start))
}

// job does one job.
func (c *conversion) job(ctx context.Context, j *job) converted {
	start := time.Now()
	r := converted{Source: j.src, Target: j.dst, SourceBytes: max(j.bytes, 0)}
	seen := c.progress.begin()
	err := guard(func() error { return c.convert(ctx, j, &r, seen) })
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		r.err, r.Error = err, printable(explain(err))
	}
	r.Ratio = ratio(r.TargetBytes, r.SourceBytes)
	r.Seconds = time.Since(start).Seconds()
	c.progress.done(seen, j.bytes)
	c.line(&r)
	return r
}

func (c *conversion) convert(ctx context.Context, j *job, r *converted, seen *seen) error {
	if j.exists && !j.special && !c.flags.force {
		return &fileError{name: j.dst, err: errExists}
	}
	in, err := c.app.open(ctx, j.src)
	if err != nil {
		return err
	}
	defer in.close()
	in.tick = seen.add
	format := j.format(in, c.flags)
	r.Format = format.String()
	opts := append(slices.Clone(c.opts), ipcx.WithFormat(format),
		ipcx.WithCompressConcurrency(max(1, runtime.GOMAXPROCS(0)/c.parallel)))

	write := func(w io.Writer) error {
		out := &countingWriter{w: w}
		stats, err := ipcx.Convert(ctx, out, in.reader(), opts...)
		r.Rows, r.Batches, r.Flagged, r.Dicts = stats.Rows, stats.RecordBatches, stats.FlaggedBatches, stats.DictionaryBatches
		r.TargetBytes = out.n
		if r.SourceBytes = in.size; in.file == nil {
			r.SourceBytes = in.seen.Load()
		}
		in.tick = nil
		return in.wrap(err)
	}
	switch {
	case c.flags.dryRun:
		return write(io.Discard)
	case j.dst == stdio:
		return through(ctx, c.app.stdout, write)
	case j.special:
		return c.special(ctx, j, write)
	}
	return c.replace(ctx, j, in, r, write)
}

// replace writes a file, which takes the place of one that exists.
func (c *conversion) replace(ctx context.Context, j *job, in *input, r *converted, write func(io.Writer) error) error {
	if j.mkdir {
		if err := os.MkdirAll(filepath.Dir(j.dst), 0o777); err != nil {
			return &fileError{name: j.dst, err: err}
		}
	}
	var failed error
	err := beside.Write(j.dst, in.perm, func(f *beside.File) error {
		if failed = write(f); failed != nil {
			return failed
		}
		if c.flags.verify {
			if failed = c.compare(ctx, in, f.File); failed != nil {
				return failed
			}
			r.Verified = true
		}
		failed = context.Cause(ctx) // rather than a file that nobody waits for
		return failed
	})
	if err != nil && failed == nil {
		err = &fileError{name: j.dst, err: err}
	}
	return err
}

// special writes to a device or a pipe.
func (c *conversion) special(ctx context.Context, j *job, write func(io.Writer) error) error {
	if c.flags.verify {
		return &fileError{name: j.dst, err: errors.New("--verify cannot read it again, it is no regular file")}
	}
	f, err := os.OpenFile(j.dst, os.O_WRONLY, 0)
	if err != nil {
		return &fileError{name: j.dst, err: err}
	}
	defer f.Close()
	return through(ctx, f, write)
}

// through has write write to w, which may make it wait.
func through(ctx context.Context, w io.Writer, write func(io.Writer) error) error {
	out := newCancellableWriter(ctx, w)
	if err := write(out); err != nil {
		_ = out.CloseWithError(err)
		return err
	}
	return out.Close()
}
