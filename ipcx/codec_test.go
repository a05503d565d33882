package ipcx_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// The schema comes first, and once.
func TestCodecNeedsTheSchemaFirst(t *testing.T) {
	tab := texts(t)
	frames := cutStream(t, arrowWriteTable(t, tab))
	enc, err := ipcx.NewEncoder(flaggedZstd()...)
	require.NoError(t, err)
	_, _, err = enc.Encode(frames[1].metadata, frames[1].body)
	require.ErrorIs(t, err, ipcx.ErrCorrupt)
	require.ErrorContains(t, err, "before the schema")
	require.Zero(t, enc.Stats())

	// It may still come.
	for _, f := range frames {
		_, _, err = enc.Encode(f.metadata, f.body)
		require.NoError(t, err)
	}
	_, _, err = enc.Encode(frames[0].metadata, nil)
	require.ErrorIs(t, err, ipcx.ErrCorrupt)
	require.ErrorContains(t, err, "second schema")

	dec, err := ipcx.NewDecoder()
	require.NoError(t, err)
	defer dec.Close()
	flagged := cutStream(t, writeTable(t, tab, flaggedZstd()...))
	_, _, err = dec.Decode(flagged[1].metadata, flagged[1].body)
	require.ErrorIs(t, err, ipcx.ErrCorrupt)
	require.ErrorContains(t, err, "before the schema")
	require.Zero(t, dec.Stats())
}

// What went through a codec already is not encoded again.
func TestEncodeTwice(t *testing.T) {
	tab := texts(t)
	for _, stream := range [][]byte{
		writeTable(t, tab, flaggedZstd()...),
		writeTable(t, tab, ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)),
		arrowWriteTable(t, tab, ipc.WithLZ4()),
	} {
		frames := cutStream(t, stream)
		for _, opts := range [][]ipcx.Option{nil, flaggedZstd()} {
			enc, err := ipcx.NewEncoder(opts...)
			require.NoError(t, err)
			_, _, err = enc.Encode(frames[0].metadata, frames[0].body)
			require.NoError(t, err)
			_, _, err = enc.Encode(frames[1].metadata, frames[1].body)
			require.ErrorIs(t, err, ipcx.ErrUnsupported)
			require.ErrorContains(t, err, "message 1 (RecordBatch)")
		}
	}
}

// A body that is shorter than its metadata says is refused by both directions,
// and what follows one that is longer is not looked at.
func TestCodecChecksTheBody(t *testing.T) {
	tab := texts(t)
	plain := cutStream(t, arrowWriteTable(t, tab))
	flagged := cutStream(t, writeTable(t, tab, flaggedZstd()...))
	enc, err := ipcx.NewEncoder(flaggedZstd()...)
	require.NoError(t, err)
	dec, err := ipcx.NewDecoder()
	require.NoError(t, err)
	defer dec.Close()
	for i := range plain {
		if n := len(plain[i].body); n > 0 {
			_, _, err = enc.Encode(plain[i].metadata, plain[i].body[:n-16])
			require.ErrorIs(t, err, ipcx.ErrCorrupt)
			_, _, err = dec.Decode(flagged[i].metadata, flagged[i].body[:len(flagged[i].body)-1])
			require.ErrorIs(t, err, ipcx.ErrCorrupt)
		}
		metadata, body, err := enc.Encode(plain[i].metadata, plain[i].body)
		require.NoError(t, err)
		require.Equal(t, flagged[i], piece{metadata, append([]byte{}, body...)})
		if i > 0 {
			_, body, err = dec.Decode(metadata, append(append([]byte{}, body...), 1, 2, 3))
			require.NoError(t, err)
			require.NotEmpty(t, body)
		} else {
			_, _, err = dec.Decode(metadata, body)
			require.NoError(t, err)
		}
	}
	require.EqualValues(t, 2, enc.Stats().FlaggedBatches)
	require.EqualValues(t, 2, dec.Stats().FlaggedBatches)
}

// A decoder may be closed at any time, and used on.
func TestDecoderAfterClose(t *testing.T) {
	tab := texts(t)
	for _, codec := range codecs {
		dec, err := ipcx.NewDecoder()
		require.NoError(t, err)
		var frames []piece
		for _, f := range cutStream(t, writeTable(t, tab, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))) {
			metadata, body, err := dec.Decode(f.metadata, f.body)
			require.NoError(t, err)
			frames = append(frames, piece{append([]byte{}, metadata...), append([]byte{}, body...)})
			dec.Close()
		}
		requireTable(t, tab, arrowReader(t, joinStream(frames)))
	}
}
