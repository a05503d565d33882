package ipcx

// WithBufferReuse makes a reader use the memory of released record batches for
// the next ones, so that a stream is read in the memory of a few batches. The
// memory is the reader's own, a readbuf.Allocator with its default bound,
// whatever [WithAllocator] says; batches may outlive the reader all the same.
//
// A batch is released when its last holder has called Release: the reader's own
// hold ends with the next call of Next or Read. From then on its memory is
// written to. That is so for everything that points into the batch: arrays,
// slices of them, and the strings and byte slices that their Value methods
// return. What is to stay must be retained with the batch, or copied, as by
// strings.Clone. Without the option such strings live on, because Go's garbage
// collector sees them; code that relies on it breaks silently with the option.
//
// Batches that are held are never written to, and a batch that is dropped
// without Release is collected like any other memory. Record batches of a mapped
// file that are its bytes are not copies, and nothing changes for them.
func WithBufferReuse() Option {
	return func(c *config) { c.reuse = true }
}
