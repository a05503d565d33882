package ipcx

// highWater tells when to let go of a codec that holds memory for longer buffers
// than there are any more, as readbuf.Buffer does for its own.
type highWater struct {
	peak     int // longest buffer in bytes since it last said so
	longest  int // of the messages in the current window
	previous int // and in the one before
	messages int // in the current window
}

const (
	highWindow = 32        // messages; two of them without a giant drop what it left
	highFactor = 4         // what may be held for nothing
	highFloor  = 128 << 10 // bytes of a buffer that a codec keeps little for
)

// next notes a message whose longest buffer is n bytes, and says whether the codec
// is to be let go.
func (h *highWater) next(n int) bool {
	drop := false
	if h.messages == highWindow {
		need := max(n, h.longest, h.previous)
		if drop = h.peak > highFloor && h.peak/highFactor > need; drop {
			h.peak = need
		}
		h.messages, h.longest, h.previous = 0, 0, h.longest
	}
	h.messages++
	h.longest, h.peak = max(h.longest, n), max(h.peak, n)
	return drop
}
