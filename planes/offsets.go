package planes

import (
	"math"

	"github.com/arrowplanes/arrowplanes/internal/planekernel"
)

// SplitOffsets32 writes to dst what the offsets buffer src, of n+1 offsets of 4
// bytes and whatever follows them, is in planes. All of dst is written. With
// n = 0 that is a copy, whatever the length of src.
//
// dst and src are of one length, and do not overlap; what dst holds when they
// do is not defined (use [SplitOffsets32InPlace]). Neither is kept.
//
// It gives a [*CountError] for an n below 0 or above math.MaxInt/4-1, and a
// [*LengthError] for a dst that is not as long as src, or for n >= 1 with a src
// of less than 4*(n+1) bytes. dst is untouched then.
func SplitOffsets32(dst, src []byte, n int) error { return split(dst, src, n, 4) }

// JoinOffsets32 undoes [SplitOffsets32]: it writes to dst the offsets buffer
// that src is the planes of. Its terms and its errors are the same. There is no
// src that is no planes: every one is those of exactly one offsets buffer.
func JoinOffsets32(dst, src []byte, n int) error { return join(dst, src, n, 4) }

// SplitOffsets32InPlace is [SplitOffsets32] within one buffer. Nothing but the
// 4*(n+1) bytes at the start of buf is read or written, nor of scratch anything
// but the first 4*n bytes. scratch must be as long as that, and lie apart from
// buf; what it holds afterwards is not defined. With n = 0 it may be nil.
//
// It gives a [*CountError] for an n below 0 or above math.MaxInt/4-1, and for
// n >= 1 a [*LengthError] for a buf of less than 4*(n+1) bytes or a scratch of
// less than 4*n. buf is untouched then.
func SplitOffsets32InPlace(buf []byte, n int, scratch []byte) error {
	return splitInPlace(buf, n, scratch, 4)
}

// JoinOffsets32InPlace undoes [SplitOffsets32InPlace]; its terms and its errors
// are the same.
func JoinOffsets32InPlace(buf []byte, n int, scratch []byte) error {
	return joinInPlace(buf, n, scratch, 4)
}

// SplitOffsets64 is [SplitOffsets32] for offsets of 8 bytes; every 4 there is an
// 8 here.
func SplitOffsets64(dst, src []byte, n int) error { return split(dst, src, n, 8) }

// JoinOffsets64 is [JoinOffsets32] for offsets of 8 bytes; every 4 there is an
// 8 here.
func JoinOffsets64(dst, src []byte, n int) error { return join(dst, src, n, 8) }

// SplitOffsets64InPlace is [SplitOffsets32InPlace] for offsets of 8 bytes; every
// 4 there is an 8 here.
func SplitOffsets64InPlace(buf []byte, n int, scratch []byte) error {
	return splitInPlace(buf, n, scratch, 8)
}

// JoinOffsets64InPlace is [JoinOffsets32InPlace] for offsets of 8 bytes; every 4
// there is an 8 here.
func JoinOffsets64InPlace(buf []byte, n int, scratch []byte) error {
	return joinInPlace(buf, n, scratch, 8)
}

func split(dst, src []byte, n, w int) error {
	if err := checkPair(dst, src, n, w); err != nil {
		return err
	}
	if n == 0 {
		copy(dst, src)
		return nil
	}
	first, low, high, rest := cut(dst, n, w)
	copy(first, src)
	if !splitKernel(low, high, src[:(n+1)*w], w) {
		planekernel.Clear(high)
	}
	copy(rest, src[(n+1)*w:])
	return nil
}

func join(dst, src []byte, n, w int) error {
	if err := checkPair(dst, src, n, w); err != nil {
		return err
	}
	if n == 0 {
		copy(dst, src)
		return nil
	}
	first, low, high, rest := cut(src, n, w)
	copy(dst, first)
	if planekernel.AllZero(high) {
		high = nil
	}
	joinKernel(dst[:(n+1)*w], low, high, w)
	copy(dst[(n+1)*w:], rest)
	return nil
}

func splitInPlace(buf []byte, n int, scratch []byte, w int) error {
	if err := checkInPlace(buf, n, scratch, w); err != nil || n == 0 {
		return err
	}
	_, low, high, _ := cut(buf, n, w)
	planes := scratch[:len(high)]
	if splitKernel(low, planes, buf[:(n+1)*w], w) {
		copy(high, planes)
	} else {
		planekernel.Clear(high)
	}
	return nil
}

func joinInPlace(buf []byte, n int, scratch []byte, w int) error {
	if err := checkInPlace(buf, n, scratch, w); err != nil || n == 0 {
		return err
	}
	_, low, high, _ := cut(buf, n, w)
	// A scratch that holds plane 0 alone stays in a near cache, which is why
	// it is worth asking before anything is copied.
	if planekernel.AllZero(high) {
		high = nil
	}
	planes := scratch[:copy(scratch, low)]
	if high != nil {
		planes = scratch[:n*w]
		copy(planes[n:], high)
		high = planes[n:]
	}
	joinKernel(buf[:(n+1)*w], planes[:n], high, w)
	return nil
}

// cut gives the parts of a buffer in planes: the first offset, plane 0, the
// planes above it, and what follows.
func cut(buf []byte, n, w int) (first, low, high, rest []byte) {
	return buf[:w], buf[w : w+n], buf[w+n : w+w*n], buf[w+w*n:]
}

func splitKernel(low, high, offsets []byte, w int) (wroteHigh bool) {
	if w == 4 {
		return planekernel.Split32(low, high, offsets)
	}
	return planekernel.Split64(low, high, offsets)
}

func joinKernel(offsets, low, high []byte, w int) {
	if w == 4 {
		planekernel.Join32(offsets, low, high)
	} else {
		planekernel.Join64(offsets, low, high)
	}
}

func checkPair(dst, src []byte, n, w int) error {
	if err := checkCount(n, w); err != nil {
		return err
	}
	if len(dst) != len(src) {
		return &LengthError{What: "dst", Have: len(dst), Need: len(src), N: n, Err: ErrUnequal}
	}
	return checkLength("src", src, n, w)
}

func checkInPlace(buf []byte, n int, scratch []byte, w int) error {
	if err := checkCount(n, w); err != nil {
		return err
	}
	if err := checkLength("buf", buf, n, w); err != nil {
		return err
	}
	if len(scratch) < n*w {
		return &LengthError{What: "scratch", Have: len(scratch), Need: n * w, N: n, Err: ErrShort}
	}
	return nil
}

func checkCount(n, w int) error {
	if most := math.MaxInt/w - 1; n < 0 || n > most {
		return &CountError{N: n, Max: most, Width: w}
	}
	return nil
}

func checkLength(what string, b []byte, n, w int) error {
	if n > 0 && len(b) < (n+1)*w {
		return &LengthError{What: what, Have: len(b), Need: (n + 1) * w, N: n, Err: ErrShort}
	}
	return nil
}
