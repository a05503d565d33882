package ipcx_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// wordInDictionary is a record batch whose dictionary holds structs of a word, which
// is in a dictionary too.
func wordInDictionary(words ...string) arrow.RecordBatch {
	inner := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{{Name: "word", Type: inner, Nullable: true}}
	outer := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.StructOf(fields...)}

	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.AppendValues(words, nil)
	places := array.NewInt8Builder(memory.DefaultAllocator)
	for i := range words {
		places.Append(int8(i))
	}
	indices := places.NewArray()
	word := array.NewDictionaryArray(inner, indices, texts.NewArray())
	values, err := array.NewStructArrayWithFields([]arrow.Array{word}, fields)
	if err != nil {
		panic(err)
	}
	column := array.NewDictionaryArray(outer, indices, values)
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: outer, Nullable: true}}, nil)
	return array.NewRecordBatch(schema, []arrow.Array{column}, int64(len(words)))
}

// TestReplacedInnerDictionary has a dictionary replaced that is among the values of
// another one, which stays: record batches that were read before stay what they
// were, also while they are looked at.
func TestReplacedInnerDictionary(t *testing.T) {
	recs := []arrow.RecordBatch{wordInDictionary("oak", "elm"), wordInDictionary("ash", "fir"), wordInDictionary("yew", "box")}
	var all []raw
	for i, rec := range recs {
		one := messages(t, write(t, []arrow.RecordBatch{rec}))
		require.Len(t, one, 4) // the schema, the words, the structs, the record batch
		if i == 0 {
			all = one
		} else {
			all = append(all, one[1], one[3])
		}
	}
	for name, opts := range map[string][]ipcx.Option{
		"default":    nil,
		"validated":  {ipcx.WithValidation()},
		"read ahead": {ipcx.WithReadAhead(2)},
		"reused":     {ipcx.WithBufferReuse()},
	} {
		t.Run(name, func(t *testing.T) {
			got := drainBytes(stream(all...), opts...)
			require.NoError(t, got.Err)
			requireValues(t, recs, got.Batches)
		})
	}
	t.Run("too short for its indices", func(t *testing.T) {
		short := messages(t, write(t, []arrow.RecordBatch{wordInDictionary("sorb")}))
		got := drainBytes(stream(append(all[:len(all):len(all)], short[1], all[3])...), ipcx.WithValidation())
		var invalid *ipcx.InvalidError
		require.ErrorAs(t, got.Err, &invalid)
		requireValues(t, recs, got.Batches)
	})
	t.Run("while they are looked at", func(t *testing.T) {
		r, err := ipcx.NewReader(bytes.NewReader(stream(all...)))
		require.NoError(t, err)
		defer r.Release()
		var looking sync.WaitGroup
		defer looking.Wait()
		for r.Next() {
			rec := r.RecordBatch()
			rec.Retain()
			looking.Go(func() {
				defer rec.Release()
				_ = rec.Column(0).ValueStr(1)
			})
		}
		require.NoError(t, r.Err())
	})
}
