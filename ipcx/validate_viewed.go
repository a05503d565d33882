package ipcx

import (
	"math"
	"unicode/utf8"
)

// viewedTexts says of values of a string view whether they are UTF-8. Any number of
// views may show the same bytes: after as many as twice those that there are, it
// answers from an index, so that the time it takes is bounded by the bytes and the
// views.
type viewedTexts struct {
	v     *validator
	spare int64 // bytes to look at before there is an index
	index []*textIndex
}

func newViewedTexts(v *validator) *viewedTexts {
	t := &viewedTexts{v: v}
	for i := 2; i < len(v.data.Buffers()); i++ {
		t.spare += 2 * int64(len(v.buffer(i)))
	}
	return t
}

func (t *viewedTexts) valid(value []byte, at viewed) bool {
	if at.buffer < 0 || int64(len(value)) <= t.spare {
		if at.buffer >= 0 {
			t.spare -= int64(len(value))
		}
		return utf8.Valid(value)
	}
	if t.index == nil {
		t.index = make([]*textIndex, len(t.v.data.Buffers())-2)
	}
	if t.index[at.buffer] == nil {
		t.index[at.buffer] = newTextIndex(t.v.buffer(2 + at.buffer))
	}
	return t.index[at.buffer].valid(at.offset, at.offset+int64(len(value)))
}

// textBlock is how many bytes a textIndex has an entry for.
const textBlock = 256

// textIndex knows where in data bytes are that are not UTF-8.
type textIndex struct {
	data []byte
	bad  []int64 // by block: the first such byte from its start on, MaxInt64 for none
}

func newTextIndex(data []byte) *textIndex {
	x := &textIndex{data, make([]int64, len(data)/textBlock+2)}
	for i := range x.bad {
		x.bad[i] = math.MaxInt64
	}
	for p := 0; p < len(data); {
		end := nextRune(data, min(p+textBlock, len(data)))
		if utf8.Valid(data[p:end]) {
			p = end
			continue
		}
		for p < end {
			r, size := utf8.DecodeRune(data[p:])
			if k := p / textBlock; r == utf8.RuneError && size == 1 && x.bad[k] == math.MaxInt64 {
				x.bad[k] = int64(p)
			}
			p += size
		}
	}
	for k := len(x.bad) - 2; k >= 0; k-- {
		x.bad[k] = min(x.bad[k], x.bad[k+1])
	}
	return x
}

// nextRune returns the first place from p on, among four, at which no character can
// go on.
func nextRune(data []byte, p int) int {
	for end := min(p+utf8.UTFMax-1, len(data)); p < end && !utf8.RuneStart(data[p]); p++ {
	}
	return p
}

// valid says whether the bytes between two places are UTF-8. Wherever one starts to
// decode, bytes that begin a character are come by: so those that are wrong between
// two of them are wrong in all of data too.
func (x *textIndex) valid(from, to int64) bool {
	if to-from <= 2*textBlock {
		return utf8.Valid(x.data[from:to])
	}
	block := (from + textBlock - 1) / textBlock
	head := nextRune(x.data, int(block*textBlock))
	last := int(to) - 1
	for last > int(to)-utf8.UTFMax && !utf8.RuneStart(x.data[last]) {
		last--
	}
	return utf8.Valid(x.data[from:head]) && x.bad[block] >= int64(last) && utf8.Valid(x.data[last:to])
}
