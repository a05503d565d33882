package planeframe

import "encoding/binary"

// What RFC 8878 calls these.
const (
	magic = 0xFD2FB528

	// Frame_Header_Descriptor
	sizeFlag      = 6 // shift of Frame_Content_Size_Flag
	singleSegment = 1 << 5
	reservedBits  = 1<<4 | 1<<3 // an unused one, and the one that must be zero
	checksumFlag  = 1 << 2
	dictionary    = 3 // mask of Dictionary_ID_Flag

	// Block_Header, of blockHeader bytes
	blockHeader   = 3
	lastBlock     = 1
	blockRaw      = 0
	blockRLE      = 1
	blockCompress = 2

	// Block_Maximum_Size, for content and for what stands in the frame. The
	// other limit, the window, is the content here.
	maxBlock = 128 << 10

	// Literals_Block_Type
	literalsRaw      = 0
	literalsRLE      = 1
	literalsHuffman  = 2
	literalsTreeless = 3
)

// segmentMax is the most content that is one segment. A decoder may refuse a
// larger window, and a segment is one: libzstd's streaming one draws the line
// here unless it is told otherwise.
const (
	segmentMaxLog = 27
	segmentMax    = 1 << segmentMaxLog
)

// blockWindow is a Window_Descriptor for maxBlock bytes, all that blocks without
// sequences need.
const blockWindow = 7 << 3

// appendHeader appends the header of a frame with that content size: one
// segment, or a window of one block for content above segmentMax, no dictionary
// and no checksum.
func appendHeader(dst []byte, size int) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, magic)
	if size > segmentMax {
		dst = append(dst, 3<<sizeFlag, blockWindow)
		return binary.LittleEndian.AppendUint64(dst, uint64(size))
	}
	switch {
	case size < 1<<8:
		return append(dst, 0<<sizeFlag|singleSegment, byte(size))
	case size < 1<<16+1<<8:
		return binary.LittleEndian.AppendUint16(append(dst, 1<<sizeFlag|singleSegment), uint16(size-1<<8))
	default:
		return binary.LittleEndian.AppendUint32(append(dst, 2<<sizeFlag|singleSegment), uint32(size))
	}
}

// header reads the header of a frame. ok is false for one that is cut off, and
// for what this package leaves to the ordinary decoder: a dictionary, a
// checksum, an unknown content size, a window of less than a block, or a large
// one. length is the one of the header, in bytes.
func header(frame []byte) (size uint64, window bool, length int, ok bool) {
	if len(frame) < 6 || binary.LittleEndian.Uint32(frame) != magic {
		return 0, false, 0, false
	}
	d, field := frame[4], frame[5:]
	if d&(reservedBits|checksumFlag|dictionary) != 0 {
		return 0, false, 0, false
	}
	length = 5
	if d&singleSegment == 0 {
		exponent := field[0] >> 3
		if d>>sizeFlag == 0 || exponent < blockWindow>>3 || exponent >= segmentMaxLog-10 {
			return 0, false, 0, false
		}
		window = true
		field = field[1:]
		length++
	}
	bytes := 1 << (d >> sizeFlag)
	length += bytes
	switch {
	case len(field) < bytes:
		return 0, false, 0, false
	case bytes == 1:
		size = uint64(field[0])
	case bytes == 2:
		size = uint64(binary.LittleEndian.Uint16(field)) + 1<<8
	case bytes == 4:
		size = uint64(binary.LittleEndian.Uint32(field))
	default:
		size = binary.LittleEndian.Uint64(field)
	}
	return size, window, length, true
}

// blockAt reads a block header. size is the one in the header: of the block's
// bytes, but for RLE that of its content.
func blockAt(b []byte) (last bool, kind, size int) {
	h := int(b[0]) | int(b[1])<<8 | int(b[2])<<16
	return h&lastBlock != 0, h >> 1 & 3, h >> 3
}

func putBlockHeader(b []byte, kind, size int) {
	h := kind<<1 | size<<3
	b[0], b[1], b[2] = byte(h), byte(h>>8), byte(h>>16)
}

// literals is a Literals_Section_Header.
type literals struct {
	kind       int
	four       bool // four streams, not one
	size       int  // of what is decoded
	compressed int  // of the section without its header; 1 for literalsRLE
	header     int  // bytes of the header
}

// literalsAt reads the header of a literals section. ok is false where it is
// cut off.
func literalsAt(b []byte) (l literals, ok bool) {
	if len(b) == 0 {
		return l, false
	}
	l.kind = int(b[0] & 3)
	format := b[0] >> 2 & 3
	var v uint64
	read := func(n int) bool {
		if len(b) < n {
			return false
		}
		for i, x := range b[:n] {
			v |= uint64(x) << (8 * i)
		}
		l.header = n
		return true
	}
	if l.kind == literalsRaw || l.kind == literalsRLE {
		switch format {
		case 0, 2:
			ok = read(1)
			l.size = int(v >> 3)
		case 1:
			ok = read(2)
			l.size = int(v >> 4)
		default:
			ok = read(3)
			l.size = int(v >> 4)
		}
		l.compressed = l.size
		if l.kind == literalsRLE {
			l.compressed = 1
		}
		return l, ok
	}
	l.four = format != 0
	bits := 10
	switch format {
	case 0, 1:
		ok = read(3)
	case 2:
		bits = 14
		ok = read(4)
	default:
		bits = 18
		ok = read(5)
	}
	l.size = int(v >> 4 & (1<<bits - 1))
	l.compressed = int(v >> (4 + bits) & (1<<bits - 1))
	return l, ok
}

// appendLiteralsHeader appends the header of a section of Huffman-coded
// literals. One stream has no more than 1023 bytes before and after.
func appendLiteralsHeader(dst []byte, kind int, four bool, size, compressed int) []byte {
	bits, bytes, format := 18, 5, 3
	switch most := max(size, compressed); {
	case most < 1<<10:
		bits, bytes, format = 10, 3, 0
		if four {
			format = 1
		}
	case most < 1<<14:
		bits, bytes, format = 14, 4, 2
	}
	v := uint64(kind) | uint64(format)<<2 | uint64(size)<<4 | uint64(compressed)<<(4+bits)
	for range bytes {
		dst = append(dst, byte(v))
		v >>= 8
	}
	return dst
}
