package ipcx

import (
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/arrowplanes/arrowplanes/readbuf"
)

// rangedBody has the wanted buffers of a body in a file, and what lies between
// two of them where that is too little to be worth a second read.
type rangedBody struct {
	runs []span // of the body, in order
	at   []int  // where each run starts in data
	data []byte
	mem  readbuf.Buffer
}

// gapMax is how many bytes that nobody wants are read rather than skipped.
const gapMax = 64

// read reads the buffers that dec wants of the message at hand, whose block is
// b.
func (r *rangedBody) read(file io.ReaderAt, b block, dec *Decoder) error {
	r.runs = r.runs[:0]
	for i, n := 0, dec.chosen(); i < n; i++ {
		j := dec.pick(i)
		s := dec.in.buffers[j]
		s.offset &^= flaggedOffset
		if s.length == 0 {
			continue
		}
		if err := checkSpan(s, b.body); err != nil {
			return at(j, nil, err)
		}
		r.runs = append(r.runs, s)
	}
	slices.SortFunc(r.runs, func(a, b span) int { return int(min(max(a.offset-b.offset, -1), 1)) })
	r.merge()

	total := 0
	r.at = r.at[:0]
	for _, run := range r.runs {
		r.at = append(r.at, total)
		total += int(run.length)
	}
	r.data = r.mem.Sized(total)
	for i, run := range r.runs {
		if err := readAt(file, r.data[r.at[i]:][:run.length], b.offset+b.metadata+run.offset); err != nil {
			return fmt.Errorf("message body: %w", err)
		}
	}
	return nil
}

// merge joins runs that overlap or nearly touch.
func (r *rangedBody) merge() {
	merged := r.runs[:0]
	for _, s := range r.runs {
		if n := len(merged); n > 0 {
			last := &merged[n-1]
			if end := last.offset + last.length; s.offset <= end+gapMax {
				last.length = max(end, s.offset+s.length) - last.offset
				continue
			}
		}
		merged = append(merged, s)
	}
	r.runs = merged
}

func (r *rangedBody) buffer(s span) ([]byte, error) {
	if s.length == 0 {
		return nil, nil
	}
	// The run that starts last at or before the buffer.
	k := sort.Search(len(r.runs), func(k int) bool { return r.runs[k].offset > s.offset }) - 1
	run := r.runs[max(k, 0)]
	s.offset -= run.offset
	return cut(r.data[r.at[max(k, 0)]:][:run.length], s)
}
