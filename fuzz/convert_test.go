package fuzz

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// FuzzConvert takes any bytes for a stream or a file. Converted to a plain
// stream, and to a flagged one and from there to a plain one, they are the same
// batches, or an error both times.
func FuzzConvert(f *testing.F) {
	for _, seed := range append(streams(f, modes()), testdata.Seeds(f, 4<<10)...) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		plain, err := convert(data)
		flagged, flaggedErr := convert(data, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
		if flaggedErr != nil && strings.Contains(flaggedErr.Error(), "the key is reserved") {
			return
		}
		require.Equal(t, err == nil, flaggedErr == nil, "plain: %v, flagged: %v", err, flaggedErr)
		if err != nil {
			return
		}
		back, err := convert(flagged)
		require.NoError(t, err)
		want, _ := drain(plain)
		for _, stream := range [][]byte{back, flagged} {
			got, _ := drain(stream)
			if refusesLengths(got.Err) && len(got.Batches) <= len(want.Batches) {
				// Plain offsets are not looked at without WithValidation.
				require.NoError(t, oracle.SameBatches(want.Batches[:len(got.Batches)], got.Batches))
				continue
			}
			require.Equal(t, want.Err == nil, got.Err == nil, "plain: %v, back: %v", want.Err, got.Err)
			require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
			require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))
		}
	})
}

// refusesLengths says whether err is about lengths that only the reader of flagged
// messages checks.
func refusesLengths(err error) bool {
	if !errors.Is(err, ipcx.ErrCorrupt) {
		return false
	}
	for _, text := range []string{"a negative length", "first offset is", "last offset is"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return false
}
