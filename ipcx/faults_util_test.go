package ipcx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// errFault is the error of whatever fails on purpose.
var errFault = errors.New("the wire broke")

// faultStep is the distance from one byte that a fault is tried at to the next:
// every byte, but for the race detector, which is slow and looks for other things.
func faultStep() int {
	if raceEnabled {
		return 17
	}
	return 1
}

// door is a way to read a stream or a file to its end. What it returns beside the
// error is a text of what was read.
type door struct {
	name string
	read func(r io.Reader, mem memory.Allocator) (string, error)
}

// doors are those that take any io.Reader. Of them only the last two read files.
func doors() []door {
	all := []door{
		{"Reader", readerDoor()},
		{"MessageReader", messageDoor()},
		{"MessageReader, ahead", messageDoor(ipcx.WithReadAhead(2))},
	}
	for name, opts := range concurrent() {
		all = append(all, door{"Reader, " + name, readerDoor(opts...)})
	}
	return append(all, pipeDoors()...)
}

// pipeDoors are the doors that take streams and files.
func pipeDoors() []door {
	return []door{
		{"Convert", func(r io.Reader, _ memory.Allocator) (string, error) {
			var out bytes.Buffer
			_, err := ipcx.Convert(context.Background(), &out, r)
			return out.String(), err
		}},
		{"Inspect", func(r io.Reader, _ memory.Allocator) (string, error) {
			var out strings.Builder
			err := ipcx.Inspect(context.Background(), r, func(m *ipcx.MessageInfo) error {
				fmt.Fprintf(&out, "%+v\n", m)
				return nil
			})
			return out.String(), err
		}},
	}
}

func readerDoor(opts ...ipcx.Option) func(io.Reader, memory.Allocator) (string, error) {
	return func(r io.Reader, mem memory.Allocator) (string, error) {
		rd, err := ipcx.NewReader(r, append(opts, ipcx.WithAllocator(mem))...)
		if err != nil {
			return "", err
		}
		defer rd.Release()
		return recordsOf(rd)
	}
}

// recordsOf reads all that r has.
func recordsOf(r array.RecordReader) (string, error) {
	var out strings.Builder
	for r.Next() {
		fmt.Fprintln(&out, r.RecordBatch())
	}
	return out.String(), r.Err()
}

func messageDoor(opts ...ipcx.Option) func(io.Reader, memory.Allocator) (string, error) {
	return func(r io.Reader, mem memory.Allocator) (string, error) {
		mr := ipcx.NewMessageReader(r, append(opts, ipcx.WithAllocator(mem))...)
		defer mr.Release()
		var out bytes.Buffer
		for {
			msg, err := mr.Message()
			if errors.Is(err, io.EOF) && out.Len() > 0 {
				return out.String(), nil
			}
			if err != nil {
				return out.String(), err
			}
			fmt.Fprintln(&out, msg.Type(), msg.Version(), msg.BodyLen())
		}
	}
}

// through reads src by a door and requires all memory to come back.
func (d door) through(t testing.TB, src io.Reader) (string, error) {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.NewGoAllocator())
	got, err := d.read(src, mem)
	mem.AssertSize(t, 0)
	return got, err
}

// requireGood returns what a door gives for src, which has no fault.
func (d door) requireGood(t testing.TB, src io.Reader) string {
	t.Helper()
	got, err := d.through(t, src)
	require.NoError(t, err, d.name)
	require.NotEmpty(t, got, d.name)
	return got
}

// requireFault requires an error that says what was being read when cause came.
func requireFault(t testing.TB, err, cause error, args ...any) {
	t.Helper()
	require.ErrorIs(t, err, cause, args...)
	require.NotErrorIs(t, err, io.EOF, args...)
	require.Regexp(t, "^ipcx: ("+
		"reading the first bytes|reading the start of a message|reading a message's metadata length|"+
		"metadata of the message at byte|message body at byte|message [0-9]+ .*message body|"+
		"copying the file|finding the end of the file|end of the file|footer|dictionary block [0-9]+|record batch (block )?[0-9]+"+
		"):? ", err.Error(), args...)
}

// faultBatches are small batches with dictionaries, lists and strings.
func faultBatches() []arrow.RecordBatch {
	return []arrow.RecordBatch{dictionaryBatch(1, 3), dictionaryBatch(2, 6)}
}
