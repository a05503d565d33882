package ipcx_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/endian"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"
)

// This is a reader of record batch messages that follows FORMAT.md to the
// letter and shares nothing with the module, not even the accessors of
// FlatBuffers tables. It shows that the text is enough to write one.

// breach is the number of a rule in FORMAT.md, "What a reader refuses", that a
// message breaks.
type breach int

func (r breach) Error() string { return fmt.Sprintf("breaks rule %d of FORMAT.md", int(r)) }

// readByTheText returns the contents of a message's buffers.
func readByTheText(schema *arrow.Schema, m raw) ([][]byte, error) {
	message := rootTable(m.metadata)
	batch, dictionary := message.table(2), message.byte(1) == 2
	if dictionary {
		batch = batch.table(1)
	}
	codec, flagged := -2, false // -2: no compression at all
	compression := batch.table(3)
	if compression.buf != nil {
		codec = int(int8(compression.byte(0)))
		flagged = codec < 0
	}
	buffers := batch.structs(2)
	for _, b := range buffers {
		if (b[0] < 0) != flagged {
			return nil, breach(1)
		}
	}
	var layout textLayout
	nodes := batch.structs(1)
	if flagged {
		if err := layout.admit(schema, message, batch, dictionary, len(nodes), len(buffers)); err != nil {
			return nil, err
		}
		for _, node := range nodes {
			if node[0] < 0 {
				return nil, breach(12)
			}
		}
	}

	var contents [][]byte
	for i, b := range buffers {
		content, err := contentByTheText(codec, b[0]&math.MaxInt64, b[1], m.body)
		if err != nil {
			return nil, err
		}
		if flagged && layout.widths[i] > 0 {
			w, n := layout.widths[i], nodes[layout.nodes[i]][0]
			if n >= 1 && n > int64(len(content)/w)-1 {
				return nil, breach(16)
			}
			if n >= 1 {
				content = joinByTheText(content, int(n), w)
			}
		}
		contents = append(contents, content)
	}
	return contents, nil
}

func contentByTheText(codec int, at, length int64, body []byte) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	size := int64(len(body))
	if length < 0 || length > size || at > size-length {
		return nil, breach(13)
	}
	stored := body[at : at+length]
	if codec == -1 || codec == -2 {
		return stored, nil
	}
	if len(stored) < 8 {
		return nil, breach(14)
	}
	p, rest := int64(binary.LittleEndian.Uint64(stored)), stored[8:]
	switch {
	case p == -1:
		return rest, nil
	case p < -1:
		return nil, breach(14)
	case p == 0:
		return nil, nil
	}
	var out []byte
	var err error
	if codec&0x7F == 0 {
		out, err = io.ReadAll(io.LimitReader(lz4.NewReader(bytes.NewReader(rest)), p+1))
	} else {
		var dec *zstd.Decoder
		if dec, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1)); err == nil {
			defer dec.Close()
			out, err = dec.DecodeAll(rest, nil)
		}
	}
	if err != nil || int64(len(out)) != p {
		return nil, breach(15)
	}
	return out, nil
}

func joinByTheText(planes []byte, n, w int) []byte {
	out := bytes.Clone(planes)
	put := func(at int, o uint64) {
		for j := range w {
			out[at+j] = byte(o >> (8 * j))
		}
	}
	o := uint64(0)
	for j := range w {
		o |= uint64(planes[j]) << (8 * j)
	}
	for i := range n {
		for j := range w {
			o += uint64(planes[w+j*n+i]) << (8 * j) // what is carried beyond w bytes is never written
		}
		put(w+i*w, o)
	}
	return out
}

// textLayout says of each buffer which node it belongs to, and how wide its
// offsets are if it holds any.
type textLayout struct {
	fields int
	nodes  []int
	widths []int
}

// admit checks what can be checked of a flagged message before its body.
func (l *textLayout) admit(schema *arrow.Schema, message, batch fbTable, dictionary bool, nodes, buffers int) error {
	switch {
	case dictionary:
		return breach(2)
	case message.byte(0) != 4: // V5; the upper byte of the int16 is 0
		return breach(3)
	}
	for _, entry := range message.tables(4) {
		if string(entry.bytes(0)) == "arrowplanes.encodings" {
			return breach(4)
		}
	}
	compression := batch.table(3)
	if c := compression.byte(0); c != 0x80 && c != 0x81 && c != 0xFF {
		return breach(5)
	}
	if compression.byte(1) != 0 {
		return breach(6)
	}
	if schema.Endianness() != endian.LittleEndian {
		return breach(7)
	}
	for _, field := range schema.Fields() {
		if !l.add(field.Type) {
			return breach(8)
		}
	}
	switch {
	case batch.count(4) != 0:
		return breach(9)
	case nodes != l.fields:
		return breach(10)
	case buffers != len(l.widths):
		return breach(11)
	}
	return nil
}

// add adds a field and its children, and says whether they are mapped.
func (l *textLayout) add(dt arrow.DataType) bool {
	node := l.fields
	buffers := func(widths ...int) {
		l.fields++
		for _, w := range widths {
			l.nodes, l.widths = append(l.nodes, node), append(l.widths, w)
		}
	}
	switch dt := dt.(type) {
	case arrow.ExtensionType:
		return l.add(dt.StorageType())
	case *arrow.NullType:
		buffers()
	case *arrow.BinaryType, *arrow.StringType:
		buffers(0, 4, 0)
	case *arrow.LargeBinaryType, *arrow.LargeStringType:
		buffers(0, 8, 0)
	case *arrow.ListType:
		buffers(0, 4)
		return l.add(dt.Elem())
	case *arrow.LargeListType:
		buffers(0, 8)
		return l.add(dt.Elem())
	case *arrow.MapType:
		buffers(0, 4)
		return l.add(dt.Elem())
	case *arrow.FixedSizeListType:
		buffers(0)
		return l.add(dt.Elem())
	case *arrow.StructType:
		buffers(0)
		for _, field := range dt.Fields() {
			if !l.add(field.Type) {
				return false
			}
		}
	case *arrow.DictionaryType, arrow.BinaryViewDataType, arrow.UnionType, arrow.NestedType, arrow.EncodedType:
		return false
	default:
		buffers(0, 0)
	}
	return true
}

// fbTable is a FlatBuffers table. The zero value is an absent one.
type fbTable struct {
	buf []byte
	at  int
}

func rootTable(buf []byte) fbTable { return fbTable{buf, fbUint32(buf, 0)} }

func fbUint32(buf []byte, at int) int { return int(binary.LittleEndian.Uint32(buf[at:])) }

// member returns where a member of the table stands, 0 if it is absent.
func (t fbTable) member(slot int) int {
	if t.buf == nil {
		return 0
	}
	vtable := t.at - int(int32(fbUint32(t.buf, t.at)))
	if 4+2*slot+2 > int(binary.LittleEndian.Uint16(t.buf[vtable:])) {
		return 0
	}
	if offset := int(binary.LittleEndian.Uint16(t.buf[vtable+4+2*slot:])); offset != 0 {
		return t.at + offset
	}
	return 0
}

func (t fbTable) byte(slot int) byte {
	if at := t.member(slot); at != 0 {
		return t.buf[at]
	}
	return 0
}

func (t fbTable) table(slot int) fbTable {
	if at := t.member(slot); at != 0 {
		return fbTable{t.buf, at + fbUint32(t.buf, at)}
	}
	return fbTable{}
}

// entries returns where the entries of a vector start. There are count of them.
func (t fbTable) entries(slot int) int {
	at := t.member(slot)
	return at + fbUint32(t.buf, at) + 4
}

func (t fbTable) count(slot int) int {
	if t.member(slot) == 0 {
		return 0
	}
	return fbUint32(t.buf, t.entries(slot)-4)
}

// structs returns a vector of structs of two int64.
func (t fbTable) structs(slot int) [][2]int64 {
	all := make([][2]int64, t.count(slot))
	for i := range all {
		p := t.buf[t.entries(slot)+16*i:]
		all[i] = [2]int64{int64(binary.LittleEndian.Uint64(p)), int64(binary.LittleEndian.Uint64(p[8:]))}
	}
	return all
}

func (t fbTable) tables(slot int) []fbTable {
	all := make([]fbTable, t.count(slot))
	for i := range all {
		at := t.entries(slot) + 4*i
		all[i] = fbTable{t.buf, at + fbUint32(t.buf, at)}
	}
	return all
}

func (t fbTable) bytes(slot int) []byte {
	if t.member(slot) == 0 {
		return nil
	}
	return t.buf[t.entries(slot):][:t.count(slot)]
}

// requireContents holds the contents of buffers against those of the same
// batch in a plain stream.
func requireContents(t testing.TB, want, got [][]byte) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, fmt.Sprintf("% x", want[i]), fmt.Sprintf("% x", got[i]), "buffer %d", i)
	}
}
