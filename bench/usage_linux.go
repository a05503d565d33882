package main

import (
	"syscall"
	"time"
)

// usage returns how many pages the process has had to be given so far, and how
// much processor time it has used, which on a machine that others use as well
// says more than the time that passed.
func usage() (faults int64, cpu time.Duration) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, 0
	}
	return int64(u.Minflt), time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
