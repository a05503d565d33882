package planeframe

import (
	"math"
	"math/bits"
)

// rowSize is the number of entries that are summed at once where some planes
// that are not zero are constant: they are made as rows of bytes, and those
// stay in a near cache.
const rowSize = 1024

// join writes the offsets after the first one, which is in offsets already. It
// goes over the entries in stretches in which each plane is either constant, or
// bytes of one segment.
func (d *Decoder) join(offsets []byte, n, width int) error {
	var in [8]int // the segment that each plane is in
	for j := range width {
		in[j] = d.find(width + j*n)
	}
	d.longest = 0
	for i := 0; i < n; {
		count := n - i
		var constant uint64 // what the constant planes add to each length
		var planes [8][]byte
		varying := 0 // planes up to the last one that is not constant
		for j := range width {
			at := width + j*n + i
			for d.segments[in[j]].end <= at {
				in[j]++
			}
			s := &d.segments[in[j]]
			count = min(count, s.end-at)
			if s.kind == run {
				constant |= uint64(s.value) << (8 * j)
				continue
			}
			p, err := d.bytes(in[j])
			if err != nil {
				return err
			}
			planes[j] = p[at-s.start:]
			varying = j + 1
		}
		d.lengthen(constant, &planes, varying, count)
		stretch := offsets[i*width : (i+count+1)*width]
		if varying == 0 {
			fill(stretch, constant, width)
		} else {
			d.sum(stretch, &planes, varying, constant, count, width)
		}
		i += count
	}
	return nil
}

// lengthen adds to longest what the lengths of a stretch may add up to: each byte
// that is not constant may be 255.
func (d *Decoder) lengthen(constant uint64, planes *[8][]byte, varying, count int) {
	for j := range varying {
		if planes[j] != nil {
			constant |= 0xFF << (8 * j)
		}
	}
	high, low := bits.Mul64(constant, uint64(count))
	sum, carry := bits.Add64(d.longest, low, 0)
	if high|carry != 0 {
		sum = math.MaxUint64
	}
	d.longest = sum
}

// sum writes the offsets of one stretch of count entries. planes are nil where
// they are constant.
func (d *Decoder) sum(offsets []byte, planes *[8][]byte, varying int, constant uint64, count, width int) {
	used := varying
	for used < width && constant>>(8*used) != 0 {
		used++
	}
	looked := summed(used, width)
	rows := false
	for j := range looked {
		if planes[j] != nil {
			continue
		}
		rows = true
		row := d.rowBytes[j*rowSize : (j+1)*rowSize]
		v := byte(constant >> (8 * j))
		for k := range row[:min(count, rowSize)] {
			row[k] = v
		}
		d.rows[j] = row
	}
	step := count
	if rows {
		step = rowSize
	}
	for i := 0; i < count; i += step {
		end := min(i+step, count)
		for j := range looked {
			if planes[j] != nil {
				d.rows[j] = planes[j][i:end]
			} else {
				d.rows[j] = d.rowBytes[j*rowSize:][:end-i]
			}
		}
		sum(offsets[i*width:(end+1)*width], &d.rows, used, width)
	}
}
