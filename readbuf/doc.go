// Package readbuf holds memory that is read into again and again.
//
// A [Buffer] is scratch: one use fills a part of its memory, and the next use
// overwrites it.
//
//	                 len               cap
//	this use     |xxxxxx|oooooooooooooooo|   o: left by earlier uses, not cleared
//	next use     |yyyyyyyyyyyyy|ooooooooo|
//
// Reading n bytes does not believe n. Memory is claimed in steps that grow with
// the bytes that have arrived, so a length that lies costs at most twice the
// bytes that came, or the first step of 64 KiB where that is more:
//
//	memory       |64 KiB|
//	it is full   |------|128 KiB|
//	it is full   |--------------|256 KiB        |
//
// Memory that one giant use claimed is let go once the uses that follow have
// shown that they do not need it; see [Buffer].
//
// An [Allocator] is for memory that others hold on to for as long as they like,
// the bodies of record batches and the buffers of builders: what is freed serves
// the next request.
package readbuf
