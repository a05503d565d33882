package ipcx

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// list checks the offsets of a list or map, and its entries.
func (v *validator) list(dt arrow.DataType, width int64) error {
	child, err := v.onlyChild(dt)
	if err != nil {
		return err
	}
	if width == 8 {
		_, err = offsetsOf[int64](v, width, child, "entries")
	} else {
		_, err = offsetsOf[int32](v, width, child, "entries")
	}
	if err != nil {
		return err
	}
	return v.children(dt, nil)
}

// onlyChild returns the length of the array of a list's entries.
func (v *validator) onlyChild(dt arrow.DataType) (int64, error) {
	if children := v.data.Children(); len(children) != 1 {
		return 0, fmt.Errorf("%d arrays where %s has 1", len(children), dt.Name())
	}
	return int64(v.data.Children()[0].Len()), nil
}

// listView checks the offsets and sizes of a list view, and its entries.
func (v *validator) listView(dt arrow.DataType, width int64) error {
	child, err := v.onlyChild(dt)
	if err != nil {
		return err
	}
	offsets, sizes := v.buffer(1), v.buffer(2)
	if err := v.width("offsets", offsets, width); err != nil {
		return err
	}
	if err := v.width("sizes", sizes, width); err != nil {
		return err
	}
	offsets, sizes = offsets[:v.end*width], sizes[:v.end*width]
	if width == 8 {
		err = listViewsIn(v, arrow.GetData[int64](offsets), arrow.GetData[int64](sizes), child)
	} else {
		err = listViewsIn(v, arrow.GetData[int32](offsets), arrow.GetData[int32](sizes), child)
	}
	if err != nil {
		return err
	}
	return v.children(dt, nil)
}

// listViewsIn checks that each list is inside of so many entries, nulls too.
func listViewsIn[T int32 | int64](v *validator, offsets, sizes []T, child int64) error {
	from := int64(v.data.Offset())
	for i := from; i < v.end; i++ {
		offset, size := int64(offsets[i]), int64(sizes[i])
		if size < 0 || offset < 0 || offset > child || size > child-offset {
			return v.at(i-from, "list of %d entries at %d of %d", size, offset, child)
		}
	}
	return nil
}
