package ipcx

import (
	"fmt"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// Codec is how the buffers of a message's body are compressed. The zero value
// is [Uncompressed].
type Codec int8

const (
	Uncompressed Codec = iota // buffers as they are
	LZ4Frame                  // LZ4 frames, https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
	Zstd                      // Zstandard frames, RFC 8878
)

// String returns the name the command line knows a codec by: none, lz4, zstd.
func (c Codec) String() string {
	switch c {
	case Uncompressed:
		return "none"
	case LZ4Frame:
		return "lz4"
	case Zstd:
		return "zstd"
	}
	return fmt.Sprintf("Codec(%d)", int8(c))
}

// flagBit marks BodyCompression.codec of a message whose offsets are stored as
// lengths. See FORMAT.md, "The flag".
const flagBit = -128

// noCodec stands in BodyCompression.codec where nothing is compressed: the only
// value that Arrow never assigns to a codec and that has the flag bit set.
const noCodec = -1

// wire returns the value of BodyCompression.codec for c in an unflagged
// message. Arrow has none for Uncompressed, whose messages have no
// BodyCompression.
func (c Codec) wire() int8 {
	switch c {
	case LZ4Frame:
		return int8(flatbuf.CompressionTypeLZ4_FRAME)
	case Zstd:
		return int8(flatbuf.CompressionTypeZSTD)
	}
	return noCodec
}

// codecOf returns the codec that a value of BodyCompression.codec means, flag
// bit or not, and whether there is one.
func codecOf(wire int8) (Codec, bool) {
	switch wire &^ flagBit {
	case int8(flatbuf.CompressionTypeLZ4_FRAME):
		return LZ4Frame, true
	case int8(flatbuf.CompressionTypeZSTD):
		return Zstd, true
	case noCodec &^ flagBit:
		return Uncompressed, wire == noCodec
	}
	return 0, false
}
