package ipcx_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// sharingBody gives a plain batch so many rows and a body of size zeros, at the start
// of which all of its buffers are, of the length given for each.
func sharingBody(m raw, rows, size int, length func(i int) int) raw {
	m = edited(m, func(fb *flatbuf.MessageT) {
		fb.BodyLength = int64(size)
		b := batchOf(fb)
		b.Length = int64(rows)
		for _, n := range b.Nodes {
			n.Length, n.NullCount = int64(rows), 0
		}
		for i, buf := range b.Buffers {
			*buf = flatbuf.BufferT{Length: int64(length(i))}
		}
	})
	m.body = make([]byte, size)
	return m
}

// TestOverlap has a body of a few KiB that is the offsets of each of many columns:
// where all of them are looked at, they are held to the limit of decoded data, so that
// what is looked at is bounded by the bytes of a message and the limit.
func TestOverlap(t *testing.T) {
	const rows, columns = 1001, 50
	const offsets = 4 * (rows + 1)
	length := func(i int) int {
		if i%3 == 1 {
			return offsets
		}
		return 0
	}
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: arrow.BinaryTypes.String})
	}
	all := messages(t, write(t, []arrow.RecordBatch{arrowgen.RecordBatch(1, fields, arrowgen.Options{Rows: 1})}))
	all[1] = sharingBody(all[1], rows, offsets, length)
	exact := int64(columns * offsets)
	for _, limit := range []int64{exact, 0, -1} {
		got := drainBytes(stream(all...), ipcx.WithValidation(), ipcx.WithDecodedSizeLimit(limit))
		require.NoError(t, got.Err)
		require.Len(t, got.Batches, 1)
	}
	for _, opt := range []ipcx.Option{ipcx.WithDecodedSizeLimit(exact - 1), ipcx.WithDecodedSizeLimit(1)} {
		require.NoError(t, drainBytes(stream(all...), opt).Err, "nothing looks at them")
		err := drainBytes(stream(all...), ipcx.WithValidation(), opt).Err
		requireLimit(t, err, "WithDecodedSizeLimit", offsets)
		require.ErrorContains(t, err, "message 1 (RecordBatch): buffers that share a body of 4008 bytes pass ")
	}
	one := drainBytes(stream(all...), ipcx.WithValidation(), ipcx.WithDecodedSizeLimit(exact-1), ipcx.WithColumns("3"))
	require.NoError(t, one.Err, "of one column alone")

	// Those of a dictionary are looked at in any case.
	plain := all
	all = dictionaryOf(t, arrow.StructOf(fields...), 1)
	all[1] = sharingBody(all[1], rows, offsets, func(i int) int { return length(i - 1) })
	require.NoError(t, drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(exact)).Err)
	require.NoError(t, drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(exact-1), ipcx.WithTrustedInput()).Err)
	err := drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(exact-1)).Err
	requireLimit(t, err, "WithDecodedSizeLimit", int(exact-1))
	require.ErrorContains(t, err, "message 1 (DictionaryBatch): buffers that share")

	// So it is of files.
	err = drainFile(t, "mapped", fileOf(all...), ipcx.WithDecodedSizeLimit(exact-1)).Err
	requireLimit(t, err, "WithDecodedSizeLimit", int(exact-1))
	for how := range openers {
		require.NoError(t, drainFile(t, how, fileOf(plain...), ipcx.WithDecodedSizeLimit(exact-1)).Err)
		err := drainFile(t, how, fileOf(plain...), ipcx.WithValidation(), ipcx.WithDecodedSizeLimit(exact-1)).Err
		requireLimit(t, err, "WithDecodedSizeLimit", int(exact-1))
		require.ErrorContains(t, err, "buffers that share", how)
	}

	// A body that is longer than the limit is not refused for that.
	require.NoError(t, drainBytes(write(t, smallBatches(1)), ipcx.WithValidation(), ipcx.WithDecodedSizeLimit(1)).Err)
}
