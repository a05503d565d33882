package ipcx_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// At level 3 a buffer of a large flagged message gets the fastest setting, that of
// level 1, where it left at most 4 % more of the last ones than the default did, that
// of level 4. The second message and each 32nd after it are for trying the other one.
func TestFastestSettingWhereItIsAboutAsGood(t *testing.T) {
	var kept, left int
	for _, name := range []string{"lists", "ids", "vocabulary"} {
		table, ok := datasets.ByName(name)
		require.True(t, ok)
		rec := table.Batches(memory.DefaultAllocator, 8192, 8192)[0]
		fastest, usual := storedSizes(t, rec, 1, 1)[0], storedSizes(t, rec, 4, 1)[0]
		for m, sizes := range storedSizes(t, rec, 3, 36) {
			for i, size := range sizes {
				better, other := usual[i], fastest[i]
				if float64(fastest[i]) <= 1.04*float64(usual[i]) {
					better, other = other, better
				}
				switch m {
				case 0:
					require.Equal(t, usual[i], size, "%s, the first message, buffer %d", name, i)
				case 1:
					require.Equal(t, fastest[i], size, "%s, the second message, buffer %d", name, i)
				case 33:
					require.Equal(t, other, size, "%s, message %d, buffer %d", name, m, i)
				default:
					require.Equal(t, better, size, "%s, message %d, buffer %d", name, m, i)
				}
				if m == 2 && fastest[i] != usual[i] && better == fastest[i] {
					kept++
				} else if m == 2 && better != fastest[i] {
					left++
				}
			}
		}
		require.Equal(t, storedSizes(t, rec, 4, 1)[0], storedSizes(t, rec, 4, 3)[2], "level 4 has one setting")
	}
	require.NotZero(t, kept, "no buffer got the fastest")
	require.NotZero(t, left, "no buffer got the default")
}

// storedSizes returns what the buffers of each message take, in bytes, when rec is
// written times times.
func storedSizes(t *testing.T, rec arrow.RecordBatch, level, times int) (sizes [][]int64) {
	t.Helper()
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, ipcx.WithZstd(), ipcx.WithZstdLevel(level), ipcx.WithOffsetsAsLengths())
	for range times {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	require.NoError(t, ipcx.Inspect(context.Background(), &out, func(m *ipcx.MessageInfo) error {
		if m.Type == ipcx.MessageRecordBatch {
			var message []int64
			for _, b := range m.Buffers {
				message = append(message, b.StoredBytes)
			}
			sizes = append(sizes, message)
		}
		return nil
	}))
	return sizes
}
