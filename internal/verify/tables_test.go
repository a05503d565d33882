package verify

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A wrong size here would show only in the rare table that a lie cuts at just
// that place, so the tables are compared with the definitions, letter by letter.
func TestSpecsRestateTheDefinitions(t *testing.T) {
	source, err := os.ReadFile("../flatbuf/arrow.fbs")
	require.NoError(t, err)
	defs := parse(t, string(source))

	var want, got []string
	for name, members := range defs.tables {
		if len(members) > 0 {
			want = append(want, name+": "+strings.Join(members, ", "))
		}
	}
	for id := opaque + 1; id < numTables; id++ {
		var members []string
		for _, m := range specs[id].members {
			members = append(members, describe(m))
		}
		got = append(got, specs[id].name+": "+strings.Join(members, ", "))
	}
	require.ElementsMatch(t, want, got)

	for union, alternatives := range map[string][]tableID{
		"MessageHeader": headers, "Type": types, "SparseTensorIndex": indices,
	} {
		names := []string{""}
		for _, id := range alternatives[1:] {
			names = append(names, specs[id].name)
		}
		want := []string{""}
		for _, name := range defs.unions[union] {
			if len(defs.tables[name]) == 0 {
				name = specs[opaque].name
			}
			want = append(want, name)
		}
		require.Equal(t, want, names, union)
	}
}

func describe(m member) string {
	switch m.kind {
	case inline:
		return fmt.Sprintf("%s %d", m.name, m.size)
	case vector:
		return fmt.Sprintf("%s [%d]", m.name, m.size)
	case table:
		return m.name + " " + specs[m.of].name
	case tables:
		return m.name + " [" + specs[m.of].name + "]"
	}
	for name, alternatives := range map[string][]tableID{
		"MessageHeader": headers, "Type": types, "SparseTensorIndex": indices,
	} {
		if &alternatives[0] == &m.alternatives[0] {
			return m.name + " union " + name
		}
	}
	return m.name + " of an unknown kind"
}

type definitions struct {
	tables map[string][]string // the members, as describe gives them
	unions map[string][]string // the alternatives, from type number 1 on
}

// parse reads as much of FlatBuffers' language as arrow.fbs speaks.
func parse(t *testing.T, source string) definitions {
	t.Helper()
	source = regexp.MustCompile(`//.*`).ReplaceAllString(source, "")
	defs := definitions{tables: make(map[string][]string), unions: make(map[string][]string)}
	sizes := map[string]int{"bool": 1, "byte": 1, "short": 2, "int": 4, "long": 8}
	block := regexp.MustCompile(`(?s)(table|struct|union|enum) (\w+)(?: : (\w+))? \{(.*?)\}`)
	parts := regexp.MustCompile(`(\w+): (\[?)(\w+)`)

	blocks := block.FindAllStringSubmatch(source, -1)
	for _, b := range blocks {
		kind, name, base, body := b[1], b[2], b[3], b[4]
		switch kind {
		case "enum":
			sizes[name] = sizes[base]
		case "union":
			defs.unions[name] = regexp.MustCompile(`\w+`).FindAllString(body, -1)
		case "struct":
			end, widest := 0, 1
			for _, m := range parts.FindAllStringSubmatch(body, -1) {
				size := sizes[m[3]]
				end = (end+size-1)/size*size + size
				widest = max(widest, size)
			}
			sizes[name] = (end + widest - 1) / widest * widest
		}
	}
	for _, b := range blocks {
		if b[1] != "table" {
			continue
		}
		members := []string{}
		for _, m := range parts.FindAllStringSubmatch(b[4], -1) {
			name, isVector, of := m[1], m[2] != "", m[3]
			size, scalar := sizes[of]
			switch _, isUnion := defs.unions[of]; {
			case isUnion:
				members = append(members, name+"_type 1", name+" union "+of)
			case of == "string":
				members = append(members, name+" [1]")
			case scalar && isVector:
				members = append(members, fmt.Sprintf("%s [%d]", name, size))
			case scalar:
				members = append(members, fmt.Sprintf("%s %d", name, size))
			case isVector:
				members = append(members, name+" ["+of+"]")
			default:
				members = append(members, name+" "+of)
			}
		}
		defs.tables[b[2]] = members
	}
	return defs
}
