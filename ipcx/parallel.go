package ipcx

import (
	"sync"
	"sync/atomic"
)

// parallel calls do for every i below n, in up to workers goroutines, and
// waits for all. After a failure nothing more is started. It returns the error
// of the lowest i that failed: every lower one was started before and has ended,
// so that the answer does not depend on how the goroutines ran.
func parallel(workers, n int, do func(worker, i int) error) error {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			if err := do(0, i); err != nil {
				return err
			}
		}
		return nil
	}
	var (
		next   atomic.Int64
		failed atomic.Bool
		mu     sync.Mutex
		first  error
		at     = n
		wg     sync.WaitGroup
	)
	for worker := range workers {
		wg.Go(func() {
			for !failed.Load() {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := do(worker, i); err != nil {
					failed.Store(true)
					mu.Lock()
					if i < at {
						first, at = err, i
					}
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	return first
}
