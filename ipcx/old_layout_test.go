package ipcx_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestDictionariesOfUnions has dictionaries whose values lost a validity buffer
// with V5 metadata, at the top or below, which arrow-go's own reader takes for
// older ones and misreads.
func TestDictionariesOfUnions(t *testing.T) {
	i32, utf8 := arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String
	fields := []arrow.Field{{Name: "i", Type: i32, Nullable: true}, {Name: "s", Type: utf8, Nullable: true}}
	codes := []arrow.UnionTypeCode{5, 0}
	for _, values := range []arrow.DataType{
		arrow.DenseUnionOf(fields, codes),
		arrow.SparseUnionOf(fields, codes),
		arrow.RunEndEncodedOf(i32, utf8),
		arrow.StructOf(fields[0], arrow.Field{Name: "u", Type: arrow.SparseUnionOf(fields, codes), Nullable: true}, fields[1]),
		arrow.ListOf(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.StringView)),
		arrow.ListOf(arrow.BinaryTypes.StringView),
	} {
		t.Run(values.Name()+" "+fmt.Sprint(len(values.String())), func(t *testing.T) {
			field := arrow.Field{Name: "x", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: values}, Nullable: true}
			rec := arrowgen.RecordBatch(11, []arrow.Field{field}, arrowgen.Options{Rows: 12, Nulls: 0.2})
			want := []arrow.RecordBatch{rec, rec}
			for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}} {
				whole := write(t, want, opts...)
				mr := ipcx.NewMessageReader(bytes.NewReader(whole))
				for msg, err := mr.Message(); err == nil; msg, err = mr.Message() {
					require.Equal(t, msg.BodyLen() > 0, msg.Type() != ipcx.MessageSchema)
				}
				mr.Release()
				for _, read := range [][]ipcx.Option{{ipcx.WithValidation()}, {ipcx.WithTrustedInput()}, {ipcx.WithColumns("x")}, {ipcx.WithReadAhead(2)}} {
					got := drainBytes(whole, read...)
					require.NoError(t, got.Err)
					requireValues(t, want, got.Batches)
				}
				file, err := convert(whole, append(opts, ipcx.WithFormat(ipcx.FileFormat))...)
				require.NoError(t, err)
				for how := range openers {
					got := drainFile(t, how, file, ipcx.WithValidation())
					require.NoError(t, got.Err, how)
					requireValues(t, want, got.Batches)
				}
			}
		})
	}
}
