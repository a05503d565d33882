// Package verifytest reads metadata with every accessor there is, to show that
// what package verify let pass is safe to read.
package verifytest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	flatbuffers "github.com/google/flatbuffers/go"
)

// ReadMessage reads all of a message that passed verify.Message: with UnPack,
// which calls every accessor, with CopySchema, and, if it is a schema, with
// arrow-go's reader. It returns an error when one of them panics on an access
// out of range; what arrow-go refuses on other grounds is no matter here.
func ReadMessage(buf []byte) error {
	return errors.Join(
		guard(func() {
			m := flatbuf.GetRootAsMessage(buf, 0)
			m.UnPack()
			var header flatbuffers.Table
			if !m.Header(&header) {
				panic("no header")
			}
			header.Offset(4)
			if m.HeaderType() == flatbuf.MessageHeaderSchema {
				var s flatbuf.Schema
				s.Init(header.Bytes, header.Pos)
				copySchema(&s)
			}
		}),
		guardArrow(func() {
			r, err := ipc.NewReaderFromMessageReader(&oneMessage{metadata: buf}, ipc.WithDelayReadSchema(true))
			if err == nil {
				// Unlike the constructor, Schema does not recover, which keeps
				// the stack that guardArrow looks at.
				r.Schema()
				r.Release()
			}
		}))
}

// ReadFooter does for a footer what ReadMessage does for a message.
func ReadFooter(buf []byte) error {
	var dictionaries int
	err := guard(func() {
		f := flatbuf.GetRootAsFooter(buf, 0)
		f.UnPack()
		dictionaries = f.DictionariesLength()
		if s := f.Schema(nil); s != nil {
			copySchema(s)
		}
	})
	if err != nil || dictionaries > 0 {
		// arrow-go reads the dictionaries along with the schema, from places
		// that nobody has verified.
		return err
	}
	return guardArrow(func() {
		if r, err := ipc.NewFileReader(bytes.NewReader(File(buf))); err == nil {
			r.Schema()
			r.NumRecords()
			r.Close()
		}
	})
}

// File frames a footer as a file without messages.
func File(footer []byte) []byte {
	file := append([]byte("ARROW1\x00\x00"), footer...)
	file = binary.LittleEndian.AppendUint32(file, uint32(len(footer)))
	return append(file, "ARROW1"...)
}

// SchemaMetadata returns the metadata of the schema message that arrow-go's
// writer makes.
func SchemaMetadata(s *arrow.Schema) ([]byte, error) {
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(s))
	if err := w.Close(); err != nil {
		return nil, err
	}
	return Messages(stream.Bytes())[0], nil
}

// Messages cuts a stream into the metadata of its messages, as far as the
// framing holds. They are slices of stream. Streams from before Arrow 0.15,
// which have no continuation markers, will do.
func Messages(stream []byte) [][]byte {
	var metadata [][]byte
	for len(stream) >= 4 {
		n := int64(binary.LittleEndian.Uint32(stream))
		stream = stream[4:]
		if n == 0xFFFFFFFF {
			if len(stream) < 4 {
				break
			}
			n = int64(binary.LittleEndian.Uint32(stream))
			stream = stream[4:]
		}
		if n == 0 || n > int64(len(stream)) {
			break
		}
		metadata = append(metadata, stream[:n])
		m := metadata[len(metadata)-1]
		stream = stream[n:]
		var body int64
		if guard(func() { body = flatbuf.GetRootAsMessage(m, 0).BodyLength() }) != nil ||
			body < 0 || body > int64(len(stream)) {
			break
		}
		stream = stream[body:]
	}
	return metadata
}

// FooterOf returns the footer of a file, nil if there is none. It is a slice of
// file.
func FooterOf(file []byte) []byte {
	end := len(file) - len("ARROW1") - 4
	if end < 0 || !bytes.HasSuffix(file, []byte("ARROW1")) {
		return nil
	}
	n := int64(binary.LittleEndian.Uint32(file[end:]))
	if n > int64(end) {
		return nil
	}
	return file[int64(end)-n : end]
}

func copySchema(s *flatbuf.Schema) {
	// The error tells of an unknown type.
	_, _ = flatbuf.CopySchema(flatbuffers.NewBuilder(0), s)
}

// guard runs f and returns an error when it panics.
func guard(f func()) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("verifytest: panic: %v\n%s", p, debug.Stack())
		}
	}()
	f()
	return nil
}

// guardArrow runs f, a part of arrow-go, and returns an error when it panics
// for what FlatBuffers' accessors do. arrow-go also panics by itself on types
// and numbers that it does not like.
func guardArrow(f func()) (err error) {
	defer func() {
		p := recover()
		if _, ok := p.(runtime.Error); !ok {
			return
		}
		stack := string(debug.Stack())
		if strings.Contains(stack, "google/flatbuffers") || strings.Contains(stack, "arrow/internal/flatbuf") {
			err = fmt.Errorf("verifytest: arrow-go: panic: %v\n%s", p, stack)
		}
	}()
	f()
	return nil
}

// oneMessage is an ipc.MessageReader over a message without a body.
type oneMessage struct{ metadata []byte }

func (r *oneMessage) Retain()  {}
func (r *oneMessage) Release() {}

func (r *oneMessage) Message() (*ipc.Message, error) {
	if r.metadata == nil {
		return nil, io.EOF
	}
	m := ipc.NewMessage(memory.NewBufferBytes(r.metadata), memory.NewBufferBytes([]byte{}))
	r.metadata = nil
	return m, nil
}
