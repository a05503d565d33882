//go:build !linux

package main

import "time"

// usage is not known here.
func usage() (faults int64, cpu time.Duration) { return 0, 0 }
