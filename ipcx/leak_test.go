package ipcx_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestBadInputDoesNotLeak reads batches whose lengths, counts and offsets were
// changed one by one. Whatever is made of them, all memory comes back.
func TestBadInputDoesNotLeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, schema := range dirtySchemas() {
		rec := arrowgen.Batch(1, schema, arrowgen.Options{Rows: 9, Nulls: 0.3})
		for form, opts := range map[string][]ipcx.Option{
			"plain":   nil,
			"flagged": {ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)},
			"lz4":     {ipcx.WithLZ4()},
		} {
			if form == "lz4" && name != "all" {
				continue
			}
			all := messages(t, write(t, []arrow.RecordBatch{rec}, opts...))
			for i, m := range all {
				if i == 0 {
					continue
				}
				batch := batchOf(flatbuf.GetRootAsMessage(m.metadata, 0).UnPack())
				for range 2 {
					for what, change := range badChanges(rng, rng.IntN(max(len(batch.Nodes), len(batch.Buffers), 1))) {
						bad := append([]raw{}, all...)
						bad[i] = edited(m, func(msg *flatbuf.MessageT) { change(batchOf(msg)) })
						requireNoLeak(t, stream(bad...), fmt.Sprintf("%s, %s, message %d: %s", name, form, i, what))
					}
				}
				for range 5 {
					bad := append([]raw{}, all...)
					body := bytes.Clone(m.body)
					if len(body) > 0 {
						body[rng.IntN(len(body))] ^= byte(1 + rng.IntN(255))
					}
					bad[i] = raw{m.metadata, body}
					requireNoLeak(t, stream(bad...), fmt.Sprintf("%s, %s, message %d: a byte of the body", name, form, i))
				}
			}
		}
		rec.Release()
	}
}

// badChanges are changes of field node and buffer k of a batch, if it has them.
func badChanges(rng *rand.Rand, k int) map[string]func(*flatbuf.RecordBatchT) {
	changes := map[string]func(*flatbuf.RecordBatchT){}
	for _, n := range []int64{-1, 0, 1, 8, 10, 100, math.MaxInt64, rng.Int64()} {
		changes[fmt.Sprintf("node %d of %d rows", k, n)] = func(b *flatbuf.RecordBatchT) {
			if k < len(b.Nodes) {
				b.Nodes[k].Length = n
			}
		}
		changes[fmt.Sprintf("node %d with %d nulls", k, n)] = func(b *flatbuf.RecordBatchT) {
			if k < len(b.Nodes) {
				b.Nodes[k].NullCount = n
			}
		}
		changes[fmt.Sprintf("buffer %d of %d bytes", k, n)] = func(b *flatbuf.RecordBatchT) {
			if k < len(b.Buffers) {
				b.Buffers[k].Length = n
			}
		}
		changes[fmt.Sprintf("%d rows", n)] = func(b *flatbuf.RecordBatchT) { b.Length = n }
	}
	changes[fmt.Sprintf("%d nodes", k)] = func(b *flatbuf.RecordBatchT) { b.Nodes = b.Nodes[:min(k, len(b.Nodes))] }
	changes[fmt.Sprintf("%d buffers", k)] = func(b *flatbuf.RecordBatchT) { b.Buffers = b.Buffers[:min(k, len(b.Buffers))] }
	return changes
}

func requireNoLeak(t *testing.T, stream []byte, what string) {
	t.Helper()
	mem := &dirty{}
	r, err := ipcx.NewReader(bytes.NewReader(stream), ipcx.WithAllocator(mem))
	if err == nil {
		for r.Next() {
		}
		err = r.Err()
		r.Release()
	}
	require.Zero(t, mem.held, "%s: %v", what, err)
}
