package fuzz

import (
	"bytes"
	"errors"
	"testing"

	"github.com/arrowplanes/arrowplanes/planes"
)

func FuzzPlanes32(f *testing.F) {
	fuzzPlanes(f, 4, planes.SplitOffsets32, planes.JoinOffsets32, planes.SplitOffsets32InPlace, planes.JoinOffsets32InPlace)
}

func FuzzPlanes64(f *testing.F) {
	fuzzPlanes(f, 8, planes.SplitOffsets64, planes.JoinOffsets64, planes.SplitOffsets64InPlace, planes.JoinOffsets64InPlace)
}

// fuzzPlanes takes arbitrary bytes for an offsets buffer and for planes. Either
// the number of entries fits them, and then there and back is no change, by
// either road; or it does not, and then everything says so and changes nothing.
func fuzzPlanes(f *testing.F, width int,
	split, join func(dst, src []byte, n int) error,
	splitInPlace, joinInPlace func(buf []byte, n int, scratch []byte) error,
) {
	f.Add([]byte{}, 0)
	f.Add([]byte{1, 2, 3}, 0)
	f.Add([]byte{1, 2, 3}, -1)
	f.Add(make([]byte, width), 1)
	f.Add(make([]byte, 2*width), 1)
	f.Add(make([]byte, 2*width), int(^uint(0)>>1)/width)
	f.Add(bytes.Repeat([]byte{0xFF}, 18*width+1), 17)
	f.Add(bytes.Repeat([]byte{1, 0, 0, 0}, 33*width/4), 32)
	f.Add(bytes.Repeat([]byte{0, 1, 0, 0, 0, 0, 1}, 5*width), 33)
	f.Fuzz(func(t *testing.T, src []byte, n int) {
		fits := n == 0 || n > 0 && n <= len(src)/width-1
		var scratch []byte
		if fits {
			scratch = make([]byte, n*width)
		}
		there, err := throughPlanes(split, src, n)
		planesFit(t, "split", fits, err)
		inPlace := bytes.Clone(src)
		planesFit(t, "split in place", fits, splitInPlace(inPlace, n, scratch))
		if !fits {
			planesEqual(t, "split in place that failed", src, inPlace)
			planesFit(t, "join in place", fits, joinInPlace(inPlace, n, scratch))
			planesEqual(t, "join in place that failed", src, inPlace)
			_, err = throughPlanes(join, src, n)
			planesFit(t, "join", fits, err)
			return
		}
		planesEqual(t, "split in place", there, inPlace)

		back, err := throughPlanes(join, there, n)
		planesFit(t, "join of split", fits, err)
		planesEqual(t, "join of split", src, back)
		planesFit(t, "join in place", fits, joinInPlace(inPlace, n, scratch))
		planesEqual(t, "join of split in place", src, inPlace)

		back, err = throughPlanes(join, src, n)
		planesFit(t, "join", fits, err)
		there, err = throughPlanes(split, back, n)
		planesFit(t, "split of join", fits, err)
		planesEqual(t, "split of join", src, there)
	})
}

func throughPlanes(f func(dst, src []byte, n int) error, src []byte, n int) ([]byte, error) {
	dst := bytes.Repeat([]byte{0xA5}, len(src))
	return dst, f(dst, src, n)
}

func planesFit(t *testing.T, what string, fits bool, err error) {
	t.Helper()
	known := errors.Is(err, planes.ErrCount) || errors.Is(err, planes.ErrShort)
	if fits != (err == nil) || !fits && !known {
		t.Fatalf("%s: fits: %v, error: %v", what, fits, err)
	}
}

func planesEqual(t *testing.T, what string, want, got []byte) {
	t.Helper()
	if !bytes.Equal(want, got) {
		t.Fatalf("%s: want\n%x\ngot\n%x", what, want, got)
	}
}
