//go:build amd64 && !purego

package planekernel

import "golang.org/x/sys/cpu"

//go:generate go -C _asm run . -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg planekernel

// machine does what AVX2 can do, if the processor and the system have it, for
// as many whole groups of avx2Group entries as there are. Its methods return
// how many entries that was.
//
// All slices that get here are as long as they need be; see Set.
type machine struct{ avx2 bool }

// avx2Group is the number of entries whose bytes of one plane fill a register.
const avx2Group = 32

func detect() machine { return machine{avx2: cpu.X86.HasAVX2} }

func (m machine) String() string {
	if m.avx2 {
		return "AVX2"
	}
	return "generic"
}

// groups gives how many of n entries are in whole groups.
func (m machine) groups(n int) int {
	if !m.avx2 {
		return 0
	}
	return n &^ (avx2Group - 1)
}

func (m machine) low32(low, offsets []byte) (done int, or uint32) {
	if n := m.groups(len(low)); n > 0 {
		return low32AVX2(low[:n], offsets, 0)
	}
	return 0, 0
}

func (m machine) low64(low, offsets []byte) (done int, or uint64) {
	if n := m.groups(len(low)); n > 0 {
		return low64AVX2(low[:n], offsets, 0)
	}
	return 0, 0
}

// split32 writes plane 0 alone for as long as all lengths are below 1<<8. From
// there on it writes all planes, which takes less than going back and forth.
func (m machine) split32(p *[4][]byte, offsets []byte) (done int, wroteHigh bool) {
	n := m.groups(len(p[0]))
	if n == 0 {
		return 0, false
	}
	low, _ := low32AVX2(p[0][:n], offsets, ^uint32(0xFF))
	if low == n {
		return n, false
	}
	for _, q := range p[1:] {
		m.clear(q[:low])
	}
	split32AVX2(p, low, n, offsets[4*low:])
	return n, true
}

func (m machine) split64(p *[8][]byte, offsets []byte) (done int, wroteHigh bool) {
	n := m.groups(len(p[0]))
	if n == 0 {
		return 0, false
	}
	low, _ := low64AVX2(p[0][:n], offsets, ^uint64(0xFF))
	if low == n {
		return n, false
	}
	for _, q := range p[1:] {
		m.clear(q[:low])
	}
	split64AVX2(p, low, n, offsets[8*low:])
	return n, true
}

func (m machine) sum1of4(offsets, p0 []byte) (done int) {
	n := m.groups(len(p0))
	if n > 0 {
		sum1of4AVX2(offsets, p0[:n])
	}
	return n
}

func (m machine) sum1of8(offsets, p0 []byte) (done int) {
	n := m.groups(len(p0))
	if n > 0 {
		sum1of8AVX2(offsets, p0[:n])
	}
	return n
}

func (m machine) sum2of4(offsets []byte, p *[2][]byte) (done int) {
	n := m.groups(len(p[0]))
	if n > 0 {
		sum2of4AVX2(offsets, p, n)
	}
	return n
}

func (m machine) sum2of8(offsets []byte, p *[2][]byte) (done int) {
	n := m.groups(len(p[0]))
	if n > 0 {
		sum2of8AVX2(offsets, p, n)
	}
	return n
}

func (m machine) sum4of4(offsets []byte, p *[4][]byte) (done int) {
	n := m.groups(len(p[0]))
	if n > 0 {
		sum4of4AVX2(offsets, p, n)
	}
	return n
}

func (m machine) sum8of8(offsets []byte, p *[8][]byte) (done int) {
	n := m.groups(len(p[0]))
	if n > 0 {
		sum8of8AVX2(offsets, p, n)
	}
	return n
}

func (m machine) fill32(offsets []byte, n int, length uint32) (done int) {
	n = m.groups(n)
	if n > 0 {
		fill32AVX2(offsets, n, length)
	}
	return n
}

func (m machine) fill64(offsets []byte, n int, length uint64) (done int) {
	n = m.groups(n)
	if n > 0 {
		fill64AVX2(offsets, n, length)
	}
	return n
}

func (m machine) constant32(offsets []byte, n int, length uint32) (done int, ok bool) {
	n = m.groups(n)
	return n, n == 0 || constant32AVX2(offsets, n, length)
}

func (m machine) constant64(offsets []byte, n int, length uint64) (done int, ok bool) {
	n = m.groups(n)
	return n, n == 0 || constant64AVX2(offsets, n, length)
}

func (m machine) isZero(b []byte) (done int, zero bool) {
	n := 0
	if m.avx2 {
		n = len(b) &^ 127
	}
	return n, n == 0 || isZeroAVX2(b[:n])
}

// clear is there because Go's clear, from 2 KiB on, takes twice as long where
// what it clears is not aligned, and planes hardly ever are.
func (m machine) clear(b []byte) {
	if n := len(b) &^ 127; m.avx2 && n > 0 {
		clearAVX2(b[:n])
		b = b[n:]
	}
	clear(b)
}
