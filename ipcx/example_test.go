package ipcx_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// cities makes a record batch to write.
func cities() arrow.RecordBatch {
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "city", Type: arrow.BinaryTypes.String},
		{Name: "country", Type: arrow.BinaryTypes.String},
		{Name: "people", Type: arrow.PrimitiveTypes.Int64},
	}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"Lagos", "Lima", "Oslo"}, nil)
	b.Field(1).(*array.StringBuilder).AppendValues([]string{"Nigeria", "Peru", "Norway"}, nil)
	b.Field(2).(*array.Int64Builder).AppendValues([]int64{15_388_000, 10_151_000, 709_000}, nil)
	return b.NewRecordBatch()
}

// storedCities makes a stream for the examples that read one.
func storedCities(opts ...ipcx.Option) *bytes.Buffer {
	var buf bytes.Buffer
	w := ipcx.NewWriter(&buf, opts...)
	if err := w.Write(cities()); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	return &buf
}

// Writing a stream, compressed and with the offsets of strings as lengths.
func ExampleNewWriter() {
	rec := cities()
	defer rec.Release()

	var buf bytes.Buffer
	w := ipcx.NewWriter(&buf, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	if err := w.Write(rec); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
	stats := w.Stats()
	fmt.Println(stats.Rows, "rows,", stats.RecordBatches, "record batch,", stats.FlaggedBatches, "flagged")
	// Output: 3 rows, 1 record batch, 1 flagged
}

// Reading a stream. The reader takes flagged and plain messages alike, and
// needs no option for it.
func ExampleNewReader() {
	stream := storedCities(ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())

	r, err := ipcx.NewReader(stream)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.RecordBatch() // valid until the next call of Next
		fmt.Println(rec.Column(0), rec.Column(2))
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output: ["Lagos" "Lima" "Oslo"] [15388000 10151000 709000]
}

// Writing an Arrow file, and reading its record batches in any order.
func ExampleNewFileReader() {
	path := filepath.Join(os.TempDir(), "arrowplanes-example.arrow")
	defer os.Remove(path)

	out, err := os.Create(path)
	if err != nil {
		log.Fatal(err)
	}
	w, err := ipcx.NewFileWriter(out, ipcx.WithLZ4())
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		if err := w.Write(cities()); err != nil {
			log.Fatal(err)
		}
	}
	if err := w.Close(); err != nil { // writes the footer
		log.Fatal(err)
	}
	if err := out.Close(); err != nil {
		log.Fatal(err)
	}

	in, err := os.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer in.Close()
	r, err := ipcx.NewFileReader(in)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	last, err := r.RecordBatchAt(r.NumRecords() - 1) // safe for concurrent use
	if err != nil {
		log.Fatal(err)
	}
	defer last.Release()
	fmt.Println(r.NumRecords(), "record batches, the last one with", last.NumRows(), "rows")
	// Output: 3 record batches, the last one with 3 rows
}

// Reading a mapped file. Where it is neither compressed nor flagged, arrays use
// the bytes of the mapping, which must stay as long as they do.
func ExampleNewMappedFileReader() {
	var file bytes.Buffer
	if _, err := ipcx.Convert(context.Background(), &file, storedCities(), ipcx.WithFormat(ipcx.FileFormat)); err != nil {
		log.Fatal(err)
	}
	mapping := file.Bytes() // of a real file: syscall.Mmap, or golang.org/x/exp/mmap

	r, err := ipcx.NewMappedFileReader(mapping)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	rec, err := r.RecordBatchAt(0)
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Release()
	fmt.Println(rec.Column(1))
	// Output: ["Nigeria" "Peru" "Norway"]
}

// Reading some columns. The others are not decompressed, nor, from a file, read.
func ExampleWithColumns() {
	stream := storedCities(ipcx.WithZstd())

	r, err := ipcx.NewReader(stream, ipcx.WithColumns("people", "city"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		for i, column := range r.RecordBatch().Columns() {
			fmt.Println(r.Schema().Field(i).Name, column)
		}
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// people [15388000 10151000 709000]
	// city ["Lagos" "Lima" "Oslo"]
}

// Turning a flagged stream into a plain file that every Arrow reader takes.
func ExampleConvert() {
	src := storedCities(ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())

	var dst bytes.Buffer
	stats, err := ipcx.Convert(context.Background(), &dst, src, ipcx.WithFormat(ipcx.FileFormat), ipcx.WithLZ4())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.Messages, "messages,", stats.Rows, "rows,", stats.FlaggedBatches, "flagged")

	r, err := ipc.NewFileReader(bytes.NewReader(dst.Bytes()))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println("arrow-go reads", r.NumRecords(), "record batch")
	// Output:
	// 2 messages, 3 rows, 0 flagged
	// arrow-go reads 1 record batch
}

// Compressing the files of a folder in place. A file that cannot be converted
// stays as it is.
func ExampleConvertFile() {
	dir, err := os.MkdirTemp("", "arrowplanes-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "cities.arrow")
	if err := os.WriteFile(path, storedCities().Bytes(), 0o600); err != nil {
		log.Fatal(err)
	}

	stats, err := ipcx.ConvertFile(context.Background(), path, path,
		ipcx.WithFormat(ipcx.FileFormat), ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(stats.FlaggedBatches, "flagged")
	// Output: 1 flagged
}

// Plugging into arrow-go's own writer: it encodes, and its messages are
// compressed and flagged on the way. The codec is the payload writer's matter.
func ExampleNewPayloadWriter() {
	rec := cities()
	defer rec.Release()

	var buf bytes.Buffer
	pw := ipcx.NewPayloadWriter(&buf, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
	w := ipc.NewWriterWithPayloadWriter(pw, ipc.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}

	r, err := ipcx.NewReader(&buf)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.RecordBatch().NumRows(), "rows")
	}
	fmt.Println(r.Stats().FlaggedBatches, "flagged")
	// Output:
	// 3 rows
	// 1 flagged
}

// Plugging into arrow-go's own reader: it is given messages that are decoded
// already.
func ExampleNewMessageReader() {
	stream := storedCities(ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())

	r, err := ipc.NewReaderFromMessageReader(ipcx.NewMessageReader(stream))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.RecordBatch().Column(0))
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output: ["Lagos" "Lima" "Oslo"]
}
