package ipcx

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/internal/uncleared"
	"github.com/arrowplanes/arrowplanes/readbuf"
)

// Defaults of the size limits, in bytes.
const (
	defaultMetadataSizeLimit = 64 << 20
	defaultBodySizeLimit     = 256 << 20
	defaultDecodedSizeLimit  = 1 << 30
)

// maxIdleHeaders is how many bytes of metadata a reader keeps for the next
// messages.
const maxIdleHeaders = 1 << 20

// maxConcurrency keeps the memory of compressors, one for each goroutine,
// within reason.
const maxConcurrency = 256

// Option configures a reader, a writer, a conversion or a message codec. An
// option that means nothing to what it is given to is ignored there.
type Option func(*config)

type config struct {
	alloc       memory.Allocator
	bodies      memory.Allocator // of bodies, all of which are written to
	headers     memory.Allocator // of the metadata of decoded messages
	schema      *arrow.Schema
	footerEnd   int64
	codec       Codec
	zstdLevel   int
	concurrency int // of compression

	decompressConcurrency int
	readAhead             int

	savings    float64
	lengthsFor [Zstd + 1]bool // by Codec
	dictDeltas bool
	zeroNulls  bool
	checksum   bool
	reuse      bool

	format         Format
	footerMetadata arrow.Metadata
	projection     projection

	ensureNativeEndian bool
	delayReadSchema    bool
	metadataLimit      int64
	bodyLimit          int64
	decodedLimit       int64
	validate           bool
	trusted            bool

	err error // the first option with a value out of range
}

func newConfig(opts []Option) *config {
	cfg := &config{
		alloc:       memory.NewGoAllocator(),
		zstdLevel:   defaultZstdLevel,
		concurrency: 1,

		decompressConcurrency: 1,

		ensureNativeEndian: true,
		metadataLimit:      defaultMetadataSizeLimit,
		bodyLimit:          defaultBodySizeLimit,
		decodedLimit:       defaultDecodedSizeLimit,
	}
	for _, opt := range opts {
		if opt != nil {
			opt(cfg)
		}
	}
	if cfg.validate && cfg.trusted {
		cfg.fail("WithValidation and WithTrustedInput exclude each other")
	}
	cfg.headers = &readbuf.Allocator{MaxIdle: maxIdleHeaders}
	cfg.bodies = cfg.alloc
	if _, ok := cfg.alloc.(*memory.GoAllocator); ok {
		cfg.bodies = uncleared.Allocator{}
	}
	if cfg.reuse {
		cfg.bodies = new(readbuf.Allocator)
	}
	return cfg
}

func (c *config) fail(format string, args ...any) {
	if c.err == nil {
		c.err = tag(ErrOption, fmt.Errorf("ipcx: "+format, args...))
	}
}

// checkWriter returns the first error about the options of what writes.
func (c *config) checkWriter() error {
	if c.codec != Uncompressed && !(c.savings >= 0 && c.savings <= 1) { // NaN is neither
		c.fail("WithMinSpaceSavings: %v is outside 0 to 1", c.savings)
	}
	if c.checksum && c.codec == Uncompressed {
		c.fail("WithChecksum: there are checksums in compressed buffers alone, and no codec is asked for (WithZstd, WithLZ4)")
	}
	return c.err
}

// offsetsAsLengths says whether messages may be flagged at all.
func (c *config) offsetsAsLengths() bool { return c.lengthsFor[c.codec] }

// arrowOptions are the options that arrow-go's own reader and writer are built
// with. Codecs are never among them: compression is done here. arrow-go takes
// zeros for granted, whatever the caller's allocator gives.
func (c *config) arrowOptions() []ipc.Option {
	opts := []ipc.Option{
		ipc.WithAllocator(readbuf.Zeroed(c.alloc)),
		ipc.WithDictionaryDeltas(c.dictDeltas),
		ipc.WithEnsureNativeEndian(c.ensureNativeEndian),
		ipc.WithDelayReadSchema(c.delayReadSchema),
	}
	if c.schema != nil {
		opts = append(opts, ipc.WithSchema(c.schema))
	}
	return opts
}

// WithAllocator sets the allocator of everything that outlives a call: bodies
// that arrays are made of, and what arrow-go's encoder builds. The default is
// Go's heap. Its memory need not be zero: bodies are written to the last byte,
// and for arrow-go's sake what it allocates is cleared.
func WithAllocator(mem memory.Allocator) Option {
	return func(c *config) {
		if mem == nil {
			c.fail("WithAllocator: nil allocator")
			return
		}
		c.alloc = mem
	}
}

// WithSchema gives a writer its schema; a reader then refuses input of another
// one. A writer without it takes the schema of the first record batch.
func WithSchema(schema *arrow.Schema) Option {
	return func(c *config) { c.schema = schema }
}

// WithFooterOffset says where an Arrow file ends, in bytes from its start, for
// a file that something else follows. Zero or less means at the end of what is
// read.
func WithFooterOffset(offset int64) Option {
	return func(c *config) { c.footerEnd = offset }
}

// Format is how messages are framed.
type Format int8

const (
	StreamFormat Format = iota // one message after the other
	FileFormat                 // with a footer that says where each message lies
)

// String returns stream or file.
func (f Format) String() string {
	switch f {
	case StreamFormat:
		return "stream"
	case FileFormat:
		return "file"
	}
	return fmt.Sprintf("Format(%d)", int8(f))
}

// WithFormat sets what [Convert] and [NewPayloadWriter] write. The default is
// [StreamFormat]. [NewWriter] and [NewFileWriter] say it by their names.
func WithFormat(format Format) Option {
	return func(c *config) {
		if format != StreamFormat && format != FileFormat {
			c.fail("WithFormat: unknown format %d", int8(format))
			return
		}
		c.format = format
	}
}

// WithFooterMetadata sets the custom metadata of the footer of files that are
// written. A conversion from file to file keeps the source's without it.
func WithFooterMetadata(md arrow.Metadata) Option {
	return func(c *config) { c.footerMetadata = md }
}

// WithLZ4 makes writers compress buffers as LZ4 frames.
func WithLZ4() Option { return WithCodec(LZ4Frame) }

// WithZstd makes writers compress buffers as Zstandard frames.
func WithZstd() Option { return WithCodec(Zstd) }

// WithCodec makes writers compress buffers with codec. The default is
// [Uncompressed].
func WithCodec(codec Codec) Option {
	return func(c *config) {
		if codec < Uncompressed || codec > Zstd {
			c.fail("WithCodec: unknown codec %d", int8(codec))
			return
		}
		c.codec = codec
	}
}

// WithZstdLevel sets the level of [WithZstd], 1 to 22 as in the zstd command;
// the default is 3. The encoder has four settings, and a level means the
// nearest: 1 and 2 fastest, 3 to 5 default, 6 to 9 better, 10 and above best.
// In flagged messages level 3 takes the fastest where the default is not worth its
// time; levels 4 and 5 never do. That is for lengths; in messages of less than
// 256 KiB, where setting up the default's tables costs about as much as using them,
// which makes the tables of BENCHMARKS.md from 11 % smaller to 7 % larger; and in
// larger ones for the buffers in whose place the fastest left at most 4 % more when
// both were tried. The second message of a stream and each 32nd after it are such
// trials.
//
// With [WithOffsetsAsLengths], on three tables, as multiples of level 3: the size,
// the time to write and the time to read. birdstrikes is mostly strings, zipcodes
// half of it, and flights-200k has none.
//
//	level  birdstrikes        zipcodes           flights-200k
//	1      1.03  0.86  1.08   1.02  0.69  0.97   1.00  0.97  1.02
//	3      1.00  1.00  1.00   1.00  1.00  1.00   1.00  1.00  1.00
//	7      0.92  1.99  1.05   0.98  1.81  0.94   0.98  5.56  1.20
//	11     0.91  6.90  1.31   0.93  9.30  0.97   0.95  42.7  1.41
//
// The command that measured them, and measures any other table:
//
//	ipcx bench --codecs zstd --offsets-as-lengths true --time 2s birdstrikes.arrow
func WithZstdLevel(level int) Option {
	return func(c *config) {
		if level < 1 || level > 22 {
			c.fail("WithZstdLevel: level %d is outside 1 to 22", level)
			return
		}
		c.zstdLevel = level
	}
}

// WithCompressConcurrency compresses the buffers of a message in n goroutines.
// The bytes written are the same for every n. Values below 1 mean 1, the
// default, and values above 256 mean 256.
func WithCompressConcurrency(n int) Option {
	return func(c *config) { c.concurrency = min(max(n, 1), maxConcurrency) }
}

// WithDecompressConcurrency decompresses the buffers of a message in n
// goroutines. Where several messages may be decoded at a time, [WithReadAhead] uses
// cores better: no buffer is left over then for one of them. Values below 1 mean 1, the default, and values above 256 mean 256.
func WithDecompressConcurrency(n int) Option {
	return func(c *config) { c.decompressConcurrency = min(max(n, 1), maxConcurrency) }
}

// WithReadAhead has readers read and decode up to n record batches or
// dictionaries ahead in the background, while the caller works on the current
// one: those of a stream, and those that [FileReader.Read] comes to. Several of
// them are decoded at a time, so that n is also how many more cores it can use.
// Values below 1 mean none, the default, and values above 256 mean 256.
//
// What is read ahead is memory: n decoded messages, and the stored bodies of those
// that are being decoded. Releasing or closing the reader waits for the read that
// is under way; interrupt a source that can block for long before.
func WithReadAhead(n int) Option {
	return func(c *config) { c.readAhead = min(max(n, 0), maxConcurrency) }
}

// WithMinSpaceSavings has a compressed buffer stored raw where compression
// saves less than this share of it, 0 to 1. At 0, the default, a buffer of a
// plain message is stored compressed even where that made it larger, as
// arrow-go does. A buffer of a flagged message is always stored raw where
// compression did not make it smaller; and with LZ4, or below zstd level 6, where
// it saves less than a tenth, for the sake of readers. Values outside of 0 to 1 are an error of
// the writer; without a codec the option means nothing.
func WithMinSpaceSavings(savings float64) Option {
	return func(c *config) { c.savings = savings }
}

// WithOffsetsAsLengths makes writers store the offsets of strings, binaries,
// lists and maps as lengths in byte planes, in messages compressed with one of
// codecs; none named means [Zstd]. Such messages are flagged, and only this
// package reads them: FORMAT.md has the form, and says which schemas and
// messages it leaves alone.
func WithOffsetsAsLengths(codecs ...Codec) Option {
	return func(c *config) {
		if len(codecs) == 0 {
			codecs = []Codec{Zstd}
		}
		c.lengthsFor = [Zstd + 1]bool{}
		for _, codec := range codecs {
			if codec < Uncompressed || codec > Zstd {
				c.fail("WithOffsetsAsLengths: unknown codec %d", int8(codec))
				return
			}
			c.lengthsFor[codec] = true
		}
	}
}

// WithDictionaryDeltas makes a writer emit the new values alone where a
// dictionary grew. The default is to emit it whole again.
func WithDictionaryDeltas(v bool) Option {
	return func(c *config) { c.dictDeltas = v }
}

// WithEnsureNativeEndian has readers turn data of the other byte order into
// this machine's, which is the default.
func WithEnsureNativeEndian(v bool) Option {
	return func(c *config) { c.ensureNativeEndian = v }
}

// WithDelayReadSchema has a stream reader read the schema at the first call
// that needs it rather than when it is made.
func WithDelayReadSchema(v bool) Option {
	return func(c *config) { c.delayReadSchema = v }
}

// WithMetadataSizeLimit sets how long the metadata of a message, or a file's
// footer, may be in bytes. The default is 64 MiB; zero or less is no limit.
//
// A schema has bounds besides, which nothing raises: 131,072 fields, those inside of
// fields counted, 4096 of them inside of dictionaries, 72 tables of metadata inside
// each other, and for what makes arrays 64 types. What is shared between its parts may make it 8 times as long, and all
// metadata together has 512 MiB at most.
func WithMetadataSizeLimit(size int64) Option {
	return func(c *config) { c.metadataLimit = size }
}

// WithBodySizeLimit sets how long the body of a message may be in bytes, as it
// is stored. The default is 256 MiB; zero or less is no limit.
func WithBodySizeLimit(size int64) Option {
	return func(c *config) { c.bodyLimit = size }
}

// WithDecodedSizeLimit sets how long the body of a message may be in bytes once
// it is decompressed. The default is 1 GiB; zero or less is no limit.
//
// For what makes arrays, and for [NewMessageReader], it is also the limit of the
// bodies of all dictionaries at hand, those of deltas among them and each with 16
// times its metadata until it is joined. A dictionary that is replaced gives its
// bytes back. To join deltas with what they add to, arrow-go copies all of it before
// the next record batch: that may come to 4 times the limit and 1024 times the
// bodies, as they are stored, that have come in the stream.
//
// Buffers of a plain message may share bytes of its body. Where each is looked at or
// copied by itself, in dictionaries, with [WithValidation] and in conversions that do
// not copy the body as it is, they may add up to the limit, or to the body where that
// is longer.
func WithDecodedSizeLimit(size int64) Option {
	return func(c *config) { c.decodedLimit = size }
}
