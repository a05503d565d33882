package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestReservedKey has record batches with metadata of their own. The key
// arrowplanes.encodings cannot stand on a message that is flagged, and is a key
// like any other on one that is not.
func TestReservedKey(t *testing.T) {
	rec := smallBatch()
	with := func(key string) arrow.RecordBatch {
		return array.NewRecordBatchWithMetadata(rec.Schema(), rec.Columns(), rec.NumRows(), arrow.NewMetadata([]string{key}, []string{"v"}))
	}
	reserved, free := with("arrowplanes.encodings"), with("arrowplanes.encoding")
	on := []ipcx.Option{ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()}

	var out bytes.Buffer
	w := ipcx.NewWriter(&out, on...)
	require.NoError(t, w.Write(free))
	err := w.Write(reserved)
	require.ErrorContains(t, err, `message 2 (RecordBatch): custom metadata arrowplanes.encodings="v": the key is reserved`)
	require.Equal(t, err, w.Write(free), "after an error nothing can be written any more")
	require.Equal(t, err, w.Close())
	got := drainBytes(out.Bytes())
	requireEqual(t, []arrow.RecordBatch{free}, got.Batches, "what was written before the error")

	for name, opts := range map[string][]ipcx.Option{
		"plain":                     nil,
		"zstd":                      {ipcx.WithZstd()},
		"on for another codec":      {ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths()},
		"LZ4, and on for none, LZ4": {ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)},
	} {
		got := drainBytes(write(t, []arrow.RecordBatch{reserved, free}, opts...))
		require.NoError(t, got.Err, name)
		requireEqual(t, []arrow.RecordBatch{reserved, free}, got.Batches, name)
	}

	// A batch without offsets to rewrite goes through unflagged, key and all.
	numbers := array.NewRecordBatchWithMetadata(
		arrow.NewSchema(rec.Schema().Fields()[:1], nil), rec.Columns()[:1], rec.NumRows(), reserved.(arrow.RecordBatchWithMetadata).Metadata())
	got = drainBytes(write(t, []arrow.RecordBatch{numbers}, on...))
	require.NoError(t, got.Err)
	requireEqual(t, []arrow.RecordBatch{numbers}, got.Batches)

	plain := write(t, []arrow.RecordBatch{free, reserved})
	_, err = convert(plain, on...)
	require.ErrorContains(t, err, `arrowplanes.encodings="v"`)
	_, err = convert(plain, ipcx.WithZstd())
	require.NoError(t, err)
}
