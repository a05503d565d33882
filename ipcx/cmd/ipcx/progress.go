package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// progress shows how far a conversion is: a bar on a terminal, and now and then
// a line anywhere else.
type progress struct {
	files, finished atomic.Int64
	bytes           atomic.Int64
	total           int64 // -1 where it is not known
	container       *mpb.Progress
	bar             *mpb.Bar
	stopLines       chan struct{}
}

// linesEvery is how often there is a line where there is no terminal.
const linesEvery = 10 * time.Second

// startProgress shows the progress of jobs on standard error.
func (c *conversion) startProgress(jobs []job) *progress {
	p := &progress{}
	p.files.Store(int64(len(jobs)))
	for _, j := range jobs {
		if j.bytes < 0 {
			p.total = -1
			break
		}
		p.total += j.bytes
	}
	switch {
	case c.flags.quiet:
	case isTerminal(c.app.stderr):
		p.start(c.app.stderr)
	default:
		p.stopLines = make(chan struct{})
		go p.lines(c.app.stderr, linesEvery)
	}
	return p
}

// start shows the bar.
func (p *progress) start(w io.Writer, opts ...mpb.ContainerOption) {
	files := decor.Any(func(decor.Statistics) string {
		if p.files.Load() == 1 {
			return ""
		}
		return fmt.Sprintf("%d/%d files ", p.finished.Load(), p.files.Load())
	})
	p.container = mpb.New(append([]mpb.ContainerOption{mpb.WithOutput(w)}, opts...)...)
	if p.total < 0 {
		p.bar = p.container.AddSpinner(0, mpb.BarRemoveOnComplete(), mpb.BarWidth(1),
			mpb.PrependDecorators(files),
			mpb.AppendDecorators(
				decor.CurrentKibiByte(" % .1f"),
				decor.AverageSpeed(decor.SizeB1024(0), "  % .1f"),
				decor.Elapsed(decor.ET_STYLE_GO, decor.WC{W: 6})))
		return
	}
	p.bar = p.container.New(p.total, mpb.BarStyle().Rbound("] "), mpb.BarRemoveOnComplete(), mpb.BarWidth(20),
		mpb.PrependDecorators(files),
		mpb.AppendDecorators(
			decor.CountersKibiByte("% .1f / % .1f"),
			decor.AverageSpeed(decor.SizeB1024(0), "  % .1f"),
			decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 7}),
			decor.Name(" left")))
}

// lines prints a line now and then.
func (p *progress) lines(w io.Writer, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	start := time.Now()
	for {
		select {
		case <-p.stopLines:
			return
		case <-ticker.C:
			done := p.bytes.Load()
			rate := int64(float64(done) / time.Since(start).Seconds())
			of, left := "", ""
			if p.total >= 0 {
				of = fmt.Sprintf(" of %s (%s)", size(p.total), percent(done, p.total))
				if rate > 0 {
					left = fmt.Sprintf(", %s left", (time.Duration((p.total-done)/rate) * time.Second))
				}
			}
			fmt.Fprintf(w, "ipcx: %d of %s, %s%s read, %s/s%s\n", p.finished.Load(), count(p.files.Load(), "file"), size(done), of, size(rate), left)
		}
	}
}

// shown says whether there is a bar, which printed lines would disturb.
func (p *progress) shown() bool { return p.bar != nil }

// seen is how much of a source has been read.
type seen struct {
	p *progress
	n int64
}

func (p *progress) begin() *seen { return &seen{p: p} }

func (s *seen) add(n int64) {
	s.n += n
	s.p.advance(n)
}

func (p *progress) advance(n int64) {
	p.bytes.Add(n)
	if p.bar != nil {
		p.bar.IncrInt64(n)
	}
}

// done ends a source of so many bytes. Not all of it may have been read, and
// some of it twice.
func (p *progress) done(s *seen, bytes int64) {
	p.finished.Add(1)
	if bytes >= 0 {
		p.advance(bytes - s.n)
	}
}

// stop takes the bar away.
func (p *progress) stop() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
	}
	if p.stopLines != nil {
		close(p.stopLines)
	}
}
