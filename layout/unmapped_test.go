package layout_test

import (
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/layout"
)

func of(fields ...arrow.Field) *layout.Table {
	return layout.Of(arrow.NewSchema(fields, nil))
}

func TestMappedTypes(t *testing.T) {
	for _, f := range append(arrowgen.MappedTypes(), arrowgen.Nested(3)...) {
		require.NoError(t, of(f).Unmapped(), f.Name)
	}
	require.NoError(t, of(arrowgen.MappedTypes()...).Unmapped())
}

// where is, for each field of arrowgen.UnmappedTypes, the path below it and the
// type of the node that is to be named.
func where() map[string]struct {
	below string
	id    arrow.Type
} {
	type at = struct {
		below string
		id    arrow.Type
	}
	return map[string]at{
		"utf8_view":                    {"", arrow.STRING_VIEW},
		"binary_view":                  {"", arrow.BINARY_VIEW},
		"list_of_views":                {".item", arrow.STRING_VIEW},
		"list_view":                    {"", arrow.LIST_VIEW},
		"large_list_view":              {"", arrow.LARGE_LIST_VIEW},
		"dense_union":                  {"", arrow.DENSE_UNION},
		"sparse_union":                 {"", arrow.SPARSE_UNION},
		"struct_of_union":              {".u", arrow.SPARSE_UNION},
		"run_end_encoded":              {"", arrow.RUN_END_ENCODED},
		"run_end_encoded_int64":        {"", arrow.RUN_END_ENCODED},
		"dictionary":                   {"", arrow.DICTIONARY},
		"dictionary_int64":             {"", arrow.DICTIONARY},
		"list_of_dictionary":           {".item", arrow.DICTIONARY},
		"struct_of_dictionary":         {".word", arrow.DICTIONARY},
		"map_to_dictionary":            {".entries.value", arrow.DICTIONARY},
		"extension_list_of_dictionary": {".item", arrow.DICTIONARY},
		"extension_view":               {"", arrow.STRING_VIEW},
	}
}

// An unmapped type is found and named at the top level and inside every type
// that nests.
func TestUnmappedTypes(t *testing.T) {
	utf8 := arrow.BinaryTypes.String
	nests := map[string]func(arrow.Field) arrow.DataType{
		"":               func(f arrow.Field) arrow.DataType { return f.Type },
		".item":          func(f arrow.Field) arrow.DataType { return arrow.ListOf(f.Type) },
		".element":       func(f arrow.Field) arrow.DataType { return arrow.LargeListOfField(named("element", f.Type)) },
		".cell":          func(f arrow.Field) arrow.DataType { return arrow.FixedSizeListOfField(2, named("cell", f.Type)) },
		".entries.value": func(f arrow.Field) arrow.DataType { return arrow.MapOf(utf8, f.Type) },
		".entries.key":   func(f arrow.Field) arrow.DataType { return arrow.MapOf(f.Type, utf8) },
		".second": func(f arrow.Field) arrow.DataType {
			return arrow.StructOf(named("first", utf8), named("second", f.Type))
		},
		".inner": func(f arrow.Field) arrow.DataType {
			return arrowgen.ExtensionOf(arrow.StructOf(named("inner", f.Type)))
		},
	}
	for _, f := range arrowgen.UnmappedTypes() {
		want, ok := where()[f.Name]
		require.True(t, ok, f.Name)
		for below, nest := range nests {
			table := of(named("before", utf8), named("col", nest(f)), named("after", arrow.BinaryTypes.StringView))
			err := table.Unmapped()
			require.ErrorIs(t, err, layout.ErrUnmapped)
			require.NotErrorIs(t, err, layout.ErrUnknownType)
			var unmapped *layout.UnmappedError
			require.ErrorAs(t, err, &unmapped)
			require.Equal(t, "col"+below+want.below, unmapped.Path)
			require.Equal(t, want.id, unmapped.Type.ID(), "%s: %s", unmapped.Path, unmapped.Type)
			require.ErrorContains(t, err, "layout: field "+unmapped.Path+" has type "+unmapped.Type.Name())
		}
	}
}

// arrow-go does not write an extension directly over a dictionary; others do.
func TestExtensionOverDictionary(t *testing.T) {
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int16, ValueType: arrow.BinaryTypes.String}
	table := of(named("e", arrowgen.ExtensionOf(arrowgen.ExtensionOf(dict))))
	var unmapped *layout.UnmappedError
	require.ErrorAs(t, table.Unmapped(), &unmapped)
	require.Same(t, dict, unmapped.Type)
	bufs, err := table.Buffers(layout.V5, nil)
	require.NoError(t, err)
	require.Equal(t, []layout.Buffer{
		{Role: layout.Validity, Path: "e"},
		{Role: layout.Values, Width: 2, Path: "e"},
	}, bufs)
}

// laterType is a type that Arrow does not have yet.
type laterType struct{ arrow.NullType }

func (*laterType) ID() arrow.Type { return 99 }
func (*laterType) Name() string   { return "later" }

// fakeType claims to be a type that it does not behave like.
type fakeType struct {
	arrow.NullType
	id arrow.Type
}

func (f *fakeType) ID() arrow.Type { return f.id }

func TestUnknownTypes(t *testing.T) {
	unknown := map[string]arrow.DataType{
		"later type":            &laterType{},
		"list of later type":    arrow.ListOf(&laterType{}),
		"list of nothing":       &arrow.ListType{},
		"extension of nothing":  arrowgen.ExtensionOf(nil),
		"dictionary of nothing": &arrow.DictionaryType{ValueType: arrow.BinaryTypes.String},
		"dictionary by text":    &arrow.DictionaryType{IndexType: arrow.BinaryTypes.String, ValueType: arrow.BinaryTypes.String},
		"fake list":             &fakeType{id: arrow.LIST},
		"fake union":            &fakeType{id: arrow.DENSE_UNION},
		"fake int":              &fakeType{id: arrow.INT32},
		"fake dictionary":       &fakeType{id: arrow.DICTIONARY},
	}
	for name, dt := range unknown {
		t.Run(name, func(t *testing.T) {
			table := of(named("ok", arrow.PrimitiveTypes.Int8), named("col", dt))
			require.ErrorIs(t, table.Unmapped(), layout.ErrUnmapped)
			for _, v := range []layout.Version{layout.V4, layout.V5} {
				bufs, err := table.Buffers(v, nil)
				require.ErrorIs(t, err, layout.ErrUnknownType)
				require.ErrorIs(t, err, layout.ErrUnmapped)
				require.ErrorContains(t, err, "col")
				require.Nil(t, bufs)
				_, err = table.NumBuffers(v, nil)
				require.ErrorIs(t, err, layout.ErrUnknownType)
			}
		})
	}
}

func named(name string, dt arrow.DataType) arrow.Field {
	return arrow.Field{Name: name, Type: dt, Nullable: name != "key"}
}
