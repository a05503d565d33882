//go:build amd64 && !purego

package planekernel

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"
)

// A machine that leaves work to the generic kernels gives the right result all
// the same, so this asks whether it does what it can.
func TestMachineTakesGroups(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		require.Equal(t, []Set{{}}, Sets())
		t.Skip("this processor has no AVX2")
	}
	sets := Sets()
	require.Len(t, sets, 2)
	require.Equal(t, "generic", sets[0].String())
	require.Equal(t, "AVX2", sets[1].String())

	for _, set := range sets {
		const n = 3*avx2Group + 5
		want := 0
		if set == fastest {
			want = n - 5
		}
		takes := func(done int) { t.Helper(); require.Equal(t, want, done, set) }
		m := set.machine
		o4, o8, b := make([]byte, 4*n+4), make([]byte, 8*n+8), make([]byte, n)
		p2, p4, p8 := [2][]byte{b, b}, [4][]byte{b, b, b, b}, [8][]byte{b, b, b, b, b, b, b, b}
		for i := range n + 1 {
			o4[4*i+1], o8[8*i+1] = byte(i), byte(i) // lengths of 256
		}
		done, _ := m.low32(b, o4)
		takes(done)
		done, _ = m.low64(b, o8)
		takes(done)
		done, _ = m.split32(&p4, o4)
		takes(done)
		done, _ = m.split64(&p8, o8)
		takes(done)
		done, _ = m.constant32(o4, n, 256)
		takes(done)
		done, _ = m.constant64(o8, n, 256)
		takes(done)
		takes(m.fill32(o4, n, 256))
		takes(m.fill64(o8, n, 256))
		takes(m.sum1of4(o4, b))
		takes(m.sum1of8(o8, b))
		takes(m.sum2of4(o4, &p2))
		takes(m.sum2of8(o8, &p2))
		takes(m.sum4of4(o4, &p4))
		takes(m.sum8of8(o8, &p8))
		done, _ = m.isZero(make([]byte, 300))
		require.Equal(t, 256*want/(n-5), done)
	}
}

// Only what is below 1<<8 throughout leaves the high planes alone, and the first
// group that is not ends that.
func TestMachineStops(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("this processor has no AVX2")
	}
	const n = 3 * avx2Group
	for k := range n {
		o4, o8, low := make([]byte, 4*n+4), make([]byte, 8*n+8), make([]byte, n)
		for i := k + 1; i <= n; i++ {
			o4[4*i+3], o8[8*i+7] = 1, 1
		}
		done, _ := low32AVX2(low, o4, ^uint32(0xFF))
		require.Equal(t, k&^(avx2Group-1), done)
		done, _ = low64AVX2(low, o8, ^uint64(0xFF))
		require.Equal(t, k&^(avx2Group-1), done)
	}
}
