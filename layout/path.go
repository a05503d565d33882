package layout

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/arrowplanes/arrowplanes/internal/brief"
)

// joinPath appends a name to its parent's path; "" is the parent of a
// top-level field. It keeps paths brief, so that deep nesting or long names, which
// may come from a stranger's schema, cannot make the paths of all nodes much larger
// than the schema.
func joinPath(parent, name string) string {
	name = brief.Text(name)
	if !isPlain(name) {
		name = strconv.Quote(name)
	}
	if parent == "" {
		return brief.Text(name)
	}
	return brief.Text(parent + "." + name)
}

// isPlain reports whether a name can stand in a path without quotes.
func isPlain(name string) bool {
	if name == "" || !utf8.ValidString(name) || strings.TrimSpace(name) != name {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return r == '.' || r == '"' || !unicode.IsPrint(r)
	})
}
