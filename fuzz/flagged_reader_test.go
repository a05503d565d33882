package fuzz

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// FuzzFlaggedReader takes flagged streams apart and has one number of one
// message's metadata replaced, besides what happens to the bytes. The reader,
// and arrow-go's over what the decoder gives, must read the same batches.
func FuzzFlaggedReader(f *testing.F) {
	flagged := modes()
	delete(flagged, "plain")
	delete(flagged, "LZ4")
	delete(flagged, "zstd")
	for _, seed := range streams(f, flagged) {
		addEdits(f, func(e edit) { f.Add(seed, e.message, e.field, e.index, e.value) })
	}
	f.Fuzz(func(t *testing.T, data []byte, message, field, index uint8, value int64) {
		all := split(edit{message, field, index, value}.apply(data))
		var stream, plain []byte
		dec, err := ipcx.NewDecoder(limits()...)
		require.NoError(t, err)
		defer dec.Close()
		var decodeErr error
		for _, m := range all {
			stream = append(stream, frame(m.metadata, m.body)...)
			if decodeErr != nil {
				continue
			}
			metadata, body, err := dec.Decode(m.metadata, m.body)
			if decodeErr = err; err == nil {
				plain = append(plain, frame(metadata, body)...)
			}
		}
		got, _ := drain(stream)
		if decodeErr != nil {
			require.Error(t, got.Err)
		}
		if got.Err == nil {
			want := oracle.Stream(plain)
			require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
			if len(want.Batches) > 0 {
				require.NoError(t, want.Err)
			}
			return
		}
		// The reader checks more than the decoder, which builds no arrays.
		want := oracle.StreamBatches(plain, len(got.Batches))
		if len(got.Batches) > 0 {
			require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
		}
	})
}
