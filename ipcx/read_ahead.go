package ipcx

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

// aheadReader is a message reader that reads ahead, in a goroutine that starts at
// the first call of Message and ends with Release. Bodies are decoded in further
// ones, several at a time, and given in their order:
//
//	source -> run: metadata, stored body, measure -+-> unpacker -+-> Message
//	                                               +-> unpacker -+
type aheadReader struct {
	refs  atomic.Int64
	mr    *messageReader // of the goroutine alone, while it runs
	start sync.Once
	stop  chan struct{}
	done  chan struct{}       // closed when run has ended
	items chan chan aheadItem // one for each message, which gets one item

	idle  chan *unpacker
	made  int
	bound int // of made

	current aheadItem
}

// aheadItem is what a call of Message gives, and what has been read by then.
type aheadItem struct {
	msg   *ipc.Message
	err   error
	stats Stats
}

// unpacker decodes a body at a time, beside others of its kind.
type unpacker struct {
	dec    *Decoder // has what the reader's own one has lent it
	stored readbuf.Buffer
}

func newAheadReader(mr *messageReader, n int) *aheadReader {
	bound := min(n, runtime.GOMAXPROCS(0))
	r := &aheadReader{
		mr:    mr,
		stop:  make(chan struct{}),
		done:  make(chan struct{}),
		items: make(chan chan aheadItem, n-1), // one more waits to be sent
		idle:  make(chan *unpacker, bound),
		bound: bound,
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
	r.current = <-<-r.items
	return r.current.msg, r.current.err
}

// run reads until an error, the end of the stream or Release.
func (r *aheadReader) run() {
	defer close(r.done)
	for more := true; more; {
		item := make(chan aheadItem, 1)
		more = r.read(item)
		select {
		case r.items <- item:
		case <-r.stop:
			(<-item).drop()
			return
		}
	}
}

// read reads the next message and sees to it that item gets it. It says whether
// there may be another one.
func (r *aheadReader) read(item chan<- aheadItem) (more bool) {
	dec := r.mr.dec
	give := func(msg *ipc.Message, err error) bool {
		if err != nil {
			err = dec.doubt(err)
		}
		item <- aheadItem{msg, err, dec.stats.Stats}
		return err == nil
	}
	metadata, next, err := r.mr.wanted()
	if err != nil {
		return give(nil, err)
	}
	if next == handOn {
		return give(r.mr.share(metadata))
	}
	u := r.unpacker()
	stored, err := r.mr.src.bodyIn(&u.stored, dec.in.bodyLength)
	if err != nil {
		r.idle <- u
		return give(nil, err)
	}
	msg, body, err := measuredMessage(dec, wholeBody(stored))
	if err != nil {
		r.idle <- u
		return give(nil, err)
	}
	before := dec.stats.Stats
	dec.count()
	after := dec.stats.Stats
	dec.lend(u.dec)
	unpack := func() {
		err := fillMessage(u.dec, msg, body)
		r.idle <- u
		if err != nil {
			item <- aheadItem{nil, err, before}
		} else {
			item <- aheadItem{msg, nil, after}
		}
	}
	if len(body) < parallelMin {
		unpack()
	} else {
		go unpack()
	}
	return true
}

// unpacker returns an unpacker that is idle, once there is one.
func (r *aheadReader) unpacker() *unpacker {
	select {
	case u := <-r.idle:
		return u
	default:
	}
	if r.made == r.bound {
		return <-r.idle
	}
	r.made++
	return &unpacker{dec: newDecoder(r.mr.dec.cfg)}
}

func (i aheadItem) drop() {
	if i.msg != nil {
		i.msg.Release()
	}
}

func (r *aheadReader) drop() {
	r.current.drop()
	r.current.msg = nil
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
	close(r.items)
	for item := range r.items {
		(<-item).drop()
	}
	for range r.made {
		(<-r.idle).dec.Close()
	}
	r.mr.Release()
}
