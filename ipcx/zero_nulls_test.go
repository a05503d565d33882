package ipcx_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// dataOf makes the data of an array. A nil buffer is none.
func dataOf(dt arrow.DataType, n int, bufs [][]byte, children ...arrow.ArrayData) *array.Data {
	var all []*memory.Buffer
	for _, p := range bufs {
		if p == nil {
			all = append(all, nil)
			continue
		}
		all = append(all, memory.NewBufferBytes(p))
	}
	nulls := 0
	if bufs[0] != nil {
		for i := range n {
			nulls += int(^bufs[0][i/8] >> (i % 8) & 1)
		}
	}
	return array.NewData(dt, n, all, children, nulls, 0)
}

func int32s(values ...int32) (p []byte) {
	for _, v := range values {
		p = binary.NativeEndian.AppendUint32(p, uint32(v))
	}
	return p
}

func view(n int, text string) []byte {
	p := make([]byte, 16)
	binary.NativeEndian.PutUint32(p, uint32(n))
	copy(p[4:], text)
	return p
}

// TestZeroedNulls has values under nulls, and says what of them is stored. The
// rows are 0 and 2, and row 1 is null.
func TestZeroedNulls(t *testing.T) {
	const valid = 0b101
	var (
		i32  = arrow.PrimitiveTypes.Int32
		ints = func(n int, validity []byte, values ...int32) *array.Data {
			return dataOf(i32, n, [][]byte{validity, int32s(values...)})
		}
		fsl      = arrow.FixedSizeListOf(2, i32)
		union    = arrow.SparseUnionOf([]arrow.Field{{Name: "i", Type: i32, Nullable: true}}, []arrow.UnionTypeCode{7})
		dict     = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: i32}
		structOf = func(dt arrow.DataType) arrow.DataType {
			return arrow.StructOf(arrow.Field{Name: "x", Type: dt, Nullable: true})
		}
	)
	words := dataOf(dict, 3, [][]byte{{valid}, {2, 1, 1}})
	words.SetDictionary(ints(3, []byte{0b011}, 10, 20, 30))

	for name, c := range map[string]struct {
		data *array.Data
		want [][]byte // of the record batch, nil for one that stays
	}{
		"int32": {ints(3, []byte{valid}, 1, 2, 3), [][]byte{nil, int32s(1, 0, 3)}},
		"bool":  {dataOf(arrow.FixedWidthTypes.Boolean, 3, [][]byte{{valid}, {0b011}}), [][]byte{nil, {0b001}}},
		"fixed-size binary": {
			dataOf(&arrow.FixedSizeBinaryType{ByteWidth: 3}, 3, [][]byte{{valid}, []byte("abcdefghi")}),
			[][]byte{nil, []byte("abc\x00\x00\x00ghi")},
		},
		"decimal128": {
			dataOf(&arrow.Decimal128Type{Precision: 20}, 3, [][]byte{{valid}, bytes.Repeat([]byte{9}, 48)}),
			[][]byte{nil, append(append(bytes.Repeat([]byte{9}, 16), make([]byte, 16)...), bytes.Repeat([]byte{9}, 16)...)},
		},
		"dictionary": {words, [][]byte{nil, {2, 0, 1}}},
		"views": {
			dataOf(arrow.BinaryTypes.StringView, 3, [][]byte{{valid}, append(append(view(1, "a"), view(3, "bcd")...), view(2, "ef")...)}),
			[][]byte{nil, append(append(view(1, "a"), view(0, "")...), view(2, "ef")...)},
		},
		"list view": {
			dataOf(arrow.ListViewOf(i32), 3, [][]byte{{valid}, int32s(0, 1, 2), int32s(1, 2, 2)}, ints(4, nil, 1, 2, 3, 4)),
			[][]byte{nil, int32s(0, 0, 2), int32s(1, 0, 2), nil, nil},
		},
		"struct": {
			dataOf(structOf(i32), 3, [][]byte{{valid}}, ints(3, nil, 1, 2, 3)),
			[][]byte{nil, nil, int32s(1, 0, 3)},
		},
		"struct with nulls of both": {
			dataOf(structOf(i32), 3, [][]byte{{valid}}, ints(3, []byte{0b110}, 1, 2, 3)),
			[][]byte{nil, nil, int32s(0, 0, 3)},
		},
		"struct of structs": {
			dataOf(structOf(structOf(i32)), 3, [][]byte{{valid}}, dataOf(structOf(i32), 3, [][]byte{{0b110}}, ints(3, nil, 1, 2, 3))),
			[][]byte{nil, nil, nil, int32s(0, 0, 3)},
		},
		"fixed-size list": {
			dataOf(fsl, 3, [][]byte{{valid}}, ints(6, nil, 1, 2, 3, 4, 5, 6)),
			[][]byte{nil, nil, int32s(1, 2, 0, 0, 5, 6)},
		},
		"fixed-size list with nulls of both": {
			dataOf(fsl, 3, [][]byte{{valid}}, ints(6, []byte{0b011110}, 1, 2, 3, 4, 5, 6)),
			[][]byte{nil, nil, int32s(0, 2, 0, 0, 5, 0)},
		},
		"fixed-size list in a struct": {
			dataOf(structOf(fsl), 3, [][]byte{{valid}}, dataOf(fsl, 3, [][]byte{nil}, ints(6, nil, 1, 2, 3, 4, 5, 6))),
			[][]byte{nil, nil, nil, int32s(1, 2, 0, 0, 5, 6)},
		},
		"sparse union in a struct": {
			dataOf(structOf(union), 3, [][]byte{{valid}}, dataOf(union, 3, [][]byte{nil, {7, 7, 7}}, ints(3, nil, 1, 2, 3))),
			[][]byte{nil, nil, nil, int32s(1, 0, 3)},
		},
		"list": { // whose items are no value slots of the list
			dataOf(arrow.ListOf(i32), 3, [][]byte{{valid}, int32s(0, 1, 2, 3)}, ints(3, nil, 1, 2, 3)),
			[][]byte{nil, nil, nil, nil},
		},
		"list of structs": {
			dataOf(arrow.ListOf(structOf(i32)), 1, [][]byte{nil, int32s(0, 3)}, dataOf(structOf(i32), 3, [][]byte{{valid}}, ints(3, nil, 1, 2, 3))),
			[][]byte{nil, nil, nil, nil, int32s(1, 0, 3)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.data.DataType(), Nullable: true}}, nil)
			rec := array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(c.data)}, int64(c.data.Len()))
			plain := write(t, []arrow.RecordBatch{rec})
			zeroed := write(t, []arrow.RecordBatch{rec}, ipcx.WithZeroedNulls())
			require.Equal(t, plain, write(t, []arrow.RecordBatch{rec}), "the arrays stay as they are")

			before, after := messages(t, plain), messages(t, zeroed)
			last := len(before) - 1
			got := buffers(after[last])
			require.Len(t, got, len(c.want))
			for i, p := range buffers(before[last]) {
				if want := c.want[i]; want != nil {
					require.Equal(t, want, got[i][:len(want)], "buffer %d", i)
				} else {
					require.Equal(t, p, got[i], "buffer %d", i)
				}
			}
			if name == "dictionary" {
				require.Equal(t, int32s(10, 20, 0), buffers(after[1])[1][:12], "the dictionary's own null")
			}

			// What the writer does, the conversion and the encoder do as well.
			converted, err := convert(plain, ipcx.WithZeroedNulls())
			require.NoError(t, err)
			require.Equal(t, zeroed, converted)
			enc, err := ipcx.NewEncoder(ipcx.WithZeroedNulls())
			require.NoError(t, err)
			for i, m := range before {
				body := bytes.Clone(m.body)
				_, encoded, err := enc.Encode(m.metadata, m.body)
				require.NoError(t, err)
				require.Equal(t, after[i].body, append([]byte{}, encoded...))
				require.Equal(t, body, m.body, "the input stays as it is")
			}
		})
	}
}

// TestZeroedNullsOfManyRows compares with what is done row by row, over lengths at
// which words and bytes of the bitmap begin and end.
func TestZeroedNullsOfManyRows(t *testing.T) {
	for _, n := range []int{1, 7, 8, 9, 63, 64, 65, 127, 128, 200, 1000} {
		for _, nulls := range []float64{0, 0.01, 0.5, 0.99, 1} {
			schema := arrow.NewSchema([]arrow.Field{
				{Name: "fixed-size list", Type: arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Uint16), Nullable: true},
				{Name: "bools", Type: arrow.FixedSizeListOf(5, arrow.FixedWidthTypes.Boolean), Nullable: true},
			}, nil)
			rec := arrowgen.Batch(uint64(n), schema, arrowgen.Options{Rows: n, Nulls: nulls})
			all := messages(t, write(t, []arrow.RecordBatch{rec}, ipcx.WithZeroedNulls()))
			got := buffers(all[1])
			lists, bools := rec.Column(0).(*array.FixedSizeList), rec.Column(1).(*array.FixedSizeList)
			numbers, flags := lists.ListValues().(*array.Uint16), bools.ListValues().(*array.Boolean)
			for i := range 3 * n {
				want := uint16(0)
				if lists.IsValid(i/3) && numbers.IsValid(i) {
					want = numbers.Value(i)
				}
				require.Equal(t, want, binary.NativeEndian.Uint16(got[2][2*i:]), "%d rows, number %d", n, i)
			}
			for i := range 5 * n {
				want := bools.IsValid(i/5) && flags.IsValid(i) && flags.Value(i)
				require.Equal(t, want, got[5][i/8]>>(i%8)&1 == 1, "%d rows, flag %d", n, i)
			}
			rec.Release()
		}
	}
}

// Lists of nulls have no slots to zero, and so many of them below a null that masks
// of what is null in each would take a thousand times what came.
func TestZeroedNullsOfManyListsOfNulls(t *testing.T) {
	const wide, size = 1000, 1 << 18
	var fields []arrow.Field
	for i := range wide {
		fields = append(fields, arrow.Field{Name: fmt.Sprint(i), Type: arrow.FixedSizeListOf(1, arrow.Null), Nullable: true})
	}
	rec := arrowgen.RecordBatch(3, []arrow.Field{{Name: "a", Nullable: true, Type: arrow.StructOf(fields...)}}, arrowgen.Options{Rows: 5})
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	stored := make([][]byte, len(buffers(all[1])))
	stored[0] = make([]byte, size)
	m := editedBatch(rebody(all[1], stored...), func(b *flatbuf.RecordBatchT) {
		b.Length = 8 * size
		for _, n := range b.Nodes {
			n.Length, n.NullCount = 8*size, 0
		}
		b.Nodes[0].NullCount = 8 * size
	})
	data := stream(all[0], m)
	allocated := cost(func() {
		_, err := ipcx.Convert(context.Background(), io.Discard, bytes.NewReader(data), ipcx.WithZeroedNulls())
		require.NoError(t, err)
	})
	require.Less(t, allocated, 40*size)
}
