package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
	"github.com/arrowplanes/arrowplanes/planes"
)

// flaggedCodec is what stands in a flagged message for a codec.
var flaggedCodec = map[ipcx.Codec]int8{ipcx.LZ4Frame: -128, ipcx.Zstd: -127, ipcx.Uncompressed: -1}

// offsetTables has a table for each mapped field with offsets, of two batches
// that make a flagged message each.
func offsetTables(t testing.TB) (tables []table) {
	t.Helper()
	for _, f := range mappedFields() {
		schema := arrow.NewSchema([]arrow.Field{f}, nil)
		if layout.Of(schema).HasOffsets() {
			tables = append(tables, newTable(t, f.Name, schema,
				arrowgen.Batch(1, schema, arrowgen.Options{Rows: 40}),
				arrowgen.Batch(2, schema, arrowgen.Options{Rows: 70, Nulls: 0.2, Sliced: true})))
		}
	}
	require.Greater(t, len(tables), 15)
	return tables
}

// recordBatch gives access to the metadata of a record batch message, and to
// change it where it is.
func recordBatch(t testing.TB, metadata []byte) (*flatbuf.Message, *flatbuf.RecordBatch) {
	t.Helper()
	msg := flatbuf.GetRootAsMessage(metadata, 0)
	require.Equal(t, flatbuf.MessageHeaderRecordBatch, msg.HeaderType())
	var rb flatbuf.RecordBatch
	table := rb.Table()
	require.True(t, msg.Header(&table))
	rb.Init(table.Bytes, table.Pos)
	return msg, &rb
}

// withoutCompression makes the compression of a record batch absent.
func withoutCompression(rb *flatbuf.RecordBatch) {
	const slot = 4 + 2*3 // the fourth member, in the vtable
	table := rb.Table()
	vtable := int(table.Pos) - int(int32(binary.LittleEndian.Uint32(table.Bytes[table.Pos:])))
	binary.LittleEndian.PutUint16(table.Bytes[vtable+slot:], 0)
}

// buffersOf returns the buffers of a record batch, whose offsets may be flagged.
func buffersOf(rb *flatbuf.RecordBatch) []*flatbuf.Buffer {
	buffers := make([]*flatbuf.Buffer, rb.BuffersLength())
	for i := range buffers {
		buffers[i] = new(flatbuf.Buffer)
		rb.Buffers(buffers[i], i)
	}
	return buffers
}

// Exactly the batches with something to rewrite have the marks, and have both.
func TestMarks(t *testing.T) {
	for _, tab := range mappedTables(t) {
		roles, err := layout.Of(tab.schema).Buffers(layout.V5, nil)
		require.NoError(t, err)
		for _, codec := range codecs {
			plain := cutStream(t, arrowWriteTable(t, tab))[1:]
			flagged := cutStream(t, writeTable(t, tab, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec)))[1:]
			require.Len(t, flagged, len(plain))
			for i := range flagged {
				what := fmt.Sprintf("%s, %v, batch %d", tab.name, codec, i)
				_, rb := recordBatch(t, plain[i].metadata)
				want := false
				for _, role := range roles {
					var node flatbuf.FieldNode
					rb.Nodes(&node, role.Node)
					want = want || role.Role.IsOffsets() && node.Length() > 0
				}

				_, rb = recordBatch(t, flagged[i].metadata)
				compression := rb.Compression(nil)
				switch {
				case want:
					require.Equal(t, flaggedCodec[codec], int8(compression.Codec()), what)
					require.Equal(t, flatbuf.BodyCompressionMethodBUFFER, compression.Method(), what)
				case codec == ipcx.Uncompressed:
					require.Nil(t, compression, what)
				default:
					require.EqualValues(t, codec-ipcx.LZ4Frame, compression.Codec(), what)
				}
				for j, b := range buffersOf(rb) {
					require.Equal(t, want, b.Offset() < 0, "%s, buffer %d", what, j)
					end := b.Offset()&math.MaxInt64 + b.Length()
					require.LessOrEqual(t, end, int64(len(flagged[i].body)), "%s, buffer %d", what, j)
				}
			}
		}
	}
}

// Any reader that does not know the flag stops at the first flagged message.
func TestArrowGoRefusesFlagged(t *testing.T) {
	read := func(r *ipc.Reader) (batches int, err error) {
		defer r.Release()
		for r.Next() {
			batches++
		}
		return batches, r.Err()
	}
	for _, tab := range offsetTables(t) {
		for _, codec := range codecs {
			what := fmt.Sprintf("%s, %v", tab.name, codec)
			stream := writeTable(t, tab, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))

			batches, err := read(arrowReader(t, stream))
			require.Error(t, err, what)
			require.Zero(t, batches, what)

			rec, err := arrowReader(t, stream).Read()
			require.Error(t, err, what)
			require.NotErrorIs(t, err, io.EOF, what)
			require.Nil(t, rec, what)

			// Through this package, with arrow-go's messages.
			r, err := ipcx.NewReaderFromMessageReader(ipc.NewMessageReader(bytes.NewReader(stream)))
			require.NoError(t, err)
			require.False(t, r.Next(), what)
			require.Error(t, r.Err(), what)
			r.Release()

			// One mark is enough.
			for mark, strip := range map[string]func(*flatbuf.RecordBatch){
				"codec": func(rb *flatbuf.RecordBatch) {
					for _, b := range buffersOf(rb) {
						b.MutateOffset(b.Offset() & math.MaxInt64)
					}
				},
				"offsets": func(rb *flatbuf.RecordBatch) { stripCodec(t, rb, codec) },
			} {
				if mark == "offsets" && strconv.IntSize == 32 {
					continue // arrow-go cuts offsets to 32 bits, and that mark off
				}
				frames := cutStream(t, stream)
				for _, f := range frames[1:] {
					_, rb := recordBatch(t, f.metadata)
					strip(rb)
				}
				batches, err := read(arrowReader(t, joinStream(frames)))
				require.Error(t, err, "%s, %s alone", what, mark)
				require.Zero(t, batches, "%s, %s alone", what, mark)
			}
		}
	}
}

// stripCodec gives a flagged message the codec of a plain one.
func stripCodec(t testing.TB, rb *flatbuf.RecordBatch, codec ipcx.Codec) {
	t.Helper()
	if codec == ipcx.Uncompressed {
		withoutCompression(rb)
		return
	}
	require.True(t, rb.Compression(nil).MutateCodec(flatbuf.CompressionType(codec-ipcx.LZ4Frame)))
}

// The bytes of a flagged message are planes: without the marks they are
// garbage, and joined by hand they are the arrays.
func TestBuffersArePlanes(t *testing.T) {
	for _, tab := range offsetTables(t) {
		for _, codec := range codecs {
			what := fmt.Sprintf("%s, %v", tab.name, codec)
			stream := writeTable(t, tab, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
			frames := cutStream(t, stream)
			for i := range frames[1:] {
				_, rb := recordBatch(t, frames[1+i].metadata)
				stripCodec(t, rb, codec)
				for _, b := range buffersOf(rb) {
					b.MutateOffset(b.Offset() & math.MaxInt64)
				}
			}
			for i, want := range tab.batches {
				alone := joinStream([]piece{frames[0], frames[1+i]})
				require.Error(t, sameBatch(t, alone, want), "%s: batch %d is right without its flag", what, i)
				joined := joinByHand(t, tab.schema, frames[1+i], codec)
				require.NoError(t, sameBatch(t, joinStream([]piece{frames[0], joined}), want), "%s: batch %d", what, i)
			}
		}
	}
}

// sameBatch says why the first batch that arrow-go reads is not want.
func sameBatch(t testing.TB, stream []byte, want arrow.RecordBatch) (err error) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	r := arrowReader(t, stream)
	defer r.Release()
	got, err := r.Read()
	if err == nil && !array.RecordEqual(want, got) {
		err = fmt.Errorf("\n%s\nis not\n%s", got, want)
	}
	return err
}

// joinByHand makes a plain uncompressed message of one that was flagged and has
// lost its marks.
func joinByHand(t testing.TB, schema *arrow.Schema, f piece, codec ipcx.Codec) piece {
	t.Helper()
	metadata := bytes.Clone(f.metadata)
	msg, rb := recordBatch(t, metadata)
	roles, err := layout.Of(schema).Buffers(layout.V5, nil)
	require.NoError(t, err)
	buffers := buffersOf(rb)
	require.Len(t, buffers, len(roles))

	var body []byte
	for i, b := range buffers {
		stored := f.body[b.Offset():][:b.Length()]
		raw := uncompress(t, codec, stored)
		var node flatbuf.FieldNode
		rb.Nodes(&node, roles[i].Node)
		joined := bytes.Clone(raw)
		switch n := int(node.Length()); {
		case n > 0 && roles[i].Role == layout.Offsets32:
			require.NoError(t, planes.JoinOffsets32(joined, raw, n))
		case n > 0 && roles[i].Role == layout.Offsets64:
			require.NoError(t, planes.JoinOffsets64(joined, raw, n))
		}
		b.MutateOffset(int64(len(body)))
		b.MutateLength(int64(len(joined)))
		body = append(body, joined...)
		body = append(body, make([]byte, -len(body)&63)...)
	}
	withoutCompression(rb)
	require.True(t, msg.MutateBodyLength(int64(len(body))))
	return piece{metadata, body}
}

// uncompress returns what a stored buffer holds.
func uncompress(t testing.TB, codec ipcx.Codec, stored []byte) []byte {
	t.Helper()
	if codec == ipcx.Uncompressed || len(stored) == 0 {
		return stored
	}
	n, payload := int64(binary.LittleEndian.Uint64(stored)), stored[8:]
	if n < 0 {
		require.EqualValues(t, -1, n)
		return payload
	}
	var r io.Reader = lz4.NewReader(bytes.NewReader(payload))
	if codec == ipcx.Zstd {
		d, err := zstd.NewReader(bytes.NewReader(payload), zstd.WithDecoderConcurrency(1))
		require.NoError(t, err)
		defer d.Close()
		r = d
	}
	raw, err := io.ReadAll(r)
	require.NoError(t, err)
	require.Len(t, raw, int(n))
	return raw
}
