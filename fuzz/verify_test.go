package fuzz

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
	"github.com/arrowplanes/arrowplanes/internal/verify/verifytest"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"
)

// FuzzVerify takes any bytes for a message and for a footer. What package
// verify lets pass, every accessor has to survive.
func FuzzVerify(f *testing.F) {
	for _, seed := range verifySeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, buf []byte) {
		if verify.Message(buf) == nil {
			require.NoError(t, verifytest.ReadMessage(buf))
		}
		if verify.Footer(buf) == nil {
			require.NoError(t, verifytest.ReadFooter(buf))
		}
	})
}

// verifySeeds are small messages that arrow-go writes, one for each type, and
// footers around their schemas.
func verifySeeds(f *testing.F) [][]byte {
	var seeds [][]byte
	metadata := arrow.NewMetadata([]string{"k"}, []string{"v"})
	for _, typ := range verifytest.Types() {
		field := arrow.Field{Name: "f", Type: typ, Metadata: metadata}
		m, err := verifytest.SchemaMetadata(arrow.NewSchema([]arrow.Field{field}, &metadata))
		require.NoError(f, err)

		b := flatbuffers.NewBuilder(0)
		b.Finish((&flatbuf.FooterT{
			Schema:        flatbuf.GetRootAsMessage(m, 0).UnPack().Header.Value.(*flatbuf.SchemaT),
			RecordBatches: []*flatbuf.BlockT{{Offset: 8, MetaDataLength: 16, BodyLength: 24}},
		}).Pack(b))
		seeds = append(seeds, m, b.FinishedBytes())
	}
	streams, err := verifytest.Batches()
	require.NoError(f, err)
	for _, stream := range streams {
		seeds = append(seeds, verifytest.Messages(stream)...)
	}
	return seeds
}
