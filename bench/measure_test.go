package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// clockPeer takes a time that a test sets, and notes when it is asked.
type clockPeer struct {
	label string
	ns    map[string]int64
	turns *[]string
	lacks string // a codec
}

func (p *clockPeer) name() string      { return p.label }
func (p *clockPeer) open(string) error { return nil }
func (p *clockPeer) close() error      { return nil }

func (p *clockPeer) run(op string, s setting, times int, fresh bool) (sample, error) {
	if s.Codec == p.lacks {
		return sample{}, errNotOffered
	}
	if !fresh {
		*p.turns = append(*p.turns, op+" "+p.label)
	}
	n := int64(times)
	return sample{NS: n * p.ns[op], CPU: n * 3 * p.ns[op], Bytes: 1000, Mallocs: n * 40, Alloc: n * 500}, nil
}

func TestMeasure(t *testing.T) {
	var turns []string
	peers := []peer{
		&clockPeer{label: "ipcx", ns: map[string]int64{"write": 3_000_000, "read": 1_000_000}, turns: &turns},
		&clockPeer{label: "lacking", turns: &turns, lacks: "zstd"},
		&clockPeer{label: "arrow-go", ns: map[string]int64{"write": 4_000_000, "read": 2_000_000}, turns: &turns},
	}
	d := generated()[0]
	whole, err := d.load(100)
	require.NoError(t, err)
	table, err := cut(whole, d.name, 50, t.TempDir())
	require.NoError(t, err)

	results, err := measure(peers, table, setting{Codec: "zstd", Level: ownZstd}, 1, 2)
	require.NoError(t, err)
	require.Len(t, results, 2, "a library that does not offer the codec is left out")
	require.Equal(t, "ipcx", results[0].peer)
	require.Equal(t, cost{ns: 30_000, cpu: 90_000, allocs: 20, alloc: 5, ours: 1, ourCPU: 1}, results[0].write)
	require.Equal(t, "arrow-go", results[1].peer)
	require.Equal(t, 10.0, results[1].bytes)
	require.Equal(t, cost{ns: 40_000, cpu: 120_000, allocs: 20, alloc: 5, ours: 0.75, ourCPU: 0.75}, results[1].write)
	require.Equal(t, cost{ns: 20_000, cpu: 60_000, allocs: 20, alloc: 5, ours: 0.5, ourCPU: 0.5}, results[1].read)
	require.Equal(t, []string{
		"write arrow-go", "write ipcx", "write ipcx", "write arrow-go",
		"read arrow-go", "read ipcx", "read ipcx", "read arrow-go",
	}, turns, "the order alternates")
}
