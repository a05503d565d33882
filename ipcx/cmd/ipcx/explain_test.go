package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// TestExplain gives every command what it cannot read.
func TestExplain(t *testing.T) {
	file := readFile(t, tablePath(t))
	stream := convertBytes(t, file, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	flipped := bytes.Clone(file)
	copy(flipped[len(flipped)-10:], "\xff\xff\xff\x7f") // the footer's length
	for name, tt := range map[string]struct {
		data  []byte
		texts []string
	}{
		"empty":       {nil, []string{"it is empty"}},
		"text":        {[]byte("id,name\n1,one\n"), []string{`not an Arrow stream or file, it starts with "id,name\n"`}},
		"parquet":     {[]byte("PAR1...........PAR1"), []string{"not an Arrow stream or file: it is a Parquet file"}},
		"feather 1":   {[]byte("FEA1...........FEA1"), []string{"not an Arrow stream or file: it is a Feather V1 file"}},
		"gzip":        {[]byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00"), []string{"not an Arrow stream or file: ", "gzip -dc"}},
		"zeros":       {make([]byte, 100), []string{"not an Arrow stream or file"}},
		"cut file":    {file[:50_000], []string{"it starts as an Arrow file, but is cut", "get it again"}},
		"cut stream":  {stream[:10_000], []string{"it is cut", "get it again"}},
		"cut schema":  {stream[:100], []string{"it is cut"}},
		"bad footer":  {flipped, []string{"it is damaged", "footer"}},
		"newer codec": {newerCodec(t, stream), []string{"it is newer than this ipcx", "codec -120", "update ipcx"}},
	} {
		t.Run(name, func(t *testing.T) {
			path := writeFile(t, filepath.Join(t.TempDir(), "x"), tt.data)
			dst := filepath.Join(t.TempDir(), "y")
			for _, args := range [][]string{{"verify", path}, {"stat", path}, {"convert", path, dst}, {"cat", path}} {
				requireFails(t, exitFailed, args, append(tt.texts, path+": ")...)
				o := toolWith(tt.data, append(args[:1:1], append([]string{"-"}, args[2:]...)...)...)
				require.Equal(t, exitFailed, o.code)
				require.Contains(t, o.stderr, "ipcx: standard input: "+tt.texts[0])
			}
			require.Empty(t, entries(t, filepath.Dir(dst)))
		})
	}
}

// newerCodec returns a flagged stream whose codec nobody knows yet.
func newerCodec(t *testing.T, stream []byte) []byte {
	for i, b := range stream[:4000] {
		if b != 0x81 {
			continue
		}
		changed := bytes.Clone(stream)
		changed[i] = 0x88
		if o := toolWith(changed, "verify", "-"); strings.Contains(o.stderr, "codec") {
			return changed
		}
	}
	t.Fatal("no flagged codec found")
	return nil
}

func TestExplainLimits(t *testing.T) {
	path := writeFile(t, filepath.Join(t.TempDir(), "x"), convertBytes(t, readFile(t, tablePath(t)), ipcx.WithZstd()))
	for _, flag := range []string{bodyLimitFlag, decodedLimitFlag} {
		requireFails(t, exitFailed, []string{"verify", "--" + flag, "1KB", path}, "raise --"+flag+" if you trust the file")
		requireTool(t, "verify", "--"+flag, "0", path)
	}
	requireFails(t, exitFailed, []string{"verify", "--" + metadataLimitFlag, "100", tablePath(t)}, "raise --"+metadataLimitFlag)
}

func TestExplainReplacement(t *testing.T) {
	one := convertBytes(t, dictionaryFile(t, "c"))
	const end = 8
	messages := one[:len(one)-end]
	schema, _, _ := bytes.Cut(messages[8:], []byte("\xff\xff\xff\xff"))
	rest := messages[8+len(schema):]
	stream := append(append(bytes.Clone(messages), rest...), one[len(one)-end:]...)
	path := writeFile(t, filepath.Join(t.TempDir(), "x"), stream)
	requireTool(t, "convert", path, path+".arrows")
	requireFails(t, exitFailed, []string{"convert", path, path + ".arrow"}, "a file cannot have what this stream has", "--to stream")
}

func TestRoot(t *testing.T) {
	require.Regexp(t, `^ipcx .*arrow-go v18\.\S+, go1\.\S+\n$`, requireTool(t, "--version"))
	help := requireTool(t)
	require.Equal(t, help, requireTool(t, "--help"))
	for _, command := range []string{"convert", "stat", "verify", "cat", "schema"} {
		require.Contains(t, help, "\n  "+command+" ")
		help := requireTool(t, command, "--help")
		require.Contains(t, help, "Examples:\n  ipcx "+command)
		for _, line := range strings.Split(help, "\n") {
			require.LessOrEqual(t, len(line), 88, line)
		}
	}
	requireFails(t, exitUsage, []string{"nonsense"}, `no command "nonsense" (see ipcx --help)`)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		require.Contains(t, requireTool(t, "completion", shell), "ipcx")
	}
	require.Contains(t, tool("__complete", "convert", "--codec", "").stdout, "zstd\nlz4\nnone\n")
	require.Contains(t, tool("__complete", "cat", "").stdout, "arrows\n")
}

func TestText(t *testing.T) {
	require.Equal(t, "1 record batch", count(1, "record batch"))
	require.Equal(t, "1,234 record batches", count(1234, "record batch"))
	require.Equal(t, "0 rows", count(0, "row"))
	require.Equal(t, "1.5 KiB", size(1536))
	require.Equal(t, "-1.5 KiB", size(-1536))
	require.Equal(t, "-", percent(1, 0))
	require.Equal(t, "33.3 %", percent(1, 3))
	require.Equal(t, `a\x1b\nb`, printable("a\x1b\nb"))
	require.Equal(t, "Kraków", printable("Kraków"))
	require.Equal(t, "Krak…", shorten("Kraków!", 5))
	require.Equal(t, "Kraków", shorten("Kraków", 6))
}
