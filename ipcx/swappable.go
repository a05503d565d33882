package ipcx

import (
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/endian"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// swappable says why arrow-go's loader cannot swap the bytes of the wanted columns
// of the batch at hand, nil if it can.
func (d *Decoder) swappable() error {
	desc := d.describe()
	if desc.err != nil {
		return desc.err
	}
	cannot := func(column int) bool { return containsType(desc.schema.Field(column).Type, cannotSwap) }
	if d.sel == nil && hasType(desc.schema, cannotSwap) || d.sel != nil && slices.ContainsFunc(d.sel.columns, cannot) {
		return errors.New("a type whose bytes cannot be swapped (view, list view or run-end encoded; on a big-endian machine, decimals of more than 64 bits)")
	}
	table := desc.table
	if d.in.kind == flatbuf.MessageHeaderDictionaryBatch {
		table = desc.dictionaries[d.in.id].table
	}
	if table == nil || len(table.Nodes()) != len(d.in.nodes) {
		return nil // for others to say
	}
	for i := range d.wantedNodes() {
		if node := table.Nodes()[i]; d.in.nodes[i].length == 0 && cannotSwapNothing(node.Type) {
			return fmt.Errorf("field %q: 0 rows of type %s, which cannot be swapped", node.Path, node.Type)
		}
	}
	return nil
}

// cannotSwap says whether arrow-go's loader leaves the bytes of a type in the
// other byte order, and says nothing of it; or, as with the words of decimals on a
// big-endian machine, gives them an order in which its arrays do not read them.
func cannotSwap(dt arrow.DataType) bool {
	switch dt.ID() {
	case arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.RUN_END_ENCODED:
		return true
	case arrow.DECIMAL128, arrow.DECIMAL256:
		return endian.IsBigEndian
	}
	return false
}

// cannotSwapNothing says whether arrow-go's loader, which has no buffer for arrays
// without rows, swaps the one of a type nevertheless.
func cannotSwapNothing(dt arrow.DataType) bool {
	if ext, ok := dt.(arrow.ExtensionType); ok {
		return cannotSwapNothing(ext.StorageType())
	}
	switch dt.ID() {
	case arrow.DECIMAL128, arrow.DECIMAL256, arrow.INTERVAL_MONTH_DAY_NANO:
		return true
	}
	return false
}
