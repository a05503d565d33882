package ipcx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// drain reads a stream with this package's reader. A panic in it is not
// recovered: none may leave the reader.
func drain(r io.Reader, opts ...ipcx.Option) oracle.Result {
	rd, err := ipcx.NewReader(r, opts...)
	if err != nil {
		return oracle.Result{Err: err}
	}
	defer rd.Release()
	res := oracle.Result{Schema: rd.Schema()}
	for rd.Next() {
		rec := rd.RecordBatch()
		rec.Retain()
		res.Batches = append(res.Batches, rec)
	}
	res.Err = rd.Err()
	return res
}

func drainBytes(stream []byte, opts ...ipcx.Option) oracle.Result {
	return drain(bytes.NewReader(stream), opts...)
}

// convert converts a stream or file in memory.
func convert(data []byte, opts ...ipcx.Option) ([]byte, error) {
	var out bytes.Buffer
	_, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), opts...)
	return out.Bytes(), err
}

// write makes a stream of batches, which are of one schema.
func write(t testing.TB, batches []arrow.RecordBatch, opts ...ipcx.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, append([]ipcx.Option{ipcx.WithSchema(batches[0].Schema())}, opts...)...)
	for _, rec := range batches {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// flaggedPlain are the options that give flagged messages whose bodies are not
// compressed, so that every byte of them can be set by hand.
func flaggedPlain() []ipcx.Option {
	return []ipcx.Option{ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)}
}

// smallBatch has three rows and these body buffers:
//
//	field   0 validity  1 values
//	text    2 validity  3 offsets, 16 bytes  4 data, 6 bytes
//	tags    5 validity  6 offsets, 16 bytes
//	tags.item  7 validity  8 offsets, 40 bytes  9 data, 4 bytes
func smallBatch() arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "number", Type: arrow.PrimitiveTypes.Int32, Nullable: true},
		{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.LargeString), Nullable: true},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int32Builder).AppendValues([]int32{1, 2, 3}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"a", "bcd", "ef"}, nil)
	tags := b.Field(2).(*array.ListBuilder)
	items := tags.ValueBuilder().(*array.LargeStringBuilder)
	for _, row := range [][]string{{"p", "qr"}, {}, {"s", ""}} {
		tags.Append(true)
		items.AppendValues(row, nil)
	}
	return b.NewRecordBatch()
}

// smallBatches are n times smallBatch.
func smallBatches(n int) []arrow.RecordBatch {
	all := make([]arrow.RecordBatch, n)
	for i := range all {
		all[i] = smallBatch()
	}
	return all
}

// requireEqual requires the values, the schema and the metadata of record batches
// to be those wanted; validity bitmaps and the like may be there or not.
func requireEqual(t testing.TB, want, got []arrow.RecordBatch, args ...any) {
	t.Helper()
	require.Len(t, got, len(want), args...)
	for i := range want {
		require.True(t, array.RecordEqual(want[i], got[i]), args...)
		require.NoError(t, oracle.SameSchema(want[i].Schema(), got[i].Schema()), args...)
		w, g := want[i].(arrow.RecordBatchWithMetadata).Metadata(), got[i].(arrow.RecordBatchWithMetadata).Metadata()
		require.Equal(t, w.ToMap(), g.ToMap(), args...)
	}
}

// raw is a message without its framing.
type raw struct{ metadata, body []byte }

// messages cuts a stream into its messages, the end-of-stream marker left out.
func messages(t testing.TB, stream []byte) []raw {
	t.Helper()
	var all []raw
	for len(stream) > 0 {
		require.Equal(t, uint32(0xFFFFFFFF), binary.LittleEndian.Uint32(stream))
		n := int(binary.LittleEndian.Uint32(stream[4:]))
		stream = stream[8:]
		if n == 0 {
			require.Empty(t, stream)
			break
		}
		m := raw{metadata: stream[:n]}
		stream = stream[n:]
		size := flatbuf.GetRootAsMessage(m.metadata, 0).BodyLength()
		m.body, stream = stream[:size], stream[size:]
		all = append(all, m)
	}
	return all
}

// stream puts messages together again, with the end-of-stream marker.
func stream(all ...raw) []byte {
	var out []byte
	for _, m := range all {
		out = append(out, frame(m)...)
	}
	return append(out, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0)
}

func frame(m raw) []byte {
	pad := -len(m.metadata) & 7
	out := binary.LittleEndian.AppendUint32(nil, 0xFFFFFFFF)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(m.metadata)+pad))
	out = append(out, m.metadata...)
	out = append(out, make([]byte, pad)...)
	return append(out, m.body...)
}

// edited returns a copy of a message with its metadata changed.
func edited(m raw, change func(*flatbuf.MessageT)) raw {
	fb := flatbuf.GetRootAsMessage(m.metadata, 0).UnPack()
	change(fb)
	b := flatbuffers.NewBuilder(1024)
	b.Finish(fb.Pack(b))
	return raw{metadata: bytes.Clone(b.FinishedBytes()), body: bytes.Clone(m.body)}
}

// editedBatch is edited for what is in a record batch or dictionary batch.
func editedBatch(m raw, change func(*flatbuf.RecordBatchT)) raw {
	return edited(m, func(fb *flatbuf.MessageT) { change(batchOf(fb)) })
}

func batchOf(fb *flatbuf.MessageT) *flatbuf.RecordBatchT {
	if dict, ok := fb.Header.Value.(*flatbuf.DictionaryBatchT); ok {
		return dict.Data
	}
	return fb.Header.Value.(*flatbuf.RecordBatchT)
}

// rebody lays out the stored buffers of a batch anew, as stored gives them, and
// gives the message the body. A flagged message stays flagged.
func rebody(m raw, stored ...[]byte) raw {
	body := []byte{}
	out := edited(m, func(fb *flatbuf.MessageT) {
		batch := batchOf(fb)
		mark := int64(0)
		if batch.Compression != nil && batch.Compression.Codec < 0 {
			mark = -1 << 63
		}
		batch.Buffers = nil
		for _, p := range stored {
			batch.Buffers = append(batch.Buffers, &flatbuf.BufferT{Offset: int64(len(body)) | mark, Length: int64(len(p))})
			body = append(body, p...)
			body = append(body, make([]byte, -len(p)&7)...)
		}
		fb.BodyLength = int64(len(body))
	})
	out.body = body
	return out
}

// kindOf is the name of a message's type.
func kindOf(m raw) string { return flatbuf.GetRootAsMessage(m.metadata, 0).HeaderType().String() }

// buffers returns the stored buffers of a batch.
func buffers(m raw) [][]byte {
	var all [][]byte
	for _, b := range batchOf(flatbuf.GetRootAsMessage(m.metadata, 0).UnPack()).Buffers {
		at := b.Offset &^ (-1 << 63)
		all = append(all, m.body[at:at+b.Length:at+b.Length])
	}
	return all
}

// decodeAll takes messages through a Decoder. What it returns are copies.
func decodeAll(all []raw, opts ...ipcx.Option) ([]raw, error) {
	dec, err := ipcx.NewDecoder(opts...)
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	var out []raw
	for _, m := range all {
		metadata, body, err := dec.Decode(m.metadata, m.body)
		if err != nil {
			return out, err
		}
		out = append(out, raw{bytes.Clone(metadata), bytes.Clone(body)})
	}
	return out, nil
}

// everyWay reads the messages of a stream by all three doors: the reader, the
// decoder, the conversion. It gives the error of each.
func everyWay(all []raw, opts ...ipcx.Option) map[string]error {
	_, decoded := decodeAll(all, opts...)
	_, converted := convert(stream(all...), opts...)
	return map[string]error{
		"NewReader":      drainBytes(stream(all...), opts...).Err,
		"Decoder.Decode": decoded,
		"Convert":        converted,
	}
}
