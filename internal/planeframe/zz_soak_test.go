package planeframe_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/arrowplanes/arrowplanes/planes"
)

func TestSoak(t *testing.T) {
	if os.Getenv("SOAK") == "" {
		t.Skip()
	}
	seed := uint64(time.Now().UnixNano())
	t.Log(seed)
	r := rand.New(rand.NewPCG(seed, 1))
	dec, zd := newDecoder(t), zstdDecoder(t)
	enc := newEncoder(t)
	end := time.Now().Add(100 * time.Second)
	c := 0
	for time.Now().Before(end) {
		w := 4 + 4*r.IntN(2)
		n := 1 + r.IntN(1+r.IntN([]int{300, 5000, 150000}[r.IntN(3)]))
		content := make([]byte, (n+1)*w+r.IntN(2)*r.IntN(1000))
		top := w + n*(1+r.IntN(w))
		if r.IntN(2) == 0 {
			top = w + n
		}
		for at := 0; at < top; {
			l := min(1+r.IntN(1+r.IntN(1+2*n)), top-at)
			p := content[at : at+l]
			a := 1 + r.IntN(255)
			b := byte(r.Uint32())
			switch r.IntN(6) {
			case 0:
				for i := range p {
					p[i] = b
				}
			case 1:
				for i := range p {
					p[i] = b + byte(r.IntN(a))
				}
			case 2:
				for i := range p {
					p[i] = b
					if r.IntN(a) == 0 {
						p[i] = byte(r.IntN(a))
					}
				}
			case 3:
				if at > 0 {
					from := r.IntN(at)
					for i := range p {
						p[i] = content[from+i]
					}
				}
			case 4:
				for i := range p {
					p[i] = byte(i / (1 + a))
				}
			case 5:
				for i := range p {
					p[i] = b + byte(r.NormFloat64()*float64(a)/8)
				}
			}
			at += l
		}
		offsets := make([]byte, len(content))
		if w == 4 {
			planes.JoinOffsets32(offsets, content, n)
		} else {
			planes.JoinOffsets64(offsets, content, n)
		}
		checkFrame(t, enc, dec, zd.DecodeAll, offsets, n, w)
		c++
	}
	t.Log(c)
}
