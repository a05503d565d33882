package ipcx

import (
	"fmt"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
)

// binary checks the offsets of a string or binary, and of a string the text.
func (v *validator) binary(width int64, text bool) error {
	data := v.buffer(2)
	if width == 8 {
		return binaryOf[int64](v, data, width, text)
	}
	return binaryOf[int32](v, data, width, text)
}

func binaryOf[T int32 | int64](v *validator, data []byte, width int64, text bool) error {
	offsets, err := offsetsOf[T](v, width, int64(len(data)), "bytes of data")
	if err != nil || !text || len(offsets) == 0 {
		return err
	}
	first, last := offsets[0], offsets[len(offsets)-1]
	if utf8.Valid(data[first:last]) && startRunes(data[:last], offsets) {
		return nil
	}
	// Perhaps what is wrong belongs to nobody: it stands behind nulls.
	from := int64(v.data.Offset())
	for i := range len(offsets) - 1 {
		if s := data[offsets[i]:offsets[i+1]]; !utf8.Valid(s) && !v.isNull(from+int64(i)) {
			return v.at(int64(i), "%d bytes that are no UTF-8: %s", len(s), excerpt(s))
		}
	}
	return nil
}

// startRunes says whether no offset is inside of a character of data, which is
// UTF-8.
func startRunes[T int32 | int64](data []byte, offsets []T) bool {
	for _, o := range offsets {
		if o < T(len(data)) && !utf8.RuneStart(data[o]) {
			return false
		}
	}
	return true
}

// excerpt shows bytes around the first one that is not UTF-8.
func excerpt(p []byte) string {
	at := 0
	for at < len(p) {
		r, size := utf8.DecodeRune(p[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return fmt.Sprintf("%q at byte %d", p[at:min(at+4, len(p))], at)
}

// offsetsOf returns the offsets of the array at hand, none where it is empty. It
// checks that they are there, do not decrease and end inside of size.
func offsetsOf[T int32 | int64](v *validator, width, size int64, of string) ([]T, error) {
	if v.data.Len() == 0 {
		return nil, nil
	}
	p, from := v.buffer(1), int64(v.data.Offset())
	if int64(len(p))/width <= v.end {
		return nil, fmt.Errorf("offsets: %d bytes are too short for %d of %d bytes", len(p), v.end+1, width)
	}
	offsets := arrow.GetData[T](p[from*width : (v.end+1)*width])
	if offsets[0] < 0 {
		return nil, v.at(0, "offset %d", offsets[0])
	}
	for i := 1; i < len(offsets); i++ {
		if offsets[i] < offsets[i-1] {
			return nil, v.at(int64(i-1), "offset %d after %d", offsets[i], offsets[i-1])
		}
	}
	if last := offsets[len(offsets)-1]; int64(last) > size {
		i := len(offsets) - 1
		for i > 1 && int64(offsets[i-1]) > size {
			i--
		}
		return nil, v.at(int64(i-1), "offset %d into %d %s", offsets[i], size, of)
	}
	return offsets, nil
}
