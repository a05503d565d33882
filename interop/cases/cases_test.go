package cases_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/interop/cases"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/planes"
)

// TestLookalikes checks that the lengths of these tables do look like offsets,
// or are the same bytes.
func TestLookalikes(t *testing.T) {
	different := 0
	for _, table := range cases.Lookalikes() {
		data := table.Batches[0].Column(0).Data()
		plain, n := data.Buffers()[1].Bytes(), data.Len()
		width := len(plain) / (n + 1)
		taken := make([]byte, len(plain))
		split := planes.SplitOffsets32
		if width == 8 {
			split = planes.SplitOffsets64
		}
		require.NoError(t, split(taken, plain, n), table.Name)

		offsets := numbers(taken, width)
		require.Zero(t, offsets[0], table.Name)
		require.IsNonDecreasing(t, offsets, table.Name)
		require.LessOrEqual(t, offsets[n], numbers(plain, width)[n], table.Name)
		if !bytes.Equal(plain, taken) {
			different++
		}
	}
	require.GreaterOrEqual(t, different, 8)
}

func numbers(b []byte, width int) (all []uint64) {
	for ; len(b) > 0; b = b[width:] {
		var wide [8]byte
		copy(wide[:], b[:width])
		all = append(all, binary.LittleEndian.Uint64(wide[:]))
	}
	return all
}

// TestFlagged checks that each of these tables has messages that are flagged,
// and that we read them back.
func TestFlagged(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("some of the tables have more rows than an int of 32 bits counts")
	}
	names := map[string]bool{}
	for _, table := range cases.Flagged() {
		require.False(t, names[table.Name], table.Name)
		names[table.Name] = true
		var out bytes.Buffer
		w := ipcx.NewWriter(&out, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
		for _, rec := range table.Batches {
			require.NoError(t, w.Write(rec))
		}
		require.NoError(t, w.Close())
		require.NotZero(t, w.Stats().FlaggedBatches, table.Name)

		r, err := ipcx.NewReader(&out)
		require.NoError(t, err)
		for i := 0; r.Next(); i++ {
			if strings.HasPrefix(table.Name, "lookalike") {
				// Some have more values than can be compared one by one.
				want, got := table.Batches[i].Column(0).Data(), r.RecordBatch().Column(0).Data()
				require.True(t, bytes.Equal(want.Buffers()[1].Bytes(), got.Buffers()[1].Bytes()), table.Name)
			}
		}
		require.NoError(t, r.Err())
		r.Release()
	}
	require.True(t, names[cases.Common])
}

// TestPlain checks that the rows are those of the batches.
func TestPlain(t *testing.T) {
	table := cases.Tables()[0]
	require.Equal(t, cases.Plain, table.Name)
	for i, rec := range table.Batches {
		var want bytes.Buffer
		require.NoError(t, array.RecordToJSON(rec, &want))
		lines := strings.Split(strings.TrimSpace(want.String()), "\n")
		require.Len(t, cases.Rows(i), len(lines))
		for j, row := range cases.Rows(i) {
			text, err := json.Marshal(row)
			require.NoError(t, err)
			require.JSONEq(t, lines[j], string(text))
		}
	}
}

// TestDictionaries checks that dictionaries grow, or are replaced.
func TestDictionaries(t *testing.T) {
	for _, table := range cases.Tables() {
		if !table.Deltas && !table.StreamOnly {
			continue
		}
		var out bytes.Buffer
		w := ipcx.NewWriter(&out, ipcx.WithDictionaryDeltas(table.Deltas))
		for _, rec := range table.Batches {
			require.NoError(t, w.Write(rec))
		}
		require.NoError(t, w.Close())
		stats, err := ipcx.Convert(context.Background(), &bytes.Buffer{}, &out)
		require.NoError(t, err)
		require.EqualValues(t, len(table.Batches), stats.DictionaryBatches, table.Name)
		if table.Deltas {
			require.EqualValues(t, len(table.Batches)-1, stats.DictionaryDeltas, table.Name)
		} else {
			require.EqualValues(t, len(table.Batches)-1, stats.ReplacedDictionaries, table.Name)
		}
	}
}
