package ipcx_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// flipBatch has 32 rows of what people have, some of it null, so that its
// compressed buffers are of all kinds: matches, literals, runs. The lengths of
// some are powers of two, of which one bit makes 0.
func flipBatch() arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "id", Type: arrow.PrimitiveTypes.Int64},
		{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.LargeString), Nullable: true},
		{Name: "flag", Type: arrow.FixedWidthTypes.Boolean},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	names := []string{"Aberdeen", "Bern", "", "Coimbra", "Derry", "Aberystwyth"}
	tags := b.Field(2).(*array.ListBuilder)
	for i := range 32 {
		b.Field(0).(*array.Int64Builder).Append(int64(i) * 7919)
		if i%7 == 3 {
			b.Field(1).AppendNull()
		} else {
			b.Field(1).(*array.StringBuilder).Append(names[i*i%6])
		}
		tags.Append(true)
		for k := range i % 3 {
			tags.ValueBuilder().(*array.LargeStringBuilder).Append(names[(i+k)%6])
		}
		b.Field(3).(*array.BooleanBuilder).Append(i%5 == 0)
	}
	return b.NewRecordBatch()
}

// readEither reads a stream or a file.
func readEither(data []byte, opts ...ipcx.Option) oracle.Result {
	if !bytes.HasPrefix(data, ipcx.Magic) {
		return drainBytes(data, opts...)
	}
	r, err := ipcx.NewFileReader(bytes.NewReader(data), opts...)
	if err != nil {
		return oracle.Result{Err: err}
	}
	defer r.Close()
	res := oracle.Result{Schema: r.Schema()}
	for i := range r.NumRecords() {
		rec, err := r.RecordBatchAt(i)
		if err != nil {
			res.Err = err
			return res
		}
		res.Batches = append(res.Batches, rec)
	}
	return res
}

// same says whether two lists of batches hold equal values. What arrow-go cannot
// look at without a panic is not the same.
func same(a, b []arrow.RecordBatch) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !array.RecordEqual(a[i], b[i]) {
			return false
		}
	}
	return true
}

// bodyOf returns where the body of the only record batch of a stream or file is.
func bodyOf(t *testing.T, data []byte) (from, to int) {
	t.Helper()
	at := 0
	if bytes.HasPrefix(data, ipcx.Magic) {
		at = 8
	}
	for {
		n := int(uint32(data[at+4]) | uint32(data[at+5])<<8)
		m := flatbuf.GetRootAsMessage(data[at+8:], 0)
		from = at + 8 + n
		to = from + int(m.BodyLength())
		if m.HeaderType() == flatbuf.MessageHeaderRecordBatch {
			return from, to
		}
		at = to
	}
}

// flips counts what comes of flipping each bit of data between two bytes: in how
// many cases something else is read, without an error.
func flips(t *testing.T, data []byte, from, to int, want []arrow.RecordBatch) (silent int) {
	t.Helper()
	step := 1
	if raceEnabled {
		step = 11 // the counts are not its business
	}
	for i := from; i < to; i += step {
		for bit := range 8 {
			data[i] ^= 1 << bit
			if res := readEither(data); res.Err == nil && !same(want, res.Batches) {
				silent++
			}
			data[i] ^= 1 << bit
		}
	}
	return silent
}

// With checksums no flipped bit of a body changes what is read without an error.
// The counts are in the README.
func TestChecksumFindsEveryFlippedBit(t *testing.T) {
	batches := []arrow.RecordBatch{flipBatch()}
	plain := write(t, batches)
	for _, c := range []struct {
		format  ipcx.Format
		codec   ipcx.Codec
		flagged bool
	}{
		{ipcx.FileFormat, ipcx.Zstd, false},
		{ipcx.FileFormat, ipcx.Zstd, true},
		{ipcx.FileFormat, ipcx.LZ4Frame, false},
		{ipcx.FileFormat, ipcx.LZ4Frame, true},
		{ipcx.StreamFormat, ipcx.Zstd, true},
	} {
		t.Run(fmt.Sprintf("%s/%s/flagged=%t", c.format, c.codec, c.flagged), func(t *testing.T) {
			opts := []ipcx.Option{ipcx.WithCodec(c.codec), ipcx.WithFormat(c.format)}
			if c.flagged {
				opts = append(opts, ipcx.WithOffsetsAsLengths(c.codec))
			}
			without, err := convert(plain, opts...)
			require.NoError(t, err)
			with, err := convert(plain, append(opts, ipcx.WithChecksum())...)
			require.NoError(t, err)
			require.True(t, same(batches, readEither(with).Batches))

			from, to := bodyOf(t, with)
			t.Logf("with:    %d bits", (to-from)*8)
			require.Zero(t, flips(t, with, from, to, batches))

			if testing.Short() {
				return
			}
			from, to = bodyOf(t, without)
			silent := flips(t, without, from, to, batches)
			t.Logf("without: %d of %d bits", silent, (to-from)*8)
			require.NotZero(t, silent, "or the test flips nothing that matters")
		})
	}
}

// Every writer writes the checksums, of every buffer, and arrow-go reads them.
func TestChecksumEverywhere(t *testing.T) {
	batches := []arrow.RecordBatch{flipBatch()}
	plain := write(t, batches)
	for _, codec := range []ipcx.Codec{ipcx.Zstd, ipcx.LZ4Frame} {
		for _, more := range [][]ipcx.Option{nil, {ipcx.WithOffsetsAsLengths(codec)}, {ipcx.WithMinSpaceSavings(0.99)}, {ipcx.WithCompressConcurrency(4)}} {
			opts := append([]ipcx.Option{ipcx.WithCodec(codec), ipcx.WithChecksum()}, more...)
			converted, err := convert(plain, opts...)
			require.NoError(t, err)
			written := write(t, batches, opts...)
			require.Equal(t, written, converted)
			var viaPayloads bytes.Buffer
			w := ipc.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(&viaPayloads, opts...), ipc.WithSchema(batches[0].Schema()))
			require.NoError(t, w.Write(batches[0]))
			require.NoError(t, w.Close())
			require.Equal(t, written, viaPayloads.Bytes())
			var file bytes.Buffer
			fw, err := ipcx.NewFileWriter(&file, append(opts, ipcx.WithSchema(batches[0].Schema()))...)
			require.NoError(t, err)
			require.NoError(t, fw.Write(batches[0]))
			require.NoError(t, fw.Close())
			require.True(t, bytes.Contains(file.Bytes(), messages(t, written)[1].body))

			for _, stored := range buffers(messages(t, written)[1]) {
				if len(stored) == 0 {
					continue
				}
				require.NotEqual(t, bytes.Repeat([]byte{0xFF}, 8), stored[:8], "is stored raw")
				// Bit 2 is the content checksum's in both formats.
				require.NotZero(t, stored[8+4]&4)
			}
			if more == nil {
				rd, err := ipc.NewReader(bytes.NewReader(written))
				require.NoError(t, err)
				require.True(t, rd.Next())
				require.True(t, array.RecordEqual(batches[0], rd.RecordBatch()))
				rd.Release()
			}
		}
	}
}

func TestChecksumWithoutCodec(t *testing.T) {
	rec := flipBatch()
	opts := []ipcx.Option{ipcx.WithChecksum(), ipcx.WithSchema(rec.Schema()), ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)}
	var out bytes.Buffer
	require.ErrorIs(t, ipcx.NewWriter(&out, opts...).Write(rec), ipcx.ErrOption)
	_, err := ipcx.NewEncoder(opts...)
	require.ErrorIs(t, err, ipcx.ErrOption)
	_, err = convert(write(t, []arrow.RecordBatch{rec}), opts...)
	require.ErrorIs(t, err, ipcx.ErrOption)
	require.ErrorContains(t, err, "WithChecksum")
	require.Zero(t, out.Len())
	// A payload of arrow-go's cannot be made otherwise than it makes it.
	w := ipcx.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(&out), append(opts[:2:2], ipcx.WithZstd())...)
	require.ErrorIs(t, w.Write(rec), ipcx.ErrOption)
	require.Zero(t, out.Len())
}
