package ipcx

import (
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// inOldLayout returns the metadata of the dictionary batch at hand for arrow-go's
// loader. It takes every dictionary batch for one of before V5, when unions and
// run-end encoded arrays had a validity buffer, and would read each buffer behind
// the first of them as the one before it:
//
//	V5   type ids | offsets | ...
//	V4   validity, 0 bytes | type ids | offsets | ...
//
// So that is what it gets, with the version that goes with it. The metadata given
// is returned where there is no such type. Another one is valid until the next
// call.
func (d *Decoder) inOldLayout(metadata []byte) []byte {
	if d.in.kind != flatbuf.MessageHeaderDictionaryBatch || d.in.version < flatbuf.MetadataVersionV5 {
		return metadata
	}
	table := d.describe().dictionaries[d.in.id].table
	if table == nil {
		return metadata
	}
	now, err := bufferRoles(table, &d.in)
	if err != nil {
		return metadata // loadable says so
	}
	before, err := table.Buffers(layout.V4, d.in.variadic)
	if err != nil || len(before) == len(now) {
		return metadata
	}
	m := d.plain()
	if d.shareable() {
		m.bodyLength = d.in.bodyLength
	}
	buffers, k := make([]span, 0, len(before)), 0
	for _, role := range before {
		if k < len(now) && now[k] == role {
			buffers = append(buffers, m.buffers[k])
			k++
		} else {
			buffers = append(buffers, span{})
		}
	}
	m.buffers, m.version = buffers, flatbuf.MetadataVersionV4
	return d.builder.batch(m)
}
