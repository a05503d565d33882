package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// refooted returns a file with its footer changed.
func refooted(t *testing.T, data []byte, change func(*flatbuf.FooterT)) []byte {
	t.Helper()
	footer, start := footerOf(t, data)
	change(footer)
	return append(bytes.Clone(data[:start]), packFooter(footer)...)
}

// TestFileReaderFooter has footers that lie.
func TestFileReaderFooter(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 3)}
	data := writeFile(t, batches)
	size := int64(len(data))
	for name, c := range map[string]struct {
		change func(*flatbuf.FooterT)
		is     error
		says   string
	}{
		"offset":            {func(f *flatbuf.FooterT) { f.RecordBatches[0].Offset += 4 }, ipcx.ErrCorrupt, "no multiple of 8"},
		"negative offset":   {func(f *flatbuf.FooterT) { f.RecordBatches[0].Offset = -8 }, ipcx.ErrCorrupt, "at byte -8"},
		"outside":           {func(f *flatbuf.FooterT) { f.RecordBatches[0].Offset = size &^ 7 }, ipcx.ErrCorrupt, "pass the messages' end"},
		"metadata length":   {func(f *flatbuf.FooterT) { f.RecordBatches[0].MetaDataLength += 8 }, ipcx.ErrCorrupt, "where the footer has"},
		"no metadata":       {func(f *flatbuf.FooterT) { f.RecordBatches[0].MetaDataLength = 0 }, ipcx.ErrCorrupt, "metadata of 0 bytes"},
		"negative metadata": {func(f *flatbuf.FooterT) { f.RecordBatches[0].MetaDataLength = -8 }, ipcx.ErrCorrupt, "metadata of -8 bytes"},
		"body length":       {func(f *flatbuf.FooterT) { f.RecordBatches[0].BodyLength -= 8 }, ipcx.ErrCorrupt, "where the footer has"},
		"negative body":     {func(f *flatbuf.FooterT) { f.RecordBatches[0].BodyLength = -8 }, ipcx.ErrCorrupt, "body of -8 bytes"},
		"endless body":      {func(f *flatbuf.FooterT) { f.RecordBatches[0].BodyLength = 1<<63 - 8 }, ipcx.ErrCorrupt, "pass the messages' end"},
		"a dictionary":      {func(f *flatbuf.FooterT) { f.RecordBatches[0] = f.Dictionaries[0] }, ipcx.ErrCorrupt, "not RecordBatch"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := refooted(t, data, c.change)
			for how, open := range openers {
				f, err := open(t, bad)
				require.NoError(t, err, how)
				_, err = f.RecordBatchAt(0)
				require.ErrorIs(t, err, c.is, how)
				require.ErrorContains(t, err, c.says, how)
				rec, err := f.RecordBatchAt(1)
				require.NoError(t, err, how)
				requireEqual(t, batches[1:], []arrow.RecordBatch{rec})
				require.NoError(t, f.Close())
			}
			_, err := convert(bad)
			require.ErrorIs(t, err, c.is)
		})
	}
	for name, c := range map[string]struct {
		change func(*flatbuf.FooterT)
		is     error
		says   string
	}{
		"replacement":        {func(f *flatbuf.FooterT) { f.Dictionaries = append(f.Dictionaries, f.Dictionaries[0]) }, ipcx.ErrReplacement, "dictionary block 1"},
		"not a dictionary":   {func(f *flatbuf.FooterT) { f.Dictionaries[0] = f.RecordBatches[0] }, ipcx.ErrCorrupt, "not DictionaryBatch"},
		"dictionary outside": {func(f *flatbuf.FooterT) { f.Dictionaries[0].Offset = size &^ 7 }, ipcx.ErrCorrupt, "dictionary block 0"},
		"no schema":          {func(f *flatbuf.FooterT) { f.Schema = nil }, ipcx.ErrCorrupt, "without a schema"},
	} {
		t.Run(name, func(t *testing.T) {
			bad := refooted(t, data, c.change)
			for how, open := range openers {
				f, err := open(t, bad)
				require.ErrorIs(t, err, c.is, how)
				require.ErrorContains(t, err, c.says, how)
				require.Nil(t, f)
			}
			_, err := convert(bad)
			require.ErrorIs(t, err, c.is)
		})
	}
	t.Run("no dictionary", func(t *testing.T) {
		for how, open := range openers {
			f, err := open(t, refooted(t, data, func(f *flatbuf.FooterT) { f.Dictionaries = nil }))
			require.NoError(t, err, how)
			_, err = f.RecordBatchAt(0)
			require.ErrorIs(t, err, ipcx.ErrCorrupt, how)
			require.ErrorContains(t, err, "no dictionary 0 so far", how)
			require.NoError(t, f.Close())
		}
	})
}

// TestFileReaderCut cuts a file at every byte: no error is io.EOF, no panic.
func TestFileReaderCut(t *testing.T) {
	data := writeFile(t, []arrow.RecordBatch{dictionaryBatch(1, 3)}, ipcx.WithZstd())
	for n := range len(data) {
		for how := range openers {
			err := drainFile(t, how, data[:n]).Err
			require.ErrorIs(t, err, ipcx.ErrNotArrow, "%s, %d bytes", how, n)
		}
		_, err := convert(data[:n])
		require.ErrorIs(t, err, ipcx.ErrNotArrow, "%d bytes", n)
	}
	for how := range openers {
		require.NoError(t, drainFile(t, how, data).Err)
	}
}

// TestFileReaderLimits has limits that are one byte too low.
func TestFileReaderLimits(t *testing.T) {
	batches := []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 3)}
	data := writeFile(t, batches, ipcx.WithZstd())
	footer, start := footerOf(t, data)
	b := footer.RecordBatches[0]
	largest := max(b.BodyLength, footer.Dictionaries[0].BodyLength)
	size := int64(len(data) - 10 - start)
	require.Greater(t, size, int64(b.MetaDataLength))
	for how := range openers {
		for opt, low := range map[string]ipcx.Option{
			"WithMetadataSizeLimit": ipcx.WithMetadataSizeLimit(size - 1),
			"WithBodySizeLimit":     ipcx.WithBodySizeLimit(largest - 1),
			"WithDecodedSizeLimit":  ipcx.WithDecodedSizeLimit(127), // two buffers at multiples of 64
		} {
			err := drainFile(t, how, data, low).Err
			require.ErrorIs(t, err, ipcx.ErrLimit, how)
			require.ErrorContains(t, err, opt)
		}
		require.NoError(t, drainFile(t, how, data, ipcx.WithMetadataSizeLimit(size), ipcx.WithBodySizeLimit(largest)).Err)
	}
}
