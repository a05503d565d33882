package fuzz

import (
	"errors"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// FuzzConvert takes any bytes for a stream or a file. Converted to a plain
// stream, and to a flagged one and from there to a plain one, they are the same
// batches, or an error both times. So are the files that are made of them, one by
// way of a stream.
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
		requireFiles(t, flagged, want)
	})
}

// requireFiles makes a file of a flagged stream, a plain stream of that and a
// flagged file again, and requires their batches to be those wanted.
func requireFiles(t *testing.T, stream []byte, want oracle.Result) {
	flagged := []ipcx.Option{ipcx.WithFormat(ipcx.FileFormat), ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame)}
	file, err := convert(stream, flagged...)
	if errors.Is(err, ipcx.ErrReplacement) || errors.Is(err, ipcx.ErrUnsupported) {
		return // nor is there a footer for types that nobody knows
	}
	require.NoError(t, err)
	between, err := convert(file)
	require.NoError(t, err)
	again, err := convert(between, flagged...)
	require.NoError(t, err)
	got := drainFile(t, file)
	requireSame(t, got, drainFile(t, again))
	if drained, stats := drain(between); stats.DictionaryBatches == 0 {
		// In a file, dictionaries are there with their deltas from the start on.
		requireSame(t, want, drained)
		if !refusesLengths(got.Err) {
			requireSame(t, want, got)
		}
	}
}

// drainFile reads a file up to the first error. A panic is not recovered.
func drainFile(t *testing.T, data []byte) oracle.Result {
	r, err := ipcx.NewMappedFileReader(data, limits()...)
	if err != nil {
		return oracle.Result{Err: err}
	}
	res := oracle.Result{Schema: r.Schema()}
	for i := 0; i < r.NumRecords() && res.Err == nil; i++ {
		var rec arrow.RecordBatch
		if rec, res.Err = r.RecordBatchAt(i); res.Err == nil {
			res.Batches = append(res.Batches, rec)
		}
	}
	require.NoError(t, r.Close())
	return res
}

func requireSame(t *testing.T, want, got oracle.Result) {
	t.Helper()
	require.Equal(t, want.Err == nil, got.Err == nil, "one: %v, other: %v", want.Err, got.Err)
	require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
	if want.Err != nil && (want.Schema == nil || got.Schema == nil) {
		return // the error came while one of them was opened
	}
	require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))
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
