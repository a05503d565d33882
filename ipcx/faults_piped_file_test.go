package ipcx_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// spoolFolder makes the folder of temporary files one of its own, and returns a
// function that requires it to be empty.
func spoolFolder(t *testing.T) (requireEmpty func(args ...any)) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return func(args ...any) {
		t.Helper()
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Empty(t, left, args...)
	}
}

// TestOddPipes reads files that cannot be read by their footers, from sources that
// give their bytes in unusual ways.
func TestOddPipes(t *testing.T) {
	requireEmpty := spoolFolder(t)
	defer goleak.VerifyNone(t)
	whole := writeFile(t, smallBatches(2), flaggedPlain()...)
	for _, d := range pipeDoors() {
		want := d.requireGood(t, bytes.NewReader(whole))
		for how, wrap := range oddSources() {
			require.Equal(t, want, d.requireGood(t, wrap(bytes.NewReader(whole))), "%s, %s", d.name, how)
			_, err := d.through(t, wrap(bytes.NewReader(whole[:len(whole)-1])))
			require.ErrorIs(t, err, ipcx.ErrNotArrow, "%s, %s", d.name, how)
		}
	}
	requireEmpty()
}

// TestPipeFailsAnywhere has pipes that fail, return nothing any more, or lie, at
// every byte of a file. Nothing was read by then, so that nothing is given.
func TestPipeFailsAnywhere(t *testing.T) {
	requireEmpty := spoolFolder(t)
	defer goleak.VerifyNone(t)
	whole := writeFile(t, smallBatches(1), flaggedPlain()...)
	for i, d := range pipeDoors() {
		for n := 0; n < len(whole); n += faultStep() {
			source := deadSources()[(n+i)%len(deadSources())]
			got, err := d.through(t, io.MultiReader(bytes.NewReader(whole[:n]), source.r))
			source.requireFault(t, err, "%s, at %d", d.name, n)
			require.Empty(t, got, "%s, at %d", d.name, n)
		}
		// Without any end, too.
		for _, source := range deadSources() {
			_, err := d.through(t, io.MultiReader(bytes.NewReader(whole), source.r))
			source.requireFault(t, err, d.name)
		}
	}
	requireEmpty()
}

// TestPipeCancelled has contexts that are cancelled at every read of a file that
// comes through a pipe, and may be far larger than what there is room for.
func TestPipeCancelled(t *testing.T) {
	requireEmpty := spoolFolder(t)
	whole := writeFile(t, smallBatches(2), flaggedPlain()...)
	cause := errors.New("no longer wanted")
	for n := 1; n < len(whole); n += 3 * faultStep() {
		ctx, cancel := context.WithCancelCause(context.Background())
		pipe := &atByte{Reader: io.MultiReader(&sluggish{r: bytes.NewReader(whole)}, zeros{}), n: n, do: func() { cancel(cause) }}
		var out bytes.Buffer
		stats, err := ipcx.Convert(ctx, &out, onlyReader{pipe})
		requireFault(t, err, context.Canceled, "at %d", n)
		require.ErrorIs(t, err, cause, "at %d", n)
		require.Zero(t, stats)
		require.Zero(t, out.Len())
		require.Less(t, pipe.n, 1)
		require.Greater(t, pipe.n, -64<<10, "it was read on")
		requireEmpty("at %d", n)
	}
}

// zeros goes on for ever.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
