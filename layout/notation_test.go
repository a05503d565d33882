package layout_test

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
)

// parseSchema reads a schema in the notation of testdata, one field a line:
//
//	name: type            a name that is not a word stands in double quotes
//
// Types are written as
//
//	int32, utf8, ...      the types without parameters, see simpleTypes
//	fixed_size_binary[5], decimal128[10]
//	list<T>, large_list<T>, list_view<T>, large_list_view<T>, fixed_size_list<T>[3]
//	struct<a: T, b: T>, dense_union<...>, sparse_union<...>
//	map<K, V>, run_end_encoded<R, V>, dictionary<I, V>, extension<T>
func parseSchema(input string) (schema *arrow.Schema, err error) {
	p := &notation{rest: input}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v, before %q", r, p.rest)
		}
	}()
	var fields []arrow.Field
	for p.space(); p.rest != ""; p.space() {
		fields = append(fields, p.field())
	}
	return arrow.NewSchema(fields, nil), nil
}

type notation struct {
	rest string
}

func (p *notation) space() { p.rest = strings.TrimLeft(p.rest, " \n") }

func (p *notation) accept(token string) bool {
	p.space()
	after, ok := strings.CutPrefix(p.rest, token)
	if ok {
		p.rest = after
	}
	return ok
}

func (p *notation) expect(token string) {
	if !p.accept(token) {
		panic("want " + token)
	}
}

func (p *notation) word() string {
	p.space()
	end := strings.IndexFunc(p.rest, func(r rune) bool {
		return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if end < 0 {
		end = len(p.rest)
	}
	w := p.rest[:end]
	p.rest = p.rest[end:]
	return w
}

func (p *notation) number() int {
	p.expect("[")
	n, err := strconv.Atoi(p.word())
	if err != nil {
		panic(err)
	}
	p.expect("]")
	return n
}

func (p *notation) field() arrow.Field {
	p.space()
	var name string
	if quoted, err := strconv.QuotedPrefix(p.rest); err == nil {
		name, _ = strconv.Unquote(quoted)
		p.rest = p.rest[len(quoted):]
	} else {
		name = p.word()
	}
	p.expect(":")
	return arrow.Field{Name: name, Type: p.typ(), Nullable: true}
}

func (p *notation) fields() []arrow.Field {
	p.expect("<")
	var list []arrow.Field
	for !p.accept(">") {
		list = append(list, p.field())
		p.accept(",")
	}
	return list
}

func (p *notation) one() arrow.DataType {
	p.expect("<")
	t := p.typ()
	p.expect(">")
	return t
}

func (p *notation) two() (a, b arrow.DataType) {
	p.expect("<")
	a = p.typ()
	p.expect(",")
	b = p.typ()
	p.expect(">")
	return a, b
}

func (p *notation) typ() arrow.DataType {
	word := p.word()
	if t, ok := simpleTypes()[word]; ok {
		return t
	}
	switch word {
	case "fixed_size_binary":
		return &arrow.FixedSizeBinaryType{ByteWidth: p.number()}
	case "decimal128":
		return &arrow.Decimal128Type{Precision: int32(p.number())}
	case "list":
		return arrow.ListOf(p.one())
	case "large_list":
		return arrow.LargeListOf(p.one())
	case "list_view":
		return arrow.ListViewOf(p.one())
	case "large_list_view":
		return arrow.LargeListViewOf(p.one())
	case "fixed_size_list":
		t := p.one()
		return arrow.FixedSizeListOf(int32(p.number()), t)
	case "extension":
		return arrowgen.ExtensionOf(p.one())
	case "struct":
		return arrow.StructOf(p.fields()...)
	case "dense_union", "sparse_union":
		fields := p.fields()
		codes := make([]arrow.UnionTypeCode, len(fields))
		for i := range codes {
			codes[i] = arrow.UnionTypeCode(i)
		}
		if word == "dense_union" {
			return arrow.DenseUnionOf(fields, codes)
		}
		return arrow.SparseUnionOf(fields, codes)
	case "map":
		return arrow.MapOf(p.two())
	case "run_end_encoded":
		return arrow.RunEndEncodedOf(p.two())
	case "dictionary":
		index, value := p.two()
		return &arrow.DictionaryType{IndexType: index, ValueType: value}
	}
	panic("unknown type " + word)
}

func simpleTypes() map[string]arrow.DataType {
	return map[string]arrow.DataType{
		"null":                    arrow.Null,
		"bool":                    arrow.FixedWidthTypes.Boolean,
		"int8":                    arrow.PrimitiveTypes.Int8,
		"int16":                   arrow.PrimitiveTypes.Int16,
		"int32":                   arrow.PrimitiveTypes.Int32,
		"int64":                   arrow.PrimitiveTypes.Int64,
		"uint8":                   arrow.PrimitiveTypes.Uint8,
		"float16":                 arrow.FixedWidthTypes.Float16,
		"float64":                 arrow.PrimitiveTypes.Float64,
		"date32":                  arrow.FixedWidthTypes.Date32,
		"timestamp":               arrow.FixedWidthTypes.Timestamp_us,
		"interval_month":          arrow.FixedWidthTypes.MonthInterval,
		"interval_day_time":       arrow.FixedWidthTypes.DayTimeInterval,
		"interval_month_day_nano": arrow.FixedWidthTypes.MonthDayNanoInterval,
		"binary":                  arrow.BinaryTypes.Binary,
		"utf8":                    arrow.BinaryTypes.String,
		"large_binary":            arrow.BinaryTypes.LargeBinary,
		"large_utf8":              arrow.BinaryTypes.LargeString,
		"utf8_view":               arrow.BinaryTypes.StringView,
		"binary_view":             arrow.BinaryTypes.BinaryView,
	}
}
