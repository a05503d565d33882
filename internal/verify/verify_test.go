package verify_test

import (
	"encoding/binary"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/verify"
	"github.com/arrowplanes/arrowplanes/internal/verify/verifytest"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"
)

// testData returns the files below ARROW_TEST_DATA with one of the suffixes.
func testData(t *testing.T, suffixes ...string) []string {
	t.Helper()
	dir := os.Getenv("ARROW_TEST_DATA")
	if dir == "" {
		t.Skip("ARROW_TEST_DATA is not set")
	}
	var paths []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		for _, suffix := range suffixes {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, suffix) {
				paths = append(paths, path)
			}
		}
		return err
	}))
	require.NotEmpty(t, paths)
	return paths
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return data
}

func TestGoldenStreamsPass(t *testing.T) {
	n := 0
	for _, path := range testData(t, ".stream") {
		messages := verifytest.Messages(readFile(t, path))
		require.NotEmpty(t, messages, path)
		for i, m := range messages {
			require.NoError(t, verify.Message(m), "%s, message %d", path, i)
			require.NoError(t, verifytest.ReadMessage(m), "%s, message %d", path, i)
			n++
		}
	}
	t.Logf("%d messages", n)
}

func TestGoldenFilesPass(t *testing.T) {
	n := 0
	for _, path := range testData(t, ".arrow_file") {
		file := readFile(t, path)
		buf := verifytest.FooterOf(file)
		require.NotNil(t, buf, path)
		require.NoError(t, verify.Footer(buf), path)
		require.NoError(t, verifytest.ReadFooter(buf), path)
		footer := flatbuf.GetRootAsFooter(buf, 0).UnPack()
		for _, b := range append(footer.Dictionaries, footer.RecordBatches...) {
			messages := verifytest.Messages(file[b.Offset:])
			require.NoError(t, verify.Message(messages[0]), "%s, block at %d", path, b.Offset)
			n++
		}
	}
	t.Logf("%d blocks", n)
}

// Of files made to crash a reader, what passes is safe to read.
func TestFuzzFilesAreRefusedOrSafe(t *testing.T) {
	refused, passed := 0, 0
	count := func(path string, err, unsafe error) {
		if err != nil {
			refused++
		} else {
			passed++
			require.NoError(t, unsafe, path)
		}
	}
	for _, path := range testData(t, "") {
		if !strings.Contains(path, "fuzz") {
			continue
		}
		data := readFile(t, path)
		for _, m := range verifytest.Messages(data) {
			err := verify.Message(m)
			var unsafe error
			if err == nil {
				unsafe = verifytest.ReadMessage(m)
			}
			count(path, err, unsafe)
		}
		if buf := verifytest.FooterOf(data); buf != nil {
			err := verify.Footer(buf)
			var unsafe error
			if err == nil {
				unsafe = verifytest.ReadFooter(buf)
			}
			count(path, err, unsafe)
		}
	}
	t.Logf("%d refused, %d passed", refused, passed)
}

func TestArrowGoPasses(t *testing.T) {
	for name, m := range messages(t) {
		require.NoError(t, verify.Message(m), name)
		require.NoError(t, verifytest.ReadMessage(m), name)
	}
}

// messages are what arrow-go writes: a schema message of each kind, and batches.
func messages(t testing.TB) map[string][]byte {
	t.Helper()
	out := make(map[string][]byte)
	for name, s := range verifytest.Schemas() {
		m, err := verifytest.SchemaMetadata(s)
		require.NoError(t, err)
		out["schema "+name] = m
	}
	streams, err := verifytest.Batches()
	require.NoError(t, err)
	for name, stream := range streams {
		out["dictionary "+name] = verifytest.Messages(stream)[1]
		out["batch "+name] = verifytest.Messages(stream)[2]
	}
	return out
}

// footer builds a footer with a schema and a block of each kind.
func footer(t testing.TB) []byte {
	t.Helper()
	m, err := verifytest.SchemaMetadata(verifytest.Schemas()["metadata"])
	require.NoError(t, err)
	block := []*flatbuf.BlockT{{Offset: 8, MetaDataLength: 16, BodyLength: 24}}
	b := flatbuffers.NewBuilder(0)
	b.Finish((&flatbuf.FooterT{
		Version:        flatbuf.MetadataVersionV5,
		Schema:         flatbuf.GetRootAsMessage(m, 0).UnPack().Header.Value.(*flatbuf.SchemaT),
		Dictionaries:   block,
		RecordBatches:  append(block, block...),
		CustomMetadata: []*flatbuf.KeyValueT{{Key: "k", Value: "v"}},
	}).Pack(b))
	return b.FinishedBytes()
}

// sparseTensor builds a message with the tables that no writer here makes.
func sparseTensor(index *flatbuf.SparseTensorIndexT) []byte {
	i64 := &flatbuf.IntT{BitWidth: 64, IsSigned: true}
	data := &flatbuf.BufferT{Offset: 1, Length: 2}
	shape := []*flatbuf.TensorDimT{{Size: 3, Name: "x"}, {Size: 4}}
	typ := &flatbuf.TypeT{Type: flatbuf.TypeInt, Value: i64}
	header := &flatbuf.MessageHeaderT{
		Type:  flatbuf.MessageHeaderTensor,
		Value: &flatbuf.TensorT{Type: typ, Shape: shape, Strides: []int64{8, 32}, Data: data},
	}
	if index != nil {
		header = &flatbuf.MessageHeaderT{
			Type: flatbuf.MessageHeaderSparseTensor,
			Value: &flatbuf.SparseTensorT{
				Type: typ, Shape: shape, NonZeroLength: 5, SparseIndex: index, Data: data,
			},
		}
	}
	b := flatbuffers.NewBuilder(0)
	b.Finish((&flatbuf.MessageT{Header: header}).Pack(b))
	return b.FinishedBytes()
}

func tensors() [][]byte {
	i64 := &flatbuf.IntT{BitWidth: 64}
	data := &flatbuf.BufferT{Offset: 1, Length: 2}
	return [][]byte{
		sparseTensor(nil),
		sparseTensor(&flatbuf.SparseTensorIndexT{
			Type: flatbuf.SparseTensorIndexSparseTensorIndexCOO,
			Value: &flatbuf.SparseTensorIndexCOOT{
				IndicesType: i64, IndicesStrides: []int64{8, 16}, IndicesBuffer: data, IsCanonical: true,
			},
		}),
		sparseTensor(&flatbuf.SparseTensorIndexT{
			Type: flatbuf.SparseTensorIndexSparseMatrixIndexCSX,
			Value: &flatbuf.SparseMatrixIndexCSXT{
				CompressedAxis: flatbuf.SparseMatrixCompressedAxisColumn,
				IndptrType:     i64, IndptrBuffer: data, IndicesType: i64, IndicesBuffer: data,
			},
		}),
		sparseTensor(&flatbuf.SparseTensorIndexT{
			Type: flatbuf.SparseTensorIndexSparseTensorIndexCSF,
			Value: &flatbuf.SparseTensorIndexCSFT{
				IndptrType: i64, IndptrBuffers: []*flatbuf.BufferT{data, data},
				IndicesType: i64, IndicesBuffers: []*flatbuf.BufferT{data}, AxisOrder: []int32{1, 0},
			},
		}),
	}
}

func TestTensorsPass(t *testing.T) {
	for _, m := range tensors() {
		require.NoError(t, verify.Message(m))
		require.NoError(t, verifytest.ReadMessage(m))
	}
}

// What is cut or overwritten anywhere is either refused or still safe to read.
func TestAnyLieIsRefusedOrSafe(t *testing.T) {
	m, err := verifytest.SchemaMetadata(arrow.NewSchema([]arrow.Field{
		{Name: "u", Type: arrow.DenseUnionOf([]arrow.Field{
			{Name: "t", Type: &arrow.TimestampType{TimeZone: "UTC"}},
		}, []arrow.UnionTypeCode{3})},
		{Name: "d", Type: &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String,
		}, Metadata: arrow.NewMetadata([]string{"k"}, []string{"v"})},
	}, nil))
	require.NoError(t, err)
	all := messages(t)
	inputs := append(tensors(), m, all["dictionary zstd"], all["batch zstd"])
	for _, in := range inputs {
		lies(t, in, verify.Message, verifytest.ReadMessage)
	}
	lies(t, footer(t), verify.Footer, verifytest.ReadFooter)
}

func lies(t *testing.T, valid []byte, check, read func([]byte) error) {
	t.Helper()
	require.NoError(t, check(valid))
	require.NoError(t, read(valid))
	refused, passed := 0, 0
	try := func(buf []byte, what string, args ...any) {
		if err := check(buf); err != nil {
			refused++
			var e *verify.Error
			require.ErrorAs(t, err, &e)
			return
		}
		passed++
		if err := read(buf); err != nil {
			require.NoError(t, err, append([]any{what}, args...)...)
		}
	}
	for n := range valid {
		try(valid[:n:n], "cut to %d bytes", n)
	}
	size := uint32(len(valid))
	for at := 0; at+4 <= len(valid); at++ {
		for _, word := range []uint32{
			0, 1, 4, size - 4, size - 1, size, uint32(len(valid) - at), math.MaxInt32, 1 << 31, math.MaxUint32,
			0x00040004, 0xFFFF0004, 0x0004FFFF,
		} {
			buf := append([]byte(nil), valid...)
			binary.LittleEndian.PutUint32(buf[at:], word)
			try(buf, "%#x at %d", word, at)
		}
	}
	require.NotZero(t, passed)
	require.NotZero(t, refused)
}
