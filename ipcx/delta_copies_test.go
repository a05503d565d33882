package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// dictionaryOf are the messages of a stream whose only column has a dictionary of
// the type given.
func dictionaryOf(t testing.TB, values arrow.DataType, rows int) []raw {
	t.Helper()
	rec := arrowgen.RecordBatch(3, []arrow.Field{{Name: "a", Nullable: true, Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: values}}}, arrowgen.Options{Rows: rows})
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	require.Len(t, all, 3)
	return all
}

// Rows of some types take no bytes, so that a few bytes say that there are any
// number of them: but joining them takes a bit for each.
func TestDeltaToRowsWithoutBytes(t *testing.T) {
	const limit = 1 << 20
	for name, values := range map[string]arrow.DataType{
		"struct":                arrow.StructOf(),
		"fixed-size list":       arrow.FixedSizeListOf(4, arrow.Null),
		"run ends":              arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int64, arrow.Null),
		"fixed-size binary":     &arrow.FixedSizeBinaryType{ByteWidth: 0},
		"in a fixed-size list ": arrow.FixedSizeListOf(1, arrow.StructOf()),
	} {
		all := dictionaryOf(t, values, 5)
		of := func(rows, nulls int64, stored ...[]byte) raw {
			for len(stored) < len(buffers(all[1])) {
				stored = append(stored, nil)
			}
			return editedBatch(rebody(all[1], stored...), func(b *flatbuf.RecordBatchT) {
				b.Length = rows
				for _, n := range b.Nodes {
					n.Length, n.NullCount = rows, 0
				}
				switch {
				case strings.HasPrefix(name, "fixed-size list"):
					b.Nodes[1].Length = 4 * rows
				case name == "run ends":
					b.Nodes[1].Length, b.Nodes[2].Length = 1, 1
				}
				b.Nodes[0].NullCount = nulls
			})
		}
		for _, rows := range []int64{1 << 31, 1 << 46} {
			long, delta := of(rows, 0), deltaOf(of(1, 1, []byte{0}))
			if name == "run ends" {
				long = of(rows, 0, nil, binary.LittleEndian.AppendUint64(nil, uint64(rows)))
				delta = deltaOf(of(1, 0, nil, binary.LittleEndian.AppendUint64(nil, 1)))
			}
			var err error
			allocated := cost(func() {
				err = drainBytes(stream(all[0], long, delta, all[2]), ipcx.WithDecodedSizeLimit(limit)).Err
			})
			if strconv.IntSize == 64 {
				require.ErrorContains(t, err, "WithDecodedSizeLimit", name)
				require.ErrorIs(t, err, ipcx.ErrLimit, "%s of %d rows", name, rows)
			}
			require.Error(t, err, "%s of %d rows", name, rows) // which an int of 32 bits does not count
			require.Less(t, allocated, limit, "%s of %d rows", name, rows)
		}
	}
}

// Buffers of a dictionary may be the same bytes of its body, but joining copies each.
func TestDeltaToBuffersThatShareBytes(t *testing.T) {
	const wide, size = 64, 64 << 10
	var fields []arrow.Field
	for i := range wide {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: &arrow.FixedSizeBinaryType{ByteWidth: 1}})
	}
	all := dictionaryOf(t, arrow.StructOf(fields...), 2)
	long := sharingBody(all[1], size, size, func(i int) int {
		if i > 0 && i%2 == 0 {
			return size
		}
		return 0
	})
	indices := rebody(all[2], nil, []byte{0, 0})
	for limit, says := range map[int]string{
		wide*size - 1:           "buffers that share a body of 65536 bytes pass 4194303 bytes at buffer 128",
		wide*size + wide*size/2: "dictionary 0 has 9453568 bytes once its deltas are joined, which pass 6291456",
		9453568:                 "",
	} {
		plain := drainBytes(stream(all[0], long, indices), ipcx.WithDecodedSizeLimit(int64(limit))).Err
		var err error
		allocated := cost(func() {
			err = drainBytes(stream(all[0], long, deltaOf(long), indices), ipcx.WithDecodedSizeLimit(int64(limit))).Err
		})
		if says == "" {
			require.NoError(t, plain)
			require.NoError(t, err)
			continue
		}
		if limit < wide*size {
			requireLimit(t, plain, "WithDecodedSizeLimit", limit)
		} else {
			require.NoError(t, plain, "nothing is copied")
		}
		requireLimit(t, err, "WithDecodedSizeLimit", limit)
		require.ErrorContains(t, err, says)
		require.Less(t, allocated, limit/4)
	}
}

// What arrow-go cannot join is refused before it tries, and nothing is lost then.
func TestDeltasOfUnions(t *testing.T) {
	fields, codes := []arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []arrow.UnionTypeCode{0}
	for _, values := range []arrow.DataType{
		arrow.DenseUnionOf(fields, codes),
		arrow.SparseUnionOf(fields, codes),
		arrow.ListOf(arrow.SparseUnionOf(fields, codes)),
	} {
		all := dictionaryOf(t, values, 5)
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		got := drainBytes(stream(all[0], all[1], deltaOf(all[1]), all[2]), ipcx.WithAllocator(mem))
		require.ErrorIs(t, got.Err, ipcx.ErrUnsupported, "%v", values)
		require.ErrorContains(t, got.Err, "dictionary 0: a delta of a dictionary with unions among its values")
		require.False(t, ipcx.IsPanic(got.Err))
		require.Zero(t, mem.CurrentAlloc(), "%v", values)
	}
}

// What our readers cannot join is not written either.
func TestWritingDeltasOfUnions(t *testing.T) {
	values := arrow.SparseUnionOf([]arrow.Field{{Name: "i", Type: arrow.PrimitiveTypes.Int32, Nullable: true}}, []arrow.UnionTypeCode{0})
	dt := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: values}
	schema := arrow.NewSchema([]arrow.Field{{Name: "u", Type: dt, Nullable: true}}, nil)
	var batches []arrow.RecordBatch
	for n := 2; n <= 3; n++ {
		numbers := fromJSON(t, arrow.PrimitiveTypes.Int32, "["+strings.Repeat("7,", n-1)+"7]").Column(0)
		codes := memory.NewBufferBytes(make([]byte, n, 64)) // arrow-go reads beyond the end of those of a slice
		union := array.NewSparseUnion(values, n, []arrow.Array{numbers}, codes, 0)
		indices := fromJSON(t, arrow.PrimitiveTypes.Int8, "[0,1]").Column(0)
		batches = append(batches, array.NewRecordBatch(schema, []arrow.Array{array.NewDictionaryArray(dt, indices, union)}, 2))
	}
	got := drainBytes(write(t, batches))
	require.NoError(t, got.Err, "replaced")
	requireEqual(t, batches, got.Batches)

	var out bytes.Buffer
	w := ipcx.NewWriter(&out, ipcx.WithDictionaryDeltas(true))
	require.NoError(t, w.Write(batches[0]))
	err := w.Write(batches[1])
	require.ErrorIs(t, err, ipcx.ErrUnsupported)
	require.ErrorContains(t, err, "message 3 (DictionaryBatch): dictionary 0: a delta of a dictionary with unions among its values")
	require.ErrorContains(t, err, "WithDictionaryDeltas")
	require.ErrorIs(t, w.Close(), err)
	got = drainBytes(out.Bytes())
	require.NoError(t, got.Err)
	requireEqual(t, batches[:1], got.Batches)
}
