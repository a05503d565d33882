package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/spf13/cobra"
)

type schemaFlags struct {
	limits limits
	json   bool
}

func (a *app) schemaCommand() *cobra.Command {
	f := &schemaFlags{}
	cmd := &cobra.Command{
		Use:   "schema FILE",
		Short: "Print the schema, with metadata",
		Long: `Prints the schema of an Arrow stream or file: its fields with their types, nested
ones below the field that they are in, and the custom metadata of the schema, of
each field and of a file's footer. Long names, types and metadata of fields are cut,
but with --json. FILE - is standard input.`,
		Example: `  ipcx schema table.arrow
  ipcx schema --json table.arrow`,
		Args:              exactArgs(1, "FILE"),
		ValidArgsFunction: arrowFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.schema(cmd.Context(), args[0], f)
		},
	}
	f.limits.addTo(cmd.Flags())
	cmd.Flags().BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// schemaInfo is a schema as JSON has it.
type schemaInfo struct {
	File           string            `json:"file"`
	Format         string            `json:"format"`
	Endianness     string            `json:"endianness"`
	Fields         []fieldInfo       `json:"fields"`
	Metadata       map[string]string `json:"metadata,omitempty"`
	FooterMetadata map[string]string `json:"footer_metadata,omitempty"`
}

type fieldInfo struct {
	Name     string            `json:"name"`
	Type     string            `json:"type"`
	Nullable bool              `json:"nullable"`
	Metadata map[string]string `json:"metadata,omitempty"`
	Children []fieldInfo       `json:"children,omitempty"`
}

func (a *app) schema(ctx context.Context, name string, f *schemaFlags) error {
	in, err := a.open(ctx, name)
	if err != nil {
		return err
	}
	defer in.close()
	b, err := readBatches(ctx, in, f.limits.options()...)
	if err != nil {
		return err
	}
	defer b.close()
	info := schemaInfo{
		File:           in.name,
		Format:         in.format().String(),
		Endianness:     b.schema.Endianness().String(),
		Fields:         describeFields(b.schema.Fields()),
		Metadata:       metadataMap(b.schema.Metadata()),
		FooterMetadata: metadataMap(b.footer),
	}
	if f.json {
		return a.printJSON(info)
	}
	a.printSchema(&info, b.schema.Metadata(), b.footer)
	return nil
}

// describeFields describes fields and those in them. It is never nil.
func describeFields(fields []arrow.Field) []fieldInfo {
	infos := make([]fieldInfo, 0, len(fields))
	for _, field := range fields {
		info := fieldInfo{Name: field.Name, Type: typeName(field.Type), Nullable: field.Nullable, Metadata: metadataMap(field.Metadata)}
		if nested, ok := storageType(field.Type).(arrow.NestedType); ok {
			info.Children = describeFields(nested.Fields())
		}
		infos = append(infos, info)
	}
	return infos
}

// typeName names a type. What is in a nested one has lines of its own.
func typeName(dt arrow.DataType) string {
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return fmt.Sprintf("extension %s of %s", dt.ExtensionName(), typeName(dt.StorageType()))
	case *arrow.FixedSizeListType:
		return fmt.Sprintf("%s[%d]", dt.Name(), dt.Len())
	case arrow.NestedType:
		return dt.Name()
	case *arrow.DictionaryType:
		name := fmt.Sprintf("dictionary of %s, indices %s", typeName(dt.ValueType), dt.IndexType)
		if dt.Ordered {
			name += ", ordered"
		}
		return name
	}
	return dt.String()
}

// storageType returns what an extension is stored as, and the values of a
// dictionary.
func storageType(dt arrow.DataType) arrow.DataType {
	for {
		switch t := dt.(type) {
		case arrow.ExtensionType:
			dt = t.StorageType()
		case *arrow.DictionaryType:
			dt = t.ValueType
		default:
			return dt
		}
	}
}

func metadataMap(md arrow.Metadata) map[string]string {
	if md.Len() == 0 {
		return nil
	}
	return md.ToMap()
}

func (a *app) printSchema(info *schemaInfo, schema, footer arrow.Metadata) {
	fmt.Fprintf(a.stdout, "%s: %s, %s-endian, %s\n\n", printable(info.File), info.Format, strings.ToLower(info.Endianness), count(int64(len(info.Fields)), "column"))
	t := newTable("FIELD", "TYPE", "", "METADATA")
	for _, field := range info.Fields {
		appendField(t, field, "")
	}
	t.render(a.stdout)
	printMetadata(a.stdout, "schema", schema)
	printMetadata(a.stdout, "footer", footer)
}

// How many characters of a name, a type, a piece of metadata and all of a field's a
// table of fields shows: every line is padded to the widest one.
const (
	schemaName     = 120
	schemaType     = 120
	schemaValue    = 60
	schemaMetadata = 1000
)

func appendField(t *textTable, field fieldInfo, indent string) {
	null := "not null"
	if field.Nullable {
		null = "nullable"
	}
	var metadata []string
	for _, key := range sortedKeys(field.Metadata) {
		metadata = append(metadata, shorten(printable(key), schemaValue)+"="+shorten(printable(field.Metadata[key]), schemaValue))
	}
	name := shorten(printable(field.Name), schemaName)
	if name == "" {
		name = `""`
	}
	t.row(indent+name, shorten(printable(field.Type), schemaType), null, shorten(strings.Join(metadata, ", "), schemaMetadata))
	for _, child := range field.Children {
		appendField(t, child, indent+"  ")
	}
}

func printMetadata(w io.Writer, of string, md arrow.Metadata) {
	if md.Len() == 0 {
		return
	}
	fmt.Fprintf(w, "\nmetadata of the %s:\n", of)
	for i, key := range md.Keys() {
		fmt.Fprintf(w, "  %s = %s\n", printable(key), printable(md.Values()[i]))
	}
}
