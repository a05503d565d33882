package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/stretchr/testify/require"
)

// A long name, type or metadata of one field does not make the lines of all others
// as long.
func TestSchemaOfLongTexts(t *testing.T) {
	long := strings.Repeat("n", 1<<20)
	keys, values := []string{long}, []string{long}
	for i := range 100 {
		keys, values = append(keys, strings.Repeat("k", 50)+string(rune(' '+i))), append(values, "value")
	}
	dt := arrow.DataType(&arrow.TimestampType{Unit: arrow.Second, TimeZone: long})
	field := arrow.Field{Name: long, Type: dt, Metadata: arrow.NewMetadata(keys, values)}
	for range 50 {
		field = arrow.Field{Name: "s", Type: arrow.StructOf(field)}
	}
	var out bytes.Buffer
	require.NoError(t, ipc.NewWriter(&out, ipc.WithSchema(arrow.NewSchema([]arrow.Field{field}, nil))).Close())
	path := writeFile(t, filepath.Join(t.TempDir(), "long.arrows"), out.Bytes())

	text := requireTool(t, "schema", path)
	require.Less(t, len(text), 51*500)
	require.Contains(t, text, strings.Repeat("n", 119)+"…  timestamp[s, tz=n")

	var info schemaInfo
	require.NoError(t, json.Unmarshal([]byte(requireTool(t, "schema", "--json", path)), &info))
	f := &info.Fields[0]
	for range 50 {
		f = &f.Children[0]
	}
	require.Equal(t, long, f.Name)
	require.Len(t, f.Metadata, 101)
}
