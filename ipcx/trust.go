package ipcx

// WithChecksum makes writers put a checksum into every compressed buffer, of its
// content: Zstandard's and LZ4's own, which every reader of them verifies. A
// buffer that was damaged is an error then and never other data. Nothing is
// stored raw, which would have no checksum: [WithMinSpaceSavings] means nothing,
// and what does not compress grows by a few bytes. A checksum has 4 bytes.
//
// It covers the bodies, not the metadata. Without a codec it is an error of the
// writer, at the first write.
func WithChecksum() Option {
	return func(c *config) { c.checksum = true }
}

// WithValidation has [Reader] and [FileReader] check every array of every record
// batch, at every depth and with its dictionaries, before they hand it on:
// whatever an accessor of arrow-go reads by is in order and in bounds, and
// strings are UTF-8. An error about that is an *[InvalidError] and carries
// ErrCorrupt. It says nothing of whether values make sense, such as a decimal of
// more digits than its type has.
//
// What makes no arrays has nothing to validate: [NewMessageReader], [Decoder],
// [Convert] and [ConvertFile] ignore it.
func WithValidation() Option {
	return func(c *config) { c.validate = true }
}

// WithTrustedInput has readers leave out the checks of arrays that they always
// make otherwise: that counts and lengths fit each other, and that the lengths of
// a flagged message are not negative and end inside of their data. What is then
// wrong with a record batch shows, or panics, when its values are looked at, and
// memory that arrow-go allocated for one that it cannot load may not be released.
// The limits, and the checks of the metadata and of what is compressed, stay. It
// is for input that its writer is known to have written, and excludes
// [WithValidation].
func WithTrustedInput() Option {
	return func(c *config) { c.trusted = true }
}
