package ipcx_test

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/internal/oracle"
	"github.com/arrowplanes/arrowplanes/ipcx"
)

// cutStreams are streams to cut, of every kind.
func cutStreams(t *testing.T) map[string][]byte {
	small := smallBatches(2)
	words := []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 6)}
	return map[string][]byte{
		"plain":                write(t, small),
		"LZ4":                  write(t, small, ipcx.WithLZ4()),
		"zstd":                 write(t, small, ipcx.WithZstd()),
		"flagged":              write(t, small, flaggedPlain()...),
		"zstd, flagged":        write(t, small, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()),
		"dictionaries":         write(t, words),
		"deltas":               write(t, words, ipcx.WithDictionaryDeltas(true)),
		"dictionaries in zstd": write(t, words, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()),
	}
}

// ends gives the positions in a stream at which a message ends, and the number
// of record batches up to there.
func ends(t *testing.T, whole []byte) map[int]int {
	at, batches := 0, 0
	positions := map[int]int{}
	for _, m := range messages(t, whole) {
		at += len(frame(m))
		if kindOf(m) == "RecordBatch" {
			batches++
		}
		positions[at] = batches
	}
	return positions
}

// TestCut cuts streams at every byte. What is complete is read; the end is clean
// only between two messages, once there are the schema and its dictionaries.
func TestCut(t *testing.T) {
	t.Parallel()
	for name, whole := range cutStreams(t) {
		t.Run(name, func(t *testing.T) {
			want := drainBytes(whole)
			require.NoError(t, want.Err)
			require.Len(t, want.Batches, 2)
			positions := ends(t, whole)
			eos := slices.Max(slices.Collect(maps.Keys(positions)))
			require.Equal(t, eos+8, len(whole))

			all := messages(t, whole)
			schemaEnd := len(frame(all[0]))
			complete := 0
			for n := range whole {
				got := drainBytes(whole[:n])
				if n == schemaEnd && kindOf(all[1]) == "DictionaryBatch" {
					// What arrow-go gives for dictionaries that are missing.
					require.ErrorIs(t, got.Err, io.EOF)
					require.Empty(t, got.Batches)
					continue
				}
				if batches, ok := positions[n]; ok {
					complete = batches
					require.NoError(t, got.Err, "cut at %d", n)
				} else {
					require.Error(t, got.Err, "cut at %d", n)
				}
				require.NoError(t, oracle.SameBatches(want.Batches[:complete], got.Batches), "cut at %d", n)
				if n > 0 {
					require.NotErrorIs(t, got.Err, io.EOF, "cut at %d", n)
				}
			}
		})
	}
}

// TestCutLikeArrow compares cut streams with arrow-go, where it reads them.
func TestCutLikeArrow(t *testing.T) {
	t.Parallel()
	streams := cutStreams(t)
	for _, name := range []string{"plain", "LZ4", "dictionaries", "deltas"} {
		whole := streams[name]
		for n := range len(whole) + 1 {
			want, got := oracle.Stream(whole[:n]), drainBytes(whole[:n])
			require.NoError(t, oracle.SameBatches(want.Batches, got.Batches), "%s cut at %d", name, n)
			require.Equal(t, want.Err == nil, got.Err == nil, "%s cut at %d: arrow-go: %v, here: %v", name, n, want.Err, got.Err)
		}
	}
}

// TestCutConvert converts cut streams. The complete messages are written, and an
// end-of-stream marker only after a clean end.
func TestCutConvert(t *testing.T) {
	t.Parallel()
	for name, whole := range cutStreams(t) {
		t.Run(name, func(t *testing.T) {
			positions := ends(t, whole)
			marker := []byte("\xFF\xFF\xFF\xFF\x00\x00\x00\x00")
			complete := 0
			for n := range whole {
				out, err := convert(whole[:n])
				if batches, ok := positions[n]; ok {
					complete = batches
					require.NoError(t, err, "cut at %d", n)
					require.True(t, bytes.HasSuffix(out, marker))
				} else {
					require.Error(t, err, "cut at %d", n)
					require.NotErrorIs(t, err, io.EOF, "cut at %d", n)
					out = append(out, marker...)
				}
				if len(out) > len(marker) && n%4 == 0 {
					require.Len(t, drainBytes(out).Batches, complete, "cut at %d", n)
				}
			}
			_, err := convert(nil)
			require.ErrorIs(t, err, ipcx.ErrNotArrow)
		})
	}
}

// TestCutBody cuts the body and the metadata of a message that is given to the
// decoder without any framing.
func TestCutBody(t *testing.T) {
	for name, whole := range cutStreams(t) {
		all := messages(t, whole)
		for n := range len(all[1].body) {
			_, err := decodeAll([]raw{all[0], {all[1].metadata, all[1].body[:n]}})
			require.ErrorIs(t, err, ipcx.ErrCorrupt, "%s cut at %d", name, n)
			require.ErrorContains(t, err, "body of", name)
		}
		for n := range len(all[1].metadata) {
			// What is missing may have been padding.
			_, err := decodeAll([]raw{all[0], {all[1].metadata[:n], all[1].body}})
			if err != nil {
				require.ErrorIs(t, err, ipcx.ErrCorrupt, "%s cut at %d", name, n)
				continue
			}
			require.Greater(t, n, len(all[1].metadata)-8, name)
		}
	}
}

// TestMarker has streams that go on behind their end, or end without a marker.
func TestMarker(t *testing.T) {
	for name, whole := range cutStreams(t) {
		want := drainBytes(whole)
		more := bytes.NewReader(append(bytes.Clone(whole), "what follows"...))
		requireSame(t, want, drain(more))
		rest, err := io.ReadAll(more)
		require.NoError(t, err)
		require.Equal(t, "what follows", string(rest), "%s: nothing is read beyond the end", name)

		requireSame(t, want, drainBytes(whole[:len(whole)-8]))
		old := append(bytes.Clone(whole[:len(whole)-8]), 0, 0, 0, 0)
		requireSame(t, want, drainBytes(old))
	}
}
