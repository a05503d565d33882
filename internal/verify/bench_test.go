package verify_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
	"github.com/arrowplanes/arrowplanes/internal/verify/verifytest"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"
)

// wide gives the metadata of a record batch and of a schema of 200 string
// columns.
func wide(t testing.TB) (batch, schema []byte) {
	const columns = 200
	rb := &flatbuf.RecordBatchT{Length: 8192, Compression: &flatbuf.BodyCompressionT{Codec: flatbuf.CompressionTypeZSTD}}
	fields := make([]arrow.Field, columns)
	for i := range fields {
		rb.Nodes = append(rb.Nodes, &flatbuf.FieldNodeT{Length: 8192})
		for range 3 {
			rb.Buffers = append(rb.Buffers, &flatbuf.BufferT{Offset: int64(i), Length: 1})
		}
		fields[i] = arrow.Field{Name: "column", Type: arrow.BinaryTypes.String}
	}
	b := flatbuffers.NewBuilder(0)
	b.Finish((&flatbuf.MessageT{
		Version: flatbuf.MetadataVersionV5,
		Header:  &flatbuf.MessageHeaderT{Type: flatbuf.MessageHeaderRecordBatch, Value: rb},
	}).Pack(b))
	schema, err := verifytest.SchemaMetadata(arrow.NewSchema(fields, nil))
	require.NoError(t, err)
	return b.FinishedBytes(), schema
}

func TestNoAllocationOnSuccess(t *testing.T) {
	batch, schema := wide(t)
	foot := footer(t)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		if verify.Message(batch) != nil || verify.Message(schema) != nil || verify.Footer(foot) != nil {
			panic("refused")
		}
	}))
}

func BenchmarkMessage(b *testing.B) {
	batch, schema := wide(b)
	for name, buf := range map[string][]byte{"batch": batch, "schema": schema} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := verify.Message(buf); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
