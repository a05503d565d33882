package layout_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/arrowplanes/arrowplanes/layout"
)

// The files of testdata are the layouts of Arrow's types as a person reads
// them. Their commands are
//
//	buffers [version=4|5] [variadic=(n,...)]
//	    the buffers of the schema, and what is not mapped in it
//	nodes
//	    the field nodes of the schema
func TestText(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			schema, err := parseSchema(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			table := layout.Of(schema)
			switch d.Cmd {
			case "buffers":
				return buffersText(t, d, table)
			case "nodes":
				return nodesText(table)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func buffersText(t *testing.T, d *datadriven.TestData, table *layout.Table) string {
	version := layout.V5
	if d.HasArg("version") {
		var v int
		d.ScanArgs(t, "version", &v)
		// Arrow counts from V1, which is 0.
		version = layout.Version(v - 1)
	}
	var counts []int64
	if arg, ok := d.Arg("variadic"); ok {
		for i := range arg.Vals {
			var n int64
			arg.Scan(t, i, &n)
			counts = append(counts, n)
		}
	}
	bufs, err := table.Buffers(version, counts)
	if err != nil {
		return err.Error() + "\n"
	}

	var b strings.Builder
	for i, buf := range bufs {
		width := ""
		if buf.Width != 0 {
			width = fmt.Sprintf("%d B", buf.Width)
		}
		line := fmt.Sprintf("%3d  %-20s %5s   node %d  %s", i, buf.Role, width, buf.Node, buf.Path)
		b.WriteString(line + "\n")
	}
	if len(bufs) == 0 {
		b.WriteString("no buffers\n")
	}
	if err := table.Unmapped(); err != nil {
		b.WriteString(err.Error() + "\n")
	}
	return b.String()
}

func nodesText(table *layout.Table) string {
	var b strings.Builder
	for i, n := range table.Nodes() {
		fmt.Fprintf(&b, "%3d  column %d  parent %2d  %-18s %s\n", i, n.Column, n.Parent, n.Type.Name(), n.Path)
	}
	if v := table.Variadic(); len(v) > 0 {
		fmt.Fprintf(&b, "variadic counts: nodes %d\n", v)
	}
	fmt.Fprintf(&b, "offsets to rewrite: %t\n", table.HasOffsets())
	return b.String()
}
