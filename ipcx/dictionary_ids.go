package ipcx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// dictionaryIDs are the dictionaries that the schema of a stream has: for each id
// those among its values, an entry for each field that has them.
type dictionaryIDs map[int64][]int64

// dictionaryIDsOf finds the dictionaries in a schema message, which has been
// verified. None of them may have itself among its values, or one that has it
// among its own: nothing of either could ever be read.
func dictionaryIDsOf(metadata []byte) (dictionaryIDs, error) {
	var (
		ids    = make(dictionaryIDs)
		schema flatbuf.Schema
		table  = schema.Table()
		field  flatbuf.Field
	)
	if !flatbuf.GetRootAsMessage(metadata, 0).Header(&table) {
		return ids, nil
	}
	schema.Init(table.Bytes, table.Pos)
	for i := range schema.FieldsLength() {
		schema.Fields(&field, i)
		if err := ids.collect(&field, nil); err != nil {
			return nil, tag(ErrCorrupt, err)
		}
	}
	if circle := ids.circle(); circle != nil {
		return nil, tag(ErrCorrupt, fmt.Errorf("dictionaries that refer to each other: %s", joinIDs(circle, " has ")))
	}
	return ids, nil
}

// collect notes the dictionaries of a field that is among the values of others,
// the innermost last, and those of its children.
func (ids dictionaryIDs) collect(field *flatbuf.Field, outer []int64) error {
	if dict := field.Dictionary(nil); dict != nil {
		id := dict.Id()
		if slices.Contains(outer, id) {
			return fmt.Errorf("dictionary %d refers to itself: field %q, which is below dictionary %s, has it again",
				id, field.Name(), joinIDs(outer, " > "))
		}
		if n := len(outer); n > 0 {
			ids[outer[n-1]] = append(ids[outer[n-1]], id)
		}
		if _, ok := ids[id]; !ok {
			ids[id] = nil // known, if with nothing in it
		}
		outer = append(outer, id)
	}
	var child flatbuf.Field
	for i := range field.ChildrenLength() {
		field.Children(&child, i)
		if err := ids.collect(&child, outer); err != nil {
			return err
		}
	}
	return nil
}

// circle returns dictionaries each of which is among the values of the one
// before, the last one being the first again, nil if there are none.
func (ids dictionaryIDs) circle() []int64 {
	if len(ids) == 0 {
		return nil
	}
	const (
		entered = iota + 1
		left
	)
	state := make(map[int64]int, len(ids))
	var path []int64
	var enter func(id int64) bool
	enter = func(id int64) bool {
		path = append(path, id)
		switch state[id] {
		case left:
			path = path[:len(path)-1]
			return false
		case entered:
			return true
		}
		state[id] = entered
		if slices.ContainsFunc(ids[id], enter) {
			return true
		}
		state[id] = left
		path = path[:len(path)-1]
		return false
	}
	for _, id := range ids.sorted() {
		if enter(id) {
			return path[slices.Index(path, path[len(path)-1]):]
		}
	}
	return nil
}

// String lists the ids.
func (ids dictionaryIDs) String() string {
	if len(ids) == 0 {
		return "none"
	}
	return joinIDs(ids.sorted(), ", ")
}

// sorted returns the ids in ascending order, so that the same input has the same
// error each time.
func (ids dictionaryIDs) sorted() []int64 { return slices.Sorted(maps.Keys(ids)) }

// joinIDs lists ids, the first few of many.
func joinIDs(ids []int64, separator string) string {
	const most = 8
	var b strings.Builder
	for i, id := range ids {
		if i == most {
			fmt.Fprintf(&b, "%s... (%d)", separator, len(ids))
			break
		}
		if i > 0 {
			b.WriteString(separator)
		}
		fmt.Fprint(&b, id)
	}
	return b.String()
}
