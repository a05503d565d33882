package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// limitWays are the doors that a stream comes in by.
func limitWays(whole []byte, opts ...ipcx.Option) map[string]error {
	_, converted := convert(whole, opts...)
	return map[string]error{"NewReader": drainBytes(whole, opts...).Err, "Convert": converted}
}

func requireLimit(t *testing.T, err error, option string, numbers ...int) {
	t.Helper()
	require.ErrorIs(t, err, ipcx.ErrLimit)
	require.NotErrorIs(t, err, ipcx.ErrCorrupt)
	require.ErrorContains(t, err, option)
	for _, n := range numbers {
		require.ErrorContains(t, err, strconv.Itoa(n))
	}
}

func TestMetadataLimit(t *testing.T) {
	whole := write(t, smallBatches(1))
	longest := 0
	for _, m := range messages(t, whole) {
		longest = max(longest, len(m.metadata))
	}
	for way, err := range limitWays(whole, ipcx.WithMetadataSizeLimit(int64(longest-1))) {
		t.Run(way, func(t *testing.T) { requireLimit(t, err, "WithMetadataSizeLimit", longest, longest-1) })
	}
	for _, limit := range []int{longest, 0, -1, math.MinInt} {
		for way, err := range limitWays(whole, ipcx.WithMetadataSizeLimit(int64(limit))) {
			require.NoError(t, err, "%s with a limit of %d", way, limit)
		}
	}
	for way, err := range limitWays(append([]byte{0xFF, 0xFF, 0xFF, 0xFF, 1, 0, 0, 4}, whole...)) { // 64 MiB and 1
		t.Run("default/"+way, func(t *testing.T) { requireLimit(t, err, "WithMetadataSizeLimit", 64<<20+1, 64<<20) })
	}
}

func TestBodyLimit(t *testing.T) {
	for name, opts := range map[string][]ipcx.Option{
		"plain":   nil,
		"zstd":    {ipcx.WithZstd()},
		"flagged": flaggedPlain(),
	} {
		whole := write(t, smallBatches(1), opts...)
		size := len(messages(t, whole)[1].body)
		for way, err := range limitWays(whole, ipcx.WithBodySizeLimit(int64(size-1))) {
			t.Run(name+"/"+way, func(t *testing.T) { requireLimit(t, err, "WithBodySizeLimit", size, size-1) })
		}
		for _, limit := range []int{size, 0, -1} {
			for way, err := range limitWays(whole, ipcx.WithBodySizeLimit(int64(limit))) {
				require.NoError(t, err, "%s: %s with a limit of %d", name, way, limit)
			}
		}
	}
}

// TestBodyLimitDefault has bodies of 256 MiB and one buffer more, of which
// little is there.
func TestBodyLimitDefault(t *testing.T) {
	const limit = 256 << 20
	for _, c := range []struct {
		size int64
		is   error
	}{{limit, io.ErrUnexpectedEOF}, {limit + 8, ipcx.ErrLimit}} {
		for way, err := range limitWays(lyingBody(t, c.size)) {
			require.ErrorIs(t, err, c.is, "%s, %d bytes", way, c.size)
			if c.is == ipcx.ErrLimit {
				requireLimit(t, err, "WithBodySizeLimit", limit, limit+8)
			}
		}
	}
	for way, err := range limitWays(lyingBody(t, limit+8), ipcx.WithBodySizeLimit(0)) {
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, way)
	}
}

// lyingBody is a stream whose record batch claims a body of size bytes, and has
// a few.
func lyingBody(t *testing.T, size int64) []byte {
	all := messages(t, write(t, smallBatches(1)))
	all[1] = edited(all[1], func(fb *flatbuf.MessageT) { fb.BodyLength = size })
	whole := stream(all...)
	return whole[:len(whole)-8]
}

func TestDecodedLimit(t *testing.T) {
	all := messages(t, write(t, smallBatches(1)))
	for name, opts := range map[string][]ipcx.Option{
		"LZ4":           {ipcx.WithLZ4()},
		"zstd":          {ipcx.WithZstd()},
		"flagged":       flaggedPlain(),
		"zstd, flagged": {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
	} {
		stored := messages(t, write(t, smallBatches(1), opts...))
		out, err := decodeAll(stored)
		require.NoError(t, err)
		size := len(out[1].body)
		for way, err := range everyWay(stored, ipcx.WithDecodedSizeLimit(int64(size-1))) {
			t.Run(name+"/"+way, func(t *testing.T) { requireLimit(t, err, "WithDecodedSizeLimit", size-1) })
		}
		for _, limit := range []int{size, 0, -1} {
			for way, err := range everyWay(stored, ipcx.WithDecodedSizeLimit(int64(limit))) {
				require.NoError(t, err, "%s: %s with a limit of %d", name, way, limit)
			}
		}
	}
	for way, err := range everyWay(all, ipcx.WithDecodedSizeLimit(1)) {
		require.NoError(t, err, "%s: what is not encoded needs no decoding", way)
	}
}

// TestDecodedLimitDefault claims more than 1 GiB, within what zstd can hold.
func TestDecodedLimitDefault(t *testing.T) {
	const limit = 1 << 30
	mode := compressedMode{ipcx.Zstd, false}
	frame := append(zstdStreamed(t, []byte("abc")), make([]byte, 40<<10)...)
	all := mode.with(t, textData, prefixed(limit, frame))
	for way, err := range everyWay(all) {
		t.Run(way, func(t *testing.T) { requireLimit(t, err, "WithDecodedSizeLimit", limit) })
	}
}

// cost is how many bytes do allocates.
func cost(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestLyingLengths has lengths of up to 2^63 with few bytes behind them. They
// cost no more than a constant beyond those.
func TestLyingLengths(t *testing.T) {
	const few = 1 << 20
	unlimited := []ipcx.Option{ipcx.WithBodySizeLimit(0), ipcx.WithMetadataSizeLimit(0), ipcx.WithDecodedSizeLimit(0)}
	drained := func(whole []byte) func() error {
		return func() error { return drainBytes(whole, unlimited...).Err }
	}
	converted := func(whole []byte) func() error {
		return func() error { _, err := convert(whole, unlimited...); return err }
	}
	for _, size := range []int64{1 << 20, 1<<31 - 1, 1 << 31, 1 << 32, 1 << 40, math.MaxInt64 - 7, math.MaxInt64} {
		name := strconv.FormatInt(size, 10)
		short := io.ErrUnexpectedEOF
		if size > math.MaxInt-128 {
			short = ipcx.ErrLimit // which no memory has room for
		}
		for _, kind := range []string{"plain", "zstd"} {
			whole := lyingBody(t, size)
			if kind == "zstd" {
				all := messages(t, write(t, smallBatches(1), ipcx.WithZstd()))
				all[1] = edited(all[1], func(fb *flatbuf.MessageT) { fb.BodyLength = size })
				whole = stream(all...)
			}
			for way, do := range map[string]func() error{"NewReader": drained(whole), "Convert": converted(whole)} {
				t.Run("a body, "+kind+"/"+name+"/"+way, func(t *testing.T) {
					require.Less(t, cost(func() { require.ErrorIs(t, do(), short) }), few)
				})
			}
		}
		for _, mode := range compressedModes() {
			all := mode.with(t, textData, prefixed(size, compress(t, mode.codec, []byte("abcdef"))))
			for way, do := range map[string]func() error{"NewReader": drained(stream(all...)), "Convert": converted(stream(all...))} {
				t.Run("a buffer, "+mode.codec.String()+"/"+name+"/"+way, func(t *testing.T) {
					require.Less(t, cost(func() { require.ErrorIs(t, do(), ipcx.ErrCorrupt) }), few)
				})
			}
		}
	}
	for _, size := range []uint32{1 << 20, 1 << 30, math.MaxInt32} {
		whole := binary.LittleEndian.AppendUint32([]byte{0xFF, 0xFF, 0xFF, 0xFF}, size)
		whole = append(whole, make([]byte, 1000)...)
		t.Run("metadata/"+strconv.Itoa(int(size)), func(t *testing.T) {
			require.Less(t, cost(func() { require.ErrorIs(t, drained(whole)(), io.ErrUnexpectedEOF) }), few)
			require.Less(t, cost(func() { require.ErrorIs(t, converted(whole)(), io.ErrUnexpectedEOF) }), few)
		})
	}
}

// TestLyingFrame has frames that hold, or say they hold, far more than the buffer
// claims, and one with a window of 2 TiB.
func TestLyingFrame(t *testing.T) {
	const few = 12 << 20 // LZ4 blocks are of 4 MiB
	zeros := bytes.Repeat([]byte{0}, 64<<20)
	for name, c := range map[string]struct {
		codec ipcx.Codec
		frame []byte
	}{
		"zstd, 64 MiB":               {ipcx.Zstd, zstdFrame(t, zeros)},
		"zstd, 64 MiB, no size":      {ipcx.Zstd, bytes.Join([][]byte{{0x28, 0xB5, 0x2F, 0xFD, 0, 0x58}, bytes.Repeat([]byte{2, 0, 16, 'x'}, 512), {1, 0, 0}}, nil)},
		"LZ4, 64 MiB":                {ipcx.LZ4Frame, lz4Frame(t, zeros)},
		"zstd, says 2^62":            {ipcx.Zstd, append([]byte{0x28, 0xB5, 0x2F, 0xFD, 0xE0}, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0)},
		"zstd, a window of 3.75 TiB": {ipcx.Zstd, []byte{0x28, 0xB5, 0x2F, 0xFD, 0, 0xFF, 1, 0, 0}},
	} {
		for _, flagged := range []bool{false, true} {
			all := compressedMode{c.codec, flagged}.with(t, textOffsets, prefixed(16, c.frame))
			for _, way := range []string{"NewReader", "Decoder.Decode", "Convert"} {
				var err error
				n := cost(func() { err = everyWay(all)[way] })
				require.ErrorIs(t, err, ipcx.ErrCorrupt, "%s, %s", name, way)
				require.Less(t, n, 3*(few+len(stream(all...))), "%s, %s", name, way)
			}
		}
	}
	// The frame itself is good.
	dec, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer dec.Close()
	p, err := dec.DecodeAll(bytes.Join([][]byte{{0x28, 0xB5, 0x2F, 0xFD, 0, 0x58}, {2, 0, 16, 'x'}, {1, 0, 0}}, nil), nil)
	require.NoError(t, err)
	require.Equal(t, strings.Repeat("x", 128<<10), string(p))
}

// TestManyEntries has a message of no bytes that claims very many nodes and
// buffers, and a schema that has none of them.
func TestManyEntries(t *testing.T) {
	all := messages(t, write(t, []arrow.RecordBatch{smallBatch()}))
	all[1] = editedBatch(all[1], func(b *flatbuf.RecordBatchT) {
		b.Compression = &flatbuf.BodyCompressionT{Codec: flatbuf.CompressionTypeZSTD}
		for range 20000 {
			b.Nodes = append(b.Nodes, &flatbuf.FieldNodeT{Length: math.MaxInt64})
			b.Buffers = append(b.Buffers, &flatbuf.BufferT{})
		}
		b.Buffers = b.Buffers[10:]
	})
	require.Less(t, cost(func() { _ = everyWay(all) }), 200*len(all[1].metadata))
}

// TestMachineLimit has buffers that share bytes and are more than a machine of 32 bits
// has room for. No option is to blame then.
func TestMachineLimit(t *testing.T) {
	if strconv.IntSize > 32 {
		t.Skip("a machine of 64 bits has room for whatever a body can hold")
	}
	const size, columns = 1 << 20, 2100
	var fields []arrow.Field
	for i := range columns {
		fields = append(fields, arrow.Field{Name: strconv.Itoa(i), Type: arrow.PrimitiveTypes.Int8})
	}
	all := messages(t, write(t, []arrow.RecordBatch{arrowgen.RecordBatch(1, fields, arrowgen.Options{Rows: 1})}, ipcx.WithZstd()))
	all[1] = sharingBody(all[1], size, size+8, func(i int) int { return i % 2 * (size + 8) })
	copy(all[1].body, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF") // stored as it is
	err := drainBytes(stream(all...), ipcx.WithDecodedSizeLimit(0)).Err
	requireLimit(t, err, "what this machine addresses")
	require.NotContains(t, err.Error(), "WithDecodedSizeLimit")
	requireLimit(t, drainBytes(stream(all...)).Err, "WithDecodedSizeLimit", 1<<30)
}
