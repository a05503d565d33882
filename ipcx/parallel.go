package ipcx

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// parallelMin is how many bytes make it worth to start goroutines, which costs
// about a microsecond each.
const parallelMin = 64 << 10

// largestFirst calls do for every i below n in up to workers goroutines, those
// of the largest size in bytes first, so that none of them is left over at the
// end, and waits for all. It returns the lowest i that failed and its error, as
// if they had gone one after the other.
func largestFirst(workers, n int, size func(i int) int, do func(worker, i int) error) (int, error) {
	total := 0
	if workers = min(workers, n); workers > 1 {
		for i := range n {
			total += size(i)
		}
	}
	if workers <= 1 || total < parallelMin {
		for i := range n {
			if err := do(0, i); err != nil {
				return i, err
			}
		}
		return 0, nil
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(size(b), size(a)) })
	var (
		next  atomic.Int64
		wg    sync.WaitGroup
		mu    sync.Mutex
		at    = n
		first error
	)
	for worker := range workers {
		wg.Go(func() {
			for k := next.Add(1) - 1; k < int64(n); k = next.Add(1) - 1 {
				i := order[k]
				if err := do(worker, i); err != nil {
					mu.Lock()
					if i < at {
						at, first = i, err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return at, first
}
