package planeframe

// writer appends blocks to a frame.
//
// A run is not written before it is known what comes next: more of it, or raw
// bytes, which a short run joins. A raw block stays open for more bytes for as
// long as it is the last one. What both save is block headers.
//
// A writer is a value: a copy of it is a place to go back to, see back.
type writer struct {
	dst   []byte
	block int  // where the header of the last block in dst is; there is none below 1
	open  bool // it is a raw block, and may grow

	run   int // bytes of value that are to be written
	value byte
}

// back goes back to where the writer was when w was a copy of it. What is
// written since then is gone.
func (w writer) back(to writer) writer {
	to.dst = w.dst[:len(to.dst)]
	if to.open {
		putBlockHeader(to.dst[to.block:], blockRaw, len(to.dst)-to.block-blockHeader)
	}
	return to
}

// cost is how many bytes there would be if the frame ended here.
func (w writer) cost() int {
	return len(w.dst) + (w.run+maxBlock-1)/maxBlock*(blockHeader+1)
}

// repeat writes n bytes of the value v.
func (w *writer) repeat(v byte, n int) {
	switch {
	case w.run > 0 && w.value == v:
		w.run += n
	case n <= blockHeader:
		// Less than a run costs, even where it begins a raw block.
		short := [blockHeader]byte{v, v, v}
		w.raw(short[:n])
	default:
		w.flush(false)
		w.run, w.value = n, v
	}
}

// raw writes bytes as they are.
func (w *writer) raw(p []byte) {
	if len(p) == 0 {
		return
	}
	w.flush(true)
	w.grow(p)
}

// flush writes the run. A run that raw bytes follow or precede costs a block of
// its own, and maybe the header of a second raw block, when it does not join.
func (w *writer) flush(rawFollows bool) {
	if w.run == 0 {
		return
	}
	joined := 0
	if w.open || rawFollows {
		joined = blockHeader + 1
	}
	if w.open && rawFollows {
		joined += blockHeader
	}
	n, v := w.run, w.value
	w.run = 0
	if n <= joined {
		var short [2*blockHeader + 1]byte
		for i := range short {
			short[i] = v
		}
		w.grow(short[:n])
		return
	}
	for n > 0 {
		size := min(n, maxBlock)
		w.begin(blockRLE, size)
		w.dst = append(w.dst, v)
		n -= size
	}
}

// grow appends to the open raw block, or begins one.
func (w *writer) grow(p []byte) {
	for len(p) > 0 {
		size := len(w.dst) - w.block - blockHeader
		if !w.open || size >= maxBlock {
			w.begin(blockRaw, 0)
			w.open, size = true, 0
		}
		add := min(len(p), maxBlock-size)
		w.dst = append(w.dst, p[:add]...)
		putBlockHeader(w.dst[w.block:], blockRaw, size+add)
		p = p[add:]
	}
}

// begin appends a block header.
func (w *writer) begin(kind, size int) {
	w.block, w.open = len(w.dst), false
	w.dst = append(w.dst, 0, 0, 0)
	putBlockHeader(w.dst[w.block:], kind, size)
}

// literals writes a compressed block that has no sequences.
func (w *writer) literals(kind int, four bool, size int, section []byte) {
	w.flush(false)
	w.begin(blockCompress, 0)
	w.dst = appendLiteralsHeader(w.dst, kind, four, size, len(section))
	w.dst = append(w.dst, section...)
	w.dst = append(w.dst, 0)
	putBlockHeader(w.dst[w.block:], blockCompress, len(w.dst)-w.block-blockHeader)
}

// blocks writes whole blocks, with their headers. last is where the header of
// the last one is in them.
func (w *writer) blocks(b []byte, last int) {
	w.flush(false)
	w.block, w.open = len(w.dst)+last, false
	w.dst = append(w.dst, b...)
	w.dst[w.block] &^= lastBlock
}

// close marks the last block and returns the frame.
func (w *writer) close() []byte {
	w.flush(false)
	w.dst[w.block] |= lastBlock
	return w.dst
}
