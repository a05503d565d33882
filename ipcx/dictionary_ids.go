package ipcx

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/arrowplanes/arrowplanes/internal/brief"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// dictionaryIDs are the dictionaries that the schema of a stream has: for each id
// those among its values, an entry for each field that has them.
type dictionaryIDs map[int64][]int64

// dictionaryIDsOf finds the dictionaries in a schema message, which has been
// verified. None of them may have itself among its values: nothing of it could ever
// be read. Where an id is there again it must have the same ones among its values,
// as these are the same; so no two can be among the values of each other.
func dictionaryIDsOf(metadata []byte) (dictionaryIDs, error) {
	var (
		c      = idCollector{ids: make(dictionaryIDs), below: make(map[int64][]int64)}
		schema flatbuf.Schema
		table  = schema.Table()
		field  flatbuf.Field
	)
	if !flatbuf.GetRootAsMessage(metadata, 0).Header(&table) {
		return c.ids, nil
	}
	schema.Init(table.Bytes, table.Pos)
	for i := range schema.FieldsLength() {
		schema.Fields(&field, i)
		if err := c.collect(&field, nil); err != nil {
			return nil, tag(ErrCorrupt, err)
		}
	}
	return c.ids, nil
}

// idCollector collects the dictionaries of a schema.
type idCollector struct {
	ids   dictionaryIDs
	order []int64           // of all fields that have one, a field before its children
	below map[int64][]int64 // of order, what is among the values of a dictionary
}

// collect notes the dictionaries of a field that is among the values of others,
// the innermost last, and those of its children.
func (c *idCollector) collect(field *flatbuf.Field, outer []int64) error {
	dict := field.Dictionary(nil)
	if dict == nil {
		return c.children(field, outer)
	}
	id := dict.Id()
	if slices.Contains(outer, id) {
		return fmt.Errorf("dictionary %d refers to itself: field %q, which is below dictionary %s, has it again",
			id, brief.Text(string(field.Name())), joinIDs(outer, " > "))
	}
	if n := len(outer); n > 0 {
		c.ids[outer[n-1]] = append(c.ids[outer[n-1]], id)
	}
	if _, ok := c.ids[id]; !ok {
		c.ids[id] = nil // known, if with nothing in it
	}
	c.order = append(c.order, id)
	start := len(c.order)
	if err := c.children(field, append(outer, id)); err != nil {
		return err
	}
	// One id has one type, which arrow-go looks after, so that the same ids in the
	// same order are in the same places.
	below := c.order[start:]
	if before, again := c.below[id]; again && !slices.Equal(before, below) {
		return fmt.Errorf("dictionary %d has dictionaries among its values: %s, and in field %q %s",
			id, dictionaryList(before), brief.Text(string(field.Name())), dictionaryList(below))
	}
	c.below[id] = below
	return nil
}

func (c *idCollector) children(field *flatbuf.Field, outer []int64) error {
	var child flatbuf.Field
	for i := range field.ChildrenLength() {
		field.Children(&child, i)
		if err := c.collect(&child, outer); err != nil {
			return err
		}
	}
	return nil
}

// String lists the ids.
func (ids dictionaryIDs) String() string { return dictionaryList(ids.sorted()) }

// dictionaryList lists ids in a sentence.
func dictionaryList(ids []int64) string {
	if len(ids) == 0 {
		return "none"
	}
	return joinIDs(ids, ", ")
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
