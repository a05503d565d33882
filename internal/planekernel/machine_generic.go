//go:build !amd64 || purego

package planekernel

// machine has no instructions of its own: it leaves everything to the generic
// kernels.
type machine struct{}

func detect() machine { return machine{} }

func (machine) String() string { return "generic" }

func (machine) low32(_, _ []byte) (done int, or uint32) { return 0, 0 }
func (machine) low64(_, _ []byte) (done int, or uint64) { return 0, 0 }

func (machine) split32(*[4][]byte, []byte) (done int, wroteHigh bool) { return 0, false }
func (machine) split64(*[8][]byte, []byte) (done int, wroteHigh bool) { return 0, false }

func (machine) sum1of4(_, _ []byte) (done int)        { return 0 }
func (machine) sum1of8(_, _ []byte) (done int)        { return 0 }
func (machine) sum2of4([]byte, *[2][]byte) (done int) { return 0 }
func (machine) sum2of8([]byte, *[2][]byte) (done int) { return 0 }
func (machine) sum4of4([]byte, *[4][]byte) (done int) { return 0 }
func (machine) sum8of8([]byte, *[8][]byte) (done int) { return 0 }
func (machine) fill32([]byte, int, uint32) (done int) { return 0 }
func (machine) fill64([]byte, int, uint64) (done int) { return 0 }
func (machine) isZero([]byte) (done int, zero bool)   { return 0, true }
func (machine) clear(b []byte)                        { clear(b) }

func (machine) constant32([]byte, int, uint32) (done int, ok bool) { return 0, true }
func (machine) constant64([]byte, int, uint64) (done int, ok bool) { return 0, true }
