package main

import (
	"bufio"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"
)

// small writes the first rows of a generated table to an Arrow file.
func small(tb testing.TB, name string, rows, batchRows int) *table {
	tb.Helper()
	for _, src := range generated() {
		if src.name == name {
			whole, err := src.load(rows)
			require.NoError(tb, err)
			t, err := cut(whole, name, batchRows, tb.TempDir())
			require.NoError(tb, err)
			return t
		}
	}
	tb.Fatalf("no table %s", name)
	return nil
}

func TestServe(t *testing.T) {
	table := small(t, "vocabulary", 2048, 1024)
	for _, local := range []*goPeer{ours(), arrowGo()} {
		require.NoError(t, local.open(table.path))

		remote := &worker{label: local.label}
		remote.pipe(t, local.twin())
		require.NoError(t, remote.open(table.path))
		for _, s := range codecs {
			want, err := local.run("write", s, 1, false)
			got, remoteErr := remote.run("write", s, 2, false)
			if err != nil {
				require.ErrorIs(t, err, errNotOffered)
				require.ErrorIs(t, remoteErr, errNotOffered)
			} else {
				require.NoError(t, remoteErr)
				require.Equal(t, want.Bytes, got.Bytes)
				require.Positive(t, got.NS)
				_, err = remote.run("read", s, 1, true)
				require.NoError(t, err)
			}
		}
		require.ErrorContains(t, remote.open("no such file"), local.label)
	}
}

// twin is the same library with a state of its own.
func (p *goPeer) twin() *goPeer { return &goPeer{label: p.label, writer: p.writer, reader: p.reader} }

// pipe connects a worker with a library that answers in another goroutine.
func (w *worker) pipe(t *testing.T, p peer) {
	requests, in := io.Pipe()
	out, answers := io.Pipe()
	w.in, w.out = in, bufio.NewReader(out)
	done := make(chan error, 1)
	go func() { done <- serve(p, requests, answers) }()
	t.Cleanup(func() {
		require.NoError(t, in.Close())
		require.NoError(t, <-done)
	})
}

func TestOursIsSmaller(t *testing.T) {
	words := small(t, "vocabulary", 1024, 256)
	sizes := map[string]int64{}
	for _, p := range []peer{ours(), arrowGo()} {
		require.NoError(t, p.open(words.path))
		got, err := p.run("write", setting{Codec: "zstd", Level: ownZstd}, 1, true)
		require.NoError(t, err)
		sizes[p.name()] = got.Bytes
	}
	require.Less(t, sizes["ipcx"], sizes["arrow-go"])

	whole, err := wholeBodies(words)
	require.NoError(t, err)
	require.Positive(t, whole)
	require.Less(t, whole*1024, float64(sizes["arrow-go"]), "one frame finds more than a frame a buffer")

	// without bodies there is nothing to compress
	var stream counter
	require.NoError(t, ipc.NewWriter(&stream, ipc.WithSchema(words.schema)).Close())
	whole, err = wholeBodies(&table{rows: 1, schema: words.schema})
	require.NoError(t, err)
	require.Equal(t, float64(stream), whole)
}

// BenchmarkTables is for profiles: the program measures in turns.
//
//	go test ./bench -run '^$' -bench Tables/ids/ipcx/write -cpuprofile cpu.prof
func BenchmarkTables(b *testing.B) {
	for _, src := range generated() {
		b.Run(src.name, func(b *testing.B) {
			t := small(b, src.name, 8192, 8192)
			for _, p := range []peer{ours(), arrowGo()} {
				for _, op := range []string{"write", "read"} {
					b.Run(p.name()+"/"+op, func(b *testing.B) {
						require.NoError(b, p.open(t.path))
						s := setting{Codec: "zstd", Level: ownZstd}
						_, err := p.run(op, s, 1, true)
						require.NoError(b, err)
						b.ReportAllocs()
						b.ResetTimer()
						_, err = p.run(op, s, b.N, false)
						require.NoError(b, err)
						b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*t.rows), "ns/row")
					})
				}
			}
		})
	}
}
