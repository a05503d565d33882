package ipcx_test

import (
	"bytes"
	"encoding/hex"
	"math"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// compressedMode is a kind of message with compressed buffers.
type compressedMode struct {
	codec   ipcx.Codec
	flagged bool
}

func compressedModes() map[string]compressedMode {
	return map[string]compressedMode{
		"LZ4":           {ipcx.LZ4Frame, false},
		"zstd":          {ipcx.Zstd, false},
		"LZ4, flagged":  {ipcx.LZ4Frame, true},
		"zstd, flagged": {ipcx.Zstd, true},
	}
}

// with are the schema and a batch with a single buffer replaced by what is stored
// for it.
func (mode compressedMode) with(t *testing.T, buffer int, stored []byte) []raw {
	t.Helper()
	opts := []ipcx.Option{ipcx.WithCodec(mode.codec)}
	if mode.flagged {
		opts = append(opts, ipcx.WithOffsetsAsLengths(mode.codec))
	}
	all := messages(t, write(t, smallBatches(1), opts...))
	batch := batchOf(flatbuf.GetRootAsMessage(all[1].metadata, 0).UnPack())
	require.Equal(t, mode.flagged, batch.Compression.Codec < 0)
	all[1] = rebody(all[1], replaced(buffers(all[1]), buffer, stored)...)
	return all
}

// content is what a buffer holds before compression, in this mode.
func (mode compressedMode) content(t *testing.T, buffer int) []byte {
	plain := plainBuffers(t)[buffer]
	if mode.flagged && buffer == textOffsets {
		return planes32(0, 1, 4, 6)
	}
	return plain
}

// TestCompressedBad has stored buffers that are not what they claim.
func TestCompressedBad(t *testing.T) {
	t.Parallel()
	for name, mode := range compressedModes() {
		for _, buffer := range []int{textOffsets, textData} {
			p := mode.content(t, buffer)
			n := int64(len(p))
			frame := compress(t, mode.codec, p)
			for what, c := range map[string]struct {
				stored []byte
				says   string
			}{
				"1 byte":            {make([]byte, 1), "1 bytes are too short for the length prefix of 8"},
				"4 bytes":           {make([]byte, 4), "4 bytes are too short for the length prefix of 8"},
				"7 bytes":           {bytes.Repeat([]byte{0xFF}, 7), "7 bytes are too short for the length prefix of 8"},
				"prefix -2":         {prefixed(-2, frame), "length prefix of -2 bytes"},
				"the least prefix":  {prefixed(math.MinInt64, frame), "length prefix of -9223372036854775808 bytes"},
				"prefix 2^62":       {prefixed(1<<62, frame), "cannot hold the 4611686018427387904 bytes claimed"},
				"the most prefix":   {prefixed(math.MaxInt64, frame), "cannot hold the 9223372036854775807 bytes claimed"},
				"one more":          {prefixed(n+1, frame), "bytes"},
				"one less":          {prefixed(n-1, frame), "bytes"},
				"no frame":          {prefixed(n, nil), ""},
				"a frame cut short": {prefixed(n, frame[:len(frame)-5]), ""},
				"no magic":          {prefixed(n, append([]byte("text"), frame[4:]...)), ""},
				"another codec":     {prefixed(n, compress(t, ipcx.LZ4Frame+ipcx.Zstd-mode.codec, p)), ""},
			} {
				t.Run(name+"/"+what, func(t *testing.T) {
					field := "buffer "
					if mode.flagged {
						field = `field "text"`
					}
					for way, err := range everyWay(mode.with(t, buffer, c.stored)) {
						require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
						require.ErrorContains(t, err, "message 1 (RecordBatch)", way)
						require.ErrorContains(t, err, field, way)
						require.ErrorContains(t, err, c.says, way)
					}
				})
			}
		}
	}
}

// TestCompressedFrames has every kind of frame that a writer may have made.
func TestCompressedFrames(t *testing.T) {
	t.Parallel()
	for name, mode := range compressedModes() {
		for _, buffer := range []int{textOffsets, textData} {
			p := mode.content(t, buffer)
			frames := zstdKinds(t, p)
			if mode.codec == ipcx.LZ4Frame {
				frames = lz4Kinds(t, p)
			}
			for kind, frame := range frames {
				t.Run(name+"/"+kind, func(t *testing.T) {
					all := mode.with(t, buffer, prefixed(int64(len(p)), frame))
					requireDecodes(t, all[0], all[1], plainBuffers(t)...)
					got := drainBytes(stream(all...))
					require.NoError(t, got.Err)
					requireEqual(t, smallBatches(1), got.Batches)
				})
			}
		}
	}
}

func zstdKinds(t *testing.T, p []byte) map[string][]byte {
	half := len(p) / 2
	skippable := append([]byte{0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0}, "abc"...)
	whole := zstdFrame(t, p)
	kinds := map[string][]byte{
		"of a known size":        whole,
		"of an unknown size":     zstdStreamed(t, p),
		"with a checksum":        zstdFrame(t, p, zstd.WithEncoderCRC(true)),
		"without one":            zstdFrame(t, p, zstd.WithEncoderCRC(false)),
		"a single segment":       zstdFrame(t, p, zstd.WithSingleSegment(true)),
		"two":                    append(zstdFrame(t, p[:half]), zstdFrame(t, p[half:])...),
		"two of an unknown size": append(zstdStreamed(t, p[:half]), zstdStreamed(t, p[half:])...),
		"an empty one first":     append(zstdFrame(t, nil, zstd.WithZeroFrames(true)), whole...),
		"an empty one last":      append(bytes.Clone(whole), zstdFrame(t, nil, zstd.WithZeroFrames(true))...),
		"skippable first":        append(bytes.Clone(skippable), whole...),
		"skippable last":         append(bytes.Clone(whole), skippable...),
		"skippable between":      bytes.Join([][]byte{zstdFrame(t, p[:half]), skippable, zstdFrame(t, p[half:])}, nil),
	}
	return kinds
}

// zstdStreamed is a frame as arrow-go's writer makes them, which does not state
// the size of its content.
func zstdStreamed(t *testing.T, p []byte) []byte {
	var out bytes.Buffer
	enc, err := zstd.NewWriter(&out)
	require.NoError(t, err)
	for len(p) > 0 {
		n := min(len(p), 3)
		_, err = enc.Write(p[:n])
		require.NoError(t, err)
		require.NoError(t, enc.Flush())
		p = p[n:]
	}
	require.NoError(t, enc.Close())
	var h zstd.Header
	require.NoError(t, h.Decode(out.Bytes()))
	require.False(t, h.HasFCS)
	return out.Bytes()
}

// TestCompressedTail has bytes behind the frame that a buffer needs.
func TestCompressedTail(t *testing.T) {
	t.Parallel()
	for name, mode := range compressedModes() {
		p := mode.content(t, textOffsets)
		for what, tail := range map[string][]byte{
			"zeros":                 make([]byte, 8),
			"text":                  []byte("and more"),
			"another frame":         compress(t, mode.codec, p),
			"another frame, 1 byte": compress(t, mode.codec, p[:1]),
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				frames := append(compress(t, mode.codec, p), tail...)
				for way, err := range everyWay(mode.with(t, textOffsets, prefixed(int64(len(p)), frames))) {
					require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
				}
			})
		}
	}
}

func lz4Kinds(t *testing.T, p []byte) map[string][]byte {
	half := len(p) / 2
	skippable := append([]byte{0x5A, 0x2A, 0x4D, 0x18, 3, 0, 0, 0}, "abc"...)
	return map[string][]byte{
		"without checksums":       lz4Frame(t, p, lz4.ChecksumOption(false)),
		"with a content checksum": lz4Frame(t, p, lz4.ChecksumOption(true)),
		"with block checksums":    lz4Frame(t, p, lz4.BlockChecksumOption(true)),
		"with both":               lz4Frame(t, p, lz4.ChecksumOption(true), lz4.BlockChecksumOption(true)),
		"with its size":           lz4Frame(t, p, lz4.SizeOption(uint64(len(p)))),
		"high compression":        lz4Frame(t, p, lz4.CompressionLevelOption(lz4.Level9)),
		"two":                     append(lz4Frame(t, p[:half]), lz4Frame(t, p[half:])...),
		"an empty one last":       append(lz4Frame(t, p), lz4Frame(t, nil)...),
		"skippable first":         append(bytes.Clone(skippable), lz4Frame(t, p)...),
		"blocks of 4 MiB":         lz4Frame(t, p, lz4.BlockSizeOption(lz4.Block4Mb)),
	}
}

// linkedFrame is a frame with blocks that depend on each other, and its content. It
// is what lz4 1.9.4 writes: two blocks of at most 64 KiB, the second one nothing but
// a match in the first one and five literals, with checksums of blocks and content
// and the size of the content:
//
//	yes arrow | head -c 66000 | lz4 -9 -B4 -BD -BX --content-size
func linkedFrame(t *testing.T) (frame, content []byte) {
	frame, err := hex.DecodeString("04224d185440ae100100006f6172726f770a0600" +
		strings.Repeat("ff", 256) +
		"e2500a6172726fa8cbb7990b0000000f0600ffb95072726f770a8739790b000000007e61e969")
	require.NoError(t, err)
	return frame, bytes.Repeat([]byte("arrow\n"), 11000)
}

func TestCompressedLinkedLZ4(t *testing.T) {
	frame, content := linkedFrame(t)
	for _, flagged := range []bool{false, true} {
		all := compressedMode{ipcx.LZ4Frame, flagged}.with(t, textData, prefixed(int64(len(content)), frame))
		requireDecodes(t, all[0], all[1], replaced(plainBuffers(t), textData, content)...)

		frame[len(frame)-20]++ // a block's checksum
		for way, err := range everyWay(compressedMode{ipcx.LZ4Frame, flagged}.with(t, textData, prefixed(int64(len(content)), frame))) {
			require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
		}
		frame[len(frame)-20]--
	}
}

// TestCompressedChecksum changes each byte of frames with checksums: never does
// other data come out.
func TestCompressedChecksum(t *testing.T) {
	t.Parallel()
	for name, mode := range compressedModes() {
		t.Run(name, func(t *testing.T) {
			p := mode.content(t, textOffsets)
			frame := zstdFrame(t, p, zstd.WithEncoderCRC(true))
			if mode.codec == ipcx.LZ4Frame {
				frame = lz4Frame(t, p, lz4.ChecksumOption(true))
			}
			refused := 0
			for i := range frame {
				bad := bytes.Clone(frame)
				bad[i] ^= 0x10
				all := mode.with(t, textOffsets, prefixed(int64(len(p)), bad))
				if _, err := decodeAll(all); err != nil {
					require.ErrorIs(t, err, ipcx.ErrCorrupt)
					refused++
					continue
				}
				requireDecodes(t, all[0], all[1], plainBuffers(t)...)
			}
			require.GreaterOrEqual(t, refused, len(frame)-2)

			last := bytes.Clone(frame)
			last[len(last)-1]++
			for way, err := range everyWay(mode.with(t, textOffsets, prefixed(int64(len(p)), last))) {
				require.ErrorIs(t, err, ipcx.ErrCorrupt, way)
				require.Regexp(t, "CRC|checksum", err.Error(), way)
			}
		})
	}
}

// TestCompressedEmpty has buffers of no bytes, which are stored as none or as a
// prefix of 0, and one of no rows.
func TestCompressedEmpty(t *testing.T) {
	for name, mode := range compressedModes() {
		for what, stored := range map[string][]byte{
			"none":                   nil,
			"a prefix of 0":          prefixed(0, nil),
			"a prefix of 0 and more": prefixed(0, []byte("ignored")),
			"a raw prefix":           prefixed(-1, nil),
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				all := mode.with(t, 0, stored) // a validity buffer without nulls
				requireDecodes(t, all[0], all[1], plainBuffers(t)...)
				got := drainBytes(stream(all...))
				require.NoError(t, got.Err)
				requireEqual(t, smallBatches(1), got.Batches)
			})
		}
	}
}
