package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/arrowplanes/arrowplanes/ipcx"
	"github.com/arrowplanes/arrowplanes/layout"
)

// fileStat says how a stream or file is stored.
type fileStat struct {
	File              string            `json:"file"`
	Bytes             int64             `json:"bytes"`
	Format            string            `json:"format"`
	MetadataVersion   string            `json:"metadata_version"`
	Rows              int64             `json:"rows"`
	RecordBatches     int64             `json:"record_batches"`
	FlaggedBatches    int64             `json:"flagged_batches"`
	DictionaryBatches int64             `json:"dictionary_batches"`
	DictionaryDeltas  int64             `json:"dictionary_deltas"`
	Codecs            []string          `json:"codecs"` // in order of their appearance
	StoredBytes       int64             `json:"stored_bytes"`
	RawBytes          int64             `json:"raw_bytes"`
	Ratio             float64           `json:"ratio"`
	Fields            []fieldInfo       `json:"fields"`
	Metadata          map[string]string `json:"metadata,omitempty"`
	Columns           []columnStat      `json:"columns"`
	Estimate          *estimate         `json:"estimate,omitempty"`
}

// columnStat says how a column is stored.
type columnStat struct {
	Name  string     `json:"name"`
	Type  string     `json:"type"`
	Roles []roleStat `json:"roles"`
	sizes
}

// roleStat says how the buffers of a column with the same role are stored.
type roleStat struct {
	Role string `json:"role"`
	sizes
}

// sizes are what buffers take, in bytes.
type sizes struct {
	Stored int64   `json:"stored_bytes"`
	Raw    int64   `json:"raw_bytes"`
	Ratio  float64 `json:"ratio"`
	// what they would take, with --estimate
	Zstd    *int64 `json:"zstd_bytes,omitempty"`
	Lengths *int64 `json:"zstd_lengths_bytes,omitempty"`
}

func (s *sizes) add(b *ipcx.BufferInfo) {
	s.Stored += b.StoredBytes
	s.Raw += b.RawBytes
	s.Ratio = ratio(s.Stored, s.Raw)
}

// The groups of roles, in the order in which they are shown.
var roleNames = []string{"validity", "offsets", "values", "data", "unknown"}

// roleName returns the group that a role is in.
func roleName(r layout.Role) string {
	switch r {
	case layout.Validity:
		return "validity"
	case layout.Offsets32, layout.Offsets64, layout.UnionOffsets,
		layout.ListViewOffsets32, layout.ListViewOffsets64, layout.ListViewSizes32, layout.ListViewSizes64:
		return "offsets"
	case layout.Values, layout.Bits, layout.Views, layout.TypeIDs:
		return "values"
	case layout.Bytes, layout.ViewData:
		return "data"
	}
	return "unknown"
}

// unknownColumn is the name of what belongs to no column that is known.
const unknownColumn = "(unknown)"

func (a *app) statOne(ctx context.Context, name string, f *statFlags) (*fileStat, error) {
	in, err := a.open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if f.estimate && in.file == nil {
		return nil, in.wrap(errors.New("--estimate reads its input more than once: give it a file"))
	}
	c := &collector{fileStat: fileStat{File: in.name, Format: in.format().String()}}
	if err := ipcx.Inspect(ctx, in.reader(), c.visit, f.limits.options()...); err != nil {
		return nil, in.wrap(err)
	}
	s := c.finish()
	if s.Bytes = in.size; in.file == nil {
		s.Bytes = in.seen.Load()
	}
	if f.estimate {
		if err := s.estimate(ctx, in, c.schema, f); err != nil {
			return nil, in.wrap(err)
		}
	}
	return s, nil
}

// collector adds up messages.
type collector struct {
	fileStat
	schema  *arrow.Schema
	unknown columnStat
}

func (c *collector) visit(m *ipcx.MessageInfo) error {
	switch m.Type {
	case ipcx.MessageSchema:
		c.begin(m)
		return nil
	case ipcx.MessageRecordBatch:
		rows, err := addRows(c.Rows, m.Rows, c.RecordBatches)
		if err != nil {
			return err
		}
		c.Rows = rows
		c.RecordBatches++
		if m.Flagged {
			c.FlaggedBatches++
		}
	case ipcx.MessageDictionaryBatch:
		c.DictionaryBatches++
		if m.Delta {
			c.DictionaryDeltas++
		}
	}
	if codec := m.Codec.String(); !slices.Contains(c.Codecs, codec) {
		c.Codecs = append(c.Codecs, codec)
	}
	for i := range m.Buffers {
		c.add(&m.Buffers[i])
	}
	return nil
}

func (c *collector) begin(m *ipcx.MessageInfo) {
	c.MetadataVersion = fmt.Sprintf("V%d", int(m.Version)+1)
	c.schema = m.Schema
	if m.Schema == nil {
		return
	}
	c.Fields = describeFields(m.Schema.Fields())
	c.Metadata = metadataMap(m.Schema.Metadata())
	for _, field := range m.Schema.Fields() {
		c.Columns = append(c.Columns, columnStat{Name: field.Name, Type: typeName(field.Type), Roles: newRoles()})
	}
}

func newRoles() []roleStat {
	roles := make([]roleStat, len(roleNames))
	for i, name := range roleNames {
		roles[i].Role = name
	}
	return roles
}

func (c *collector) add(b *ipcx.BufferInfo) {
	c.StoredBytes += b.StoredBytes
	c.RawBytes += b.RawBytes
	col := &c.unknown
	if b.Column >= 0 && b.Column < len(c.Columns) {
		col = &c.Columns[b.Column]
	} else if col.Roles == nil {
		*col = columnStat{Name: unknownColumn, Roles: newRoles()}
	}
	col.add(b)
	col.Roles[slices.Index(roleNames, roleName(b.Role))].add(b)
}

// finish leaves out the roles that columns do not have.
func (c *collector) finish() *fileStat {
	if c.unknown.Roles != nil {
		c.Columns = append(c.Columns, c.unknown)
	}
	for i := range c.Columns {
		col := &c.Columns[i]
		col.Roles = slices.DeleteFunc(col.Roles, func(r roleStat) bool { return r.Raw == 0 && r.Stored == 0 })
	}
	c.Ratio = ratio(c.StoredBytes, c.RawBytes)
	if c.Codecs == nil {
		c.Codecs = []string{}
	}
	if c.Columns == nil {
		c.Columns = []columnStat{}
	}
	return &c.fileStat
}
