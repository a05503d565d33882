package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// Level 3 is that of level 1 for small flagged messages, and of level 4 for all
// others, message by message.
func TestSmallMessagesAreWrittenFast(t *testing.T) {
	table, ok := datasets.ByName("vocabulary")
	require.True(t, ok)
	small := table.Batches(memory.DefaultAllocator, 512, 512)
	large := table.Batches(memory.DefaultAllocator, 8192, 8192)
	flagged := ipcx.WithOffsetsAsLengths()

	// body returns the last message's.
	body := func(level int, recs []arrow.RecordBatch, opts ...ipcx.Option) []byte {
		var out bytes.Buffer
		w := ipcx.NewWriter(&out, append(opts, ipcx.WithZstd(), ipcx.WithZstdLevel(level))...)
		require.NoError(t, w.Write(recs[0].NewSlice(0, 0))) // the schema comes with the first batch
		at := 0
		for _, rec := range recs {
			at = out.Len()
			require.NoError(t, w.Write(rec))
		}
		return out.Bytes()[at:]
	}
	require.False(t, bytes.Equal(body(1, small, flagged), body(4, small, flagged)), "the levels make no difference here")
	require.True(t, bytes.Equal(body(1, small, flagged), body(3, small, flagged)), "a small one")
	require.True(t, bytes.Equal(body(4, large, flagged), body(3, large, flagged)), "a large one")
	require.False(t, bytes.Equal(body(1, large, flagged), body(3, large, flagged)), "a large one")
	require.True(t, bytes.Equal(body(4, small), body(3, small)), "one that is not flagged")

	mixed := append(large[:1:1], small...)
	require.True(t, bytes.Equal(body(1, small, flagged), body(3, mixed, flagged)), "a small one after a large one")
	mixed = append(small[:1:1], large...)
	require.True(t, bytes.Equal(body(4, large, flagged), body(3, mixed, flagged)), "a large one after a small one")
}
