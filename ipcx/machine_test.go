package ipcx_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestFormatOnEveryMachine has the golden flagged streams, whose numbers are
// little-endian, read and converted there and back wherever it runs: to one plain
// stream, whose bytes are known, and from that to the same flagged bytes.
func TestFormatOnEveryMachine(t *testing.T) {
	const plainSum = "707011a948813b8f32a5f2ba341e977c574cb6d291a9a775929d5064d5f8192c"
	text := string(goldenFile(t, "batches.txt", nil))
	none := goldenFile(t, "none.arrows", nil)
	for _, codec := range formatCodecs {
		data := goldenFile(t, codec.String()+".arrows", nil)
		got := drainBytes(data, ipcx.WithValidation())
		require.NoError(t, got.Err, codec)
		require.Equal(t, text, describeBatches(t, got.Batches), codec)

		plain, err := convert(data)
		require.NoError(t, err, codec)
		require.Equal(t, plainSum, fmt.Sprintf("%x", sha256.Sum256(plain)), codec)

		var again bytes.Buffer
		stats, err := ipcx.Convert(context.Background(), &again, bytes.NewReader(plain), ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
		require.NoError(t, err, codec)
		require.EqualValues(t, 2, stats.FlaggedBatches, codec)
		if codec == ipcx.Uncompressed {
			require.True(t, bytes.Equal(none, again.Bytes()))
		}
		back, err := convert(again.Bytes())
		require.NoError(t, err, codec)
		require.True(t, bytes.Equal(plain, back), codec)
	}
}

// TestOwnRecordsOnEveryMachine writes record batches of this machine: under a
// schema of its byte order, as arrow-go does, and flagged only where that is
// little-endian.
func TestOwnRecordsOnEveryMachine(t *testing.T) {
	schema := arrow.NewSchema(arrowgen.MappedTypes(), nil)
	batches := []arrow.RecordBatch{
		arrowgen.Batch(1, schema, arrowgen.Options{Rows: 20, Nulls: 0.3}),
		arrowgen.Batch(2, schema, arrowgen.Options{Rows: 7, Nulls: 0.3, Sliced: true}),
	}
	for _, codec := range formatCodecs {
		var out bytes.Buffer
		w := ipcx.NewWriter(&out, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
		for _, rec := range batches {
			require.NoError(t, w.Write(rec))
		}
		require.NoError(t, w.Close())

		fb := flatbuf.GetRootAsMessage(messages(t, out.Bytes())[0].metadata, 0).UnPack()
		require.Equal(t, flatbuf.Endianness(endian.NativeEndian), fb.Header.Value.(*flatbuf.SchemaT).Endianness)
		plain := write(t, batches, ipcx.WithCodec(codec))
		var converted bytes.Buffer
		stats, err := ipcx.Convert(context.Background(), &converted, bytes.NewReader(plain), ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec))
		require.NoError(t, err)
		if endian.IsBigEndian {
			require.Zero(t, w.Stats().FlaggedBatches, codec)
			require.True(t, bytes.Equal(plain, out.Bytes()), codec)
			require.Zero(t, stats.FlaggedBatches, codec)
		} else {
			require.EqualValues(t, 2, w.Stats().FlaggedBatches, codec)
			require.EqualValues(t, 2, stats.FlaggedBatches, codec)
		}
		for _, data := range [][]byte{out.Bytes(), converted.Bytes()} {
			got := drainBytes(data, ipcx.WithValidation())
			require.NoError(t, got.Err)
			requireEqual(t, batches, got.Batches)
		}
	}
}

// TestFlaggedListsOnEveryMachine has little-endian offsets of lists, flagged, that
// are left as they are: on a big-endian machine they seem to be out of order.
func TestFlaggedListsOnEveryMachine(t *testing.T) {
	schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: arrow.ListOf(arrow.PrimitiveTypes.Int8)}}, nil)
	numbers := func(n int) string { return strings.Repeat("7, ", n-1) + "7" }
	rows := fmt.Sprintf("{\"x\": [%s]}\n{\"x\": [%s]}\n", numbers(200), numbers(100))
	all := messages(t, write(t, []arrow.RecordBatch{batchOfRows(t, schema, rows)}))
	all[0] = edited(all[0], func(fb *flatbuf.MessageT) {
		fb.Header.Value.(*flatbuf.SchemaT).Endianness = flatbuf.EndiannessLittle
	})
	var offsets []byte
	for _, o := range []uint32{0, 200, 300} {
		offsets = binary.LittleEndian.AppendUint32(offsets, o)
	}
	all[1] = rebody(all[1], replaced(buffers(all[1]), 1, offsets)...)
	flagged, err := convert(stream(all...), flaggedPlain()...)
	require.NoError(t, err)
	got := drainBytes(flagged, ipcx.WithEnsureNativeEndian(false))
	require.NoError(t, got.Err)
	require.Equal(t, offsets, got.Batches[0].Column(0).Data().Buffers()[1].Bytes()[:12])
}

// TestManyRowsOnEveryMachine has a column, and the entries of lists, of more rows
// than an int of 32 bits counts. They take no bytes, and cut to 32 bits are 3.
func TestManyRowsOnEveryMachine(t *testing.T) {
	const rows int64 = 1<<32 + 3
	for name, c := range map[string]struct {
		typ  arrow.DataType
		json string
		node int
	}{
		"column":  {arrow.Null, `{"x": null}`, 0},
		"entries": {arrow.ListOf(arrow.Null), `{"x": [null, null, null]}`, 1},
	} {
		schema := arrow.NewSchema([]arrow.Field{{Name: "x", Type: c.typ, Nullable: true}}, nil)
		all := messages(t, write(t, []arrow.RecordBatch{batchOfRows(t, schema, c.json)}))
		all[1] = editedBatch(all[1], func(b *flatbuf.RecordBatchT) {
			b.Nodes[c.node].Length, b.Nodes[c.node].NullCount = rows, rows
			if c.node == 0 {
				b.Length = rows
			}
		})
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithValidation()}} {
			got := drainBytes(stream(all...), opts...)
			if strconv.IntSize == 32 {
				require.ErrorContains(t, got.Err, "4294967299 rows", name)
				require.Empty(t, got.Batches, name)
				continue
			}
			require.NoError(t, got.Err, name)
			column := got.Batches[0].Column(0)
			if lists, ok := column.(*array.List); ok {
				column = lists.ListValues()
			}
			require.EqualValues(t, rows, column.Len(), name)
		}
	}
}

// TestGoldenOnEveryMachine holds what is read of the golden streams, and what they
// are converted to, against sums that a little-endian machine of 64 bits wrote.
func TestGoldenOnEveryMachine(t *testing.T) {
	files := golden(t, ".stream")
	var lines strings.Builder
	lines.WriteString("# a stream, the sum of its values, and that of it with offsets as lengths; by TestGoldenOnEveryMachine of package ipcx with -update\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		flagged, err := convert(files[name], flaggedPlain()...)
		require.NoError(t, err, name)
		values := "-" // where they are refused
		if got := drainBytes(files[name]); foreignFile(name) && unswappable(got.Schema) {
			requireUnswappable(t, got)
		} else {
			require.NoError(t, got.Err, name)
			values = sumOf(t, got.Batches)
		}
		fmt.Fprintf(&lines, "%s %s %.8x\n", name, values, sha256.Sum256(flagged))
	}
	want := strings.SplitAfter(string(goldenFile(t, "../golden.txt", func() []byte { return []byte(lines.String()) })), "\n")
	for i, line := range strings.SplitAfter(lines.String(), "\n") {
		if fields := strings.Fields(line); len(fields) == 3 && fields[1] == "-" {
			require.Regexp(t, "^"+fields[0]+" [0-9a-f]+ "+fields[2]+"\n$", want[i])
			continue
		}
		require.Equal(t, want[i], line)
	}
}

// sumOf is a sum of the values of record batches, as text.
func sumOf(t *testing.T, batches []arrow.RecordBatch) string {
	t.Helper()
	h := sha256.New()
	for _, rec := range batches {
		for i, column := range rec.Columns() {
			fmt.Fprintln(h, rec.Schema().Field(i))
			for k := range column.Len() {
				fmt.Fprintln(h, valueOf(column, k))
			}
		}
	}
	return fmt.Sprintf("%.8x", h.Sum(nil))
}
