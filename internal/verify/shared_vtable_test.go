package verify_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/verify"
	"github.com/arrowplanes/arrowplanes/internal/verify/verifytest"
)

// Go's builder compares vtables by where their members stand, not by the size
// of their tables. A KeyValue, of 12 bytes, and the encoding of a dictionary
// whose id is not 0, of 16, then share one: every schema with field metadata and
// two dictionaries that arrow-go writes has that.
func TestTablesOfDifferentSizesShareAVtable(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int8, Metadata: arrow.NewMetadata([]string{"key"}, []string{"value"})},
		{Name: "b", Type: dict},
		{Name: "c", Type: dict},
	}, nil)
	payload := ipc.GetSchemaPayload(schema, memory.DefaultAllocator)
	defer payload.Release()
	metadata := payload.Meta()
	defer metadata.Release()
	require.NoError(t, verify.Message(metadata.Bytes()))
	require.NoError(t, verifytest.ReadMessage(metadata.Bytes()))
}
