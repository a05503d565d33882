package planeframe_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"testing"
	"time"
)

func TestSoak(t *testing.T) {
	if os.Getenv("SOAK") == "" {
		t.Skip()
	}
	seed := uint64(time.Now().UnixNano())
	t.Log(seed)
	r := rand.New(rand.NewPCG(seed, 1))
	dec, o := newDecoder(t), oracle(zstdDecoder(t).DecodeAll)
	enc := newEncoder(t)
	f := foreign{r: r, z: zstdEncoder(t).EncodeAll, used: map[string]int{}}
	var c [3]int
	end := time.Now().Add(150 * time.Second)
	for time.Now().Before(end) {
		k := kinds[r.IntN(len(kinds))]
		w := 4 + 4*r.IntN(2)
		n := 1 + r.IntN(1+r.IntN(2000))
		offsets := buffer(k, n, w, r.IntN(2)*r.IntN(50))
		var frame []byte
		if r.IntN(2) == 0 {
			frame = f.make(inPlanes(t, offsets, n, w), 1+r.IntN(2*n))
		} else {
			frame, _ = enc.Append(nil, offsets, n, w)
		}
		for range 20 {
			g := bytes.Clone(frame)
			for range 1 + r.IntN(3) {
				at := r.IntN(min(len(g), 1+r.IntN(len(g))))
				switch r.IntN(5) {
				case 0:
					g[at] = byte(r.Uint32())
				case 1:
					g[at] ^= 1 << r.IntN(8)
				case 2:
					g[at]++
				case 3:
					to := r.IntN(len(g))
					copy(g[at:], g[to:])
				case 4:
					g = append(g[:at], append([]byte{byte(r.Uint32())}, g[at:]...)...)
				}
			}
			ok, err := agree(t, dec, o, g, len(offsets), n, w)
			switch {
			case ok:
				c[0]++
			case err != nil:
				c[1]++
			default:
				c[2]++
			}
		}
	}
	t.Log("ok, refused, left:", c, f.used)
}
