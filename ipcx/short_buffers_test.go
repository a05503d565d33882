package ipcx_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// TestShortBuffers has, of every type, each buffer an entry short, or empty, or
// left out. Either that is an error, or the buffer had more than was needed, and
// the values are what they were. Of the buffers that views point into nothing is
// known without a look at each view, which is for validation.
func TestShortBuffers(t *testing.T) {
	fields := append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...)
	fields = append(fields, arrowgen.Nested(5)...)
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.ListOf(arrow.BinaryTypes.String)}
	fields = append(fields, arrow.Field{Name: "dictionary_of_lists", Type: words, Nullable: true})
	refused, legal := 0, 0
	for _, f := range fields {
		t.Run(f.Name, func(t *testing.T) {
			for _, o := range []arrowgen.Options{{}, {Rows: 19}, {Rows: 19, Nulls: 0.4}, {Rows: 17, Nulls: 1}} {
				rec := arrowgen.RecordBatch(11, []arrow.Field{f}, o)
				all := messages(t, write(t, []arrow.RecordBatch{rec}))
				require.NoError(t, drainBytes(stream(all...)).Err)
				for k, m := range all[1:] {
					for i, p := range buffers(m) {
						role := roleOf(t, rec.Schema(), m, i)
						for _, n := range []int{len(p) - max(role.Width, 1), 0} {
							if n < 0 || n == len(p) {
								continue
							}
							bad := slices.Clone(all)
							bad[k+1] = stored(i, func(p []byte) []byte { return p[:n] })(m)
							what := fmt.Sprintf("%+v, message %d, buffer %d (%s), %d of %d bytes", o, k+1, i, role.Role, n, len(p))
							if requireSound(t, rec, bad, role.Role, what) {
								legal++
							} else {
								refused++
							}
						}
						bad := slices.Clone(all)
						bad[k+1] = editedBatch(m, func(b *flatbuf.RecordBatchT) { b.Buffers = slices.Delete(b.Buffers, i, i+1) })
						require.ErrorIs(t, drainBytes(stream(bad...)).Err, ipcx.ErrCorrupt, "%+v, no buffer %d", o, i)
					}
				}
			}
		})
	}
	require.Greater(t, refused, 500)
	t.Logf("%d refused, %d read", refused, legal)
}

// requireSound reads a stream of what should be rec with a buffer cut, and requires
// an error, which is not that of a panic, or the values of rec. It says whether
// they were read.
func requireSound(t *testing.T, rec arrow.RecordBatch, bad []raw, role layout.Role, what string) bool {
	t.Helper()
	file, err := convert(stream(bad...), ipcx.WithFormat(ipcx.FileFormat))
	require.NoError(t, err)
	mapped, err := ipcx.NewMappedFileReader(file)
	var fromFile oracle.Result
	if fromFile.Err = err; err == nil {
		defer mapped.Close()
		var got arrow.RecordBatch
		if got, fromFile.Err = mapped.RecordBatchAt(0); fromFile.Err == nil {
			defer got.Release()
			fromFile.Batches = append(fromFile.Batches, got)
		}
	}
	got := drainBytes(stream(bad...))
	require.Equal(t, got.Err == nil, fromFile.Err == nil, what)
	if got.Err != nil {
		require.ErrorIs(t, got.Err, ipcx.ErrCorrupt, what)
		require.False(t, ipcx.IsPanic(got.Err), "%s: %v", what, got.Err)
		require.ErrorIs(t, fromFile.Err, ipcx.ErrCorrupt, what)
		return false
	}
	require.NoError(t, drainBytes(stream(bad...), ipcx.WithTrustedInput()).Err, what)
	validated := drainBytes(stream(bad...), ipcx.WithValidation()).Err
	if role == layout.ViewData && validated != nil {
		return false
	}
	require.NoError(t, validated, what)
	for _, read := range []oracle.Result{got, fromFile} {
		require.True(t, array.RecordEqual(rec, read.Batches[0]), what)
		want, err := rec.MarshalJSON()
		require.NoError(t, err)
		json, err := read.Batches[0].MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, string(want), string(json), what)
	}
	return true
}

// roleOf says what buffer i of a batch holds.
func roleOf(t *testing.T, schema *arrow.Schema, m raw, i int) layout.Buffer {
	t.Helper()
	if kindOf(m) == "DictionaryBatch" {
		schema = arrow.NewSchema([]arrow.Field{{Type: valuesOf(schema.Field(0).Type)}}, nil)
	}
	batch := batchOf(flatbuf.GetRootAsMessage(m.metadata, 0).UnPack())
	roles, err := layout.Of(schema).Buffers(layout.V5, batch.VariadicBufferCounts)
	require.NoError(t, err)
	require.Len(t, batch.Buffers, len(roles))
	return roles[i]
}

// valuesOf returns the type of the dictionary that is somewhere in a type.
func valuesOf(dt arrow.DataType) arrow.DataType {
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return dt.ValueType
	case arrow.ExtensionType:
		return valuesOf(dt.StorageType())
	case arrow.NestedType:
		for _, f := range dt.Fields() {
			if found := valuesOf(f.Type); found != nil {
				return found
			}
		}
	}
	return nil
}
