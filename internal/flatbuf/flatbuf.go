// Package flatbuf has accessors for the FlatBuffers tables that Arrow IPC keeps
// its metadata in: Schema, Message and Footer, and what they hold.
//
// The definitions are in arrow.fbs. Every file that says so on top is what
// flatc 2.0.8 makes of it; go generate writes those anew. It needs flatc, which
// Debian packages as flatbuffers-compiler.
//
// The accessors trust their bytes: a table that lies makes them read out of
// range, which panics. Check a message or footer with package verify first.
// An accessor of a vector's entry takes any index; ask for the length first.
//
// Each table T has a TT beside it, the object API, to take it apart with UnPack
// and to put it together again with Pack. That is not faithful: what was absent
// comes out empty. Other implementations tell the two apart for the timezone of
// a Timestamp (empty is a zone, absent is none) and the typeIds of a Union
// (empty is no children, absent is the usual numbering). CopySchema keeps them
// apart.
package flatbuf

// flatc puts the files into a folder named after the namespace, hence "..".
//
//go:generate flatc --go --gen-object-api --no-warnings -o .. arrow.fbs
//go:generate gofmt -w .
