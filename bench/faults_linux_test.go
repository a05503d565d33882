package bench

import "syscall"

// pageFaults returns how many pages the process has had to be given so far.
func pageFaults() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Minflt
}
