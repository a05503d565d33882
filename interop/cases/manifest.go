package cases

import (
	"path"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// Codecs are the codecs of bodies, in the order of the result's columns.
var Codecs = [...]ipcx.Codec{ipcx.Uncompressed, ipcx.LZ4Frame, ipcx.Zstd}

// Formats are the names of the formats, and the extensions of their files.
var Formats = [...]Format{{"stream", ".arrows", ipcx.StreamFormat}, {"file", ".arrow", ipcx.FileFormat}}

// Format is how a file is framed.
type Format struct {
	Name      string
	Extension string
	Format    ipcx.Format
}

// Manifest tells the other implementations' drivers what there is to do. Paths
// are slash-separated and relative to the manifest.
type Manifest struct {
	// Read has the files to read, each with data equal to that of Reference, which
	// arrow-go wrote without compression, in the same format where it can.
	Read []ReadCase `json:"read"`
	// Refuse has the files to refuse.
	Refuse []RefuseCase `json:"refuse"`
	// Accept has flagged streams with the second mark taken away, to see which
	// implementations would do with the first alone.
	Accept []RefuseCase `json:"accept"`
	// Control has files that are not flagged at all, to be accepted: a driver
	// that refused everything would be none.
	Control []RefuseCase `json:"control"`
	// Values has the rows of Plain, a list of objects for each batch.
	Values [][]any `json:"values"`
	// Write has tables to write, from the references in stream format, as
	// written/NAME/CODEC/TABLE with the extension of the format.
	Write []WriteCase `json:"write"`
}

// ReadCase is a file to read.
type ReadCase struct {
	Path      string `json:"path"`
	Reference string `json:"reference"`
	Table     string `json:"table"`
	Codec     string `json:"codec"`
	Format    string `json:"format"`
	Form      string `json:"form"` // how it was written
}

// RefuseCase is a file to refuse.
type RefuseCase struct {
	Path    string `json:"path"`
	Table   string `json:"table"`
	Codec   string `json:"codec"`
	Format  string `json:"format"`
	Plain   int    `json:"plain"`   // batches in front that are not flagged
	Flags   []bool `json:"flags"`   // which batches are
	Columns int    `json:"columns"` // of the schema
}

// WriteCase is a table to write.
type WriteCase struct {
	Table     string `json:"table"`
	Reference string `json:"reference"`
	File      bool   `json:"file"` // in files too
}

// Reference returns the path of a table's reference.
func Reference(table string, format Format) string {
	return path.Join("reference", table+format.Extension)
}

// Result is one line of an implementation's results, results/NAME.jsonl.
type Result struct {
	Implementation string `json:"implementation"`
	Version        string `json:"version"`
	Step           string `json:"step"` // one of the constants below
	Table          string `json:"table"`
	Codec          string `json:"codec"`
	Format         string `json:"format"`
	Form           string `json:"form"`
	How            string `json:"how"` // which of several ways of reading
	Outcome        string `json:"outcome"`
	Text           string `json:"text"`
}

// Steps and outcomes of a Result. Where an implementation cannot read a
// reference, its type is unsupported, and nothing else is asked of the table.
const (
	StepRead    = "read"    // equal, unsupported, different or failed
	StepRefuse  = "refuse"  // refused or accepted
	StepAccept  = "accept"  // refused or accepted
	StepControl = "control" // refused or accepted
	StepWrite   = "write"   // written or unsupported
	StepValues  = "values"  // equal or different

	Equal       = "equal"
	Unsupported = "unsupported"
	Different   = "different"
	Failed      = "failed"
	Refused     = "refused"
	Accepted    = "accepted"
	Harmless    = "harmless" // accepted, but nothing that is in a buffer
	Theirs      = "theirs"   // different or failed, and so is pyarrow's file
	Written     = "written"
)
