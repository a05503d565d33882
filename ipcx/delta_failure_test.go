package ipcx_test

import (
	"bytes"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// wiping is an allocator that wipes what is freed, so that whoever reads it then
// reads something else. It counts what is freed twice.
type wiping struct {
	memory.GoAllocator
	mu    sync.Mutex
	freed map[*byte]bool
	twice int
}

func (w *wiping) Allocate(n int) []byte {
	p := w.GoAllocator.Allocate(n)
	w.mu.Lock()
	defer w.mu.Unlock()
	if cap(p) > 0 {
		delete(w.freed, &p[:1][0])
	}
	return p
}

func (w *wiping) Free(p []byte) {
	if cap(p) == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	p = p[:cap(p)]
	if w.freed[&p[0]] {
		w.twice++
	}
	w.freed[&p[0]] = true
	for i := range p {
		p[i] = 0xEE
	}
}

// foreignMessages hides whose messages they are.
type foreignMessages struct{ ipcx.MessageReader }

// TestFailedDelta has a delta that cannot be joined, after a record batch that is
// still held. What arrow-go has released then must not be released again: the
// batch stays as it is, and its memory is freed once.
func TestFailedDelta(t *testing.T) {
	rec := fromJSON(t, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, `["oak","elm","oak"]`)
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	stored := buffers(all[1])
	stored[1] = int32s(0, 5, 1<<30) // outside of the data, where nobody looks with WithTrustedInput
	bad := deltaOf(rebody(all[1], stored...))
	whole := stream(append(all, bad, all[2])...)
	for name, open := range map[string]func(mem memory.Allocator) (*ipcx.Reader, error){
		"reader": func(mem memory.Allocator) (*ipcx.Reader, error) {
			return ipcx.NewReader(bytes.NewReader(whole), ipcx.WithTrustedInput(), ipcx.WithAllocator(mem))
		},
		"ahead": func(mem memory.Allocator) (*ipcx.Reader, error) {
			return ipcx.NewReader(bytes.NewReader(whole), ipcx.WithTrustedInput(), ipcx.WithAllocator(mem), ipcx.WithReadAhead(3))
		},
		"message reader": func(mem memory.Allocator) (*ipcx.Reader, error) {
			mr := ipcx.NewMessageReader(bytes.NewReader(whole), ipcx.WithTrustedInput(), ipcx.WithAllocator(mem))
			return ipcx.NewReaderFromMessageReader(foreignMessages{mr}, ipcx.WithAllocator(mem))
		},
	} {
		t.Run(name, func(t *testing.T) {
			mem := &wiping{freed: make(map[*byte]bool)}
			rd, err := open(mem)
			require.NoError(t, err)
			require.True(t, rd.Next(), "%v", rd.Err())
			got := rd.RecordBatch()
			got.Retain()
			require.False(t, rd.Next())
			require.Error(t, rd.Err())
			require.False(t, rd.Next())
			rd.Retain()
			rd.Release()
			rd.Release()
			require.True(t, same([]arrow.RecordBatch{rec}, []arrow.RecordBatch{got}))
			got.Release()
			require.Zero(t, mem.twice)
		})
	}
	t.Run("refused before", func(t *testing.T) {
		mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
		rd, err := ipcx.NewReader(bytes.NewReader(whole), ipcx.WithAllocator(mem))
		require.NoError(t, err)
		require.True(t, rd.Next())
		require.False(t, rd.Next())
		require.ErrorIs(t, rd.Err(), ipcx.ErrCorrupt)
		require.False(t, ipcx.IsPanic(rd.Err()))
		rd.Release()
		mem.AssertSize(t, 0)
	})
	t.Run("a file", func(t *testing.T) {
		file := fileOf(append(all[:2:2], bad, all[2], all[2])...)
		for how := range openers {
			require.ErrorIs(t, drainFile(t, how, file).Err, ipcx.ErrCorrupt)
			mem := &wiping{freed: make(map[*byte]bool)}
			res := drainFile(t, how, file, ipcx.WithTrustedInput(), ipcx.WithAllocator(mem))
			require.Error(t, res.Err, how)
			require.Zero(t, mem.twice)
		}
	})
}

// Dictionaries whose offsets are out of order are refused, because joining them
// would go by all of them.
func TestDictionaryOffsets(t *testing.T) {
	for _, dt := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.ListOf(arrow.PrimitiveTypes.Int8)} {
		rec := arrowgen.RecordBatch(2, []arrow.Field{{Name: "x", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: dt}}}, arrowgen.Options{Rows: 20})
		all := messages(t, write(t, []arrow.RecordBatch{rec}))
		require.NoError(t, drainBytes(stream(all...)).Err)
		stored := buffers(all[1])
		stored[1] = bytes.Clone(stored[1])
		stored[1][len(stored[1])/2&^7+1] = 0x7F // of an offset in the middle
		all[1] = rebody(all[1], stored...)
		got := drainBytes(stream(all...))
		require.ErrorIs(t, got.Err, ipcx.ErrCorrupt, dt)
		require.ErrorContains(t, got.Err, "negative length", dt)
		require.NoError(t, drainBytes(stream(all...), ipcx.WithTrustedInput()).Err, dt)
	}
}

// TestNestedDeltas has a delta of a dictionary with dictionaries among its values,
// which arrow-go cannot read.
func TestNestedDeltas(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	lists := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(words)}
	rec := arrowgen.RecordBatch(3, []arrow.Field{{Name: "a", Type: lists}}, arrowgen.Options{Rows: 5})
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	require.Len(t, all, 4)
	with := stream(all[0], all[1], all[2], deltaOf(all[1]), all[3])
	require.NoError(t, drainBytes(with).Err, "the values inside")
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	got := drainBytes(stream(all[0], all[1], all[2], deltaOf(all[2]), all[3]), ipcx.WithAllocator(mem))
	require.ErrorIs(t, got.Err, ipcx.ErrUnsupported)
	require.ErrorContains(t, got.Err, "dictionary 0: a delta of a dictionary with dictionaries among its values")
	require.False(t, ipcx.IsPanic(got.Err))
	mem.AssertSize(t, 0)
	_, err := convert(stream(all[0], all[1], all[2], deltaOf(all[2]), all[3]))
	require.NoError(t, err)
}
