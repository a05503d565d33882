package fuzz

import (
	"bytes"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// FuzzStreamReader takes any bytes for a stream, with or without an edit: the same
// batches as arrow-go's reader gives, or an error. Flagged messages are compared once a conversion
// has taken the flag off.
func FuzzStreamReader(f *testing.F) {
	for _, seed := range streams(f, modes()) {
		addEdits(f, func(e edit) { f.Add(seed, true, e.message, e.field, e.index, e.value) })
	}
	for _, seed := range append(streams(f, modes()), testdata.Seeds(f, 4<<10)...) {
		f.Add(seed, false, uint8(noEdit), uint8(0), uint8(0), int64(0))
	}
	f.Fuzz(func(t *testing.T, data []byte, native bool, message, field, index uint8, value int64) {
		data = edit{message, field, index, value}.apply(data)
		got, stats := drain(data, ipcx.WithEnsureNativeEndian(native))
		if stats.FlaggedBatches > 0 {
			plain, err := convert(data)
			if got.Err == nil {
				require.NoError(t, err)
			}
			data = plain
		} else if native && bigEndian(data) {
			// arrow-go swaps in place, and what buffers share gets swapped twice.
			// Compressed, they share nothing.
			apart, err := convert(data, ipcx.WithZstd())
			if got.Err == nil {
				require.NoError(t, err)
			}
			data = apart
		}
		if got.Err != nil {
			// arrow-go may not survive what is wrong with the rest.
			if n := len(got.Batches); n > 0 {
				want := oracle.StreamBatches(data, n, ipc.WithEnsureNativeEndian(native))
				require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
			}
			return
		}
		want := oracle.Stream(data, ipc.WithEnsureNativeEndian(native))
		if want.Err != nil && len(got.Batches) == 0 && len(want.Batches) == 0 {
			// It wants a marker, or io.EOF itself, before the dictionaries.
			require.ErrorIs(t, want.Err, io.EOF)
			return
		}
		require.NoError(t, want.Err)
		require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
		require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))
	})
}

// bigEndian says whether the schema of a stream is.
func bigEndian(data []byte) bool {
	r, err := ipcx.NewReader(bytes.NewReader(data), limits(ipcx.WithEnsureNativeEndian(false))...)
	if err != nil {
		return false
	}
	defer r.Release()
	return r.Schema().Endianness() == endian.BigEndian
}
