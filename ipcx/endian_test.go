package ipcx_test

import (
	"bytes"
	"context"
	"math/bits"
	"path"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestBigEndian compares big-endian golden files with the little-endian ones of
// the same values: plain, compressed here, and read twice from the same memory.
func TestBigEndian(t *testing.T) {
	files := golden(t, ".stream")
	n := 0
	for name, data := range files {
		if path.Dir(name) != "1.0.0-bigendian" {
			continue
		}
		n++
		t.Run(path.Base(name), func(t *testing.T) {
			want := drainBytes(files["1.0.0-littleendian/"+path.Base(name)])
			if endian.IsBigEndian && unswappable(want.Schema) {
				requireUnswappable(t, want)
				return
			}
			require.NoError(t, want.Err)
			for mode, opts := range map[string][]ipcx.Option{
				"as it is":      nil,
				"zstd, flagged": {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
				"flagged":       flaggedPlain(),
			} {
				in := bytes.Clone(data)
				if len(opts) > 0 {
					var out bytes.Buffer
					stats, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), opts...)
					require.NoError(t, err, mode)
					require.Zero(t, stats.FlaggedBatches, "big-endian messages are not flagged")
					in = out.Bytes()
				}
				before := bytes.Clone(in)
				for range 2 {
					got := drainBytes(in)
					require.NoError(t, got.Err, mode)
					require.NoError(t, oracle.SameSchema(want.Schema, got.Schema))
					require.Len(t, got.Batches, len(want.Batches))
					for i := range want.Batches {
						require.True(t, array.RecordEqual(want.Batches[i], got.Batches[i]), mode)
					}
				}
				require.Equal(t, before, in, "the input is not written to")
			}
		})
	}
	require.Equal(t, 22, n)
}

// foreign turns the schema of a stream big-endian, or on a big-endian machine
// little-endian, and leaves the data alone.
func foreign(all []raw) []raw {
	all = slices.Clone(all)
	all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
		fb.Header.Value.(*flatbuf.SchemaT).Endianness = flatbuf.Endianness(endian.NonNativeEndian)
	})
	return all
}

// TestBigEndianRefused has the types whose bytes arrow-go 18.8.0 does not swap,
// and gives out as they are without an error: views, list views and run-end
// encoded arrays, at any depth, and as the values of dictionaries.
func TestBigEndianRefused(t *testing.T) {
	str, i32 := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int32
	for _, dt := range []arrow.DataType{
		arrow.BinaryTypes.StringView, arrow.BinaryTypes.BinaryView,
		arrow.ListViewOf(i32), arrow.LargeListViewOf(str),
		arrow.RunEndEncodedOf(i32, str),
		arrow.ListOf(arrow.BinaryTypes.StringView),
		arrow.StructOf(arrow.Field{Name: "deep", Type: arrow.ListViewOf(i32)}),
		arrowgen.ExtensionOf(arrow.BinaryTypes.StringView),
		&arrow.DictionaryType{IndexType: i32, ValueType: arrow.BinaryTypes.StringView},
	} {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}} {
			rec := arrowgen.RecordBatch(1, []arrow.Field{{Name: "f", Type: dt, Nullable: true}}, arrowgen.Options{Rows: 5})
			all := foreign(messages(t, write(t, []arrow.RecordBatch{rec}, opts...)))
			got := drainBytes(stream(all...))
			require.ErrorIs(t, got.Err, ipcx.ErrUnsupported, dt)
			require.ErrorContains(t, got.Err, "message 1", dt)
			require.ErrorContains(t, got.Err, "byte order", dt)
			_, err := decodeAll(all)
			require.ErrorIs(t, err, ipcx.ErrUnsupported, dt)

			// As it is, and in a conversion, it stays what it was.
			_, err = decodeAll(all, ipcx.WithEnsureNativeEndian(false))
			require.NoError(t, err, dt)
			out, err := convert(stream(all...))
			require.NoError(t, err, dt)
			back := messages(t, out)
			back[0] = messages(t, write(t, []arrow.RecordBatch{rec}))[0]
			requireEqual(t, []arrow.RecordBatch{rec}, drainBytes(stream(back...)).Batches)
		}
	}
}

// TestBigEndianWithoutRows has record batches without rows, of which arrow-go
// cannot swap nothing of some types.
func TestBigEndianWithoutRows(t *testing.T) {
	for _, field := range append(arrowgen.MappedTypes(), arrowgen.UnmappedTypes()...) {
		rec := arrowgen.RecordBatch(1, []arrow.Field{field, {Name: "beside", Type: arrow.PrimitiveTypes.Int16}}, arrowgen.Options{Rows: 0})
		all := messages(t, write(t, []arrow.RecordBatch{rec}))
		if len(all) > 2 {
			continue // dictionaries, which have rows
		}
		data := stream(foreign(all)...)
		got := drainBytes(data)
		if got.Err != nil {
			require.ErrorIs(t, got.Err, ipcx.ErrUnsupported, field.Name)
			require.ErrorContains(t, got.Err, "cannot be swapped", field.Name)
		} else {
			require.Zero(t, got.Batches[0].NumRows(), field.Name)
		}
		require.NoError(t, drainBytes(data, ipcx.WithColumns("beside")).Err, field.Name)
	}
}

// TestBigEndianChosen has a column that cannot be swapped, beside one that can.
func TestBigEndianChosen(t *testing.T) {
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}} {
		fields := []arrow.Field{{Name: "view", Type: arrow.BinaryTypes.StringView}, {Name: "number", Type: arrow.PrimitiveTypes.Int16}}
		rec := arrowgen.RecordBatch(1, fields, arrowgen.Options{Rows: 5})
		data := stream(foreign(messages(t, write(t, []arrow.RecordBatch{rec}, opts...)))...)
		require.ErrorIs(t, drainBytes(data, ipcx.WithColumns("view")).Err, ipcx.ErrUnsupported)
		got := drainBytes(data, ipcx.WithColumns("number"))
		require.NoError(t, got.Err)
		for i, v := range rec.Column(1).(*array.Int16).Int16Values() {
			require.Equal(t, v, int16(bits.ReverseBytes16(uint16(got.Batches[0].Column(0).(*array.Int16).Value(i)))))
		}
	}
}

// TestBigEndianShared has two columns over the same bytes. arrow-go swaps them
// in place, twice.
func TestBigEndianShared(t *testing.T) {
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}} {
		fields := []arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Int32}, {Name: "b", Type: arrow.PrimitiveTypes.Int32}}
		rec := arrowgen.RecordBatch(1, fields, arrowgen.Options{Rows: 5})
		all := foreign(messages(t, write(t, []arrow.RecordBatch{rec}, opts...)))
		all[1] = editedBatch(all[1], func(b *flatbuf.RecordBatchT) { *b.Buffers[3] = *b.Buffers[1] })
		got := drainBytes(stream(all...))
		require.NoError(t, got.Err)
		require.Equal(t, endian.NativeEndian, got.Schema.Endianness())
		a, b := got.Batches[0].Column(0).(*array.Int32), got.Batches[0].Column(1).(*array.Int32)
		require.Equal(t, a.Int32Values(), b.Int32Values())
		for i, v := range rec.Column(0).(*array.Int32).Int32Values() {
			u := uint32(v)
			require.Equal(t, int32(u>>24|u>>8&0xFF00|u<<8&0xFF0000|u<<24), a.Value(i))
		}
	}
}

// TestBigEndianOdd has buffers that are no multiple of their entries' size.
func TestBigEndianOdd(t *testing.T) {
	all := foreign(messages(t, write(t, smallBatches(1))))
	for i, p := range buffers(all[1]) {
		if len(p) == 0 {
			continue
		}
		for n := range len(p) {
			bad := slices.Clone(all)
			bad[1] = rebody(all[1], replaced(buffers(all[1]), i, p[:n])...)
			want, got := oracle.Stream(stream(bad...)), drainBytes(stream(bad...))
			if got.Err == nil {
				require.NoError(t, want.Err, "buffer %d of %d bytes", i, n)
				require.NoError(t, oracle.SameBatches(want.Batches, got.Batches))
			}
		}
	}
}
