package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
)

// interrupted is the cause of a context that a signal cancelled.
type interrupted struct{ signal syscall.Signal }

func (e *interrupted) Error() string { return "interrupted (" + e.signal.String() + ")" }

// interruptible returns a context that the first signal to end cancels. The
// second one ends the program at once.
func interruptible(parent context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signals = append(signals, syscall.SIGHUP)
	}
	ch := make(chan os.Signal, 1)
	signal.Notify(ch, signals...)
	// A reader that went away is an error of the write, so that temporary files
	// are removed.
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		select {
		case s := <-ch:
			signal.Stop(ch)
			number, _ := s.(syscall.Signal)
			cancel(&interrupted{number})
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// The exit codes, besides 128 and the number of the signal that ended it.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// exitCode returns the exit code for an error of a command.
func exitCode(err error) int {
	var (
		usage  *usageError
		signal *interrupted
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &signal):
		return 128 + int(signal.signal)
	case errors.Is(err, syscall.EPIPE):
		return 128 + int(syscall.SIGPIPE)
	}
	return exitFailed
}
