package planes_test

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestDataDriven runs the files in testdata. Each command gets a buffer, takes
// it through the function of its name, and back again, and shows the result:
//
//	split32 [n=<entries>] [rest=<hex>]     split64 likewise
//	<offsets, in decimal or 0x...>
//
//	join32 n=<entries>                     join64 likewise
//	<hex>
//
// Where n is left out, it is one less than there are offsets.
func TestDataDriven(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			for _, c := range codecs {
				switch d.Cmd {
				case fmt.Sprintf("split%d", 8*c.width):
					return c.runSplit(t, d)
				case fmt.Sprintf("join%d", 8*c.width):
					return c.runJoin(t, d)
				}
			}
			d.Fatalf(t, "unknown command %q", d.Cmd)
			return ""
		})
	})
}

func (c codec) runSplit(t *testing.T, d *datadriven.TestData) string {
	src := []byte{}
	n := -1
	for _, s := range strings.Fields(d.Input) {
		v, err := strconv.ParseInt(s, 0, 64)
		require.NoError(t, err, d.Pos)
		src = c.append(src, uint64(v))
		n++
	}
	d.MaybeScanArgs(t, "n", &n)
	var rest string
	d.MaybeScanArgs(t, "rest", &rest)
	src = append(src, unhex(t, d, rest)...)

	dst := make([]byte, len(src))
	if err := c.split(dst, src, n); err != nil {
		return err.Error()
	}
	back := make([]byte, len(src))
	require.NoError(t, c.join(back, dst, n), d.Pos)
	require.Equal(t, src, back, d.Pos)
	return c.dumpPlanes(dst, n)
}

func (c codec) runJoin(t *testing.T, d *datadriven.TestData) string {
	var n int
	d.ScanArgs(t, "n", &n)
	src := unhex(t, d, d.Input)
	dst := make([]byte, len(src))
	if err := c.join(dst, src, n); err != nil {
		return err.Error()
	}
	back := make([]byte, len(src))
	require.NoError(t, c.split(back, dst, n), d.Pos)
	require.Equal(t, src, back, d.Pos)
	return c.dumpOffsets(dst, n)
}

func unhex(t *testing.T, d *datadriven.TestData, s string) []byte {
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	require.NoError(t, err, d.Pos)
	return b
}

// dumpPlanes shows a buffer in planes, part by part.
func (c codec) dumpPlanes(b []byte, n int) string {
	if n == 0 {
		return dump("as it was", 0, b, "")
	}
	w := c.width
	out := dump("first offset", 0, b[:w], fmt.Sprint(c.signed(c.at(b, 0))))
	for j := range w {
		out += dump(fmt.Sprintf("plane %d", j), w+j*n, b[w+j*n:w+j*n+n], "")
	}
	for i := range n {
		var length uint64
		for j := range w {
			length |= uint64(b[w+j*n+i]) << (8 * j)
		}
		if i == 0 {
			out += "# lengths:"
		}
		out += fmt.Sprint(" ", c.signed(length))
	}
	return out + "\n" + dump("rest", w+w*n, b[w+w*n:], "")
}

// dumpOffsets shows a buffer of offsets, one by one.
func (c codec) dumpOffsets(b []byte, n int) string {
	if n == 0 {
		return dump("as it was", 0, b, "")
	}
	w := c.width
	var out string
	for i := range n + 1 {
		out += dump(fmt.Sprintf("offset %d", i), i*w, b[i*w:i*w+w], fmt.Sprint(c.signed(c.at(b, i))))
	}
	return out + dump("rest", w+w*n, b[w+w*n:], "")
}

func (c codec) signed(v uint64) int64 {
	shift := 64 - 8*c.width
	return int64(v<<shift) >> shift
}

// dump shows one part of a buffer: where it is, its bytes, and what it is; or
// nothing when it is empty.
func dump(what string, at int, b []byte, value string) string {
	var out string
	for chunk := range slices.Chunk(b, 8) {
		out += fmt.Sprintf("%02d-%02d: % -24x # %s", at, at+len(chunk), chunk, what)
		if value != "" {
			out += " = " + value
		}
		out += "\n"
		at += len(chunk)
	}
	return out
}
