package datasets_test

import (
	"regexp"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/datasets"
)

// stringsOf generates one batch and returns the values of its columns.
func stringsOf(t *testing.T, name string, rows int) [][]string {
	t.Helper()
	d, ok := datasets.ByName(name)
	require.True(t, ok)
	batches := generate(t, d, rows, rows)
	columns := make([][]string, d.Schema.NumFields())
	for i := range columns {
		columns[i] = column(batches, i)
		require.Len(t, columns[i], rows)
	}
	return columns
}

// requireAll wants every value to match a pattern as a whole.
func requireAll(t *testing.T, pattern string, values []string) {
	t.Helper()
	re := regexp.MustCompile("^(?:" + pattern + ")$")
	for i, v := range values {
		if !re.MatchString(v) {
			t.Fatalf("value %d: %q does not match %s", i, v, pattern)
		}
	}
}

// distinct returns how many different values there are, and how many lengths.
func distinct(values []string) (n, lengths int) {
	seen, seenLengths := map[string]bool{}, map[int]bool{}
	for _, v := range values {
		seen[v], seenLengths[len(v)] = true, true
	}
	return len(seen), len(seenLengths)
}

func TestIDs(t *testing.T) {
	var all []string
	for _, values := range stringsOf(t, "ids", 5000) {
		requireAll(t, `ORD-[1-7]\d{8}`, values)
		require.True(t, slices.IsSorted(values))
		all = append(all, values...)
	}
	n, lengths := distinct(all)
	require.Equal(t, len(all), n, "IDs must be unique")
	require.Equal(t, 1, lengths)
}

func TestVaryingIDs(t *testing.T) {
	for _, values := range stringsOf(t, "varying-ids", 20_000) {
		requireAll(t, `[1-9]\d{0,6}`, values)
		n, lengths := distinct(values)
		require.Equal(t, len(values), n, "IDs must be unique")
		require.GreaterOrEqual(t, lengths, 4)
		require.False(t, slices.IsSorted(values))
	}
}

// Beyond the last number below the prime the IDs go on without repetition.
func TestVaryingIDsStayUnique(t *testing.T) {
	const prime, rows = 1_100_009, 1_100_100
	d, _ := datasets.ByName("varying-ids")
	batches := generate(t, datasets.Narrow(d), rows, rows)
	seen := make([]bool, 2*prime)
	c := batches[0].Column(0).(*array.String)
	for row := range c.Len() {
		id := 0
		for _, digit := range []byte(c.Value(row)) {
			id = 10*id + int(digit-'0')
		}
		if seen[id] {
			t.Fatalf("ID %d comes twice, again in row %d", id, row)
		}
		if (id > prime) != (row >= prime-1) {
			t.Fatalf("ID %d in row %d", id, row)
		}
		seen[id] = true
	}
}

func TestVocabulary(t *testing.T) {
	var all []string
	for _, values := range stringsOf(t, "vocabulary", 20_000) {
		requireAll(t, `[a-z]{4,11}`, values)
		n, lengths := distinct(values)
		require.Equal(t, 1000, n)
		require.Equal(t, 8, lengths)
		all = append(all, values...)
	}
	n, _ := distinct(all)
	require.Equal(t, 1000, n, "all columns share the words")
}

func TestRandomStrings(t *testing.T) {
	for _, values := range stringsOf(t, "random-strings", 5000) {
		requireAll(t, `[0-9a-z]{0,19}`, values)
		n, lengths := distinct(values)
		require.Greater(t, n, len(values)*8/10)
		require.Equal(t, 20, lengths)
	}
}

func TestNested(t *testing.T) {
	d, _ := datasets.ByName("nested")
	b := generate(t, d, 2000, 2000)[0]
	require.EqualValues(t, 1, b.NumCols())
	a, nulls := b.Column(0), 0
	for depth := 1; ; depth++ {
		s := a.(*array.Struct)
		nulls += s.NullN()
		a = s.Field(0)
		if a.DataType().ID() != arrow.STRUCT {
			require.Equal(t, 6, depth)
			require.Equal(t, 4, s.NumField())
			for i := range s.NumField() {
				require.Equal(t, arrow.STRING, s.Field(i).DataType().ID())
			}
			break
		}
	}
	require.Greater(t, nulls, 0)
	streets := a.(*array.String)
	for row := range streets.Len() {
		if streets.IsValid(row) {
			require.Regexp(t, `^[a-z]{4,11} street \d+$`, streets.Value(row))
		}
	}
}

func TestInt64(t *testing.T) {
	d, _ := datasets.ByName("int64")
	b := generate(t, d, 5000, 5000)[0]
	require.EqualValues(t, 1, b.NumCols())
	values := b.Column(0).(*array.Int64).Int64Values()
	require.Zero(t, b.Column(0).NullN())
	require.GreaterOrEqual(t, slices.Min(values), int64(0))
	require.Less(t, slices.Max(values), int64(1<<18))
	require.Greater(t, slices.Max(values), int64(1<<17))
}

func TestLists(t *testing.T) {
	d, _ := datasets.ByName("lists")
	b := generate(t, d, 2000, 2000)[0]
	require.EqualValues(t, 1, b.NumCols())
	l := b.Column(0).(*array.List)
	lengths := map[int64]bool{}
	for row := range l.Len() {
		if l.IsValid(row) {
			start, end := l.ValueOffsets(row)
			lengths[end-start] = true
		}
	}
	require.Len(t, lengths, 9)
	require.InDelta(t, 100, l.NullN(), 40)
	require.Equal(t, arrow.STRING, l.ListValues().DataType().ID())
	require.InDelta(t, 7600, l.ListValues().Len(), 500)
}

func TestWide(t *testing.T) {
	d, _ := datasets.ByName("wide")
	b := generate(t, d, 500, 500)[0]
	require.EqualValues(t, 200, b.NumCols())
	types, nullable := map[arrow.Type]int{}, 0
	for i, c := range b.Columns() {
		types[c.DataType().ID()]++
		if d.Schema.Field(i).Nullable {
			nullable++
			require.InDelta(t, 50, c.NullN(), 30, "column %d", i)
		} else {
			require.Zero(t, c.NullN(), "column %d", i)
		}
	}
	require.Equal(t, map[arrow.Type]int{arrow.STRING: 80, arrow.INT64: 40, arrow.INT32: 40, arrow.FLOAT64: 40}, types)
	require.Equal(t, 67, nullable)
}
