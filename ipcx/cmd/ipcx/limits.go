package main

import (
	"fmt"
	"math"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

const (
	metadataLimitFlag = "max-metadata"
	bodyLimitFlag     = "max-body"
	decodedLimitFlag  = "max-decoded"
)

// limits are the size limits of reading.
type limits struct{ metadata, body, decoded byteSize }

// addTo adds the flags of the limits.
func (l *limits) addTo(flags *pflag.FlagSet) {
	*l = limits{64 << 20, 256 << 20, 1 << 30}
	flags.Var(&l.metadata, metadataLimitFlag, "longest metadata of a message, and longest footer, 0 for no limit")
	flags.Var(&l.body, bodyLimitFlag, "longest body of a message as it is stored, 0 for no limit")
	flags.Var(&l.decoded, decodedLimitFlag, "longest body of a message once it is decompressed, 0 for no limit")
}

func (l *limits) options() []ipcx.Option {
	return []ipcx.Option{
		ipcx.WithMetadataSizeLimit(int64(l.metadata)),
		ipcx.WithBodySizeLimit(int64(l.body)),
		ipcx.WithDecodedSizeLimit(int64(l.decoded)),
	}
}

// byteSize is a flag with a number of bytes, such as 512MiB.
type byteSize int64

func (s *byteSize) String() string { return humanize.IBytes(uint64(*s)) }
func (s *byteSize) Type() string   { return "SIZE" }

func (s *byteSize) Set(text string) error {
	n, err := humanize.ParseBytes(text)
	if err != nil || n > math.MaxInt64 {
		return fmt.Errorf("%q is no size such as 1073741824, 512MiB or 2GB", text)
	}
	*s = byteSize(n)
	return nil
}
