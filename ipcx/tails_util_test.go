package ipcx_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/layout"
)

// withoutTails clears the bits behind the last boolean of uncompressed record
// batches: the writer does, because a builder leaves them as its memory was.
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

// clearTail clears the bits of the last byte behind n booleans.
func clearTail(role layout.Buffer, n int, p []byte) {
	if role.Role != layout.Bits {
		return
	}
	for end := n; end < 8*len(p) && end%8 != 0; end++ {
		bitutil.ClearBit(p, end)
	}
}
