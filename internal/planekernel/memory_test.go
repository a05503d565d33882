package planekernel_test

import (
	"bytes"
	"testing"
)

// memory hands out slices that have pages on both sides which nobody may read or
// write, where the system can do that. By turns, a slice lies right behind the
// page before it, and right before the page behind it.
type memory struct {
	areas   [][]byte
	filling []byte
	next    int
	turn    int
}

// An area holds what there is of the largest sample: seven planes, or offsets.
const areaSize = 3 * 4096

func newMemory(t testing.TB) *memory {
	m := &memory{filling: bytes.Repeat([]byte{0xA5}, areaSize)}
	for range 16 {
		m.areas = append(m.areas, guardedArea(t, areaSize))
	}
	return m
}

// reset takes back what was handed out.
func (m *memory) reset() {
	m.next = 0
	m.turn++
}

// filled gives n bytes that are not zero.
func (m *memory) filled(n int) []byte {
	b := m.areas[m.next]
	m.next++
	if (m.turn+m.next)%2 == 0 {
		b = b[:n:n]
	} else {
		b = b[len(b)-n:]
	}
	copy(b, m.filling)
	return b
}

func (m *memory) copy(b []byte) []byte {
	c := m.filled(len(b))
	copy(c, b)
	return c
}

// unsummed gives the first offset of s and room for the others.
func (m *memory) unsummed(s *sample) []byte {
	b := m.filled(len(s.offsets))
	copy(b, s.offsets[:s.w])
	return b
}
