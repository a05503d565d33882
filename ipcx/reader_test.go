package ipcx_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// texts is a table of two batches, one string column each.
func texts(t testing.TB) table {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "text", Type: arrow.BinaryTypes.String, Nullable: true}}, nil)
	o := arrowgen.Options{Rows: 30, Nulls: 0.1}
	return newTable(t, "texts", schema, arrowgen.Batch(1, schema, o), arrowgen.Batch(2, schema, o))
}

// numbers is a table of another schema than texts.
func numbers(t testing.TB) table {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	return newTable(t, "numbers", schema, arrowgen.Batch(1, schema, arrowgen.Options{Rows: 30}))
}

func flaggedZstd() []ipcx.Option { return []ipcx.Option{ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()} }

func TestReadGivesEOFAtTheEnd(t *testing.T) {
	tab := texts(t)
	r := newReader(t, writeTable(t, tab, flaggedZstd()...))
	defer r.Release()
	for _, want := range tab.batches {
		rec, err := r.Read()
		require.NoError(t, err)
		require.True(t, array.RecordEqual(want, rec))
		require.Equal(t, rec, r.RecordBatch())
		require.Equal(t, rec, r.Record())
	}
	for range 3 {
		rec, err := r.Read()
		require.Equal(t, io.EOF, err, "not wrapped")
		require.Nil(t, rec)
		require.False(t, r.Next())
		require.NoError(t, r.Err())
	}
}

func TestReadAndNextTakeTurns(t *testing.T) {
	tab := texts(t)
	r := newReader(t, writeTable(t, tab, flaggedZstd()...))
	defer r.Release()
	require.True(t, r.Next())
	rec, err := r.Read()
	require.NoError(t, err)
	require.True(t, array.RecordEqual(tab.batches[1], rec))
	require.False(t, r.Next())
}

// A stream may do without its end-of-stream marker.
func TestEndWithoutMarker(t *testing.T) {
	tab := texts(t)
	for _, opts := range [][]ipcx.Option{nil, flaggedZstd()} {
		stream := writeTable(t, tab, opts...)
		requireTable(t, tab, newReader(t, stream[:len(stream)-8]))
		// What follows the marker is not read.
		requireTable(t, tab, newReader(t, append(bytes.Clone(stream), "something else"...)))
	}
}

// A stream that is cut anywhere but between two messages is an error that does
// not look like an end.
func TestCutStreams(t *testing.T) {
	tab := texts(t)
	for _, opts := range [][]ipcx.Option{nil, flaggedZstd()} {
		stream := writeTable(t, tab, opts...)
		ends := map[int]bool{len(stream): true}
		frames := cutStream(t, stream)
		for i := range frames {
			ends[len(joinStream(frames[:i+1]))-8] = true
		}
		delete(ends, 0)
		for n := range stream {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			r, err := ipcx.NewReader(iotest.DataErrReader(bytes.NewReader(stream[:n])), ipcx.WithAllocator(mem))
			if err == nil {
				for r.Next() {
				}
				err = r.Err()
				_, readErr := r.Read()
				require.Error(t, readErr)
				require.Equal(t, err == nil, readErr == io.EOF, "cut at %d", n)
				r.Release()
			}
			mem.AssertSize(t, 0)
			if ends[n] {
				require.NoError(t, err, "cut at %d", n)
				continue
			}
			require.Error(t, err, "cut at %d", n)
			if n > 0 {
				require.NotErrorIs(t, err, io.EOF, "cut at %d", n)
				require.ErrorIs(t, err, io.ErrUnexpectedEOF, "cut at %d", n)
			}
		}
	}
}

// An error of the reader below is found in ours, wherever it comes.
func TestErrorsOfTheSource(t *testing.T) {
	boom := errors.New("boom")
	stream := writeTable(t, texts(t), flaggedZstd()...)
	for n := range stream {
		r, err := ipcx.NewReader(io.MultiReader(bytes.NewReader(stream[:n]), iotest.ErrReader(boom)))
		if err == nil {
			for r.Next() {
			}
			err = r.Err()
			_, again := r.Read()
			require.ErrorIs(t, again, boom, "after %d bytes", n)
			r.Release()
		}
		if n < len(stream) {
			require.ErrorIs(t, err, boom, "after %d bytes", n)
		}
	}
}

func TestEmptyInput(t *testing.T) {
	_, err := ipcx.NewReader(bytes.NewReader(nil))
	require.ErrorIs(t, err, io.EOF)
	require.ErrorContains(t, err, "ipcx: ")
	_, theirs := ipc.NewReader(bytes.NewReader(nil))
	require.ErrorIs(t, theirs, io.EOF)
}

// A schema that was asked for has to be there.
func TestReaderWithSchema(t *testing.T) {
	tab := texts(t)
	stream := writeTable(t, tab, flaggedZstd()...)
	requireTable(t, tab, newReader(t, stream, ipcx.WithSchema(tab.schema)))
	requireTable(t, tab, newReader(t, stream, ipcx.WithSchema(tab.schema), ipcx.WithDelayReadSchema(true)))

	other := ipcx.WithSchema(numbers(t).schema)
	_, err := ipcx.NewReader(bytes.NewReader(stream), other)
	require.ErrorContains(t, err, "schema")

	r := newReader(t, stream, other, ipcx.WithDelayReadSchema(true))
	require.False(t, r.Next())
	require.ErrorContains(t, r.Err(), "schema")
	_, err = r.Read()
	require.ErrorContains(t, err, "schema")
	r.Release()
}

// counted counts the bytes that were read.
type counted struct {
	r io.Reader
	n int
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

func TestDelayReadSchema(t *testing.T) {
	tab := texts(t)
	stream := writeTable(t, tab, flaggedZstd()...)
	open := func(opts ...ipcx.Option) (*ipcx.Reader, *counted) {
		src := &counted{r: bytes.NewReader(stream)}
		r, err := ipcx.NewReader(src, opts...)
		require.NoError(t, err)
		return r, src
	}

	r, src := open()
	require.Positive(t, src.n, "the schema is read at once")
	r.Release()

	for name, use := range map[string]func(*ipcx.Reader){
		"Next":   func(r *ipcx.Reader) { require.True(t, r.Next()) },
		"Read":   func(r *ipcx.Reader) { _, err := r.Read(); require.NoError(t, err) },
		"Schema": func(r *ipcx.Reader) { require.True(t, tab.schema.Equal(r.Schema())) },
	} {
		r, src := open(ipcx.WithDelayReadSchema(true))
		require.Zero(t, src.n, name)
		require.NoError(t, r.Err(), name)
		use(r)
		require.Positive(t, src.n, name)
		require.True(t, tab.schema.Equal(r.Schema()), name)
		r.Release()
	}

	// What is no schema is an error then, and no panic.
	for name, data := range map[string]string{
		"nothing": "",
		"noise":   "this is no Arrow stream at all",
		"ends":    "\xFF\xFF\xFF\xFF\x00\x00\x00\x00",
		"batch":   string(joinStream(cutStream(t, stream)[1:])),
	} {
		r, err := ipcx.NewReader(bytes.NewReader([]byte(data)), ipcx.WithDelayReadSchema(true))
		require.NoError(t, err, name)
		require.Nil(t, r.Schema(), name)
		require.Error(t, r.Err(), name)
		require.False(t, r.Next(), name)
		_, err = r.Read()
		require.Error(t, err, name)
		r.Release()
	}
}

// What is retained outlives its reader.
func TestRetainAndRelease(t *testing.T) {
	tab := texts(t)
	for _, opts := range [][]ipcx.Option{nil, flaggedZstd()} {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		r := newReader(t, writeTable(t, tab, opts...), ipcx.WithAllocator(mem))
		var kept []arrow.RecordBatch
		r.Retain()
		require.True(t, r.Next())
		r.RecordBatch().Retain()
		kept = append(kept, r.RecordBatch())
		r.Release()
		require.True(t, r.Next(), "it was retained")
		r.RecordBatch().Retain()
		kept = append(kept, r.RecordBatch())
		r.Release()

		require.Positive(t, mem.CurrentAlloc())
		for i, rec := range kept {
			require.True(t, array.RecordEqual(tab.batches[i], rec))
			rec.Release()
		}
		mem.AssertSize(t, 0)

		// A reader that is given up in the middle.
		r = newReader(t, writeTable(t, tab, opts...), ipcx.WithAllocator(mem))
		require.True(t, r.Next())
		require.Positive(t, mem.CurrentAlloc())
		r.Release()
		mem.AssertSize(t, 0)
	}
}

func TestMessageReader(t *testing.T) {
	tab := texts(t)
	stream := writeTable(t, tab, flaggedZstd()...)
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	mr := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithAllocator(mem))
	var kept []*ipc.Message
	for range 3 {
		msg, err := mr.Message()
		require.NoError(t, err)
		msg.Retain()
		kept = append(kept, msg)
	}
	for range 2 {
		_, err := mr.Message()
		require.ErrorIs(t, err, io.EOF)
	}
	require.Equal(t, ipcx.MessageSchema, kept[0].Type())
	require.Equal(t, ipcx.MessageRecordBatch, kept[2].Type())
	require.Positive(t, kept[2].BodyLen())
	mr.Retain()
	mr.Release()
	mr.Release()
	require.Positive(t, mem.CurrentAlloc())
	for _, msg := range kept {
		msg.Release()
	}
	mem.AssertSize(t, 0)
}

// Statistics come through where the messages are this package's.
func TestReaderFromMessageReader(t *testing.T) {
	tab := texts(t)
	for _, c := range []struct {
		mr      ipc.MessageReader
		batches int64
	}{
		{ipcx.NewMessageReader(bytes.NewReader(writeTable(t, tab, flaggedZstd()...))), 2},
		{ipc.NewMessageReader(bytes.NewReader(writeTable(t, tab, ipcx.WithLZ4()))), 0},
	} {
		r, err := ipcx.NewReaderFromMessageReader(c.mr)
		require.NoError(t, err)
		requireTable(t, tab, r)
		require.Equal(t, c.batches, r.Stats().FlaggedBatches)
		require.Equal(t, c.batches, r.Stats().RecordBatches)
	}
}

// filled gives out memory of one byte, and keeps what it gave out last.
type filled struct {
	memory.Allocator
	with byte
	last []byte
}

func (f *filled) Allocate(n int) []byte {
	f.last = f.Allocator.Allocate(n)
	for i := range f.last {
		f.last[i] = f.with
	}
	return f.last
}

// Nothing of the memory that a body is read into shows, its padding included.
func TestDirtyMemory(t *testing.T) {
	schema := arrow.NewSchema(mappedFields(), nil)
	tab := newTable(t, "all", schema, arrowgen.Batch(1, schema, arrowgen.Options{Rows: 33, Nulls: 0.3}))
	forms(t, func(t *testing.T, _ ipcx.Codec, _ bool, opts []ipcx.Option) {
		stream := writeTable(t, tab, opts...)
		clean, stained := &filled{memory.DefaultAllocator, 0, nil}, &filled{memory.DefaultAllocator, 0xA5, nil}
		a := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithAllocator(clean))
		b := ipcx.NewMessageReader(bytes.NewReader(stream), ipcx.WithAllocator(stained))
		defer a.Release()
		defer b.Release()
		for range 1 + len(tab.batches) {
			want, err := a.Message()
			require.NoError(t, err)
			got, err := b.Message()
			require.NoError(t, err)
			require.Equal(t, want.BodyLen(), got.BodyLen())
			if n := want.BodyLen(); n > 0 {
				require.Equal(t, clean.last[:n], stained.last[:n])
			}
		}
		requireTable(t, tab, newReader(t, stream, ipcx.WithAllocator(&filled{memory.DefaultAllocator, 0xA5, nil})))
	})
}
