package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"
)

const (
	benchTurns = 10 // of a setting, if they are short enough
	leastRuns  = 3
)

// samples are how long the runs of a setting took.
type samples struct {
	write, read []time.Duration
	spent       time.Duration
}

// measure has the settings take turns until each has had its time. step is called
// for each of the benchTurns of a setting that is over, or will not come.
func (t *benchTable) measure(ctx context.Context, settings []*benchSetting, f *benchFlags, step func(n int)) error {
	// Codecs of arrow-go start goroutines whatever their options say.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(f.concurrency))
	var active []*benchSetting
	for _, s := range settings {
		switch err := t.prepare(ctx, s); {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && s.Writer == arrowWriter:
			s.Error = printable(err.Error())
			step(benchTurns)
		case err != nil:
			return fmt.Errorf("%v: %w", s, err)
		default:
			active = append(active, s)
		}
	}
	for turn := 1; len(active) > 0; turn++ {
		still := active[:0]
		for _, s := range active {
			if err := guard(func() error { return t.turn(ctx, s, f.budget/benchTurns) }); err != nil {
				return fmt.Errorf("%v: %w", s, err)
			}
			if turn <= benchTurns {
				step(1)
			}
			if s.samples.spent < f.budget || len(s.samples.read) < leastRuns {
				still = append(still, s)
			} else {
				step(max(0, benchTurns-turn))
			}
		}
		active = still
	}
	for _, s := range settings {
		s.settle(t.rows)
	}
	return nil
}

// prepare writes and reads a setting once. It keeps the stream for the reads to
// come.
func (t *benchTable) prepare(ctx context.Context, s *benchSetting) error {
	return guard(func() error {
		var out bytes.Buffer
		if err := t.write(ctx, s, &out); err != nil {
			return err
		}
		s.stream, s.Bytes = out.Bytes(), int64(out.Len())
		rows, err := s.read(ctx)
		if err != nil {
			return err
		}
		if rows != t.rows {
			return fmt.Errorf("%d rows were written, and %d read", t.rows, rows)
		}
		return nil
	})
}

// turn writes and reads for as long as a turn is, at least once.
func (t *benchTable) turn(ctx context.Context, s *benchSetting, long time.Duration) error {
	runtime.GC() // what others left is theirs
	for spent := time.Duration(0); spent == 0 || spent < long; {
		start := time.Now()
		if err := t.write(ctx, s, io.Discard); err != nil {
			return err
		}
		written := time.Now()
		if _, err := s.read(ctx); err != nil {
			return err
		}
		read := time.Now()
		s.samples.write = append(s.samples.write, written.Sub(start))
		s.samples.read = append(s.samples.read, read.Sub(written))
		spent += max(read.Sub(start), 1)
		s.samples.spent += read.Sub(start)
	}
	return nil
}

// settle makes figures of the samples.
func (s *benchSetting) settle(rows int64) {
	if s.Error != "" {
		return
	}
	s.Runs = len(s.samples.read)
	s.BytesPerRow = float64(s.Bytes) / float64(rows)
	s.WriteNs = float64(median(s.samples.write)) / float64(rows)
	s.ReadNs = float64(median(s.samples.read)) / float64(rows)
}

// median returns the median of some durations, of which it takes the lower of two.
func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[(len(all)-1)/2]
}
