package ipcx_test

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"slices"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// parcel is a message as a transport of one's own carries it: Arrow Flight's
// data_header and data_body, for example.
type parcel struct{ metadata, body []byte }

// sender is an ipc.PayloadWriter that sends parcels.
type sender struct {
	enc *ipcx.Encoder
	out []parcel
}

func (s *sender) Start() error { return nil }
func (s *sender) Close() error { return nil }

func (s *sender) WritePayload(p ipc.Payload) error {
	metadata := p.Meta()
	defer metadata.Release()
	var body bytes.Buffer
	if err := p.SerializeBody(&body); err != nil {
		return err
	}
	m, b, err := s.enc.Encode(metadata.Bytes(), body.Bytes())
	if err != nil {
		return err
	}
	// What Encode returns is valid until the next call.
	s.out = append(s.out, parcel{slices.Clone(m), slices.Clone(b)})
	return nil
}

// receiver is an ipc.MessageReader of parcels.
type receiver struct {
	dec *ipcx.Decoder
	in  []parcel
	msg *ipc.Message
}

func (r *receiver) Retain()  {}
func (r *receiver) Release() { r.dec.Close() }

func (r *receiver) Message() (*ipc.Message, error) {
	if len(r.in) == 0 {
		return nil, io.EOF
	}
	p := r.in[0]
	r.in = r.in[1:]
	m, b, err := r.dec.Decode(p.metadata, p.body)
	if err != nil {
		return nil, err
	}
	// What Decode returns is valid until the next call, and arrays live longer.
	r.msg = ipc.NewMessage(memory.NewBufferBytes(slices.Clone(m)), memory.NewBufferBytes(slices.Clone(b)))
	return r.msg, nil
}

// Sending messages over a transport of one's own, one by one and as plain bytes.
func ExampleEncoder() {
	enc, err := ipcx.NewEncoder(ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	if err != nil {
		log.Fatal(err)
	}
	rec := cities()
	defer rec.Release()
	out := &sender{enc: enc}
	w := ipc.NewWriterWithPayloadWriter(out, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(out.out), "messages sent,", enc.Stats().FlaggedBatches, "flagged")

	dec, err := ipcx.NewDecoder()
	if err != nil {
		log.Fatal(err)
	}
	r, err := ipc.NewReaderFromMessageReader(&receiver{dec: dec, in: out.out})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.RecordBatch().Column(0))
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 2 messages sent, 1 flagged
	// ["Lagos" "Lima" "Oslo"]
}

// Decoding the messages of a stream whose framing is somebody else's.
func ExampleDecoder() {
	enc, err := ipcx.NewEncoder(ipcx.WithLZ4())
	if err != nil {
		log.Fatal(err)
	}
	out := &sender{enc: enc}
	w := ipc.NewWriterWithPayloadWriter(out)
	if err := w.Write(cities()); err != nil {
		log.Fatal(err)
	}

	dec, err := ipcx.NewDecoder(ipcx.WithColumns("people"))
	if err != nil {
		log.Fatal(err)
	}
	defer dec.Close() // of its decompressors
	for _, p := range out.out {
		_, body, err := dec.Decode(p.metadata, p.body)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(len(body), "bytes of body")
	}
	// Output:
	// 0 bytes of body
	// 64 bytes of body
}
