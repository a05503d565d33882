package ipcx_test

import (
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// Readers refuse a flagged message whose lengths are negative or lead outside of
// their data, in every form that it is stored in, unless they are told to trust
// it. Decoder and Convert give back what was there.
func TestLengthsOfFlaggedMessages(t *testing.T) {
	utf8, large := arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString
	list := arrow.ListOf(arrow.PrimitiveTypes.Int8)
	largeList := arrow.LargeListOf(arrow.PrimitiveTypes.Int8)
	for _, c := range []invalid{
		{name: "utf8 back", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(0, 2, 1, 3)}, says: `"x", offsets32: row 1: offset 1 after 2`},
		{name: "utf8 below 0", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(-1, 1, 2, 3)}, says: "first offset is -1"},
		{name: "utf8 wraps", typ: utf8, json: `["a","b","c"]`, buffers: map[int][]byte{1: int32s(0, 1<<31-1, -2, 3)}, says: "offset -2 after 2147483647"},
		{name: "large utf8 back", typ: large, json: `["a","b","c"]`, buffers: map[int][]byte{1: int64s(0, 2, 1, 3)}, says: "row 1: offset 1 after 2"},
		{name: "large utf8 wraps", typ: large, json: `["a","b","c"]`, buffers: map[int][]byte{1: int64s(0, 1<<62, -1<<63, 3)}, says: "offset -9223372036854775808 after 4611686018427387904"},
		{name: "list back", typ: list, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int32s(0, 2, 1, 3)}, says: "row 1: offset 1 after 2"},
		{name: "list outside", typ: list, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int32s(0, 1, 3, 4)}, says: "last offset is 4, where there are 3 entries"},
		{name: "large list outside", typ: largeList, json: `[[1],[2],[3]]`, buffers: map[int][]byte{1: int64s(0, 1, 3, 1<<40)}, says: "last offset is 1099511627776, where there are 3 entries"},
		{name: "inside a list", typ: arrow.ListOf(utf8), json: `[["a"],["b","c"]]`, buffers: map[int][]byte{3: int32s(0, 2, 1, 3)}, says: `"x.item", offsets32: row 1: offset 1 after 2`},
	} {
		t.Run(c.name, func(t *testing.T) {
			plain := stream(c.of(t)...)
			if strings.Contains(c.says, " after ") {
				require.NoError(t, drainBytes(plain).Err)
			} else {
				require.ErrorContains(t, drainBytes(plain).Err, c.says)
			}
			for _, codec := range []ipcx.Codec{ipcx.Uncompressed, ipcx.LZ4Frame, ipcx.Zstd} {
				flagged, err := convert(plain, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
				require.NoError(t, err)
				got := drainBytes(flagged)
				require.ErrorIs(t, got.Err, ipcx.ErrCorrupt)
				require.ErrorContains(t, got.Err, c.says)
				require.Len(t, got.Batches, 1)
				require.NoError(t, drainBytes(flagged, ipcx.WithTrustedInput()).Err)
				require.ErrorContains(t, drainBytes(flagged, ipcx.WithColumns("x")).Err, c.says)

				file, err := convert(flagged, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec), ipcx.WithFormat(ipcx.FileFormat))
				require.NoError(t, err)
				require.ErrorContains(t, readEither(file).Err, c.says)
				require.NoError(t, readEither(file, ipcx.WithTrustedInput()).Err)
				mapped, err := ipcx.NewMappedFileReader(file)
				require.NoError(t, err)
				_, err = mapped.RecordBatchAt(1)
				require.ErrorContains(t, err, c.says)
				require.NoError(t, mapped.Close())

				back, err := convert(flagged)
				require.NoError(t, err)
				require.Equal(t, buffers(messages(t, plain)[2]), buffers(messages(t, back)[2]))
			}
		})
	}
}
