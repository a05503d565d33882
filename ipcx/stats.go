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
	Rows                 int64 // of record batches; 2^63-1 where there are more
	RawBodyBytes         int64 // of all buffers, uncompressed and without padding
	StoredBodyBytes      int64 // of all bodies as they are stored, with padding
}

// Add adds what other counted.
func (s *Stats) Add(other Stats) {
	s.Messages += other.Messages
	s.RecordBatches += other.RecordBatches
	s.FlaggedBatches += other.FlaggedBatches
	s.DictionaryBatches += other.DictionaryBatches
	s.DictionaryDeltas += other.DictionaryDeltas
	s.ReplacedDictionaries += other.ReplacedDictionaries
	s.Rows = sum(s.Rows, other.Rows)
	s.RawBodyBytes += other.RawBodyBytes
	s.StoredBodyBytes += other.StoredBodyBytes
}

// counter counts the messages of one stream.
type counter struct {
	Stats
	dictionaries map[int64]struct{} // ids that were there
}

// replaces says whether a message replaces a dictionary that was there.
func (s *counter) replaces(m *message) bool {
	_, seen := s.dictionaries[m.id]
	return m.kind == flatbuf.MessageHeaderDictionaryBatch && !m.delta && seen
}

func (s *counter) add(m *message, raw, stored int64, flagged bool) {
	s.Messages++
	s.RawBodyBytes += raw
	s.StoredBodyBytes += stored
	if m.kind == flatbuf.MessageHeaderRecordBatch {
		s.RecordBatches++
		s.Rows = sum(s.Rows, m.rows)
		if flagged {
			s.FlaggedBatches++
		}
		return
	}
	s.DictionaryBatches++
	if m.delta {
		s.DictionaryDeltas++
	}
	if s.replaces(m) {
		s.ReplacedDictionaries++
	}
	if s.dictionaries == nil {
		s.dictionaries = make(map[int64]struct{})
	}
	s.dictionaries[m.id] = struct{}{}
}
