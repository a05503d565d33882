package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"io"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	flatbuffers "github.com/google/flatbuffers/go"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// writeFile makes a file of batches, which are of one schema.
func writeFile(t testing.TB, batches []arrow.RecordBatch, opts ...ipcx.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := ipcx.NewFileWriter(&out, append([]ipcx.Option{ipcx.WithSchema(batches[0].Schema())}, opts...)...)
	require.NoError(t, err)
	for _, rec := range batches {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// arrowFile is writeFile with arrow-go's writer.
func arrowFile(t testing.TB, batches []arrow.RecordBatch, opts ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := ipc.NewFileWriter(&out, append([]ipc.Option{ipc.WithSchema(batches[0].Schema())}, opts...)...)
	require.NoError(t, err)
	for _, rec := range batches {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// openers are the ways to open a file. The mapping is of memory that cannot be
// written to, where the system has such memory.
var openers = map[string]func(testing.TB, []byte, ...ipcx.Option) (*ipcx.FileReader, error){
	"reader": func(_ testing.TB, data []byte, opts ...ipcx.Option) (*ipcx.FileReader, error) {
		return ipcx.NewFileReader(bytes.NewReader(data), opts...)
	},
	"mapped": func(t testing.TB, data []byte, opts ...ipcx.Option) (*ipcx.FileReader, error) {
		return ipcx.NewMappedFileReader(readOnly(t, data), opts...)
	},
}

// readBatches reads every batch of a file, from the last to the first.
func readBatches(f *ipcx.FileReader) oracle.Result {
	res := oracle.Result{Schema: f.Schema(), Batches: make([]arrow.RecordBatch, f.NumRecords())}
	for i := f.NumRecords() - 1; i >= 0; i-- {
		rec, err := f.RecordBatchAt(i)
		if err != nil {
			return oracle.Result{Schema: res.Schema, Err: err}
		}
		res.Batches[i] = rec
	}
	return res
}

// drainFile opens a file, reads all of it and closes it.
func drainFile(t testing.TB, how string, data []byte, opts ...ipcx.Option) oracle.Result {
	t.Helper()
	f, err := openers[how](t, data, opts...)
	if err != nil {
		return oracle.Result{Err: err}
	}
	defer func() { require.NoError(t, f.Close()) }()
	return readBatches(f)
}

// variant is a way to write the same batches.
type variant struct {
	name  string
	codec ipcx.Codec
	flag  bool
}

// variants are all codecs, with offsets as they are and as lengths.
func variants() []variant {
	return []variant{
		{"plain", ipcx.Uncompressed, false},
		{"plain, flagged", ipcx.Uncompressed, true},
		{"LZ4", ipcx.LZ4Frame, false},
		{"LZ4, flagged", ipcx.LZ4Frame, true},
		{"zstd", ipcx.Zstd, false},
		{"zstd, flagged", ipcx.Zstd, true},
	}
}

func (v variant) options() []ipcx.Option {
	opts := []ipcx.Option{ipcx.WithCodec(v.codec)}
	if v.flag {
		opts = append(opts, ipcx.WithOffsetsAsLengths(v.codec))
	}
	return opts
}

// generated makes three batches of the given fields. Dictionaries grow from one
// to the next where grow is set.
func generated(fields []arrow.Field, rows int, grow bool) []arrow.RecordBatch {
	var batches []arrow.RecordBatch
	for i := range 3 {
		o := arrowgen.Options{Rows: rows + i, Nulls: 0.2 * float64(i)}
		if grow {
			o.DictLen = 5 + 3*i
		}
		batches = append(batches, arrowgen.RecordBatch(uint64(i), fields, o))
	}
	return batches
}

// dictionaryFields are those of arrowgen that have dictionaries.
func dictionaryFields() []arrow.Field {
	var fields []arrow.Field
	for _, f := range arrowgen.UnmappedTypes() {
		if bytes.Contains([]byte(f.Name), []byte("dictionary")) {
			fields = append(fields, f)
		}
	}
	return fields
}

// nestedDictionaries makes batches of a column whose dictionary holds structs
// that have a dictionary themselves.
func nestedDictionaries() []arrow.RecordBatch {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	pair := arrow.StructOf(
		arrow.Field{Name: "word", Type: words, Nullable: true},
		arrow.Field{Name: "number", Type: arrow.PrimitiveTypes.Int32, Nullable: true})
	outer := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: pair}
	schema := arrow.NewSchema([]arrow.Field{{Name: "pair", Type: outer, Nullable: true}}, nil)

	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.AppendValues([]string{"oak", "elm", "ash"}, nil)
	indices := array.NewInt8Builder(memory.DefaultAllocator)
	indices.AppendValues([]int8{2, 0, 1, 0}, nil)
	numbers := array.NewInt32Builder(memory.DefaultAllocator)
	numbers.AppendValues([]int32{1, 2, 3, 4}, []bool{true, true, false, true})
	word := array.NewDictionaryArray(words, indices.NewArray(), texts.NewArray())
	pairs := array.NewStructData(array.NewData(pair, 4, []*memory.Buffer{nil},
		[]arrow.ArrayData{word.Data(), numbers.NewArray().Data()}, 0, 0))

	var batches []arrow.RecordBatch
	for i := range 4 {
		outerIndices := array.NewInt16Builder(memory.DefaultAllocator)
		for j := range 20 {
			outerIndices.Append(int16((i + j) % 4))
		}
		column := array.NewDictionaryArray(outer, outerIndices.NewArray(), pairs)
		batches = append(batches, array.NewRecordBatch(schema, []arrow.Array{column}, 20))
	}
	return batches
}

// requireValues requires record batches to have the values wanted, whatever their
// dictionaries hold beside them.
func requireValues(t testing.TB, want, got []arrow.RecordBatch) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		w, err := want[i].MarshalJSON()
		require.NoError(t, err)
		g, err := got[i].MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, string(w), string(g), "batch %d", i)
		require.NoError(t, oracle.SameSchema(want[i].Schema(), got[i].Schema()))
	}
}

// footerOf takes the footer off a file. Where it starts the messages end.
func footerOf(t testing.TB, file []byte) (footer *flatbuf.FooterT, start int) {
	t.Helper()
	require.Equal(t, "ARROW1\x00\x00", string(file[:8]))
	require.Equal(t, "ARROW1", string(file[len(file)-6:]))
	size := int(binary.LittleEndian.Uint32(file[len(file)-10:]))
	start = len(file) - 10 - size
	return flatbuf.GetRootAsFooter(file[start:], 0).UnPack(), start
}

// packFooter is the footer with its length and the magic, as a file ends.
func packFooter(footer *flatbuf.FooterT) []byte {
	b := flatbuffers.NewBuilder(1024)
	b.Finish(footer.Pack(b))
	out := bytes.Clone(b.FinishedBytes())
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(out))), "ARROW1"...)
}

// fileOf makes a file of messages: a schema, dictionary batches and record
// batches.
func fileOf(all ...raw) []byte {
	footer := &flatbuf.FooterT{Version: flatbuf.MetadataVersionV5}
	out := []byte("ARROW1\x00\x00")
	for _, m := range all {
		fb := flatbuf.GetRootAsMessage(m.metadata, 0).UnPack()
		framed := frame(m)
		block := &flatbuf.BlockT{Offset: int64(len(out)), MetaDataLength: int32(len(framed) - len(m.body)), BodyLength: int64(len(m.body))}
		switch fb.Header.Type {
		case flatbuf.MessageHeaderSchema:
			footer.Schema = fb.Header.Value.(*flatbuf.SchemaT)
		case flatbuf.MessageHeaderDictionaryBatch:
			footer.Dictionaries = append(footer.Dictionaries, block)
		default:
			footer.RecordBatches = append(footer.RecordBatches, block)
		}
		out = append(out, framed...)
	}
	return append(append(out, "\xFF\xFF\xFF\xFF\x00\x00\x00\x00"...), packFooter(footer)...)
}

// counting is a file that counts what is read of it.
type counting struct {
	*bytes.Reader
	n     atomic.Int64
	calls atomic.Int64
}

func newCounting(data []byte) *counting { return &counting{Reader: bytes.NewReader(data)} }

func (c *counting) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(p, at)
	c.n.Add(int64(n))
	c.calls.Add(1)
	return n, err
}

func (c *counting) Read([]byte) (int, error) { panic("a file is read where it is asked for") }

// reset returns the bytes that were read since the last reset.
func (c *counting) reset() int64 { return c.n.Swap(0) }

// onlyReader hides that something can do more than read.
type onlyReader struct{ io.Reader }
