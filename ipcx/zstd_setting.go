package ipcx

// setting is which of zstd's settings the buffers at one place of the flagged
// messages get at level 3: the default, or the fastest where it has been about as
// good. Each is tried on a message now and then, and judged by what share of the
// buffer it left:
//
//	message   1        2        3 to 33      34       35 to 65
//	setting   default  fastest  the better   other    the better
//
// So nothing is compressed twice, and the same messages always give the same
// bytes.
type setting struct {
	fastest  bool       // is the better
	messages int        // with a buffer there, so far
	share    [2]float64 // of the last buffer by each, 0 if there was none
}

const (
	trialEvery = 32   // messages
	aboutEqual = 1.04 // the fastest may leave so many times what the default does
)

// next says whether the next buffer is for the fastest.
func (s *setting) next() bool {
	s.messages++
	return s.fastest != (s.messages%trialEvery == 2)
}

// note notes what a setting made of a buffer, in bytes.
func (s *setting) note(fastest bool, raw, compressed int) {
	i := 0
	if fastest {
		i = 1
	}
	s.share[i] = float64(compressed) / float64(raw)
	s.fastest = s.share[0] > 0 && s.share[1] > 0 && s.share[1] <= aboutEqual*s.share[0]
}
