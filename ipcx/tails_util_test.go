package ipcx_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// withoutTails clears what stands in the buffers of uncompressed record
// batches behind their last entries. arrow-go sends up to 63 bytes of what
// follows a slice along with it: rows that are not the slice's.
func withoutTails(t testing.TB, schema *arrow.Schema, stream []byte) []byte {
	t.Helper()
	table := layout.Of(schema)
	frames := cutStream(t, stream)
	for _, f := range frames {
		msg := flatbuf.GetRootAsMessage(f.metadata, 0).UnPack()
		batch, ok := msg.Header.Value.(*flatbuf.RecordBatchT)
		if !ok || batch.Compression != nil {
			continue
		}
		roles, err := table.Buffers(layout.V5, batch.VariadicBufferCounts)
		require.NoError(t, err)
		for i, role := range roles {
			span := batch.Buffers[i]
			clearTail(role, int(batch.Nodes[role.Node].Length), f.body[span.Offset:span.Offset+span.Length])
		}
	}
	return joinStream(frames)
}

func clearTail(role layout.Buffer, n int, p []byte) {
	end := n * role.Width
	switch role.Role {
	case layout.Bytes, layout.ViewData:
		return
	case layout.Offsets32, layout.Offsets64:
		end += role.Width
	case layout.Validity, layout.Bits:
		for end = n; end < 8*len(p) && end%8 != 0; end++ {
			bitutil.ClearBit(p, end)
		}
		end /= 8
	}
	if end < len(p) {
		clear(p[end:])
	}
}
