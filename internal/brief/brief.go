// Package brief cuts texts of strangers, such as the names in their schemas, to
// lengths that an error or a path can have.
package brief

import "unicode/utf8"

// Max bounds the bytes of a text.
const Max = 256

// Text leaves the middle out of a text of more than Max bytes. Of a path that keeps
// the column's name in front and the field's own at the end.
func Text(s string) string {
	if len(s) <= Max {
		return s
	}
	const mark = "…"
	head := (Max - len(mark)) / 2
	tail := len(s) - (Max - len(mark) - head)
	for i := 0; i < utf8.UTFMax && !utf8.RuneStart(s[head]); i++ {
		head--
	}
	for i := 0; i < utf8.UTFMax && tail < len(s) && !utf8.RuneStart(s[tail]); i++ {
		tail++
	}
	return s[:head] + mark + s[tail:]
}
