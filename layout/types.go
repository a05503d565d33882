package layout

import "github.com/apache/arrow-go/v18/arrow"

// describe appends the buffers of a node and gives the fields of its children.
// This is the one place that knows Arrow's types.
func (b *builder) describe(node int, typ arrow.DataType) []arrow.Field {
	if typ == nil {
		b.refuse(node, ErrUnknownType)
		return nil
	}
	switch typ.ID() {
	case arrow.NULL:
		return nil

	case arrow.BOOL:
		b.add(node, Validity, 0)
		b.add(node, Bits, 0)
		return nil

	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64,
		arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
		arrow.FLOAT16, arrow.FLOAT32, arrow.FLOAT64,
		arrow.DECIMAL32, arrow.DECIMAL64, arrow.DECIMAL128, arrow.DECIMAL256,
		arrow.DATE32, arrow.DATE64, arrow.TIME32, arrow.TIME64, arrow.TIMESTAMP, arrow.DURATION,
		arrow.INTERVAL_MONTHS, arrow.INTERVAL_DAY_TIME, arrow.INTERVAL_MONTH_DAY_NANO,
		arrow.FIXED_SIZE_BINARY:
		b.fixedWidth(node, typ)
		return nil

	case arrow.BINARY, arrow.STRING:
		b.add(node, Validity, 0)
		b.add(node, Offsets32, 4)
		b.add(node, Bytes, 0)
		return nil

	case arrow.LARGE_BINARY, arrow.LARGE_STRING:
		b.add(node, Validity, 0)
		b.add(node, Offsets64, 8)
		b.add(node, Bytes, 0)
		return nil

	case arrow.LIST, arrow.MAP:
		b.add(node, Validity, 0)
		b.add(node, Offsets32, 4)
		return b.children(node, typ)

	case arrow.LARGE_LIST:
		b.add(node, Validity, 0)
		b.add(node, Offsets64, 8)
		return b.children(node, typ)

	case arrow.FIXED_SIZE_LIST, arrow.STRUCT:
		b.add(node, Validity, 0)
		return b.children(node, typ)
	}
	return b.describeUnmapped(node, typ)
}

// describeUnmapped does the same for the types that are not mapped.
func (b *builder) describeUnmapped(node int, typ arrow.DataType) []arrow.Field {
	switch typ.ID() {
	case arrow.DICTIONARY:
		// The dictionary travels in messages of its own; the record batch has
		// the indices alone.
		dict, ok := typ.(*arrow.DictionaryType)
		if !ok {
			break
		}
		b.refuse(node, nil)
		b.fixedWidth(node, dict.IndexType)
		return nil

	case arrow.BINARY_VIEW, arrow.STRING_VIEW:
		b.refuse(node, nil)
		b.add(node, Validity, 0)
		b.add(node, Views, arrow.ViewHeaderSizeBytes)
		b.t.variadic = append(b.t.variadic, node)
		return nil

	case arrow.LIST_VIEW:
		b.refuse(node, nil)
		b.add(node, Validity, 0)
		b.add(node, ListViewOffsets32, 4)
		b.add(node, ListViewSizes32, 4)
		return b.children(node, typ)

	case arrow.LARGE_LIST_VIEW:
		b.refuse(node, nil)
		b.add(node, Validity, 0)
		b.add(node, ListViewOffsets64, 8)
		b.add(node, ListViewSizes64, 8)
		return b.children(node, typ)

	case arrow.SPARSE_UNION:
		b.refuse(node, nil)
		b.addOldValidity(node)
		b.add(node, TypeIDs, 1)
		return b.children(node, typ)

	case arrow.DENSE_UNION:
		b.refuse(node, nil)
		b.addOldValidity(node)
		b.add(node, TypeIDs, 1)
		b.add(node, UnionOffsets, 4)
		return b.children(node, typ)

	case arrow.RUN_END_ENCODED:
		// Younger than V5, so that no V4 file ought to have one; readers of
		// Arrow look for a validity buffer in it all the same.
		b.refuse(node, nil)
		b.addOldValidity(node)
		return b.children(node, typ)
	}
	b.refuse(node, ErrUnknownType)
	return nil
}

// fixedWidth describes a node of fixed-width values: one of that type, or one
// with a dictionary, whose index type it is.
func (b *builder) fixedWidth(node int, typ arrow.DataType) {
	fixed, ok := typ.(arrow.FixedWidthDataType)
	if !ok {
		b.refuse(node, ErrUnknownType)
		return
	}
	b.add(node, Validity, 0)
	b.add(node, Values, fixed.Bytes())
}

func (b *builder) children(node int, typ arrow.DataType) []arrow.Field {
	nested, ok := typ.(arrow.NestedType)
	if !ok {
		b.refuse(node, ErrUnknownType)
		return nil
	}
	return nested.Fields()
}
