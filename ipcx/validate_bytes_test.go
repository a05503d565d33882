package ipcx_test

import (
	"errors"
	"flag"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// every has TestEveryByteReplaced try every byte and value rather than some.
var every = flag.Bool("every", false, "replace every byte of a stream by every value")

// Whatever a byte of a flagged stream is replaced by, the reader with validation
// gives an error, or batches that arrow-go's own validation passes.
//
// A run of all of it takes over a minute: -every.
func TestEveryByteReplaced(t *testing.T) {
	for name, opts := range map[string][]ipcx.Option{
		"none": {ipcx.WithOffsetsAsLengths(ipcx.Uncompressed)},
		"zstd": {ipcx.WithZstd(), ipcx.WithOffsetsAsLengths()},
		"lz4":  {ipcx.WithLZ4(), ipcx.WithOffsetsAsLengths(ipcx.LZ4Frame)},
	} {
		t.Run(name, func(t *testing.T) {
			data := write(t, smallBatches(4), opts...)
			step := 61 // odd, so that all bytes and values have their turn
			switch {
			case *every:
				step = 1
			case raceEnabled || testing.Short():
				step *= 11
			}
			refused, validation, passed := 0, 0, 0
			for k := 0; k < len(data)*256; k += step {
				i, was := k/256, data[k/256]
				data[i] = byte(k)
				res := drainBytes(data, ipcx.WithValidation())
				data[i] = was
				if e := new(ipcx.InvalidError); errors.As(res.Err, &e) {
					validation++
				} else if res.Err != nil {
					refused++
				}
				for _, rec := range res.Batches {
					require.NoError(t, array.ValidateRecordFull(rec), "byte %d is %#x", i, byte(k))
					passed++
				}
			}
			t.Logf("%d bytes: %d errors, %d of them of validation; %d batches passed", len(data), refused+validation, validation, passed)
			require.NotZero(t, refused)
			require.NotZero(t, passed)
		})
	}
}
