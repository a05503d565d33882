package ipcx

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// views checks the views of a binary view or string view, and of the latter the
// text.
func (v *validator) views(text bool) error {
	const width = int64(arrow.ViewHeaderSizeBytes)
	p := v.buffer(1)
	if err := v.width("views", p, width); err != nil {
		return err
	}
	texts := newViewedTexts(v)
	from := int64(v.data.Offset())
	for i := from; i < v.end; i++ {
		if v.isNull(i) {
			continue
		}
		value, at, err := v.view(p[i*width:][:width])
		if err == nil && text && !texts.valid(value, at) {
			err = fmt.Errorf("%d bytes that are no UTF-8: %s", len(value), excerpt(value))
		}
		if err != nil {
			v.row = i - from
			return err
		}
	}
	return nil
}

// viewed is where the value of a view is: a byte of a data buffer, or in the view.
type viewed struct {
	buffer int // of the data buffers, -1 for in the view
	offset int64
}

// view checks one view and returns what it shows.
func (v *validator) view(view []byte) ([]byte, viewed, error) {
	inView := viewed{buffer: -1}
	size := int32(binary.NativeEndian.Uint32(view))
	if size < 0 {
		return nil, inView, fmt.Errorf("view of %d bytes", size)
	}
	if arrow.IsViewInline(int(size)) {
		for _, b := range view[4+size:] {
			if b != 0 {
				return nil, inView, fmt.Errorf("view of %d bytes with %#02x behind them, not 0", size, b)
			}
		}
		return view[4 : 4+size], inView, nil
	}
	index, offset := int32(binary.NativeEndian.Uint32(view[8:])), int32(binary.NativeEndian.Uint32(view[12:]))
	if buffers := len(v.data.Buffers()) - 2; index < 0 || int(index) >= buffers {
		return nil, inView, fmt.Errorf("view into buffer %d of %d", index, buffers)
	}
	data := v.buffer(2 + int(index))
	if offset < 0 || int64(offset)+int64(size) > int64(len(data)) {
		return nil, inView, fmt.Errorf("view of %d bytes at %d of a buffer of %d", size, offset, len(data))
	}
	value := data[offset : int64(offset)+int64(size)]
	if !bytes.Equal(view[4:8], value[:4]) {
		return nil, inView, fmt.Errorf("view that begins with %x, of data that begins with %x", view[4:8], value[:4])
	}
	return value, viewed{int(index), int64(offset)}, nil
}
