package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
)

// result is what a library took for a table with a setting: medians over the rounds.
type result struct {
	table     string
	rows      int
	batchRows int
	setting   setting
	peer      string
	procs     int // GOMAXPROCS, for libraries of Go

	bytes       float64 // a row
	write, read cost
}

// cost is that of writing or reading.
type cost struct {
	ns     float64 // a row
	cpu    float64 // processor time of all threads, ns a row
	allocs float64 // a batch, for libraries of Go
	alloc  float64 // bytes a row, for libraries of Go
	ours   float64 // the time that ipcx took, divided by what this took
	ourCPU float64 // the same of processor time
}

// sampleTime is how long a sample takes at least, in ns, so that neither the clock
// nor a process's answer is what is measured.
const sampleTime = 2_000_000

// measure has all peers write and read a table, in turns. Peers that do not offer
// the setting are left out. The first peer is the one that the others are compared
// with.
func measure(peers []peer, t *table, s setting, procs, rounds int) ([]result, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	var results []result
	var offered []peer
	var times []int
	for _, p := range peers {
		first, err := p.run("write", s, 1, true)
		if err == nil {
			_, err = p.run("read", s, 1, true)
		}
		if errors.Is(err, errNotOffered) {
			continue
		}
		if err != nil {
			if ofGo(p.name()) {
				return nil, err
			}
			// Some libraries of other languages do not take every table.
			fmt.Fprintf(os.Stderr, "left out with %s: %v\n", s, err)
			continue
		}
		offered = append(offered, p)
		times = append(times, 1+int(sampleTime/max(first.NS, 1)))
		results = append(results, result{
			table: t.name, rows: t.rows, batchRows: t.batchRows, setting: s, peer: p.name(), procs: procs,
			bytes: t.perRow(float64(first.Bytes)),
		})
	}
	for _, op := range []string{"write", "read"} {
		costs, err := turns(offered, t, op, s, times, rounds)
		if err != nil {
			return nil, err
		}
		for i, c := range costs {
			if op == "write" {
				results[i].write = c
			} else {
				results[i].read = c
			}
		}
	}
	return results, nil
}

// turns runs rounds of all peers, every other round in the opposite order.
func turns(peers []peer, t *table, op string, s setting, times []int, rounds int) ([]cost, error) {
	ns, cpu := make([][]float64, len(peers)), make([][]float64, len(peers))
	costs := make([]cost, len(peers))
	order := make([]int, len(peers))
	for i := range order {
		order[i] = i
	}
	runtime.GC()
	for round := -1; round < rounds; round++ { // the first one warms up
		for _, i := range order {
			got, err := peers[i].run(op, s, times[i], round < 0)
			if err != nil {
				return nil, err
			}
			if round < 0 {
				continue
			}
			n := float64(times[i])
			ns[i] = append(ns[i], t.perRow(float64(got.NS)/n))
			cpu[i] = append(cpu[i], t.perRow(float64(got.CPU)/n))
			costs[i].allocs = t.perBatch(float64(got.Mallocs) / n)
			costs[i].alloc = t.perRow(float64(got.Alloc) / n)
		}
		slices.Reverse(order)
	}
	for i := range costs {
		costs[i].ns = median(ns[i])
		costs[i].ours = median(ratios(ns[0], ns[i]))
		costs[i].cpu = median(cpu[i])
		costs[i].ourCPU = median(ratios(cpu[0], cpu[i]))
	}
	return costs, nil
}
