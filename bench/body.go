package main

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/klauspost/compress/zstd"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
)

// wholeBodies returns how many bytes a row a stream has whose bodies are one zstd
// frame each, instead of one a buffer. No reader of Arrow knows such bodies: they
// tell what a frame of every small buffer costs.
func wholeBodies(t *table) (float64, error) {
	var stream bytes.Buffer
	w := ipc.NewWriter(&stream, ipc.WithSchema(t.schema))
	for _, rec := range t.batches {
		if err := w.Write(rec); err != nil {
			return 0, err
		}
	}
	if err := w.Close(); err != nil {
		return 0, err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return 0, err
	}
	defer enc.Close()

	// a marker, the metadata's length, the metadata, the body
	total, rest := 0, stream.Bytes()
	for len(rest) >= 8 {
		n := int(binary.LittleEndian.Uint32(rest[4:]))
		total += 8 + n
		if n == 0 {
			break // the end of the stream
		}
		body := int(flatbuf.GetRootAsMessage(rest[8:8+n], 0).BodyLength())
		rest = rest[8+n:]
		if body > len(rest) {
			return 0, fmt.Errorf("bench: a body of %d bytes, and %d left in the stream", body, len(rest))
		}
		if body > 0 {
			total += (len(enc.EncodeAll(rest[:body], nil)) + 7) / 8 * 8
		}
		rest = rest[body:]
	}
	return t.perRow(float64(total)), nil
}
