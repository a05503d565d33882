package ipcx_test

import (
	"bytes"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// A payload writer that failed stays failed. How the writers do is in
// TestDestinationFailsAnywhere.
func TestFailedPayloadWriterStaysFailed(t *testing.T) {
	tab := texts(t)
	out := &fullAt{n: 10}
	pw := ipcx.NewPayloadWriter(out)
	schema := ipcx.GetSchemaPayload(tab.schema, memory.DefaultAllocator)
	defer schema.Release()
	require.NoError(t, pw.Start())
	require.ErrorIs(t, pw.WritePayload(schema), errFault)
	require.ErrorIs(t, pw.Start(), errFault)
	require.ErrorIs(t, pw.WritePayload(schema), errFault)
	require.ErrorIs(t, pw.Close(), errFault)
	require.Zero(t, out.after)
}

func TestCloseWithoutBatch(t *testing.T) {
	tab := newTable(t, "nothing", texts(t).schema)
	for _, codec := range codecs {
		require.Equal(t, arrowWriteTable(t, tab), writeTable(t, tab, ipcx.WithCodec(codec), ipcx.WithOffsetsAsLengths(codec)))
	}

	// Without a schema there is nothing to write.
	var out bytes.Buffer
	w := ipcx.NewWriter(&out)
	require.ErrorIs(t, w.Close(), arrow.ErrInvalid)
	require.Empty(t, out.Bytes())
}

func TestClosedWriter(t *testing.T) {
	tab := texts(t)
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, flaggedZstd()...)
	require.NoError(t, w.Write(tab.batches[0]))
	require.NoError(t, w.Close())
	n := out.Len()
	require.NoError(t, w.Close())
	err := w.Write(tab.batches[1])
	require.ErrorContains(t, err, "closed")
	require.Equal(t, n, out.Len())

	out.Reset()
	pw := ipcx.NewPayloadWriter(&out)
	require.NoError(t, pw.Close())
	require.NoError(t, pw.Close())
	require.Equal(t, "\xFF\xFF\xFF\xFF\x00\x00\x00\x00", out.String())
	require.ErrorContains(t, pw.WritePayload(ipcx.GetSchemaPayload(tab.schema, memory.DefaultAllocator)), "closed")
	require.Equal(t, 8, out.Len())
}

// A batch of another schema is refused, and the stream goes on without it.
func TestWriteOfAnotherSchema(t *testing.T) {
	tab, other := texts(t), numbers(t)
	for _, given := range []bool{false, true} {
		var out bytes.Buffer
		opts := flaggedZstd()
		if given {
			opts = append(opts, ipcx.WithSchema(tab.schema))
		}
		w := ipcx.NewWriter(&out, opts...)
		if given {
			require.Error(t, w.Write(other.batches[0]), "before the first")
		}
		require.NoError(t, w.Write(tab.batches[0]))
		n := out.Len()
		require.ErrorContains(t, w.Write(other.batches[0]), "schema")
		require.Equal(t, n, out.Len())
		require.NoError(t, w.Write(tab.batches[1]))
		require.NoError(t, w.Close())
		require.Equal(t, writeTable(t, tab, flaggedZstd()...), out.Bytes())
		requireTable(t, tab, newReader(t, out.Bytes()))
		require.EqualValues(t, 2, w.Stats().RecordBatches)
	}
}

func TestWriterStats(t *testing.T) {
	tab := texts(t)
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, flaggedZstd()...)
	require.Zero(t, w.Stats())
	for _, rec := range tab.batches {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())

	var raw, stored int64
	for i, f := range cutStream(t, arrowWriteTable(t, tab))[1:] {
		_, rb := recordBatch(t, f.metadata)
		for _, b := range buffersOf(rb) {
			raw += b.Length()
		}
		stored += int64(len(cutStream(t, out.Bytes())[1+i].body))
	}
	want := ipcx.Stats{
		Messages: 3, RecordBatches: 2, FlaggedBatches: 2, Rows: 60,
		RawBodyBytes: raw, StoredBodyBytes: stored,
	}
	require.Equal(t, want, w.Stats())

	r := newReader(t, out.Bytes())
	requireTable(t, tab, r)
	require.Equal(t, want, r.Stats())
}

// Payloads that go to somebody else's writer are arrow-go's.
func TestWriterWithPayloadWriter(t *testing.T) {
	tab := texts(t)
	for name, c := range map[string]struct {
		ours   []ipcx.Option
		theirs []ipc.Option
	}{
		"plain": {nil, nil},
		"lz4":   {[]ipcx.Option{ipcx.WithLZ4()}, []ipc.Option{ipc.WithLZ4()}},
		"zstd": {
			[]ipcx.Option{ipcx.WithZstd(), ipcx.WithMinSpaceSavings(0.5), ipcx.WithCompressConcurrency(2)},
			[]ipc.Option{ipc.WithZstd(), ipc.WithMinSpaceSavings(0.5), ipc.WithCompressConcurrency(2)},
		},
	} {
		var pw payloads
		w := ipcx.NewWriterWithPayloadWriter(&pw, append(c.ours, ipcx.WithSchema(tab.schema))...)
		for _, rec := range tab.batches {
			require.NoError(t, w.Write(rec), name)
		}
		require.NoError(t, w.Close(), name)
		require.Zero(t, w.Stats(), name)
		require.Equal(t, arrowWriteTable(t, tab, c.theirs...), append(pw.Bytes(), "\xFF\xFF\xFF\xFF\x00\x00\x00\x00"...), name)
	}

	// What arrow-go's payloads cannot have is an error.
	for name, opts := range map[string][]ipcx.Option{
		"lengths": flaggedZstd(),
		"level":   {ipcx.WithZstd(), ipcx.WithZstdLevel(9)},
		"range":   {ipcx.WithZstd(), ipcx.WithMinSpaceSavings(2)},
	} {
		var pw payloads
		w := ipcx.NewWriterWithPayloadWriter(&pw, opts...)
		require.ErrorIs(t, w.Write(tab.batches[0]), ipcx.ErrOption, name)
		require.ErrorIs(t, w.Close(), ipcx.ErrOption, name)
		require.Empty(t, pw.Bytes(), name)

		_, err := ipcx.GetRecordBatchPayload(tab.batches[0], opts...)
		require.ErrorIs(t, err, ipcx.ErrOption, name)
	}

	// This package's own payload writer does the work for either writer.
	want := writeTable(t, tab, flaggedZstd()...)
	var out bytes.Buffer
	w := ipcx.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(&out, flaggedZstd()...), ipcx.WithSchema(tab.schema))
	for _, rec := range tab.batches {
		require.NoError(t, w.Write(rec))
	}
	require.NoError(t, w.Close())
	require.Equal(t, want, out.Bytes())
	require.EqualValues(t, 2, w.Stats().FlaggedBatches)

	// But not twice.
	out.Reset()
	twice := ipc.NewWriterWithPayloadWriter(ipcx.NewPayloadWriter(&out, flaggedZstd()...), ipc.WithZstd())
	require.ErrorIs(t, twice.Write(tab.batches[0]), ipcx.ErrUnsupported)
}

// payloads is a payload writer that knows nothing of this package.
type payloads struct{ bytes.Buffer }

func (p *payloads) Start() error { return nil }
func (p *payloads) Close() error { return nil }

func (p *payloads) WritePayload(payload ipc.Payload) error {
	_, err := payload.WritePayload(p)
	return err
}

func TestGetPayloads(t *testing.T) {
	tab := texts(t)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	var out bytes.Buffer
	pw := ipcx.NewPayloadWriter(&out, flaggedZstd()...)
	schema := ipcx.GetSchemaPayload(tab.schema, mem)
	require.NoError(t, pw.WritePayload(schema))
	schema.Release()
	for _, rec := range tab.batches {
		p, err := ipcx.GetRecordBatchPayload(rec, ipcx.WithAllocator(mem))
		require.NoError(t, err)
		require.NoError(t, pw.WritePayload(p))
		p.Release()
	}
	require.NoError(t, pw.Close())
	require.Equal(t, writeTable(t, tab, flaggedZstd()...), out.Bytes())
}

// What arrow-go panics on is an error.
func TestWriteNil(t *testing.T) {
	var out bytes.Buffer
	w := ipcx.NewWriter(&out, flaggedZstd()...)
	require.Error(t, w.Write(nil))
	require.Error(t, w.Close())
	require.Empty(t, out.Bytes())
}
