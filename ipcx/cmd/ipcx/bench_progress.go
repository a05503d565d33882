package main

import (
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// benchProgress is a bar on a terminal, and nothing anywhere else.
type benchProgress struct {
	container *mpb.Progress
	bar       *mpb.Bar
}

func (a *app) startBenchProgress(settings int, f *benchFlags) *benchProgress {
	p := &benchProgress{}
	if f.quiet || !isTerminal(a.stderr) {
		return p
	}
	p.container = mpb.New(mpb.WithOutput(a.stderr))
	p.bar = p.container.New(int64(settings*benchTurns), mpb.BarStyle().Rbound("] "), mpb.BarRemoveOnComplete(), mpb.BarWidth(20),
		mpb.PrependDecorators(decor.Name("measuring ")),
		mpb.AppendDecorators(decor.Percentage(), decor.AverageETA(decor.ET_STYLE_GO, decor.WC{W: 7}), decor.Name(" left")))
	return p
}

func (p *benchProgress) step(n int) {
	if p.bar != nil {
		p.bar.IncrBy(n)
	}
}

func (p *benchProgress) stop() {
	if p.bar != nil {
		p.bar.Abort(true)
		p.container.Wait()
	}
}
