package ipcx

import (
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/ipc"
)

// aheadReader is a message reader that reads ahead, in a goroutine that starts
// at the first call of Message and ends with Release.
type aheadReader struct {
	refs  atomic.Int64
	mr    *messageReader // of the goroutine alone, while it runs
	start sync.Once
	stop  chan struct{}
	done  chan struct{} // closed when the goroutine has ended
	items chan aheadItem

	current aheadItem
}

// aheadItem is what a call of Message gave, and what had been read by then.
type aheadItem struct {
	msg   *ipc.Message
	err   error
	stats Stats
}

func newAheadReader(mr *messageReader, n int) *aheadReader {
	r := &aheadReader{
		mr:    mr,
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		items: make(chan aheadItem, n-1), // one more waits to be sent
	}
	r.refs.Store(1)
	return r
}

func (r *aheadReader) lastErr() error    { return r.current.err }
func (r *aheadReader) statistics() Stats { return r.current.stats }

func (r *aheadReader) Message() (*ipc.Message, error) {
	if r.current.err != nil {
		return nil, r.current.err
	}
	r.start.Do(func() { go r.run() })
	r.drop()
	r.current = <-r.items
	return r.current.msg, r.current.err
}

// run reads until an error, the end of the stream or Release.
func (r *aheadReader) run() {
	defer close(r.done)
	for {
		msg, err := r.mr.Message()
		if err == nil {
			msg.Retain() // past the next call
		}
		select {
		case r.items <- aheadItem{msg, err, r.mr.dec.stats.Stats}:
		case <-r.stop:
			if err == nil {
				msg.Release()
			}
			return
		}
		if err != nil {
			return
		}
	}
}

func (r *aheadReader) drop() {
	if r.current.msg != nil {
		r.current.msg.Release()
		r.current.msg = nil
	}
}

func (r *aheadReader) Retain() { r.refs.Add(1) }

func (r *aheadReader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	close(r.stop)
	r.start.Do(func() { close(r.done) })
	<-r.done
	r.drop()
	for {
		select {
		case item := <-r.items:
			if item.msg != nil {
				item.msg.Release()
			}
		default:
			r.mr.Release()
			return
		}
	}
}
