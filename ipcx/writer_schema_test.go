package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// A record batch of another schema than WithSchema's is refused, and leaves no
// trace: neither what is cleaned nor what is rewritten in the next ones goes by it.
func TestWrongSchemaFirst(t *testing.T) {
	for name, c := range map[string]struct{ right, wrong arrow.RecordBatch }{
		"booleans": {
			fromJSON(t, arrow.PrimitiveTypes.Int8, `[100,100,100,100,100,100,100,100,100,100]`),
			fromJSON(t, arrow.FixedWidthTypes.Boolean, `[true,false,true]`),
		},
		"offsets": {
			fromJSON(t, arrow.BinaryTypes.LargeString, `["one","two","three"]`),
			fromJSON(t, arrow.BinaryTypes.String, `["one","two","three"]`),
		},
	} {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()}} {
			var plain, handed bytes.Buffer
			schema := ipcx.WithSchema(c.right.Schema())
			for _, w := range []*ipcx.Writer{
				ipcx.NewWriter(&plain, append(opts, schema)...),
				ipcx.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(&handed, opts...), schema),
			} {
				require.Error(t, w.Write(c.wrong), name)
				require.NoError(t, w.Write(c.right), name)
				require.NoError(t, w.Close(), name)
			}
			for _, out := range [][]byte{plain.Bytes(), handed.Bytes()} {
				got := drainBytes(out, ipcx.WithValidation())
				require.NoError(t, got.Err, name)
				require.Len(t, got.Batches, 1, name)
				require.True(t, array.RecordEqual(c.right, got.Batches[0]), "%s: %v", name, got.Batches[0])
			}
		}
	}
}

// A writer that never writes does not say what another one sends to the same place.
func TestUnusedWriter(t *testing.T) {
	rec := fromJSON(t, arrow.PrimitiveTypes.Int8, `[100,100,100,100,100,100,100,100,100,100]`)
	var out bytes.Buffer
	pw := ipcx.NewPayloadWriter(&out)
	_ = ipcx.NewWriterWithPayloadWriter(pw, ipcx.WithSchema(fromJSON(t, arrow.FixedWidthTypes.Boolean, `[true]`).Schema()))
	w := ipcx.NewWriterWithPayloadWriter(pw)
	require.NoError(t, w.Write(rec))
	require.NoError(t, w.Close())
	got := drainBytes(out.Bytes(), ipcx.WithValidation())
	require.NoError(t, got.Err)
	require.Len(t, got.Batches, 1)
	require.True(t, array.RecordEqual(rec, got.Batches[0]), "%v", got.Batches[0])
}

// A file has a schema, or it cannot be closed.
func TestFileWithoutSchema(t *testing.T) {
	var out bytes.Buffer
	pw := ipcx.NewPayloadWriter(&out, ipcx.WithFormat(ipcx.FileFormat))
	require.EqualError(t, pw.Close(), "ipcx: closing a file to which no schema was written")
	require.Zero(t, out.Len())
}
