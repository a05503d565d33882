package main

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/vbauerster/mpb/v8"
)

// lockedBuilder is a strings.Builder for several goroutines.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func TestProgressBar(t *testing.T) {
	for total, want := range map[int64]string{
		4 << 20: `1/2 files .*\[=+>-+\].*2\.0 MiB / 4\.0 MiB +\d+\.\d [KMG]iB/s +\S+ left`,
		-1:      `1/2 files .*2\.0 MiB +\d+\.\d [KMG]iB/s`,
	} {
		var out lockedBuilder
		p := &progress{total: total}
		p.files.Store(2)
		p.start(&out, mpb.WithAutoRefresh())
		s := p.begin()
		time.Sleep(10 * time.Millisecond)
		s.add(1 << 20)
		p.done(s, 2<<20) // only half of the first was read
		require.Eventually(t, func() bool {
			return strings.Contains(out.String(), "2.0 MiB")
		}, 10*time.Second, 10*time.Millisecond)
		require.True(t, p.shown())
		p.stop()
		require.Regexp(t, want, out.String())
	}
}

func TestProgressLines(t *testing.T) {
	var out lockedBuilder
	p := &progress{total: 4 << 20, stopLines: make(chan struct{})}
	p.files.Store(2)
	s := p.begin()
	s.add(3 << 20)
	p.done(s, 2<<20) // some of it was read twice
	go p.lines(&out, 20*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(out.String(), "\n") }, 10*time.Second, time.Millisecond)
	p.stop()
	require.False(t, p.shown())
	require.Regexp(t, `^ipcx: 1 of 2 files, 2\.0 MiB of 4\.0 MiB \(50\.0 %\) read, \S+ [KMG]iB/s, \S+ left\n`, out.String())
}
