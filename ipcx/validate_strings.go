package ipcx

import (
	"bytes"
	"encoding/binary"
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

// views checks the views of a binary view or string view, and of the latter the
// text.
func (v *validator) views(text bool) error {
	const width = int64(arrow.ViewHeaderSizeBytes)
	p := v.buffer(1)
	if err := v.width("views", p, width); err != nil {
		return err
	}
	from := int64(v.data.Offset())
	for i := from; i < v.end; i++ {
		if v.isNull(i) {
			continue
		}
		value, err := v.view(p[i*width:][:width])
		if err == nil && text && !utf8.Valid(value) {
			err = fmt.Errorf("%d bytes that are no UTF-8: %s", len(value), excerpt(value))
		}
		if err != nil {
			v.row = i - from
			return err
		}
	}
	return nil
}

// view checks one view and returns what it shows.
func (v *validator) view(view []byte) ([]byte, error) {
	size := int32(binary.NativeEndian.Uint32(view))
	if size < 0 {
		return nil, fmt.Errorf("view of %d bytes", size)
	}
	if arrow.IsViewInline(int(size)) {
		for _, b := range view[4+size:] {
			if b != 0 {
				return nil, fmt.Errorf("view of %d bytes with %#02x behind them, not 0", size, b)
			}
		}
		return view[4 : 4+size], nil
	}
	index, offset := int32(binary.NativeEndian.Uint32(view[8:])), int32(binary.NativeEndian.Uint32(view[12:]))
	if buffers := len(v.data.Buffers()) - 2; index < 0 || int(index) >= buffers {
		return nil, fmt.Errorf("view into buffer %d of %d", index, buffers)
	}
	data := v.buffer(2 + int(index))
	if offset < 0 || int64(offset)+int64(size) > int64(len(data)) {
		return nil, fmt.Errorf("view of %d bytes at %d of a buffer of %d", size, offset, len(data))
	}
	value := data[offset : int64(offset)+int64(size)]
	if !bytes.Equal(view[4:8], value[:4]) {
		return nil, fmt.Errorf("view that begins with %x, of data that begins with %x", view[4:8], value[:4])
	}
	return value, nil
}
