package layout

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPath bounds the bytes of a path, so that deep nesting or long names, which
// may come from a stranger's schema, cannot make the paths of all nodes much
// larger than the schema.
const maxPath = 256

// joinPath appends a name to its parent's path; "" is the parent of a
// top-level field.
func joinPath(parent, name string) string {
	name = shorten(name)
	if !isPlain(name) {
		name = strconv.Quote(name)
	}
	if parent == "" {
		return shorten(name)
	}
	return shorten(parent + "." + name)
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

// shorten leaves the middle out of a text of more than maxPath bytes. Of a path
// that keeps the column's name in front and the field's own at the end.
func shorten(s string) string {
	if len(s) <= maxPath {
		return s
	}
	const mark = "…"
	head := (maxPath - len(mark)) / 2
	tail := len(s) - (maxPath - len(mark) - head)
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(s[head]); i++ {
		head--
	}
	for i := 0; i < utf8.UTFMax && tail < len(s) && !utf8.RuneStart(s[tail]); i++ {
		tail++
	}
	return s[:head] + mark + s[tail:]
}
