package planeframe

import "fmt"

func (d *Decoder) Dump(frame []byte, size int) {
	_, _, at, _ := header(frame)
	kinds := map[int]int{}
	for {
		last, kind, l := blockAt(frame[at:])
		kinds[kind]++
		if kind == 1 {
			l = 1
		}
		at += 3 + l
		if last {
			break
		}
	}
	fmt.Println("blocks", kinds, "size", size, "limit", size/32+64, "ordinary", d.ordinary, len(d.segments))
}
