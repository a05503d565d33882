// Package verify checks Arrow's metadata before anybody reads it.
//
// The accessors that flatc generates for Go trust their bytes. A message is a
// web of offsets, and each of them may lie:
//
//	buf   +0  root            ---> table, as a distance from here
//	      ...
//	vtable+0  uint16          bytes of the vtable
//	      +2  uint16          bytes of the table, or of one that shares the vtable
//	      +4  uint16 ...      where in the table each member is, 0: absent
//	      ...
//	table +0  int32           <--- how far back the vtable is
//	      +4  members         scalars and structs as they are; for a vector,
//	                          a string or a table: its distance from here
//	      ...
//	vector+0  uint32          entries
//	      +4  entries         scalars, structs, or distances to tables
//
// After Message or Footer returned nil, every accessor of the table and of all
// that hangs from it reads within buf, those of package flatbuf and arrow-go's
// alike, and so does UnPack. Types are those of Arrow's, as far as their type number
// is known: widths, units, precisions and type ids are in range, and fields have the
// children that their type asks for. What other numbers mean is not checked: a buffer
// may lie outside of its body, and an accessor of a vector's entry still takes any
// index.
//
// The check is lenient where Go is: nothing need be aligned, strings need
// neither be UTF-8 nor end in a zero, and unknown members are not looked at.
// It is strict where a lie could cost time or memory: see MaxDepth, MaxFields,
// MaxShare and MaxCopy.
package verify

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/arrowplanes/arrowplanes/internal/brief"
)

const (
	// MaxDepth bounds how deep tables may nest, the root counted. Arrow's
	// implementations stop at 64 nested fields; a message, a schema, a type
	// and a few more go around these.
	MaxDepth = 72

	// MaxFields bounds how many fields a schema has, those inside of fields
	// counted. A field takes a few bytes of metadata, fewer yet where tables are
	// shared, and some thousand bytes of a reader's memory.
	MaxFields = 1 << 17

	// MaxInnerFields bounds how many of them are inside of fields that have a
	// dictionary. A reader goes through these for every record batch, whose
	// metadata, unlike with other fields, has nothing of them.
	MaxInnerFields = 1 << 12

	// MaxShare bounds what a copy of everything takes: tables, vectors and
	// strings, padding counted, may add up to MaxShare times the buffer's length
	// and 64 KiB. FlatBuffers may share one table between many others, and shared
	// tables that share tables would otherwise grow a few hundred bytes beyond any
	// memory. Without sharing they add up to twice what the buffer has at most.
	MaxShare = 8

	// MaxCopy bounds the same, however long the buffer is, in bytes: Go's
	// FlatBuffers builder panics when it has to grow beyond a gigabyte.
	MaxCopy = 1 << 29
)

// Error tells which part of the metadata is malformed.
type Error struct {
	// Path leads from the root to the culprit, as in
	// Message.header(Schema).fields[2].children[0].name.
	Path string
	// Problem says what is wrong there, with the numbers that disagree.
	// Positions are in bytes from the start of the buffer.
	Problem string
	// Limit tells what passes MaxDepth, MaxFields, MaxInnerFields or MaxCopy, and
	// may be sound otherwise.
	Limit bool
}

// Error returns the path, its middle left out where it is long, and the problem in
// one line.
func (e *Error) Error() string {
	return "verify: " + brief.Text(e.Path) + ": " + e.Problem
}

// Message checks the metadata of an encapsulated message: the bytes that follow
// the metadata length, padding included or not. Its error is an *Error.
//
// After nil, these members are there: the header of the message, the type of
// each field, the indexType of each dictionary encoding and the data of a
// dictionary batch. Type numbers may be unknown and are the reader's to refuse;
// of a table of an unknown type only its own bounds are checked. Arrow lets
// indexType be absent, for int32, but arrow-go's reader panics on that.
func Message(buf []byte) error { return check(buf, message) }

// Footer checks the footer of a file: the bytes between the last block and the
// footer's length at the end. Its error is an *Error.
//
// Of the schema in the footer, the members that Message names are there after
// nil. The schema itself need not be: Footer.Schema returns nil then.
func Footer(buf []byte) error { return check(buf, footer) }

func check(buf []byte, root tableID) error {
	v := verifier{buf: buf, left: min(MaxShare*int64(len(buf))+64<<10, MaxCopy)}
	var err *Error
	switch {
	case len(buf) > math.MaxInt32:
		err = problem("%d bytes, more than FlatBuffers can address, %d", len(buf), math.MaxInt32)
	case len(buf) < 4:
		err = problem("%d bytes, too few for the offset of the root, 4", len(buf))
	default:
		err = v.table(int64(v.uint32(0)), root, 1)
	}
	if err == nil {
		return nil
	}
	err.Path = specs[root].name + err.Path
	return err
}

// verifier walks one buffer. Positions are int64, so that no sum of two
// offsets overflows, on 32-bit machines either.
type verifier struct {
	buf  []byte
	left int64 // bytes that a copy of what is still to come may take

	fields int // so far
	inner  int // of these, inside of fields that have a dictionary
	inside int // how many such fields are around
}

// table checks the table at pos and everything below it. The path in its error
// starts behind the table's own name.
func (v *verifier) table(pos int64, id tableID, depth int) *Error {
	end := int64(len(v.buf))
	if depth > MaxDepth {
		return limit("nested deeper than %d tables", MaxDepth)
	}
	if id == field {
		if v.fields++; v.fields > MaxFields {
			return limit("more than %d fields", MaxFields)
		}
		if v.inside > 0 {
			if v.inner++; v.inner > MaxInnerFields {
				return limit("more than %d fields inside of dictionaries", MaxInnerFields)
			}
		}
	}
	if pos > end-4 {
		return problem("table at %d passes the end, %d bytes", pos, end)
	}
	vtable := pos - int64(int32(v.uint32(pos)))
	if vtable < 0 || vtable > end-4 {
		return problem("vtable at %d is outside of %d bytes", vtable, end)
	}
	vsize := int64(v.uint16(vtable))
	switch {
	case vsize < 4 || vsize%2 != 0:
		return problem("vtable at %d has %d bytes, not an even number from 4 on", vtable, vsize)
	case vsize > end-vtable:
		return problem("vtable of %d bytes at %d passes the end, %d bytes", vsize, vtable, end)
	}
	// Go's builder lets tables share a vtable whose members stand alike, though
	// the tables may be of different sizes: the size that it gives may be that
	// of another table, so members are held against the end of all bytes alone.
	inside := v.inside
	size := int64(4) // of the members and what leads to the vtable
	var before int64 // the position of the member before, 0: absent
	for i := range specs[id].members {
		m := &specs[id].members[i]
		var at int64
		if slot := 4 + 2*int64(i); slot < vsize {
			if offset := int64(v.uint16(vtable + slot)); offset != 0 {
				width := int64(4)
				if m.kind == inline {
					width = int64(m.size)
				}
				if offset < 4 || offset > end-pos-width {
					return problem("%d bytes at %d of the table at %d pass its start or the end, %d bytes",
						width, offset, pos, end).in(m.name)
				}
				at = pos + offset
				size += width
			}
		}
		if err := v.member(at, before, m, depth); err != nil {
			return err
		}
		if m.of == dictionaryEncoding && at != 0 {
			v.inside++ // and a field's children follow
		}
		before = at
	}
	v.inside = inside
	if err := v.copied(size); err != nil {
		return err
	}
	return v.sense(id, pos)
}

// member checks what the member at a position, 0 if it is absent, leads to.
func (v *verifier) member(at, before int64, m *member, depth int) *Error {
	if m.kind == union {
		return v.union(at, before, m, depth)
	}
	if at == 0 {
		if m.required {
			return problem("is required and absent").in(m.name)
		}
		return nil
	}
	switch m.kind {
	case inline:
		if m.names > 0 {
			if n := int(int16(v.uint16(at))); n < 0 || n >= m.names {
				return problem("%d, outside of 0 to %d", n, m.names-1).in(m.name)
			}
		}
	case vector:
		_, _, err := v.vector(at, int64(m.size))
		return err.in(m.name)
	case table:
		return v.table(v.follow(at), m.of, depth+1).in(m.name)
	case tables:
		entries, n, err := v.vector(at, 4)
		if err != nil {
			return err.in(m.name)
		}
		for i := range n {
			if err := v.table(v.follow(entries+4*i), m.of, depth+1); err != nil {
				return err.in(fmt.Sprintf("%s[%d]", m.name, i))
			}
		}
	}
	return nil
}

// union checks a union, whose type number is the member before it. It has both
// or neither.
func (v *verifier) union(at, number int64, m *member, depth int) *Error {
	var n int
	if number != 0 {
		n = int(v.buf[number])
	}
	if at == 0 || n == 0 {
		switch {
		case at != 0:
			return problem("has a table and no type number").in(m.name)
		case n != 0:
			return problem("has type number %d and no table", n).in(m.name)
		case m.required:
			return problem("is required and absent").in(m.name)
		}
		return nil
	}
	id := opaque
	if n < len(m.alternatives) {
		id = m.alternatives[n]
	}
	if err := v.table(v.follow(at), id, depth+1); err != nil {
		if id == opaque {
			return err.in(fmt.Sprintf("%s(%d)", m.name, n))
		}
		return err.in(fmt.Sprintf("%s(%s)", m.name, specs[id].name))
	}
	return nil
}

// vector checks the vector that the member at a position leads to. It returns
// where the entries start and their number.
func (v *verifier) vector(at, size int64) (entries, n int64, err *Error) {
	pos, end := v.follow(at), int64(len(v.buf))
	if pos > end-4 {
		return 0, 0, problem("vector at %d passes the end, %d bytes", pos, end)
	}
	n = int64(v.uint32(pos))
	if entries = pos + 4; n*size > end-entries {
		return 0, 0, problem("%d entries of %d bytes at %d pass the end, %d bytes", n, size, entries, end)
	}
	return entries, n, v.copied(4 + n*size + 1) // of strings, an end of 0
}

// copied takes what a copy of n bytes and their padding takes off what is left.
func (v *verifier) copied(n int64) *Error {
	if v.left -= (n + 7) &^ 7; v.left >= 0 {
		return nil
	}
	if MaxShare*int64(len(v.buf)) >= MaxCopy {
		return limit("tables and vectors of more than %d bytes", MaxCopy)
	}
	return problem("tables and vectors share more than %d times the buffer's %d bytes", MaxShare, len(v.buf))
}

// follow returns what the offset at a position leads to, which may be outside.
func (v *verifier) follow(at int64) int64 { return at + int64(v.uint32(at)) }

func (v *verifier) uint16(at int64) uint16 { return binary.LittleEndian.Uint16(v.buf[at:]) }

func (v *verifier) uint32(at int64) uint32 { return binary.LittleEndian.Uint32(v.buf[at:]) }

func problem(format string, args ...any) *Error {
	return &Error{Problem: fmt.Sprintf(format, args...)}
}

func limit(format string, most int) *Error {
	return &Error{Problem: fmt.Sprintf(format, most), Limit: true}
}

// in puts the error below a member, nil included.
func (e *Error) in(name string) *Error {
	if e != nil {
		e.Path = "." + name + e.Path
	}
	return e
}
