package readbuf

import "math/bits"

// The size classes are multiples of 64 bytes: 64, 128, 192, 256, and from there
// on four for each power of two:
//
//	class    0    1    2    3    4    5    6    7    8    9   10   11   12 ...
//	bytes   64  128  192  256  320  384  448  512  640  768  896 1024 1280 ...
const (
	linearClasses = 4
	linearBits    = 8 // 256 bytes are the last of the linear classes
)

// classOf returns the smallest class that holds size bytes, at least 1.
func classOf(size int) uint8 {
	if size <= 1<<linearBits {
		return uint8((size - 1) / alignment)
	}
	// 1<<(top-1) < size <= 1<<top
	top := bits.Len(uint(size - 1))
	quarter := (size - 1 - 1<<(top-1)) >> (top - 3)
	return uint8(linearClasses + 4*(top-linearBits-1) + quarter)
}

// classSize returns the size of a class in bytes.
func classSize(class uint8) int {
	if class < linearClasses {
		return (int(class) + 1) * alignment
	}
	top, quarter := linearBits+int(class-linearClasses)/4, int(class-linearClasses)%4
	return 1<<top + (quarter+1)<<(top-2)
}
