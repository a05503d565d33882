package ipcx

import (
	"encoding/binary"
	"fmt"
)

// storedRaw is the length prefix of a buffer that is not compressed after all.
const storedRaw = -1

// rawPrefix is storedRaw as it stands before a buffer in a compressed body: an
// int64, which is otherwise the buffer's length in bytes once decompressed.
const rawPrefix = "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"

func putPrefix(stored []byte, n int64) { binary.LittleEndian.PutUint64(stored, uint64(n)) }

// cutPrefix takes the prefix off a buffer of a compressed body. n is the length
// of the buffer once decompressed. An empty buffer has none.
func cutPrefix(stored []byte) (payload []byte, n int64, compressed bool, err error) {
	if len(stored) == 0 {
		return nil, 0, false, nil
	}
	if len(stored) < len(rawPrefix) {
		return nil, 0, false, tag(ErrCorrupt, fmt.Errorf("%d bytes are too short for the length prefix of %d", len(stored), len(rawPrefix)))
	}
	n = int64(binary.LittleEndian.Uint64(stored))
	payload = stored[len(rawPrefix):]
	switch {
	case n == storedRaw:
		return payload, int64(len(payload)), false, nil
	case n < 0:
		return nil, 0, false, tag(ErrCorrupt, fmt.Errorf("length prefix of %d bytes, where the least is %d, for bytes that are stored as they are", n, storedRaw))
	}
	return payload, n, n > 0, nil
}

// padding returns how many bytes bring a length of n to a multiple of 8.
func padding(n int) int { return -n & 7 }
