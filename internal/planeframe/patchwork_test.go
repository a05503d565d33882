package planeframe_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/planes"
)

// patchwork returns an offsets buffer whose planes are patches of all sorts.
func patchwork(t testing.TB, r *rand.Rand, n, w int) []byte {
	content := make([]byte, (n+1)*w+r.IntN(2)*r.IntN(1000))
	used := 1
	if r.IntN(2) == 0 {
		used += r.IntN(w)
	}
	for at, end := 0, w+used*n; at < end; {
		patch := content[at:min(at+1+r.IntN(1+r.IntN(1+2*n)), end)]
		some, value := 1+r.IntN(255), byte(r.Uint32())
		var next func(i int) byte
		switch r.IntN(6) {
		case 0:
			next = func(int) byte { return value }
		case 1:
			next = func(int) byte { return value + byte(r.IntN(some)) }
		case 2:
			next = func(int) byte { return value ^ byte(1/(1+r.IntN(some))) }
		case 3:
			from := content[r.IntN(at+1):]
			next = func(i int) byte { return from[i] }
		case 4:
			next = func(i int) byte { return byte(i / some) }
		default:
			next = func(int) byte { return value + byte(r.NormFloat64()*float64(some)/8) }
		}
		for i := range patch {
			patch[i] = next(i)
		}
		at += len(patch)
	}
	offsets := make([]byte, len(content))
	var err error
	if w == 4 {
		err = planes.JoinOffsets32(offsets, content, n)
	} else {
		err = planes.JoinOffsets64(offsets, content, n)
	}
	require.NoError(t, err)
	return offsets
}

// All that the encoder makes of any planes is decoded here, and by klauspost's
// decoder. With more than 128 KiB of one plane, the ordinary encoder's part of
// a frame has blocks with sequences and without, that share a tree or refer to
// each other.
func TestPatchwork(t *testing.T) {
	enc, dec, zd := newEncoder(t), newDecoder(t), zstdDecoder(t)
	r := rand.New(rand.NewPCG(7, 8))
	rounds := 1500
	if race || testing.Short() {
		rounds = 150
	}
	for i := range rounds {
		w := 4 + 4*r.IntN(2)
		most := []int{300, 3000, 3000, 300, 150_000}[i%5]
		n := 1 + r.IntN(most)
		checkFrame(t, enc, dec, zd.DecodeAll, patchwork(t, r, n, w), n, w)
	}
}
