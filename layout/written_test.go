package layout_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/arrowgen/written"
	"github.com/arrowplanes/arrowplanes/layout"
)

// states are what every type has to be written in.
func states() []arrowgen.Options {
	var all []arrowgen.Options
	for _, rows := range []int{0, 1, 7, 64, 100} {
		for _, nulls := range []float64{0, 0.3, 1} {
			all = append(all,
				arrowgen.Options{Rows: rows, Nulls: nulls},
				arrowgen.Options{Rows: rows, Nulls: nulls, Sliced: true},
				arrowgen.Options{Rows: rows, Nulls: nulls, InlineViews: true})
		}
	}
	return all
}

// The layout of every type is what arrow-go writes: nodes, buffers, lengths,
// and contents as far as they tell one role from another.
func TestTypesAsWritten(t *testing.T) {
	fields := append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...)
	for _, f := range fields {
		t.Run(f.Name, func(t *testing.T) {
			for i, o := range states() {
				checkWritten(t, uint64(i), []arrow.Field{f}, o)
			}
		})
	}
	// All of them side by side: no column disturbs the next one.
	for i, o := range states() {
		checkWritten(t, uint64(i), fields, o)
	}
}

func TestNestedAsWritten(t *testing.T) {
	for i, o := range states() {
		fields := arrowgen.Nested(uint64(i))
		for _, f := range fields {
			require.NoError(t, layout.Of(arrow.NewSchema([]arrow.Field{f}, nil)).Unmapped())
		}
		checkWritten(t, uint64(i), fields, o)
	}
}

func TestRandomSchemasAsWritten(t *testing.T) {
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 0))
		schema := arrowgen.RandomSchema(rng, int(seed%7))
		o := arrowgen.Options{Rows: int(seed % 11), Nulls: float64(seed%3) / 2, Sliced: seed%2 == 0}
		checkWritten(t, seed, schema.Fields(), o)
	}
}

func checkWritten(t *testing.T, seed uint64, fields []arrow.Field, o arrowgen.Options) {
	t.Helper()
	rec := arrowgen.RecordBatch(seed, fields, o)
	defer rec.Release()
	require.NoError(t, written.Check(rec), "seed %d, %+v, %s", seed, o, rec.Schema())
}

// Files of Arrow C++ 0.17 have V4 metadata, where unions have a validity buffer.
func TestUnionsOfV4(t *testing.T) {
	data := os.Getenv("ARROW_TEST_DATA")
	if data == "" {
		t.Skip("ARROW_TEST_DATA is not set: the directory of Arrow's test files")
	}
	stream, err := os.ReadFile(filepath.Join(data, "arrow-ipc-stream", "integration", "0.17.1", "generated_union.stream"))
	require.NoError(t, err)
	f, err := os.Open(filepath.Join(data, "arrow-ipc-stream", "integration", "0.17.1", "generated_union.stream"))
	require.NoError(t, err)
	defer f.Close()
	r, err := ipc.NewReader(f)
	require.NoError(t, err)
	defer r.Release()

	batches := 0
	for len(stream) > 8 {
		require.Equal(t, uint32(0xFFFFFFFF), binary.LittleEndian.Uint32(stream))
		n := int(binary.LittleEndian.Uint32(stream[4:]))
		if n == 0 {
			break
		}
		meta := stream[8 : 8+n]
		body := stream[8+n:][:written.BodyLength(meta)]
		stream = stream[8+n+len(body):]
		m, err := written.Parse(meta, body)
		require.NoError(t, err)
		if m == nil {
			continue
		}
		batches++
		require.Equal(t, layout.V4, m.Version)
		require.NoError(t, m.Check(r.Schema()))

		// The same buffers do not fit the layout of V5.
		m.Version = layout.V5
		require.ErrorContains(t, m.Check(r.Schema()), "buffers, its layout")
	}
	require.Equal(t, 2, batches)
}
