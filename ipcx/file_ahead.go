package ipcx

import "github.com/apache/arrow-go/v18/arrow"

// fileAhead is the record batches that a file reader reads ahead, each in a
// goroutine of its own, in order.
type fileAhead struct {
	pending []chan fileItem
}

type fileItem struct {
	rec arrow.RecordBatch
	err error
}

// next returns record batch i, which follows the one before, and has those
// behind it read.
func (a *fileAhead) next(f *FileReader, i int) (arrow.RecordBatch, error) {
	for k := i + len(a.pending); k < f.NumRecords() && len(a.pending) <= f.cfg.readAhead; k++ {
		item := make(chan fileItem, 1)
		a.pending = append(a.pending, item)
		go func() {
			rec, err := f.RecordBatchAt(k)
			item <- fileItem{rec, err}
		}()
	}
	item := <-a.pending[0]
	a.pending = append(a.pending[:0], a.pending[1:]...)
	return item.rec, item.err
}

// drain waits for what is being read and releases it.
func (a *fileAhead) drain() {
	for _, pending := range a.pending {
		if item := <-pending; item.rec != nil {
			item.rec.Release()
		}
	}
	a.pending = nil
}
