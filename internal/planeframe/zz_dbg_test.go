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
	fmt.Println("blocks", kinds, "size", size, "limit", size/32+64, "ordinary", d.ordinary, len(d.segments), at, len(frame))
	ok, err := d.walk(frame, size)
	fmt.Println(ok, err, len(d.segments), d.ordinary)
	for i, s := range d.segments { if i < 40 { fmt.Println(i, s.kind, s.start, s.end, s.at, len(s.data), s.last) }}
	d.widen(frame)
	fmt.Println(d.decodeOrdinary())
	s := d.segments[0]
	out, err := d.decodeAll(d.region, make([]byte,0,s.end))
	fmt.Println(len(out), err, s.start, s.end, s.at, len(s.data), s.last)
}
