package fuzz

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/internal/testdata"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// FuzzFileReader takes any bytes for a file, or for a stream to make a file of,
// with or without an edit: the same batches as arrow-go's reader gives, or an
// error, from the file and from a mapping of it, in any order and any number of
// times. Flagged messages are compared once a conversion has taken the flag off.
func FuzzFileReader(f *testing.F) {
	k := 0
	for i, seed := range streams(f, modes()) {
		addEdits(f, func(e edit) {
			if k++; e.message == noEdit || (i+k)%5 == 0 { // some, for all are many
				f.Add(seed, e.message, e.field, e.index, e.value)
			}
		})
	}
	for _, mode := range []string{"zstd, flagged", "plain"} {
		for _, seed := range files(f, modes()[mode]) {
			f.Add(seed, uint8(noEdit), uint8(0), uint8(0), int64(0))
			for field := uint8(blockOffset); field < footerFields; field++ {
				k++
				f.Add(seed, uint8(k%3), field, uint8(0), []int64{0, 1, -8, int64(len(seed)) &^ 7}[k%4])
			}
		}
	}
	for _, seed := range testdata.Seeds(f, 6<<10) {
		if strings.HasPrefix(string(seed), fileEnd) {
			f.Add(seed, uint8(noEdit), uint8(0), uint8(0), int64(0))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, message, field, index uint8, value int64) {
		data = edit{message, field, index, value}.applyFile(asFile(data))
		was := bytes.Clone(data)
		got := readFile(t, func(opts ...ipcx.Option) (*ipcx.FileReader, error) {
			return ipcx.NewFileReader(bytes.NewReader(data), limits(opts...)...)
		})
		mapped := readFile(t, func(opts ...ipcx.Option) (*ipcx.FileReader, error) {
			return ipcx.NewMappedFileReader(data, limits(opts...)...)
		})
		got.requireSame(t, mapped)
		require.True(t, bytes.Equal(was, data), "bytes of a mapping were changed")
		read := func(i int) bool { return got.errs[i] == nil }
		if !slices.ContainsFunc(got.errs, func(err error) bool { return err == nil }) {
			return
		}

		// Where messages are flagged, arrow-go reads what they are converted to, and
		// where it would swap bytes that buffers share, what shares none.
		if got.flagged || bigEndianFile(data) {
			copy(data, fileStart) // which tells a conversion that this is a file
			apart, err := convert(data, ipcx.WithZstd(), ipcx.WithFormat(ipcx.FileFormat))
			if errors.Join(got.errs...) != nil && err != nil {
				return // an error that is a block's is that of all of it
			}
			require.NoError(t, err)
			data = apart
		}
		want := oracle.FileBatches(data, read)
		require.NoError(t, want.Err)
		require.NoError(t, oracle.SameSchema(want.Schema, got.schema))
		require.NoError(t, oracle.SameBatches(want.Batches, got.read()))
	})
}

// files are small files of two batches for each schema.
func files(f testing.TB, mode []ipcx.Option) [][]byte {
	var all [][]byte
	for _, stream := range streams(f, map[string][]ipcx.Option{"": mode}) {
		file, err := convert(stream, slices.Concat(mode, []ipcx.Option{ipcx.WithFormat(ipcx.FileFormat)})...)
		require.NoError(f, err)
		all = append(all, file)
	}
	return all
}

// fileResult is what a file reader made of its input: batch i, or error i, or an
// error of all of it.
type fileResult struct {
	schema  *arrow.Schema
	batches []arrow.RecordBatch
	errs    []error
	err     error
	flagged bool
}

// read returns the batches that could be read.
func (r fileResult) read() []arrow.RecordBatch {
	return slices.DeleteFunc(slices.Clone(r.batches), func(rec arrow.RecordBatch) bool { return rec == nil })
}

// requireSame requires two readers to have made the same of the same bytes.
func (r fileResult) requireSame(t *testing.T, other fileResult) {
	t.Helper()
	requireSameError(t, r.err, other.err)
	require.NoError(t, oracle.SameSchema(r.schema, other.schema))
	require.Len(t, other.batches, len(r.batches))
	for i := range r.batches {
		requireSameError(t, r.errs[i], other.errs[i])
		if r.errs[i] == nil {
			require.NoError(t, oracle.SameBatch(r.batches[i], other.batches[i]))
		}
	}
}

func requireSameError(t *testing.T, a, b error) {
	t.Helper()
	if a != nil && b != nil {
		require.Equal(t, a.Error(), b.Error())
		return
	}
	require.Equal(t, a, b)
}

// maxBatches is how many batches of one file are looked at.
const maxBatches = 20

// readFile reads what open opens, three times: from front to back, from back to
// front, and with validation. A panic is not recovered.
func readFile(t *testing.T, open func(opts ...ipcx.Option) (*ipcx.FileReader, error)) (res fileResult) {
	t.Helper()
	r, err := open()
	if err != nil {
		return fileResult{err: err}
	}
	res.schema = r.Schema()
	n := min(r.NumRecords(), maxBatches)
	for i := range n {
		rec, err := r.RecordBatchAt(i)
		res.batches, res.errs = append(res.batches, rec), append(res.errs, err)
	}
	for i := n - 1; i >= 0; i-- {
		rec, err := r.RecordBatchAt(i)
		requireSameError(t, res.errs[i], err)
		if err == nil {
			require.NoError(t, oracle.SameBatch(res.batches[i], rec))
		}
	}
	res.flagged = r.Stats().FlaggedBatches > 0
	require.NoError(t, r.Close())

	r, err = open(ipcx.WithValidation())
	require.NoError(t, err)
	for i := range n {
		if rec, err := r.RecordBatchAt(i); err == nil {
			requireValid(t, rec)
			require.NoError(t, res.errs[i])
			require.NoError(t, oracle.SameBatch(res.batches[i], rec))
		}
	}
	require.NoError(t, r.Close())
	return res
}

// requireValid requires a record batch that passed validation to pass arrow-go's,
// and to survive having every value looked at.
func requireValid(t *testing.T, rec arrow.RecordBatch) {
	t.Helper()
	for i, column := range rec.Columns() {
		if canValidate(column.DataType()) {
			err := array.ValidateFull(column)
			if err != nil && strings.Contains(err.Error(), "not valid utf8") && hasNulls(column.Data()) {
				err = nil // it looks at the text of nulls as well
			}
			require.NoError(t, err, "column %d", i)
		}
		if entries(column.Data()) < 10_000 { // nulls have no bytes that limit how many they are
			_, _ = column.MarshalJSON() // which has no text for some values
		}
	}
}

// hasNulls says whether there are any in an array, below it or in its dictionary.
func hasNulls(data arrow.ArrayData) bool {
	if data.DataType().ID() == arrow.DICTIONARY && hasNulls(data.Dictionary()) {
		return true
	}
	return data.NullN() != 0 || slices.ContainsFunc(data.Children(), hasNulls)
}

// entries is how many entries an array has, those below it counted.
func entries(data arrow.ArrayData) uint64 {
	n := uint64(data.Len())
	for _, child := range data.Children() {
		n += entries(child)
	}
	return n
}

// canValidate says whether arrow-go can: of nulls and unions it wants buffers that
// a file does not have.
func canValidate(dt arrow.DataType) bool {
	switch dt.ID() {
	case arrow.NULL, arrow.DENSE_UNION, arrow.SPARSE_UNION:
		return false
	}
	switch dt := dt.(type) {
	case *arrow.DictionaryType:
		return canValidate(dt.ValueType)
	case *arrow.FixedSizeBinaryType:
		return dt.ByteWidth > 0 // of which it says that there is no such width
	}
	nested, ok := dt.(arrow.NestedType)
	return !ok || !slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return !canValidate(f.Type) })
}

// bigEndianFile says whether the schema of a file is.
func bigEndianFile(data []byte) bool {
	r, err := ipcx.NewFileReader(bytes.NewReader(data), limits(ipcx.WithEnsureNativeEndian(false))...)
	if err != nil {
		return false
	}
	defer r.Close()
	return r.Schema().Endianness() == endian.BigEndian
}
