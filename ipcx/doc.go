// Package ipcx reads and writes Arrow IPC streams. It stands in for arrow-go's
// arrow/ipc, with the same names and meanings, and can store the offsets of
// strings, binaries, lists and maps as lengths in byte planes, which compress
// far better:
//
//	w := ipcx.NewWriter(f, ipcx.WithZstd(), ipcx.WithOffsetsAsLengths())
//
// Messages stored that way are flagged, so that no other reader takes lengths
// for offsets, and [NewReader] gives the record batches back bit for bit.
// FORMAT.md in the module's root has the form. Everything else is plain Arrow.
//
// Data flows one way through each path:
//
//	write    record batch -> arrow-go's encoder -> Encoder -> framing -> io.Writer
//	read     io.Reader -> framing -> Decoder -> arrow-go's loader -> record batch
//	convert  framing -> Decoder -> Encoder -> framing
package ipcx
