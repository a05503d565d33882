package ipcx_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// legal is an input that is read: a stream, a file, or the same as both, with the
// values it has.
type legal struct {
	what   string
	stream []byte
	file   []byte
	want   []arrow.RecordBatch // nil for one smallBatch
}

// legalBoth is the messages of one smallBatch as a stream and as a file.
func legalBoth(what string, all []raw) legal {
	return legal{what: what, stream: stream(all...), file: fileOf(all...)}
}

// TestStrangerLegal has what is legal, or common, and seldom seen. It is read right
// by every door, plain and flagged, and passes validation; and so does what a
// conversion makes of it.
func TestStrangerLegal(t *testing.T) {
	for _, item := range []struct {
		name  string
		forms []variant
		of    func(t *testing.T, v variant) []legal
	}{
		{"zstd frames without a content size", formsOf(ipcx.Zstd), func(t *testing.T, v variant) []legal {
			return v.frames(t, func(p []byte) []byte { return zstdStreamed(t, p) })
		}},
		{"several frames in a buffer", compressedForms(), func(t *testing.T, v variant) []legal {
			return v.frames(t, func(p []byte) []byte {
				return slices.Concat(compress(t, v.codec, p[:1]), compress(t, v.codec, p[1:3]), compress(t, v.codec, p[3:]))
			})
		}},
		{"skippable frames", compressedForms(), func(t *testing.T, v variant) []legal {
			skippable := append([]byte{0x53, 0x2A, 0x4D, 0x18, 3, 0, 0, 0}, "abc"...)
			return slices.Concat(
				v.frames(t, func(p []byte) []byte { return append(bytes.Clone(skippable), compress(t, v.codec, p)...) }),
				v.frames(t, func(p []byte) []byte { return append(compress(t, v.codec, p), skippable...) }),
				v.frames(t, func(p []byte) []byte {
					return slices.Concat(compress(t, v.codec, p[:2]), skippable, skippable, compress(t, v.codec, p[2:]))
				}))
		}},
		{"LZ4 frames with block checksums", formsOf(ipcx.LZ4Frame), func(t *testing.T, v variant) []legal {
			return v.frames(t, func(p []byte) []byte { return lz4Frame(t, p, lz4.BlockChecksumOption(true)) })
		}},
		{"LZ4 frames with linked blocks", formsOf(ipcx.LZ4Frame), linkedBlocks},
		{"checksums", formsOf(ipcx.Zstd), func(t *testing.T, v variant) []legal {
			return v.frames(t, func(p []byte) []byte { return zstdFrame(t, p, zstd.WithEncoderCRC(true)) })
		}},
		{"empty buffers of 0 and of 8 bytes", compressedForms(), emptyBuffers},
		{"buffers that share bytes", variants(), sharedBytes},
		{"blocks out of order or listed twice", variants(), blockOrder},
		{"padding that is not zero", variants(), dirtyPadding},
		{"no end-of-stream marker", variants(), func(t *testing.T, v variant) []legal {
			whole, file := write(t, smallBatches(1), v.options()...), writeFile(t, smallBatches(1), v.options()...)
			footer, start := footerOf(t, file)
			marker := []byte(endMarker)
			require.True(t, bytes.HasSuffix(whole, marker) && bytes.HasSuffix(file[:start], marker))
			return []legal{
				{what: "none", stream: whole[:len(whole)-8], file: append(file[:start-8:start-8], packFooter(footer)...)},
				{what: "the old one", stream: append(whole[:len(whole)-8:len(whole)-8], 0, 0, 0, 0)},
			}
		}},
	} {
		t.Run(item.name, func(t *testing.T) {
			for _, v := range item.forms {
				for _, l := range item.of(t, v) {
					t.Run(v.name+"/"+l.what, func(t *testing.T) { l.requireRead(t) })
				}
			}
		})
	}
}

const endMarker = "\xFF\xFF\xFF\xFF\x00\x00\x00\x00"

func (l legal) requireRead(t *testing.T) {
	if l.want == nil {
		l.want = smallBatches(1)
	}
	same := func(door string, got oracle.Result) {
		t.Helper()
		require.NoError(t, got.Err, door)
		requireEqual(t, l.want, got.Batches, door)
	}
	for what, data := range map[string][]byte{"stream": l.stream, "file": l.file} {
		if data == nil {
			continue
		}
		plain, err := convert(data)
		require.NoError(t, err, what)
		same("arrow-go behind Convert, "+what, oracle.Stream(plain))
		flagged, err := convert(data, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
		require.NoError(t, err, what)
		same("Convert, "+what, drainBytes(flagged))
	}
	if l.stream != nil {
		same("NewReader", drainBytes(l.stream, ipcx.WithValidation()))
	}
	if l.file != nil {
		for how := range openers {
			same("file, "+how, drainFile(t, how, l.file, ipcx.WithValidation()))
		}
	}
}

// formsOf are the forms of one codec.
func formsOf(codec ipcx.Codec) []variant {
	return slices.DeleteFunc(variants(), func(v variant) bool { return v.codec != codec })
}

// frames replace two buffers, one that is rewritten where the message is flagged
// and one that is not.
func (v variant) frames(t *testing.T, of func(p []byte) []byte) (all []legal) {
	mode := compressedMode{v.codec, v.flag}
	for i, name := range map[int]string{textOffsets: "offsets", textData: "data"} {
		p := mode.content(t, i)
		all = append(all, legalBoth(name, mode.with(t, i, prefixed(int64(len(p)), of(p)))))
	}
	return all
}

// linkedBlocks has strings in 66,000 bytes of such blocks.
func linkedBlocks(t *testing.T, v variant) []legal {
	frame, content := linkedFrame(t)
	all := v.small(t)
	all[1] = rebody(all[1], replaced(buffers(all[1]), textData, prefixed(int64(len(content)), frame))...)
	l := legalBoth("data", all)

	texts := array.NewStringBuilder(memory.DefaultAllocator)
	texts.AppendValues([]string{"a", "rro", "w\n"}, nil) // at 0, 1 and 4
	rec := smallBatch()
	l.want = []arrow.RecordBatch{array.NewRecordBatch(rec.Schema(), []arrow.Array{rec.Column(0), texts.NewArray(), rec.Column(2)}, 3)}
	return []legal{l}
}

func emptyBuffers(t *testing.T, v variant) (all []legal) {
	mode := compressedMode{v.codec, v.flag}
	for what, stored := range map[string][]byte{"0 bytes": {}, "8 bytes": prefixed(0, nil)} {
		all = append(all, legalBoth(what, mode.with(t, 0, stored))) // validity, of which there is none
	}
	return all
}

// sharedBytes has the validity of three fields in the same place.
func sharedBytes(t *testing.T, v variant) []legal {
	all := v.small(t)
	valid := []byte{7}
	if v.codec != ipcx.Uncompressed {
		valid = prefixed(-1, valid)
	}
	bufs := buffers(all[1])
	all[1] = editedBatch(rebody(all[1], replaced(bufs, 0, valid)...), func(b *flatbuf.RecordBatchT) {
		*b.Buffers[2], *b.Buffers[5] = *b.Buffers[0], *b.Buffers[0] // of the other columns
	})
	return []legal{legalBoth("validity", all)}
}

func blockOrder(t *testing.T, v variant) []legal {
	batches := []arrow.RecordBatch{smallBatch().NewSlice(0, 1), smallBatch().NewSlice(1, 2), smallBatch()}
	file := writeFile(t, batches, v.options()...)
	order := func(order ...int) legal {
		l := legal{what: fmt.Sprint(order)}
		for _, i := range order {
			l.want = append(l.want, batches[i])
		}
		l.file = refooted(t, file, func(f *flatbuf.FooterT) {
			blocks := f.RecordBatches
			f.RecordBatches = nil
			for _, i := range order {
				f.RecordBatches = append(f.RecordBatches, blocks[i])
			}
		})
		return l
	}
	return []legal{order(0, 1, 2), order(2, 0, 1), order(1, 1, 0, 2, 1), order(2)}
}

// dirtyPadding has every byte of a message's body that no buffer has set to 0xA5,
// and the padding of metadata as well.
func dirtyPadding(t *testing.T, v variant) []legal {
	all := v.small(t)
	used := make([]bool, len(all[1].body))
	for _, b := range batchOf(flatbuf.GetRootAsMessage(all[1].metadata, 0).UnPack()).Buffers {
		for i := range b.Length {
			used[b.Offset&^mark+i] = true
		}
	}
	require.Contains(t, used, false)
	for i := range used {
		if !used[i] {
			all[1].body[i] = 0xA5
		}
	}
	for i := range all {
		all[i].metadata = append(bytes.Clone(all[i].metadata), bytes.Repeat([]byte{0xA5}, 16)...)
	}
	return []legal{legalBoth("all", all)}
}
