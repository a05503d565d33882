package ipcx

import (
	"encoding/binary"

	"github.com/pierrec/lz4/v4"
)

// An LZ4 frame is
//
//	04 22 4D 18 | flags | sizes | [content size] | check | blocks ... | 00 00 00 00 | [checksum]
//
// and a block its size in 4 bytes, whose high bit says that it is stored raw, and
// its bytes.
const (
	lz4Magic   = 0x184D2204
	lz4RawFlag = 1 << 31

	lz4Version     = 0b01 << 6 // of the flags
	lz4VersionMask = 0b11 << 6
	lz4Independent = 1 << 5 // no block refers to the one before it
	lz4ContentSize = 1 << 3
	lz4Checksum    = 1 << 2   // of the content
	lz4Sizes64KiB  = 4 << 4   // blocks have up to 64 KiB
	lz4Window      = 64 << 10 // how far back a block refers, in bytes
)

// unlz4Frame fills dst with what the frame src holds, block by block and without
// a copy in between. It does so for frames as Arrow's writers make them; for any
// other, those with checksums of blocks and those that are broken among them, it
// returns false, and dst holds anything.
func unlz4Frame(dst, src []byte) bool {
	if len(src) < 7 || binary.LittleEndian.Uint32(src) != lz4Magic {
		return false
	}
	flags, header := src[4], 6
	if flags&lz4VersionMask != lz4Version || flags&^(lz4VersionMask|lz4Independent|lz4ContentSize|lz4Checksum) != 0 {
		return false
	}
	if flags&lz4ContentSize != 0 {
		header += 8
		if len(src) <= header || binary.LittleEndian.Uint64(src[6:]) != uint64(len(dst)) {
			return false
		}
	}
	sizes := src[5]
	if sizes&^0x70 != 0 || sizes < 0x40 || src[header] != byte(xxh32(src[4:header])>>8) {
		return false
	}
	blockMax := 1 << (8 + 2*int(sizes>>4))
	src = src[header+1:]
	for at := 0; len(src) >= 4; {
		size := binary.LittleEndian.Uint32(src)
		src = src[4:]
		if size == 0 {
			if flags&lz4Checksum != 0 {
				if len(src) < 4 || binary.LittleEndian.Uint32(src) != xxh32(dst) {
					return false
				}
				src = src[4:]
			}
			return at == len(dst) && len(src) == 0
		}
		length := int(size &^ lz4RawFlag)
		if length > len(src) || length > blockMax {
			return false
		}
		block, into := src[:length], dst[at:min(at+blockMax, len(dst))]
		src = src[length:]
		if size&lz4RawFlag != 0 {
			if length > len(into) {
				return false
			}
			at += copy(into, block)
			continue
		}
		if len(into) == 0 {
			return false // the library writes to where no memory is if there is none at all
		}
		var window []byte
		if flags&lz4Independent == 0 {
			window = dst[max(at-lz4Window, 0):at]
		}
		n, err := lz4.UncompressBlockWithDict(block, into, window)
		if err != nil {
			return false
		}
		at += n
	}
	return false
}
