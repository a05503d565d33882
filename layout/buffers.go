package layout

import "fmt"

// Version is a metadata version, by the numbers of Arrow's MetadataVersion.
type Version int16

// The versions that files are written in today. The earlier ones, V1 to V3, are
// 0 to 2 and have the layout of V4.
const (
	// V4 is the version of Arrow 0.8 to 0.17: unions have a validity buffer.
	V4 Version = 3
	// V5 is the version of Arrow 1.0 and later: unions have none.
	V5 Version = 4
)

// Buffer describes one body buffer of a record batch message.
type Buffer struct {
	Role  Role   // what it holds
	Node  int    // index of its field node in the message
	Width int    // bytes an entry; 0 where entries are bits or bytes
	Path  string // its field, as the package comment describes it
}

// maxVariadic bounds how many ViewData buffers a message may claim. Each one
// takes 16 bytes of the message's metadata, so that no message within any sane
// limit reaches it.
const maxVariadic = 1 << 24

// NumBuffers counts the body buffers of a message without listing them: the
// length of what [Table.Buffers] gives for the same arguments, with the same
// errors. Compare it with the number of buffers that the message really has
// before calling Buffers on counts that came from a stranger.
func (t *Table) NumBuffers(v Version, variadicCounts []int64) (int, error) {
	if t.opaque != nil {
		return 0, t.opaque
	}
	if v < 0 || v > V5 {
		return 0, fmt.Errorf("%w: %d, the known ones are 0 to %d", ErrVersion, v, V5)
	}
	if len(variadicCounts) != len(t.variadic) {
		return 0, fmt.Errorf("%w: %d of them, the schema has %d fields of views",
			ErrVariadicCounts, len(variadicCounts), len(t.variadic))
	}
	var sum int64
	for i, c := range variadicCounts {
		if c < 0 || c > maxVariadic-sum {
			return 0, fmt.Errorf("%w: %d buffers for field %s, after %d for the fields before it; a message may have 0 to %d",
				ErrVariadicCounts, c, t.nodes[t.variadic[i]].Path, sum, maxVariadic)
		}
		sum += c
	}
	return len(t.fixed(v)) + int(sum), nil
}

// Buffers lists the body buffers of a message in body order. variadicCounts are
// the message's variadicBufferCounts, one for each entry of [Table.Variadic],
// none for a schema without views.
//
// Errors: an *UnmappedError if the schema has a type that is unknown, or too
// many nodes; ErrVersion if v is none of Arrow's versions; ErrVariadicCounts if
// the number of counts differs from what the schema needs, a count is negative,
// or their sum is beyond anything that a message can hold.
//
// The slice may be shared and must not be modified. For a schema without views
// it is made once, by Of, and a call costs nothing.
func (t *Table) Buffers(v Version, variadicCounts []int64) ([]Buffer, error) {
	n, err := t.NumBuffers(v, variadicCounts)
	if err != nil {
		return nil, err
	}
	fixed := t.fixed(v)
	if n == len(fixed) {
		return fixed, nil
	}

	all := make([]Buffer, 0, n)
	views := 0
	for _, buf := range fixed {
		all = append(all, buf)
		if buf.Role != Views {
			continue
		}
		for range variadicCounts[views] {
			all = append(all, Buffer{Role: ViewData, Node: buf.Node, Path: buf.Path})
		}
		views++
	}
	return all, nil
}

// fixed gives the buffers that every message has, which is all but ViewData.
func (t *Table) fixed(v Version) []Buffer {
	if v < V5 {
		return t.v4
	}
	return t.v5
}
