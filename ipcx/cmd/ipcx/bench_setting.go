package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/arrio"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// The writers that are measured.
const (
	ownWriter   = "ipcx"
	arrowWriter = "arrow/ipc"
)

// arrowLevel is the zstd level that arrow-go writes at.
const arrowLevel = 3

// benchSetting is a writer with its options, and what was measured of it.
type benchSetting struct {
	Writer  string `json:"writer"`
	Codec   string `json:"codec"`
	Level   int    `json:"level,omitempty"`
	Lengths bool   `json:"offsets_as_lengths"`

	Bytes       int64    `json:"bytes"`
	BytesPerRow float64  `json:"bytes_per_row"`
	WriteNs     float64  `json:"write_ns_per_row"`
	ReadNs      float64  `json:"read_ns_per_row"`
	Runs        int      `json:"runs"`
	SizeRatio   *float64 `json:"size_ratio,omitempty"` // to the reference
	WriteRatio  *float64 `json:"write_ratio,omitempty"`
	ReadRatio   *float64 `json:"read_ratio,omitempty"`
	Error       string   `json:"error,omitempty"` // of arrow-go

	codec   ipcx.Codec
	threads int
	stream  []byte
	samples samples
}

// settings returns what to measure, and a note where offsets as lengths change
// nothing.
func (t *benchTable) settings(ctx context.Context, f *benchFlags) (all []*benchSetting, note string, err error) {
	for _, codec := range f.codecs {
		s := &benchSetting{Writer: arrowWriter, codec: codec}
		if codec == ipcx.Zstd {
			s.Level = arrowLevel
		}
		all = append(all, s)
	}
	forms := map[string][]bool{"both": {false, true}, "true": {true}, "false": {false}}[f.lengths]
	if f.lengths != "false" {
		if note, err = t.unchanged(ctx); err != nil {
			return nil, "", err
		}
		if note != "" {
			forms = []bool{false}
		}
	}
	for _, codec := range f.codecs {
		levels := []int{0}
		if codec == ipcx.Zstd {
			levels = f.levels
		}
		for _, level := range levels {
			for _, lengths := range forms {
				all = append(all, &benchSetting{Writer: ownWriter, codec: codec, Level: level, Lengths: lengths})
			}
		}
	}
	for _, s := range all {
		s.Codec, s.threads = s.codec.String(), f.concurrency
	}
	return all, note, nil
}

// unchanged says why offsets as lengths change nothing, if they do not.
func (t *benchTable) unchanged(ctx context.Context) (string, error) {
	w := ipcx.NewWriter(io.Discard, ipcx.WithSchema(t.schema), ipcx.WithOffsetsAsLengths(ipcx.Uncompressed))
	if err := t.writeTo(ctx, w, w.Close); err != nil {
		return "", err
	}
	if w.Stats().FlaggedBatches > 0 {
		return "", nil
	}
	var unmapped *layout.UnmappedError
	if errors.As(layout.Of(t.schema).Unmapped(), &unmapped) {
		return fmt.Sprintf("Offsets as lengths change nothing here: column %s is of type %s, which is not mapped for it.",
			printable(unmapped.Path), printable(typeName(unmapped.Type))), nil
	}
	return "Offsets as lengths change nothing here: there are no offsets.", nil
}

// String is how a sentence names the setting.
func (s *benchSetting) String() string {
	name := s.Codec
	switch s.codec {
	case ipcx.Uncompressed:
		name = "no codec"
	case ipcx.LZ4Frame:
		name = "LZ4"
	}
	if s.Writer == arrowWriter {
		return arrowWriter + " with " + name
	}
	if s.Level > 0 {
		name += fmt.Sprintf(" level %d", s.Level)
	}
	if s.Lengths {
		name += " with offsets as lengths"
	}
	return name
}

// write writes all record batches as a stream.
func (t *benchTable) write(ctx context.Context, s *benchSetting, w io.Writer) error {
	if s.Writer == arrowWriter {
		opts := []ipc.Option{ipc.WithSchema(t.schema), ipc.WithCompressConcurrency(s.threads)}
		switch s.codec {
		case ipcx.LZ4Frame:
			opts = append(opts, ipc.WithLZ4())
		case ipcx.Zstd:
			opts = append(opts, ipc.WithZstd())
		}
		to := ipc.NewWriter(w, opts...)
		return t.writeTo(ctx, to, to.Close)
	}
	opts := []ipcx.Option{ipcx.WithSchema(t.schema), ipcx.WithCodec(s.codec), ipcx.WithCompressConcurrency(s.threads)}
	if s.Level > 0 {
		opts = append(opts, ipcx.WithZstdLevel(s.Level))
	}
	if s.Lengths {
		opts = append(opts, ipcx.WithOffsetsAsLengths(s.codec))
	}
	to := ipcx.NewWriter(w, opts...)
	return t.writeTo(ctx, to, to.Close)
}

func (t *benchTable) writeTo(ctx context.Context, w arrio.Writer, end func() error) error {
	for _, rec := range t.batches {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := w.Write(rec); err != nil {
			return err
		}
	}
	return end()
}

// batchReader is what the readers of both packages have.
type batchReader interface {
	Next() bool
	RecordBatch() arrow.RecordBatch
	Err() error
	Release()
}

// read reads the stream of a setting, and returns how many rows it has.
func (s *benchSetting) read(ctx context.Context) (rows int64, err error) {
	var r batchReader
	if s.Writer == arrowWriter {
		r, err = ipc.NewReader(bytes.NewReader(s.stream))
	} else {
		// The limits are for strangers' data.
		r, err = ipcx.NewReader(bytes.NewReader(s.stream), ipcx.WithDecompressConcurrency(s.threads),
			ipcx.WithMetadataSizeLimit(0), ipcx.WithBodySizeLimit(0), ipcx.WithDecodedSizeLimit(0))
	}
	if err != nil {
		return 0, err
	}
	defer r.Release()
	for r.Next() {
		if ctx.Err() != nil {
			return rows, context.Cause(ctx)
		}
		rows += r.RecordBatch().NumRows()
	}
	return rows, r.Err()
}
