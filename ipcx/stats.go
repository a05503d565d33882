package ipcx

import "github.com/arrowplanes/arrowplanes/internal/flatbuf"

// Stats counts what went through a reader, a writer, a codec or a conversion.
// The names are those of Arrow C++'s ReadStats and WriteStats.
type Stats struct {
	Messages             int64 // of any kind, the schema included
	RecordBatches        int64
	FlaggedBatches       int64 // record batches with their offsets stored as lengths
	DictionaryBatches    int64 // dictionary batches, deltas included
	DictionaryDeltas     int64
	ReplacedDictionaries int64 // dictionary batches that replace an earlier one
	Rows                 int64 // of record batches
	RawBodyBytes         int64 // of all buffers, uncompressed and without padding
	StoredBodyBytes      int64 // of all bodies as they are stored, with padding
}

func (s *Stats) add(m *message, raw, stored int64, flagged bool) {
	s.Messages++
	s.RawBodyBytes += raw
	s.StoredBodyBytes += stored
	if m.kind == flatbuf.MessageHeaderRecordBatch {
		s.RecordBatches++
		s.Rows += m.rows
		if flagged {
			s.FlaggedBatches++
		}
		return
	}
	s.DictionaryBatches++
	if m.delta {
		s.DictionaryDeltas++
	}
}
