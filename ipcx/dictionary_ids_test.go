package ipcx_test

import (
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// everyDoor is everyWay, and the file readers on the messages in a file.
func everyDoor(t testing.TB, all []raw, opts ...ipcx.Option) map[string]error {
	errs := everyWay(all, opts...)
	file := fileOf(all...)
	for how := range openers {
		errs["a file, "+how] = drainFile(t, how, file, opts...).Err
	}
	_, errs["Convert of a file"] = convert(file, opts...)
	return errs
}

// editedDictionary changes what a dictionary batch says of itself.
func editedDictionary(m raw, change func(*flatbuf.DictionaryBatchT)) raw {
	return edited(m, func(fb *flatbuf.MessageT) { change(fb.Header.Value.(*flatbuf.DictionaryBatchT)) })
}

// TestDictionaryIDs has dictionary batches of ids that they cannot have.
func TestDictionaryIDs(t *testing.T) {
	all := messages(t, write(t, []arrow.RecordBatch{dictionaryBatch(0, 3)}))
	schema, dict, batch := all[0], all[1], all[2]
	unknown := editedDictionary(dict, func(d *flatbuf.DictionaryBatchT) { d.Id = 7 })
	delta := editedDictionary(dict, func(d *flatbuf.DictionaryBatchT) { d.IsDelta = true })
	for name, c := range map[string]struct {
		all  []raw
		says string
	}{
		"unknown":              {[]raw{schema, unknown, batch}, "dictionary 7, which the schema does not know: its dictionaries are 0"},
		"unknown, later":       {[]raw{schema, dict, unknown, batch}, "dictionary 7, which the schema does not know: its dictionaries are 0"},
		"delta before all":     {[]raw{schema, delta, batch}, "delta of dictionary 0, which has not come before"},
		"delta of unknown":     {[]raw{schema, dict, editedDictionary(unknown, func(d *flatbuf.DictionaryBatchT) { d.IsDelta = true }), batch}, "dictionary 7"},
		"no dictionary at all": {messages(t, write(t, smallBatches(1)))[:1:1], ""},
	} {
		t.Run(name, func(t *testing.T) {
			if c.says == "" {
				c.all, c.says = append(c.all, dict), "dictionary 0, which the schema does not know: its dictionaries are none"
			}
			for door, err := range everyDoor(t, c.all) {
				require.ErrorIs(t, err, ipcx.ErrCorrupt, door)
				require.ErrorContains(t, err, c.says, door)
				require.False(t, ipcx.IsPanic(err), door)
			}
		})
	}
	t.Run("none has come", func(t *testing.T) {
		for door, err := range everyDoor(t, []raw{schema, batch}) {
			if door == "Decoder.Decode" || door == "Convert" || door == "Convert of a file" {
				require.NoError(t, err, "%s makes no arrays", door)
				continue
			}
			require.ErrorIs(t, err, ipcx.ErrCorrupt, door)
			require.ErrorContains(t, err, "there is no dictionary 0 so far", door)
			require.False(t, ipcx.IsPanic(err), door)
		}
		got := drainBytes(stream(schema, batch), ipcx.WithColumns("number"))
		require.NoError(t, got.Err)
		require.Len(t, got.Batches, 1)
	})
}

// TestReplacedDictionary has a dictionary replaced after it was in use, which is
// legal in a stream. What was read before keeps the one that it had.
func TestReplacedDictionary(t *testing.T) {
	recs := []arrow.RecordBatch{dictionaryBatch(0, 3), dictionaryBatch(0, 6), dictionaryBatch(1, 2)}
	var all []raw
	for i, rec := range recs {
		one := messages(t, write(t, []arrow.RecordBatch{rec}))
		if i == 0 {
			all = one
		} else {
			all = append(all, one[1:]...)
		}
	}
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithValidation()}, {ipcx.WithBufferReuse()}, {ipcx.WithReadAhead(2)}, {ipcx.WithDecodedSizeLimit(1 << 10)}} {
		got := drainBytes(stream(all...), opts...)
		require.NoError(t, got.Err)
		requireEqual(t, recs, got.Batches)
	}
	for _, err := range []error{drainBytes(stream(append(all, all[1], all[2])...)).Err, everyWay(all)["Convert"]} {
		require.NoError(t, err)
	}
}

// TestDictionariesInDictionaries has dictionaries that have themselves among their
// values, at once or by way of others, or that have other ones in another field.
func TestDictionariesInDictionaries(t *testing.T) {
	words := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	lists := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.ListOf(words)}
	rec := arrowgen.RecordBatch(3, []arrow.Field{{Name: "a", Type: lists}, {Name: "b", Type: lists}, {Name: "c", Type: lists}}, arrowgen.Options{Rows: 5})
	all := messages(t, write(t, []arrow.RecordBatch{rec}))
	require.Len(t, all, 8)
	for door, err := range everyDoor(t, all) {
		require.NoError(t, err, door)
	}
	// with has the ids of each list, and of the words in it.
	with := func(ids ...int64) []raw {
		bad := slices.Clone(all)
		bad[0] = edited(all[0], func(fb *flatbuf.MessageT) {
			for i, f := range fb.Header.Value.(*flatbuf.SchemaT).Fields {
				f.Dictionary.Id, f.Children[0].Dictionary.Id = ids[2*i], ids[2*i+1]
			}
		})
		return bad
	}
	for name, c := range map[string]struct {
		ids  []int64
		says string
	}{
		"itself":      {[]int64{1, 2, 5, 5, 6, 7}, `dictionary 5 refers to itself: field "item", which is below dictionary 5, has it again`},
		"each other":  {[]int64{1, 2, 2, 1, 6, 7}, `dictionary 1 has dictionaries among its values: 2, and in field "item" none`},
		"in a circle": {[]int64{10, 20, 20, 30, 30, 10}, `dictionary 20 has dictionaries among its values: none, and in field "b" 30`},
		"other ones":  {[]int64{1, 2, 3, 4, 1, 4}, `dictionary 1 has dictionaries among its values: 2, and in field "c" 4`},
	} {
		t.Run(name, func(t *testing.T) {
			for door, err := range everyDoor(t, with(c.ids...)) {
				require.ErrorIs(t, err, ipcx.ErrCorrupt, door)
				require.ErrorContains(t, err, c.says, door)
			}
		})
	}
	// One dictionary may serve several fields.
	shared := edited(all[0], func(fb *flatbuf.MessageT) {
		for _, f := range fb.Header.Value.(*flatbuf.SchemaT).Fields {
			f.Dictionary.Id, f.Children[0].Dictionary.Id = 0, 1
		}
	})
	got := drainBytes(stream(shared, all[1], all[2], all[7]))
	require.NoError(t, got.Err)
	require.Len(t, got.Batches, 1)
}
