package main

import (
	"fmt"
	"os"
)

// gain is what two threads are worth, beside two processes.
type gain struct {
	table, op string
	how       string  // which options make use of two threads
	threads   float64 // the work of two threads in a time, that of one being 1
	processes float64 // the work of two processes
	share     float64 // the gain of threads as a part of that of processes
}

// two are ways of using two threads.
var two = []struct {
	op, how string
	setting setting
}{
	{"write", "WithCompressConcurrency(2)", setting{Codec: "zstd", Level: ownZstd, Threads: 2}},
	{"read", "WithDecompressConcurrency(2)", setting{Codec: "zstd", Level: ownZstd, Threads: 2}},
	{"read", "WithReadAhead(2)", setting{Codec: "zstd", Level: ownZstd, Ahead: 2}},
	{"read", "both", setting{Codec: "zstd", Level: ownZstd, Threads: 2, Ahead: 2}},
}

// threadsTime is how long a sample of one thread takes at least, in ns: what waking a
// process's threads takes is not in question, and garbage collection is.
const threadsTime = 100_000_000

// measureThreads compares one process of two threads, and two of one thread each,
// with one of one thread, in turns.
func measureThreads(t *table, rounds int) ([]gain, error) {
	one, err := ourProcess(1)
	if err != nil {
		return nil, err
	}
	defer one.close()
	other, err := ourProcess(1)
	if err != nil {
		return nil, err
	}
	defer other.close()
	wide, err := ourProcess(2)
	if err != nil {
		return nil, err
	}
	defer wide.close()
	for _, w := range []*worker{one, other, wide} {
		if err := w.open(t.path); err != nil {
			return nil, err
		}
	}

	var gains []gain
	single := setting{Codec: "zstd", Level: ownZstd}
	for _, way := range two {
		var threads, processes, shares []float64
		times := 1
		for round := -1; round < rounds; round++ {
			fresh := round < 0
			alone, err := one.run(way.op, single, times, fresh)
			if err != nil {
				return nil, err
			}
			first, second, err := both(one, other, way.op, single, times, fresh)
			if err != nil {
				return nil, err
			}
			double, err := wide.run(way.op, way.setting, times, fresh)
			if err != nil {
				return nil, err
			}
			if fresh {
				times = 1 + int(threadsTime/max(alone.NS, 1))
				continue
			}
			byThreads := float64(alone.NS) / float64(double.NS)
			byProcesses := float64(alone.NS)/float64(first.NS) + float64(alone.NS)/float64(second.NS)
			threads = append(threads, byThreads)
			processes = append(processes, byProcesses)
			shares = append(shares, byThreads/byProcesses)
		}
		gains = append(gains, gain{t.name, way.op, way.how, median(threads), median(processes), median(shares)})
	}
	return gains, nil
}

// both has two processes do the same at the same time.
func both(a, b *worker, op string, s setting, times int, fresh bool) (first, second sample, err error) {
	failed := make(chan error, 1)
	go func() {
		var err error
		second, err = b.run(op, s, times, fresh)
		failed <- err
	}()
	first, err = a.run(op, s, times, fresh)
	if other := <-failed; err == nil {
		err = other
	}
	return first, second, err
}

// ourProcess starts this program as a worker.
func ourProcess(procs int) (*worker, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start("ipcx", []string{fmt.Sprintf("GOMAXPROCS=%d", procs)}, self, "-worker")
}
