package ipcx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/arrowgen"
	"github.com/arrowplanes/arrowplanes/internal/flatbuf"
	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// toFile are the options of v for a file.
func (v variant) toFile() []ipcx.Option { return append(v.options(), ipcx.WithFormat(ipcx.FileFormat)) }

// TestConvertChain converts a stream to a file, back and there again, across all
// codecs, flagged and not.
func TestConvertChain(t *testing.T) {
	for name, batches := range map[string][]arrow.RecordBatch{
		"metadata":            annotatedBatches(),
		"mapped types":        generated(arrowgen.MappedTypes(), 15, false),
		"unmapped types":      generated(arrowgen.UnmappedTypes(), 15, false),
		"nested dictionaries": nestedDictionaries(),
	} {
		want := oracle.Stream(write(t, batches))
		require.NoError(t, want.Err)
		for i, a := range variants() {
			for j, b := range variants() {
				if name != "metadata" && j != (i+1)%6 {
					continue // for time's sake
				}
				t.Run(name+", "+a.name+" to "+b.name, func(t *testing.T) {
					first := write(t, batches, a.options()...)
					file, err := convert(first, b.toFile()...)
					require.NoError(t, err)
					require.True(t, bytes.Equal(writeFile(t, batches, b.options()...), file))
					second, err := convert(file, a.options()...)
					require.NoError(t, err)
					requireSameMessages(t, messages(t, first), messages(t, second))
					again, err := convert(second, b.toFile()...)
					require.NoError(t, err)
					requireSame(t, want, drainFile(t, "reader", again))
					_, end := footerOf(t, again)
					wantFooter, wantEnd := footerOf(t, file)
					requireSameMessages(t, messages(t, file[8:wantEnd]), messages(t, again[8:end]))
					gotFooter, _ := footerOf(t, again)
					require.Equal(t, wantFooter.Schema, gotFooter.Schema)
				})
			}
		}
	}
}

// requireSameMessages requires messages to have the same bytes, but for the
// schema's, which out of a footer come in another order.
func requireSameMessages(t *testing.T, want, got []raw) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if i == 0 {
			require.Equal(t, flatbuf.GetRootAsMessage(want[0].metadata, 0).UnPack(), flatbuf.GetRootAsMessage(got[0].metadata, 0).UnPack())
			continue
		}
		require.True(t, bytes.Equal(want[i].metadata, got[i].metadata), "message %d", i)
		require.True(t, bytes.Equal(want[i].body, got[i].body), "message %d", i)
	}
}

// TestConvertChainDeltas has dictionaries that grow: a file has them before all
// batches.
func TestConvertChainDeltas(t *testing.T) {
	batches := generated(dictionaryFields(), 20, true)
	first := write(t, batches, ipcx.WithDictionaryDeltas(true), ipcx.WithLZ4())
	for _, v := range variants() {
		file, err := convert(first, v.toFile()...)
		require.NoError(t, err)
		second, err := convert(file)
		require.NoError(t, err)
		third, err := convert(second, v.toFile()...)
		require.NoError(t, err)
		for _, got := range []oracle.Result{
			drainFile(t, "reader", file), drainFile(t, "mapped", third),
			oracle.File(file), oracle.File(third), oracle.Stream(second), drainBytes(second),
		} {
			require.NoError(t, got.Err)
			requireValues(t, batches, got.Batches)
		}
	}
}

// TestConvertFooter keeps the custom metadata of a footer, from file to file.
func TestConvertFooter(t *testing.T) {
	md := arrow.NewMetadata([]string{"made by", "empty"}, []string{"hand", ""})
	other := arrow.NewMetadata([]string{"made by"}, []string{"machine"})
	footerMetadata := func(file []byte) arrow.Metadata {
		f, err := ipcx.NewFileReader(bytes.NewReader(file))
		require.NoError(t, err)
		defer f.Close()
		return f.FooterMetadata()
	}
	file := writeFile(t, annotatedBatches(), ipcx.WithFooterMetadata(md))
	for _, v := range variants() {
		kept, err := convert(file, v.toFile()...)
		require.NoError(t, err)
		require.Equal(t, md, footerMetadata(kept))
		replaced, err := convert(kept, append(v.toFile(), ipcx.WithFooterMetadata(other))...)
		require.NoError(t, err)
		require.Equal(t, other, footerMetadata(replaced))

		stream, err := convert(kept)
		require.NoError(t, err)
		lost, err := convert(stream, v.toFile()...)
		require.NoError(t, err)
		require.Zero(t, footerMetadata(lost).Len(), "a stream has none")
	}
}

// TestConvertMessageMetadata keeps the custom metadata of messages of any kind.
func TestConvertMessageMetadata(t *testing.T) {
	var all []raw
	for i, m := range messages(t, write(t, grownAndReplaced(), ipcx.WithDictionaryDeltas(true))) {
		all = append(all, edited(m, func(fb *flatbuf.MessageT) {
			fb.CustomMetadata = []*flatbuf.KeyValueT{{Key: "number", Value: string(rune('0' + i))}, {Key: "number"}}
		}))
	}
	require.Len(t, all, 8)
	custom := func(m raw) []*flatbuf.KeyValueT {
		return flatbuf.GetRootAsMessage(m.metadata, 0).UnPack().CustomMetadata
	}
	for _, opts := range [][]ipcx.Option{nil, {ipcx.WithZstd()}, {ipcx.WithColumns("word")}} {
		out, err := convert(stream(all...), opts...)
		require.NoError(t, err)
		got := messages(t, out)
		require.Len(t, got, len(all))
		for i := range all {
			require.Equal(t, custom(all[i]), custom(got[i]), "message %d", i)
			if opts == nil { // byte for byte, but for the padding
				require.True(t, bytes.HasPrefix(got[i].metadata, all[i].metadata), "message %d", i)
				require.True(t, bytes.Equal(all[i].body, got[i].body), "message %d", i)
			}
		}
	}
}

// TestConvertVersions lifts metadata of version 4 to 5, where there is no union.
func TestConvertVersions(t *testing.T) {
	lifted, left := 0, 0
	for _, ext := range []string{".stream", ".arrow_file"} {
		for name, data := range golden(t, ext) {
			from := flatbuf.MetadataVersionV5
			want := oracle.Stream(data)
			if ext == ".arrow_file" {
				footer, _ := footerOf(t, data) // some say V1
				from, want = max(footer.Version, flatbuf.MetadataVersionV4), oracle.File(data)
			} else if data[0] != 0xFF {
				from = flatbuf.MetadataVersionV4 // before 0.15
			} else {
				from = flatbuf.GetRootAsMessage(data[8:], 0).Version()
			}
			version := flatbuf.MetadataVersionV5
			if strings.Contains(name, "union") && from == flatbuf.MetadataVersionV4 {
				version = flatbuf.MetadataVersionV4
				left++
			} else if from == flatbuf.MetadataVersionV4 {
				lifted++
			}
			for _, opts := range [][]ipcx.Option{nil, flaggedPlain()} {
				out, err := convert(data, opts...)
				require.NoError(t, err)
				for _, m := range messages(t, out) {
					require.Equal(t, version, flatbuf.GetRootAsMessage(m.metadata, 0).Version(), name)
				}
			}
			file, err := convert(data, ipcx.WithFormat(ipcx.FileFormat))
			require.NoError(t, err)
			footer, _ := footerOf(t, file)
			require.Equal(t, version, footer.Version, name)
			for _, b := range footer.RecordBatches {
				require.Equal(t, version, flatbuf.GetRootAsMessage(blockOf(file, b).metadata, 0).Version(), name)
			}
			requireSame(t, want, drainFile(t, "mapped", file))
		}
	}
	require.Greater(t, lifted, 15)
	require.Positive(t, left)
}

// atByte calls do once n bytes have gone through a reader or a writer.
type atByte struct {
	io.Reader
	io.Writer
	n  int
	do func()
}

func (a *atByte) count(n int) {
	if a.n -= n; a.n <= 0 && a.do != nil {
		a.do()
		a.do = nil
	}
}

func (a *atByte) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	a.count(n)
	return n, err
}

func (a *atByte) Write(p []byte) (int, error) {
	n, err := a.Writer.Write(p)
	a.count(n)
	return n, err
}

func TestConvertCancelled(t *testing.T) {
	batches := generated(arrowgen.MappedTypes(), 30, false)
	data, file := write(t, batches), writeFile(t, batches)
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		for _, in := range [][]byte{data, file} {
			var out bytes.Buffer
			stats, err := ipcx.Convert(ctx, &out, bytes.NewReader(in))
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, "after 0 messages")
			require.Zero(t, stats)
			require.Zero(t, out.Len())
		}
	})
	t.Run("while writing", func(t *testing.T) {
		for _, in := range [][]byte{data, file} {
			for _, opts := range [][]ipcx.Option{nil, {ipcx.WithFormat(ipcx.FileFormat)}, {ipcx.WithZstd()}} {
				ctx, cancel := context.WithCancel(context.Background())
				var out bytes.Buffer
				dst := &atByte{Writer: &out, n: 10_000, do: cancel}
				stats, err := ipcx.Convert(ctx, dst, bytes.NewReader(in), opts...)
				require.ErrorIs(t, err, context.Canceled)
				require.Equal(t, int64(2), stats.Messages, "the schema, and the batch at whose end it was cancelled")
				require.Error(t, drainBytes(bytes.TrimPrefix(out.Bytes(), []byte("ARROW1\x00\x00"))[:out.Len()-20]).Err)
				require.NotContains(t, out.String()[8:], "ARROW1", "a footer after an error")
			}
		}
	})
	t.Run("while reading", func(t *testing.T) {
		cause := errors.New("no longer wanted")
		ctx, cancel := context.WithCancelCause(context.Background())
		src := &atByte{Reader: bytes.NewReader(data), n: len(data) / 2, do: func() { cancel(cause) }}
		_, err := ipcx.Convert(ctx, io.Discard, onlyReader{src})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, cause)
	})
	t.Run("too late", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), -time.Second)
		defer cancel()
		_, err := ipcx.Convert(ctx, io.Discard, bytes.NewReader(data))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestConvertSpool converts files that can only be read from the start on. They
// go to a temporary file, which is gone afterwards, whatever happens.
func TestConvertSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	requireClean := func(t *testing.T) {
		t.Helper()
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left)
	}
	batches := annotatedBatches()
	file := writeFile(t, batches, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	spooled := false
	for _, format := range []ipcx.Format{ipcx.StreamFormat, ipcx.FileFormat} {
		var out bytes.Buffer
		watch := &atByte{Writer: &out, n: 1, do: func() {
			left, err := os.ReadDir(dir)
			spooled = err == nil && len(left) == 1
		}}
		_, err := ipcx.Convert(context.Background(), watch, onlyReader{bytes.NewReader(file)}, ipcx.WithFormat(format))
		require.NoError(t, err)
		want, err := convert(file, ipcx.WithFormat(format))
		require.NoError(t, err)
		require.Equal(t, want, out.Bytes())
		requireClean(t)
	}
	require.True(t, spooled, "it was looked for in the wrong place")

	t.Run("pipe", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		go func() {
			w.Write(file)
			w.Close()
		}()
		defer r.Close()
		var out bytes.Buffer
		_, err = ipcx.Convert(context.Background(), &out, r)
		require.NoError(t, err)
		requireEqual(t, batches, oracle.Stream(out.Bytes()).Batches)
		requireClean(t)
	})
	t.Run("errors", func(t *testing.T) {
		_, err := ipcx.Convert(context.Background(), io.Discard, onlyReader{bytes.NewReader(file[:len(file)-1])})
		require.ErrorIs(t, err, ipcx.ErrNotArrow)
		requireClean(t)
		bad := refooted(t, file, func(f *flatbuf.FooterT) { f.RecordBatches[1].BodyLength += 8 })
		_, err = ipcx.Convert(context.Background(), io.Discard, onlyReader{bytes.NewReader(bad)})
		require.ErrorIs(t, err, ipcx.ErrCorrupt)
		requireClean(t)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_, err = ipcx.Convert(ctx, io.Discard, onlyReader{bytes.NewReader(file)})
		require.ErrorIs(t, err, context.Canceled)
		requireClean(t)
		boom := errors.New("boom")
		_, err = ipcx.Convert(context.Background(), io.Discard, io.MultiReader(bytes.NewReader(file[:100]), iotest.ErrReader(boom)))
		require.ErrorIs(t, err, boom)
		requireClean(t)
	})
	t.Run("no folder", func(t *testing.T) {
		t.Setenv("TMPDIR", dir+"/none")
		_, err := ipcx.Convert(context.Background(), io.Discard, onlyReader{bytes.NewReader(file)})
		require.ErrorIs(t, err, os.ErrNotExist)
		require.ErrorContains(t, err, "temporary file")
	})
}

// TestConvertPosition starts where the source stands.
func TestConvertPosition(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none")) // no need of a temporary file
	batches := annotatedBatches()
	for _, data := range [][]byte{write(t, batches), writeFile(t, batches)} {
		src := bytes.NewReader(append([]byte("before"), data...))
		_, err := src.Seek(6, io.SeekStart)
		require.NoError(t, err)
		var out bytes.Buffer
		_, err = ipcx.Convert(context.Background(), &out, src)
		require.NoError(t, err)
		requireEqual(t, batches, oracle.Stream(out.Bytes()).Batches)
	}
	long := append(writeFile(t, batches), "what follows"...)
	out, err := convert(long, ipcx.WithFooterOffset(int64(len(long)-12)))
	require.NoError(t, err)
	requireEqual(t, batches, oracle.Stream(out).Batches)
}

func TestConvertReplacement(t *testing.T) {
	data := write(t, grownAndReplaced())
	for _, data := range [][]byte{data, write(t, grownAndReplaced(), ipcx.WithZstd())} {
		stats, err := ipcx.Convert(context.Background(), io.Discard, bytes.NewReader(data), ipcx.WithFormat(ipcx.FileFormat))
		require.ErrorIs(t, err, ipcx.ErrReplacement)
		require.Equal(t, int64(2), stats.RecordBatches)
	}
	out, err := convert(data, ipcx.WithZstd())
	require.NoError(t, err)
	requireSame(t, oracle.Stream(data), drainBytes(out))
}

func TestConvertNotArrow(t *testing.T) {
	for name, data := range map[string]string{
		"empty":          "",
		"a byte":         "A",
		"magic alone":    "ARROW1",
		"magic, padded":  "ARROW1\x00\x00",
		"two magics":     "ARROW1\x00\x00ARROW1",
		"text":           "name,age\nAda,36\nAlan,41\n",
		"short text":     "hi\n",
		"JSON":           `{"a": 1}`,
		"Parquet":        "PAR1\x15\x04\x15\x10\x15\x14",
		"Feather V1":     "FEA1\x00\x00\x00\x00\x00\x00\x00\x00FEA1",
		"gzip":           "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
		"zeros":          strings.Repeat("\x00", 1000),
		"end of stream":  "\xFF\xFF\xFF\xFF\x00\x00\x00\x00",
		"a marker alone": "\xFF\xFF\xFF\xFF",
		"long metadata":  "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x7F and so on",
		"binary":         "\x10\x00\x00\x00" + strings.Repeat("\xAB\x13", 40),
	} {
		for _, opts := range [][]ipcx.Option{nil, {ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd()}} {
			for _, src := range []io.Reader{strings.NewReader(data), onlyReader{strings.NewReader(data)}} {
				var out bytes.Buffer
				stats, err := ipcx.Convert(context.Background(), &out, src, opts...)
				require.ErrorIs(t, err, ipcx.ErrNotArrow, name)
				require.Regexp(t, "^ipcx: ", err.Error())
				require.NotErrorIs(t, err, io.EOF, name)
				require.Zero(t, out.Len(), name)
				require.Zero(t, stats)
			}
		}
	}
}

func TestConvertOptions(t *testing.T) {
	data := write(t, []arrow.RecordBatch{smallBatch()})
	for _, opt := range []ipcx.Option{ipcx.WithCodec(9), ipcx.WithFormat(7), ipcx.WithZstdLevel(99)} {
		var out bytes.Buffer
		_, err := ipcx.Convert(context.Background(), &out, bytes.NewReader(data), opt)
		require.ErrorIs(t, err, ipcx.ErrOption)
		require.Zero(t, out.Len())
	}
}
