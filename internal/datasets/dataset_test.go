package datasets_test

import (
	"bytes"
	"hash/crc32"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
)

// generate returns batches that are released when the test ends, which fails
// if any of their memory is left then.
func generate(t *testing.T, d datasets.Dataset, rows, rowsPerBatch int) []arrow.RecordBatch {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	batches := d.Batches(mem, rows, rowsPerBatch)
	t.Cleanup(func() {
		for _, b := range batches {
			b.Release()
		}
		mem.AssertSize(t, 0)
	})
	return batches
}

// stream is what arrow-go's own stream writer makes of batches.
func stream(t *testing.T, schema *arrow.Schema, batches []arrow.RecordBatch, opts ...ipc.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := ipc.NewWriter(&out, append(opts, ipc.WithSchema(schema))...)
	for _, b := range batches {
		require.NoError(t, w.Write(b))
	}
	require.NoError(t, w.Close())
	return out.Bytes()
}

// column returns the values of a column of strings, and skips the nulls.
func column(batches []arrow.RecordBatch, i int) []string {
	var values []string
	for _, b := range batches {
		c := b.Column(i).(*array.String)
		for row := range c.Len() {
			if c.IsValid(row) {
				values = append(values, strings.Clone(c.Value(row)))
			}
		}
	}
	return values
}

func TestNames(t *testing.T) {
	var names []string
	for _, d := range datasets.All() {
		names = append(names, d.Name)
		require.NotEmpty(t, d.About)
		found, ok := datasets.ByName(d.Name)
		require.True(t, ok)
		require.Equal(t, d.Name, found.Name)
		require.True(t, d.Schema.Equal(found.Schema))
	}
	require.Equal(t, []string{
		"ids", "varying-ids", "vocabulary", "random-strings", "nested", "int64", "lists", "wide",
	}, names)
	_, ok := datasets.ByName("IDs")
	require.False(t, ok)
}

func TestRowsAndBatches(t *testing.T) {
	for _, d := range datasets.All() {
		t.Run(d.Name, func(t *testing.T) {
			for _, c := range []struct {
				rows, perBatch int
				want           []int64
			}{
				{0, 10, nil},
				{-1, 10, nil},
				{1, 10, []int64{1}},
				{20, 10, []int64{10, 10}},
				{25, 10, []int64{10, 10, 5}},
				{25, 0, []int64{25}},
				{25, -3, []int64{25}},
			} {
				var got []int64
				for _, b := range generate(t, d, c.rows, c.perBatch) {
					got = append(got, b.NumRows())
					require.True(t, b.Schema().Equal(d.Schema))
				}
				require.Equal(t, c.want, got, "%d rows by %d", c.rows, c.perBatch)
			}
		})
	}
}

func TestSameBytesEveryTime(t *testing.T) {
	for _, d := range datasets.All() {
		t.Run(d.Name, func(t *testing.T) {
			again, _ := datasets.ByName(d.Name)
			one := stream(t, d.Schema, generate(t, d, 333, 100))
			require.True(t, bytes.Equal(one, stream(t, d.Schema, generate(t, d, 333, 100))))
			require.True(t, bytes.Equal(one, stream(t, d.Schema, generate(t, again, 333, 100))))
		})
	}
}

// Sizes and speed that were stated once hold only for the rows they were
// measured on. Whoever changes a table knowingly changes its sum here.
func TestRowsStayWhatTheyWere(t *testing.T) {
	sums := map[string]uint32{}
	for _, d := range datasets.All() {
		h := crc32.NewIEEE()
		for _, b := range generate(t, d, 50, 50) {
			for _, c := range b.Columns() {
				_, err := io.WriteString(h, c.String())
				require.NoError(t, err)
			}
		}
		sums[d.Name] = h.Sum32()
	}
	require.Equal(t, map[string]uint32{
		"ids":            0x70cb8cdd,
		"varying-ids":    0x0a1343d7,
		"vocabulary":     0x0848ad9d,
		"random-strings": 0x463aecf6,
		"nested":         0xe0b4fa83,
		"int64":          0x88359958,
		"lists":          0xacb4eb02,
		"wide":           0x082ac9d0,
	}, sums)
}

func TestRowsDoNotDependOnBatches(t *testing.T) {
	for _, d := range datasets.All() {
		t.Run(d.Name, func(t *testing.T) {
			whole := generate(t, d, 333, 333)[0]
			first := 0
			for _, b := range generate(t, d, 333, 70) {
				last := first + int(b.NumRows())
				part := whole.NewSlice(int64(first), int64(last))
				require.True(t, array.RecordEqual(part, b), "rows %d to %d", first, last)
				part.Release()
				first = last
			}
			require.Equal(t, 333, first)
		})
	}
}

func TestValuesAreValid(t *testing.T) {
	for _, d := range datasets.All() {
		for _, b := range generate(t, d, 500, 200) {
			for i, c := range b.Columns() {
				require.NoError(t, array.ValidateFull(c), "%s, column %d", d.Name, i)
			}
		}
	}
}

func TestColumnsDiffer(t *testing.T) {
	for _, name := range []string{"ids", "varying-ids", "vocabulary", "random-strings"} {
		d, _ := datasets.ByName(name)
		batches := generate(t, d, 100, 100)
		require.Len(t, d.Schema.Fields(), 7)
		for i := 1; i < 7; i++ {
			require.NotEqual(t, column(batches, i-1), column(batches, i), "%s, column %d", name, i)
		}
	}
}
