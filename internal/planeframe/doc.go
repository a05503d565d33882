// Package planeframe turns an offsets buffer straight into a zstd frame of its
// lengths in byte planes, and such a frame straight back into offsets.
//
// The content of the frame is what package planes makes of the buffer: the
// first offset, w planes of n bytes, and the bytes that followed the offsets.
// Any zstd decoder reads it. What is special is that the writer knows where the
// planes are, so that it needs no search to find out what a compressor would:
//
//	magic | descriptor | content size     RFC 8878: single segment, no checksum
//	raw          first offset             one block, 3 bytes and w
//	compressed   plane 0                  literals only, Huffman-coded
//	RLE          planes 1 to w-1          4 bytes for a run of up to 128 KiB
//	raw          the rest                 where there is one
//
// Each plane is looked at on its own. One that is constant is a run, and the
// planes above the highest byte of any length are known to be zero without
// being made. One that is nearly constant is runs with a few raw bytes between.
// One with an entropy below 8 bits is a compressed block without sequences, and
// with a Huffman tree of its own or that of the block before. Anything else is
// raw. Runs and raw bytes that meet share a block.
//
// Where the bytes of a plane repeat over longer stretches, as those of sorted
// or periodic lengths do, an ordinary encoder does better. Then the blocks of a
// frame that it makes of that plane alone stand in this frame: they refer to
// nothing before them, and nothing before them has touched the state that they
// start from. There is one such region in a frame at most, as a second one
// would start from what the first one left.
//
// Bytes that are no offsets, and in which nothing repeats, are blocks without sequences
// as well, and are decoded straight to where they belong.
//
// The decoder looks at the blocks first and decodes them afterwards, when it
// knows which planes are constant. Those take no memory. It goes over the
// entries in stretches where each plane is either constant or bytes that are
// already there, and sums what is not constant.
package planeframe
