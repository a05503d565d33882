package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strconv"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// oldFrame frames a message as Arrow before 0.15 did.
func oldFrame(m raw) []byte {
	pad := -(len(m.metadata) + 4) & 7
	out := binary.LittleEndian.AppendUint32(nil, uint32(len(m.metadata)+pad))
	out = append(out, m.metadata...)
	out = append(out, make([]byte, pad)...)
	return append(out, m.body...)
}

// TestOldFraming has streams without continuation markers, and with some.
func TestOldFraming(t *testing.T) {
	for name, whole := range cutStreams(t) {
		want := drainBytes(whole)
		var old, mixed []byte
		for i, m := range messages(t, whole) {
			old = append(old, oldFrame(m)...)
			if i%2 == 0 {
				mixed = append(mixed, oldFrame(m)...)
			} else {
				mixed = append(mixed, frame(m)...)
			}
		}
		for _, data := range [][]byte{old, append(bytes.Clone(old), 0, 0, 0, 0), mixed} {
			requireSame(t, want, drainBytes(data))
			out, err := convert(data)
			require.NoError(t, err, name)
			requireSame(t, want, oracle.Stream(out))
		}
	}
}

// TestMetadataPadding has metadata of every length modulo 8, as arrow-go takes
// it, and a padding that is not zero.
func TestMetadataPadding(t *testing.T) {
	for name, whole := range cutStreams(t) {
		want := drainBytes(whole)
		for pad := range 9 {
			var data []byte
			for _, m := range messages(t, whole) {
				data = append(data, 0xFF, 0xFF, 0xFF, 0xFF)
				data = binary.LittleEndian.AppendUint32(data, uint32(len(m.metadata)+pad))
				data = append(data, m.metadata...)
				data = append(data, "paddings"[:pad]...)
				data = append(data, m.body...)
			}
			requireSame(t, want, drainBytes(data))
			out, err := convert(data)
			require.NoError(t, err, name)
			requireSame(t, want, oracle.Stream(out))
		}
	}
}

// TestMetadataLength has lengths that no metadata can have.
func TestMetadataLength(t *testing.T) {
	whole := write(t, smallBatches(1))
	first := len(frame(messages(t, whole)[0]))
	for length, says := range map[uint32]string{1: "length of 1 bytes", 3: "length of 3 bytes", 0x80000000: "length of -2147483648 bytes", 0xFFFFFFFE: "length of -2 bytes", 0xFFFFFFFF: "length of -1 bytes"} {
		bad := binary.LittleEndian.AppendUint32([]byte{0xFF, 0xFF, 0xFF, 0xFF}, length)
		for at, data := range map[int][]byte{0: bad, first: append(bytes.Clone(whole[:first]), bad...)} {
			got := drainBytes(append(data, whole...))
			require.ErrorIs(t, got.Err, ipcx.ErrCorrupt)
			require.ErrorContains(t, got.Err, says)
			if at > 0 {
				require.ErrorContains(t, got.Err, "at byte "+strconv.Itoa(first))
			}
			_, err := convert(append(data, whole...))
			require.ErrorIs(t, err, ipcx.ErrCorrupt)
			require.ErrorContains(t, err, says)
		}
	}
}

// TestMetadataGarbage has metadata of random words, and of none.
func TestMetadataGarbage(t *testing.T) {
	all := messages(t, write(t, smallBatches(1)))
	for _, metadata := range [][]byte{
		make([]byte, 4), make([]byte, 64), bytes.Repeat([]byte{0xFF}, 64), bytes.Repeat([]byte{4, 0, 0, 0}, 16), []byte("not a flatbuffer"),
	} {
		for way, err := range everyWay([]raw{all[0], {metadata, nil}}) {
			require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
			require.ErrorContains(t, err, "message 1", way)
			require.NotContains(t, err.Error(), "Schema", way)
		}
	}
}

// TestBodyPadding has bodies whose length is no multiple of 8, which arrow-go
// takes. A conversion pads them.
func TestBodyPadding(t *testing.T) {
	for name, opts := range map[string][]ipcx.Option{"plain": nil, "flagged": flaggedPlain()} {
		all := messages(t, write(t, smallBatches(1), opts...))
		want := drainBytes(stream(all...))
		last := buffers(all[1])[itemOffsets+1]
		cut := edited(all[1], func(fb *flatbuf.MessageT) { fb.BodyLength -= int64(-len(last) & 7) })
		cut.body = cut.body[:len(cut.body)-(-len(last)&7)]
		require.NotZero(t, len(cut.body)%8, name)
		for _, data := range [][]byte{stream(all[0], cut, all[1]), stream(all[0], cut)} {
			got := drainBytes(data)
			require.NoError(t, got.Err, name)
			require.NoError(t, oracle.SameBatch(want.Batches[0], got.Batches[0]), name)
			out, err := convert(data)
			require.NoError(t, err, name)
			for _, m := range messages(t, out) {
				require.Zero(t, len(m.body)%8, name)
			}
			requireSame(t, got, oracle.Stream(out))
		}
	}
}

// TestSchemaBody has a schema message with a body, which means nothing.
func TestSchemaBody(t *testing.T) {
	for name, whole := range cutStreams(t) {
		all := messages(t, whole)
		all[0] = edited(all[0], func(fb *flatbuf.MessageT) { fb.BodyLength = 16 })
		all[0].body = []byte("sixteen bytes ..")
		want := drainBytes(whole)
		requireSame(t, want, drainBytes(stream(all...)))
		out, err := convert(stream(all...))
		require.NoError(t, err, name)
		requireSame(t, want, oracle.Stream(out))
	}
}

// TestSchemaBodyLies has a schema message that claims a body of up to 2^63 bytes.
// Nobody allocates them.
func TestSchemaBodyLies(t *testing.T) {
	all := messages(t, write(t, smallBatches(1)))
	for _, size := range []int64{1 << 36, 1 << 46, math.MaxInt64} {
		lying := edited(all[0], func(fb *flatbuf.MessageT) { fb.BodyLength = size })
		for _, opts := range [][]ipcx.Option{
			{ipcx.WithBodySizeLimit(0)},
			{ipcx.WithBodySizeLimit(0), ipcx.WithColumns("text")},
			{ipcx.WithBodySizeLimit(0), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
		} {
			require.Less(t, cost(func() {
				for way, err := range everyWay([]raw{lying, all[1]}, opts...) {
					require.Error(t, err, way)
				}
				enc, err := ipcx.NewEncoder(opts...)
				require.NoError(t, err)
				_, _, err = enc.Encode(lying.metadata, nil)
				require.NoError(t, err)
			}), 4<<20)
		}
	}
}

// TestOtherMessages has messages that have no place in a stream.
func TestOtherMessages(t *testing.T) {
	all := messages(t, write(t, smallBatches(1)))
	tensor := edited(all[0], func(fb *flatbuf.MessageT) {
		fb.Header = &flatbuf.MessageHeaderT{Type: flatbuf.MessageHeaderTensor, Value: &flatbuf.TensorT{
			Type: &flatbuf.TypeT{Type: flatbuf.TypeInt, Value: &flatbuf.IntT{BitWidth: 8}}, Data: &flatbuf.BufferT{}}}
	})
	require.ErrorContains(t, drainBytes(stream(all[0], tensor, all[1])).Err, "invalid message type")
	_, err := convert(stream(all[0], tensor, all[1]))
	require.ErrorIs(t, err, ipcx.ErrUnsupported)
	require.ErrorContains(t, err, "message 1 (Tensor)")
	require.Error(t, drainBytes(stream(tensor, all[0])).Err)
	_, err = convert(stream(tensor, all[0]))
	require.Error(t, err)
}

// TestEmptyStream has streams without batches, and without columns.
func TestEmptyStream(t *testing.T) {
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()}} {
		for _, schema := range []*arrow.Schema{smallBatch().Schema(), arrow.NewSchema(nil, nil)} {
			var out bytes.Buffer
			w := ipcx.NewWriter(&out, append(opts, ipcx.WithSchema(schema))...)
			require.NoError(t, w.Close())
			requireSame(t, oracle.Result{Schema: schema}, drainBytes(out.Bytes()))
			plain, err := convert(out.Bytes())
			require.NoError(t, err)
			requireSame(t, oracle.Result{Schema: schema}, oracle.Stream(plain))
		}
	}
}
