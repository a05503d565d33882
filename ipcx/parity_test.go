package ipcx_test

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const arrowIPC = "github.com/apache/arrow-go/v18/arrow/ipc"

// lacking are the names of arrow-go's package that this one does not have, with
// the reason. A type stands for its methods too.
var lacking = map[string]string{}

// Changing the import line is the whole migration: what arrow-go's package
// exports is here, with the same signature.
func TestParityWithArrowGo(t *testing.T) {
	theirs, ours := parsePackage(t, arrowIPC), parsePackage(t, "github.com/arrowplanes/arrowplanes/ipcx")
	require.NotEmpty(t, theirs.names)

	missing := theirs.missingFrom(ours)
	needed := map[string]bool{}
	for _, m := range missing {
		name, _, _ := strings.Cut(m, ": ")
		typ, _, _ := strings.Cut(name, ".")
		switch {
		case lacking[name] != "":
			needed[name] = true
		case lacking[typ] == "":
			t.Errorf("not in ipcx: %s", m)
		}
	}
	for name := range lacking {
		if !needed[name] {
			t.Errorf("%s is here now: take it off the list of what is lacking", name)
		}
	}
}

// api is what a package exports.
type api struct {
	names   map[string]string // what stands for a name's declaration; "" for a type
	methods map[string]string // signatures of methods, by Type.Method
	aliases map[string]bool   // types that are arrow-go's own
}

// missingFrom lists what a has and other has not, or has otherwise.
func (a *api) missingFrom(other *api) (missing []string) {
	for name, want := range a.names {
		got, ok := other.names[name]
		if !ok {
			missing = append(missing, name+": "+want)
		} else if got != want {
			missing = append(missing, fmt.Sprintf("%s: is %s, not %s", name, got, want))
		}
	}
	for name, want := range a.methods {
		typ, _, _ := strings.Cut(name, ".")
		got, ok := other.methods[name]
		if other.aliases[typ] {
			continue
		}
		if !ok {
			missing = append(missing, name+": "+want)
		} else if got != want {
			missing = append(missing, fmt.Sprintf("%s: is %s, not %s", name, got, want))
		}
	}
	slices.Sort(missing)
	return missing
}

// parsePackage reads the sources of a package.
func parsePackage(t *testing.T, importPath string) *api {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", importPath).Output()
	require.NoError(t, err)
	pkg, err := build.ImportDir(strings.TrimSpace(string(out)), 0)
	require.NoError(t, err)
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(pkg.Dir, name), nil, 0)
		require.NoError(t, err)
		files = append(files, f)
	}
	return newAPI(files)
}

func newAPI(files []*ast.File) *api {
	a := &api{names: map[string]string{}, methods: map[string]string{}, aliases: map[string]bool{}}
	for _, f := range files {
		a.findAliases(f)
	}
	for _, f := range files {
		w := typeWriter{imports: importsOf(f), aliases: a.aliases}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				a.addFunc(w, d)
			case *ast.GenDecl:
				a.addSpecs(w, d)
			}
		}
	}
	return a
}

// importsOf returns the paths that a file imports, by the names they have there.
func importsOf(f *ast.File) map[string]string {
	imports := map[string]string{}
	for _, imp := range f.Imports {
		p, _ := strconv.Unquote(imp.Path.Value)
		name := path.Base(p)
		if imp.Name != nil {
			name = imp.Name.Name
		}
		imports[name] = p
	}
	return imports
}

// findAliases notes the types that are declared as arrow-go's of the same name.
func (a *api) findAliases(f *ast.File) {
	imports := importsOf(f)
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || !spec.Assign.IsValid() {
			return true
		}
		if sel, ok := spec.Type.(*ast.SelectorExpr); ok && sel.Sel.Name == spec.Name.Name &&
			imports[sel.X.(*ast.Ident).Name] == arrowIPC {
			a.aliases[spec.Name.Name] = true
		}
		return true
	})
}

func (a *api) addFunc(w typeWriter, d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		a.names[d.Name.Name] = "func" + w.signature(d.Type)
		return
	}
	recv := w.expr(d.Recv.List[0].Type)
	if typ := strings.TrimPrefix(recv, "*"); ast.IsExported(typ) {
		a.methods[typ+"."+d.Name.Name] = "func" + w.signature(d.Type)
	}
}

func (a *api) addSpecs(w typeWriter, d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					a.names[name.Name] = d.Tok.String()
				}
			}
		case *ast.TypeSpec:
			if !spec.Name.IsExported() {
				continue
			}
			a.names[spec.Name.Name] = "type"
			if iface, ok := spec.Type.(*ast.InterfaceType); ok {
				for _, m := range iface.Methods.List {
					for _, name := range m.Names {
						a.methods[spec.Name.Name+"."+name.Name] = "func" + w.signature(m.Type.(*ast.FuncType))
					}
					if len(m.Names) == 0 {
						a.methods[spec.Name.Name+"."+w.expr(m.Type)] = "embedded"
					}
				}
			}
			if st, ok := spec.Type.(*ast.StructType); ok {
				for _, field := range st.Fields.List {
					for _, name := range field.Names {
						if name.IsExported() {
							a.methods[spec.Name.Name+"."+name.Name] = w.expr(field.Type)
						}
					}
				}
			}
		}
	}
}

// typeWriter writes types out so that they compare across packages: packages by
// their path, but arrow-go's ipc only where the type is not one's own.
type typeWriter struct {
	imports map[string]string
	aliases map[string]bool
}

func (w typeWriter) signature(f *ast.FuncType) string {
	s := "(" + w.fields(f.Params) + ")"
	if f.Results != nil {
		s += " (" + w.fields(f.Results) + ")"
	}
	return s
}

func (w typeWriter) fields(list *ast.FieldList) string {
	var types []string
	for _, f := range list.List {
		for range max(len(f.Names), 1) {
			types = append(types, w.expr(f.Type))
		}
	}
	return strings.Join(types, ", ")
}

func (w typeWriter) expr(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		p := w.imports[e.X.(*ast.Ident).Name]
		if p == arrowIPC && w.aliases[e.Sel.Name] {
			return e.Sel.Name
		}
		return p + "." + e.Sel.Name
	case *ast.StarExpr:
		return "*" + w.expr(e.X)
	case *ast.Ellipsis:
		return "..." + w.expr(e.Elt)
	case *ast.ArrayType:
		if e.Len == nil {
			return "[]" + w.expr(e.Elt)
		}
		return "[" + w.expr(e.Len) + "]" + w.expr(e.Elt)
	case *ast.BasicLit:
		return e.Value
	case *ast.MapType:
		return "map[" + w.expr(e.Key) + "]" + w.expr(e.Value)
	case *ast.FuncType:
		return "func" + w.signature(e)
	case *ast.InterfaceType:
		if len(e.Methods.List) == 0 {
			return "any"
		}
	}
	return fmt.Sprintf("%T", e)
}

// The comparison itself has to see each kind of difference.
func TestParityFindsDifferences(t *testing.T) {
	parse := func(src string) *api {
		f, err := parser.ParseFile(token.NewFileSet(), "x.go", src, 0)
		require.NoError(t, err)
		return newAPI([]*ast.File{f})
	}
	theirs := parse(`package ipc
		import ("io"; "x/arrow")
		const A, B = 1, 2
		var V = 1
		type T struct { Field int; hidden int }
		type I interface { M(n int) error; io.Reader }
		type Own struct{}
		type hidden struct{}
		func F(a, b int, w io.Writer) (T, error)
		func G(I) *Own
		func h()
		func (t *T) Get() arrow.Schema
		func (t T) Set(...string)
		func (t *T) hide()
		func (o *Own) Do()
		func (hidden) Shown()`)
	same := `package ipcx
		import ("io"; "github.com/apache/arrow-go/v18/arrow/ipc"; . "strings"; other "x/arrow")
		const A, B, C = 1, 2, 3
		var V = ipc.V
		type (T = ipc.T; I = ipc.I)
		type Own struct{}
		func F(one int, two int, _ io.Writer) (t ipc.T, err error)
		func G(i ipc.I) *Own
		func (o *Own) Do()
		func (o *Own) More() other.Schema`
	require.Empty(t, theirs.missingFrom(parse(same)))
	require.Empty(t, theirs.missingFrom(theirs))

	for _, c := range []struct{ old, new, want string }{
		{"A, B, C", "A, C", "B: const"},
		{"var V", "var W", "V: var"},
		{"var V", "const V", "V: is const, not var"},
		{"func F", "func f", "F: func(int, int, io.Writer) (T, error)"},
		{"one int, two int", "one, two int64", "F: is func(int64, int64, io.Writer) (T, error), not func(int, int, io.Writer) (T, error)"},
		{"_ io.Writer", "_ ...io.Writer", "F: is func(int, int, ...io.Writer) (T, error), not func(int, int, io.Writer) (T, error)"},
		{"ipc.I) *Own", "ipc.I) *ipc.Own", "G: is func(I) (*" + arrowIPC + ".Own), not func(I) (*Own)"},
		{"func (o *Own) Do()", "", "Own.Do: func()"},
		{"Do()", "Do() error", "Own.Do: is func() (error), not func()"},
		{"T = ipc.T", "T struct { Field int }", "T.Get: func() (x/arrow.Schema)"},
		{"T = ipc.T", "T struct { }", "T.Field: int"},
		{"I = ipc.I", "I interface { io.Reader }", "I.M: func(int) (error)"},
		{"I = ipc.I", "I interface { M(int) error }", "I.io.Reader: embedded"},
		{"type Own", "type Self", "Own: type"},
	} {
		require.Contains(t, same, c.old)
		require.Contains(t, theirs.missingFrom(parse(strings.Replace(same, c.old, c.new, 1))), c.want)
	}
}
