package ipcx_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestOtherSchema asks readers for a schema that is not there.
func TestOtherSchema(t *testing.T) {
	rec := smallBatches(1)[0]
	other := ipcx.WithSchema(arrow.NewSchema([]arrow.Field{{Name: "other", Type: arrow.PrimitiveTypes.Int8}}, nil))
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	errs := map[string]error{
		"NewReader": drainBytes(stream(all...), other).Err,
		"delayed":   drainBytes(stream(all...), other, ipcx.WithDelayReadSchema(true)).Err,
	}
	for how := range openers {
		errs["a file, "+how] = drainFile(t, how, fileOf(all...), other).Err
	}
	for door, err := range errs {
		require.EqualError(t, err, "ipcx: the schema is not the one of WithSchema", door)
	}
	require.NoError(t, drainBytes(stream(all...), ipcx.WithSchema(rec.Schema())).Err)
}

// Schemas that are sound, or may be one day, and that arrow-go cannot decode. What
// makes no arrays passes them on.
func TestSchemasThatCannotBeDecoded(t *testing.T) {
	number := func() *flatbuf.FieldT {
		return fieldT(typeT(flatbuf.TypeInt, &flatbuf.IntT{BitWidth: 32, IsSigned: true}))
	}
	dictionary := func(f *flatbuf.FieldT) *flatbuf.FieldT {
		f.Dictionary = &flatbuf.DictionaryEncodingT{Id: 7, IndexType: &flatbuf.IntT{BitWidth: 8, IsSigned: true}}
		return f
	}
	text := fieldT(typeT(flatbuf.TypeUtf8, &flatbuf.Utf8T{}))
	newer := sharedSchema(1, func(b *flatbuffers.Builder) flatbuffers.UOffsetT {
		flatbuf.NullStart(b)
		typ := flatbuf.NullEnd(b)
		flatbuf.FieldStart(b)
		flatbuf.FieldAddTypeType(b, 100)
		flatbuf.FieldAddType(b, typ)
		return flatbuf.FieldEnd(b)
	})
	for name, schema := range map[string]raw{
		"lists of no entries":  schemaOfFields(fieldT(typeT(flatbuf.TypeFixedSizeList, &flatbuf.FixedSizeListT{}), number())),
		"one id for two types": schemaOfFields(dictionary(number()), dictionary(text)),
		"a type that is newer": newer,
	} {
		stream, file := stream(schema), footed(schema)
		errs := map[string]error{
			"NewReader": drainBytes(stream).Err,
			"delayed":   drainBytes(stream, ipcx.WithDelayReadSchema(true)).Err,
			"ahead":     drainBytes(stream, ipcx.WithReadAhead(2)).Err,
			"columns":   drainBytes(stream, ipcx.WithColumnIndexes(0)).Err,
		}
		for how := range openers {
			errs["a file, "+how] = drainFile(t, how, file).Err
		}
		for door, err := range errs {
			require.ErrorIs(t, err, ipcx.ErrUnsupported, "%s: %s", name, door)
			require.NotErrorIs(t, err, ipcx.ErrCorrupt, "%s: %s", name, door)
			require.True(t, strings.HasPrefix(err.Error(), "ipcx: "), err)
		}
		_, err := convert(stream, ipcx.WithZeroedNulls())
		require.NoError(t, err, name)
		_, err = decodeAll([]raw{schema})
		require.NoError(t, err, name)
		require.NoError(t, ipcx.Inspect(context.Background(), bytes.NewReader(stream), func(m *ipcx.MessageInfo) error {
			require.Nil(t, m.Schema, name)
			return nil
		}))
	}
}
