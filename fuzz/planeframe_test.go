package fuzz

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/arrowplanes/arrowplanes/internal/planeframe"
	"github.com/arrowplanes/arrowplanes/planes"
)

// planeFrames is what both targets hold frames against.
type planeFrames struct {
	enc *planeframe.Encoder
	dec *planeframe.Decoder
	zd  *zstd.Decoder
}

func newPlaneFrames(f *testing.F) *planeFrames {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false),
		zstd.WithAllLitEntropyCompression(true))
	if err != nil {
		f.Fatal(err)
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(dec.Close)
	return &planeFrames{
		enc: planeframe.NewEncoder(enc.EncodeAll),
		dec: planeframe.NewDecoder(dec.DecodeAll),
		zd:  dec,
	}
}

// ordinary decodes a frame with the ordinary decoder and joins its planes.
func (p *planeFrames) ordinary(frame []byte, length, n, width int) ([]byte, error) {
	content, err := p.zd.DecodeAll(frame, make([]byte, 0, length))
	if err != nil {
		return nil, err
	}
	if len(content) != length {
		return nil, errors.New("content of another length")
	}
	dst := make([]byte, length)
	if width == 4 {
		err = planes.JoinOffsets32(dst, content, n)
	} else {
		err = planes.JoinOffsets64(dst, content, n)
	}
	return dst, err
}

func planeFrameWidth(wide bool) int {
	if wide {
		return 8
	}
	return 4
}

// planeFrameSeeds are offsets buffers with lengths of several kinds.
func planeFrameSeeds(width int) (seeds [][]byte, entries []int) {
	for _, length := range []func(i int) uint64{
		func(int) uint64 { return 0 },
		func(int) uint64 { return 36 },
		func(i int) uint64 { return uint64(i*i) % 11 },
		func(i int) uint64 { return uint64(i*i*i) % 251 },
		func(i int) uint64 { return uint64(i*i) % 700 },
		func(i int) uint64 { return uint64(i % 13 * 5) },
		func(i int) uint64 { return uint64(i / 9) },
		func(i int) uint64 { return uint64(i*i%97) / 96 * 300 },
		func(i int) uint64 { return uint64(i) * 0x9E3779B97F4A7C15 },
	} {
		for _, n := range []int{1, 4, 60, 500, 1200} {
			var b []byte
			o := uint64(n % 2)
			for i := range n + 1 {
				b = append(b, binary.LittleEndian.AppendUint64(nil, o)[:width]...)
				o += length(i)
			}
			seeds, entries = append(seeds, append(b, make([]byte, n%3)...)), append(entries, n)
		}
	}
	return seeds, entries
}

// FuzzPlaneFrame decodes arbitrary bytes. The result is that of the ordinary
// decoder, or both refuse, or the frame is left alone.
func FuzzPlaneFrame(f *testing.F) {
	p := newPlaneFrames(f)
	for _, wide := range []bool{false, true} {
		width := planeFrameWidth(wide)
		seeds, entries := planeFrameSeeds(width)
		for i, offsets := range seeds {
			frame, err := p.enc.Append(nil, offsets, entries[i], width)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(frame, uint16(entries[i]), uint16(len(offsets)-(entries[i]+1)*width), wide)
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte, entries, trailing uint16, wide bool) {
		n, width := max(1, int(entries%2048)), planeFrameWidth(wide)
		length := (n+1)*width + int(trailing%64)
		if got := make([]byte, length); p.dec.Bytes(got, frame) {
			want, err := p.zd.DecodeAll(frame, make([]byte, 0, length))
			if err != nil || !bytes.Equal(want, got) {
				t.Fatalf("error of the ordinary decoder: %v, want\n%x\ngot\n%x", err, want, got)
			}
		}
		dst := bytes.Repeat([]byte{0xA5}, length)
		ok, err := p.dec.Offsets(dst, frame, n, width)
		if !ok && err == nil {
			return
		}
		want, wantErr := p.ordinary(frame, length, n, width)
		switch {
		case err != nil:
			if ok || !errors.Is(err, planeframe.ErrCorrupt) {
				t.Fatalf("ok: %v, error: %v", ok, err)
			}
			if wantErr == nil {
				t.Fatalf("refused what the ordinary decoder takes: %v", err)
			}
		case wantErr != nil:
			t.Fatalf("took what the ordinary decoder refuses: %v", wantErr)
		case !bytes.Equal(want, dst):
			t.Fatalf("want\n%x\ngot\n%x", want, dst)
		}
	})
}

// FuzzPlaneFrameEncode makes frames of arbitrary bytes. They are the planes to
// the ordinary decoder, and the bytes again to ours.
func FuzzPlaneFrameEncode(f *testing.F) {
	p := newPlaneFrames(f)
	for _, wide := range []bool{false, true} {
		seeds, entries := planeFrameSeeds(planeFrameWidth(wide))
		for i, offsets := range seeds {
			f.Add(offsets, uint16(entries[i]), wide, false)
			f.Add(offsets, uint16(entries[i]), wide, true)
		}
	}
	f.Fuzz(func(t *testing.T, offsets []byte, entries uint16, wide, asPlanes bool) {
		width := planeFrameWidth(wide)
		n := min(int(entries), len(offsets)/width-1)
		if n < 1 {
			return
		}
		split, join := planes.SplitOffsets32, planes.JoinOffsets32
		if wide {
			split, join = planes.SplitOffsets64, planes.JoinOffsets64
		}
		if asPlanes {
			// Bytes in planes are easier for a fuzzer to make something of.
			joined := make([]byte, len(offsets))
			if err := join(joined, offsets, n); err != nil {
				t.Fatal(err)
			}
			offsets = joined
		}
		frame, err := p.enc.Append(nil, offsets, n, width)
		if err != nil {
			t.Fatal(err)
		}
		if most := len(offsets) + 13 + 3*(len(offsets)>>17); len(frame) > most {
			t.Fatalf("frame of %d bytes, the most are %d", len(frame), most)
		}
		want := make([]byte, len(offsets))
		if err := split(want, offsets, n); err != nil {
			t.Fatal(err)
		}
		content, err := p.zd.DecodeAll(frame, make([]byte, 0, len(offsets)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, content) {
			t.Fatalf("content: want\n%x\ngot\n%x", want, content)
		}
		dst := bytes.Repeat([]byte{0xA5}, len(offsets))
		if ok, err := p.dec.Offsets(dst, frame, n, width); !ok || err != nil {
			t.Fatalf("ok: %v, error: %v", ok, err)
		}
		if !bytes.Equal(offsets, dst) {
			t.Fatalf("offsets: want\n%x\ngot\n%x", offsets, dst)
		}
	})
}
