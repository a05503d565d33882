package planeframe

// Bytes decodes a frame of blocks without sequences, as [Encoder.AppendBytes] makes
// them, straight into dst, which is as long as its content. dst and frame do not
// overlap, and frame is not kept.
//
// It reports whether it has. If not, the frame has sequences, is one that [Decoder.Offsets]
// leaves alone as well, or is corrupt: an ordinary decoder can tell. What dst holds
// is not defined then.
func (d *Decoder) Bytes(dst, frame []byte) bool {
	defer d.release()
	if ok, err := d.walk(frame, len(dst)); !ok || err != nil || d.ordinary >= 0 {
		return false
	}
	for i := range d.segments {
		s := &d.segments[i]
		switch p := dst[s.start:s.end:s.end]; s.kind {
		case run:
			for k := range p {
				p[k] = s.value
			}
		case raw:
			copy(p, s.data)
		default:
			if d.decode(s, p[:0]) != nil {
				return false
			}
		}
	}
	return true
}
