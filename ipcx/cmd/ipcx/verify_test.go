package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

func TestVerifyTables(t *testing.T) {
	for _, path := range tables(t) {
		require.Regexp(t, `: good, [\d,]+ rows in \d+ record batch(es)?\n$`, requireTool(t, "verify", path))
		require.Empty(t, requireTool(t, "verify", "--quiet", path))
		small := filepath.Join(t.TempDir(), "small.arrows")
		requireTool(t, "convert", path, small)
		require.Equal(t, readCounts(t, path), readCounts(t, small))
	}
}

// readCounts returns the rows and batches that verify --json reads.
func readCounts(t *testing.T, path string) [2]int64 {
	var v []verified
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, "verify", "--json", path)), &v))
	require.Len(t, v, 1)
	require.True(t, v[0].Good)
	return [2]int64{v[0].Rows, int64(v[0].Batches)}
}

func TestVerifyStdin(t *testing.T) {
	file := readFile(t, tablePath(t))
	want := outcome{0, "standard input: good, 600 rows in 3 record batches\n", ""}
	require.Equal(t, want, toolWith(file, "verify", "-"))
	require.Equal(t, want, toolWith(convertBytes(t, file, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()), "verify", "-"))
}

// faulty returns a stream or file of two record batches, in the second of which
// the offsets of a column go back.
func faulty(t testing.TB, format ipcx.Format) []byte {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.PrimitiveTypes.Int32},
		{Name: "b", Type: arrow.BinaryTypes.String},
	}, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	for _, offsets := range [][]int32{{0, 1, 2, 3}, {0, 2, 1, 3}} {
		var buf []byte
		for _, o := range offsets {
			buf = binary.LittleEndian.AppendUint32(buf, uint32(o))
		}
		a := array.NewData(arrow.PrimitiveTypes.Int32, 3, []*memory.Buffer{nil, memory.NewBufferBytes(make([]byte, 12))}, nil, 0, 0)
		b := array.NewData(arrow.BinaryTypes.String, 3, []*memory.Buffer{nil, memory.NewBufferBytes(buf), memory.NewBufferBytes([]byte("xyz"))}, nil, 0, 0)
		rec := array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(a), array.MakeFromData(b)}, 3)
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	return convertBytes(t, out.Bytes(), ipcx.WithFormat(format))
}

// shortOffsets returns a stream with fewer offsets than its rows need.
func shortOffsets(t testing.TB) []byte {
	schema := arrow.NewSchema([]arrow.Field{{Name: "b", Type: arrow.BinaryTypes.String}}, nil)
	var offsets []byte
	for i := range uint32(101) {
		offsets = binary.LittleEndian.AppendUint32(offsets, i)
	}
	b := array.NewData(arrow.BinaryTypes.String, 100, []*memory.Buffer{nil, memory.NewBufferBytes(offsets), memory.NewBufferBytes(make([]byte, 100))}, nil, 0, 0)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	require.NoError(t, w.Write(array.NewRecordBatch(schema, []arrow.Array{array.MakeFromData(b)}, 100)))
	require.NoError(t, w.Close())
	stream := out.Bytes()
	length := binary.LittleEndian.AppendUint64(nil, 404) // of the offsets, among the buffers
	at := bytes.Index(stream, length)
	require.Positive(t, at)
	require.Equal(t, at, bytes.LastIndex(stream, length))
	copy(stream[at:], binary.LittleEndian.AppendUint64(nil, 40))
	return stream
}

// Where damage is in a file is said once, though the library and the tool know it.
func TestVerifyDamaged(t *testing.T) {
	file := convertBytes(t, readFile(t, tablePath(t)), ipcx.WithZstd(), ipcx.WithFormat(ipcx.FileFormat))
	found := false
	for at := len(file) / 3; at < len(file)/2 && !found; at += 100 {
		damaged := bytes.Clone(file)
		damaged[at] ^= 0xFF
		o := tool("verify", writeFile(t, filepath.Join(t.TempDir(), "damaged.arrow"), damaged))
		if found = strings.Contains(o.stderr, "zstd: "); found {
			require.Equal(t, 1, strings.Count(o.stderr, "record batch "), o.stderr)
		}
	}
	require.True(t, found)
}

func TestVerifyFaulty(t *testing.T) {
	dir := t.TempDir()
	for _, format := range []ipcx.Format{ipcx.FileFormat, ipcx.StreamFormat} {
		path := writeFile(t, filepath.Join(dir, format.String()), faulty(t, format))
		requireFails(t, exitFailed, []string{"verify", path}, path+": it is damaged (record batch 1, column \"b\": ", "row 1: offset 1 after 2")
		requireFails(t, exitFailed, []string{"cat", "--format", "csv", path}, "record batch 1, column \"b\"")
	}
	good := tablePath(t)
	o := tool("verify", filepath.Join(dir, "file"), good)
	require.Equal(t, exitFailed, o.code)
	require.Contains(t, o.stdout, good+": good", "the others are still verified")

	o = tool("verify", "--json", filepath.Join(dir, "file"), good)
	require.Equal(t, exitFailed, o.code)
	require.Empty(t, o.stderr)
	var v []verified
	require.NoError(t, json.Unmarshal([]byte(o.stdout), &v))
	require.Equal(t, 1, v[0].Batches)
	require.Contains(t, v[0].Error, "record batch 1")
	require.True(t, v[1].Good)
}

func TestCatPrintsRowsBeforeFault(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "x"), faulty(t, ipcx.StreamFormat))
	require.Equal(t, "a,b\n0,x\n0,y\n0,z\n", tool("cat", "--format=csv", path).stdout)
}

func TestInterruptedContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(&interrupted{2})
	for _, command := range []string{"verify", "cat", "stat", "schema"} {
		var out, complaint bytes.Buffer
		code := run(ctx, []string{command, tablePath(t)}, nil, &out, &complaint)
		require.Equal(t, 130, code, command)
		require.Contains(t, complaint.String(), "interrupted", command)
	}
}
