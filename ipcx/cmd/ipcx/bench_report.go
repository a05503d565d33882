package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// benchReport is what came of measuring.
type benchReport struct {
	File          string          `json:"file"`
	Rows          int64           `json:"rows"`
	RecordBatches int             `json:"record_batches"`
	Concurrency   int             `json:"concurrency"`
	Seconds       float64         `json:"seconds_per_setting"` // that were asked for
	Settings      []*benchSetting `json:"settings"`
	Reference     *int            `json:"reference,omitempty"` // index of Settings; ratios are to it
	Use           int             `json:"use"`                 // index of Settings
	Advice        string          `json:"advice"`
	Note          string          `json:"note,omitempty"`
}

func newBenchReport(name string, t *benchTable, settings []*benchSetting, f *benchFlags) *benchReport {
	r := &benchReport{
		File: name, Rows: t.rows, RecordBatches: len(t.batches), Concurrency: f.concurrency,
		Seconds: f.budget.Seconds(), Settings: settings,
	}
	i := reference(settings)
	if i >= 0 {
		r.Reference = &i
		for _, s := range settings {
			s.compare(settings[i])
		}
	}
	r.Use = choose(settings, i)
	r.Advice = advice(settings[r.Use], r.reference())
	return r
}

func (r *benchReport) reference() *benchSetting {
	if r.Reference == nil {
		return nil
	}
	return r.Settings[*r.Reference]
}

// reference returns the index of arrow-go's best codec that was measured, -1 for
// none.
func reference(settings []*benchSetting) int {
	best := -1
	for i, s := range settings {
		if s.Writer == arrowWriter && s.Error == "" && (best < 0 || s.codec > settings[best].codec) {
			best = i
		}
	}
	return best
}

// compare sets the ratios to ref.
func (s *benchSetting) compare(ref *benchSetting) {
	if s.Error != "" {
		return
	}
	ratio := func(a, b float64) *float64 {
		r := a / b
		return &r
	}
	s.SizeRatio = ratio(float64(s.Bytes), float64(ref.Bytes))
	s.WriteRatio = ratio(s.WriteNs, ref.WriteNs)
	s.ReadRatio = ratio(s.ReadNs, ref.ReadNs)
}

const (
	nearlyAsSmall = 1.02 // how much larger something may be to be chosen for its speed
	hardlyLonger  = 1.10 // and how much longer it may take: no clock on the wall tells less
)

// choose returns the index of the setting to use: of those of ipcx that take
// hardly longer than the reference, in neither direction, and the reference itself,
// the smallest, or one nearly as small that is faster.
func choose(settings []*benchSetting, reference int) int {
	var fit []int
	for i, s := range settings {
		if i == reference || s.Writer == ownWriter && s.slower() <= hardlyLonger {
			fit = append(fit, i)
		}
	}
	smallest := int64(math.MaxInt64)
	for _, i := range fit {
		smallest = min(smallest, settings[i].Bytes)
	}
	fit = slices.DeleteFunc(fit, func(i int) bool { return float64(settings[i].Bytes) > nearlyAsSmall*float64(smallest) })
	return slices.MinFunc(fit, func(i, k int) int { return cmp.Compare(settings[i].time(), settings[k].time()) })
}

// slower returns how many times as long as the reference a setting takes, in the
// direction where that is more; 1 where there is no reference.
func (s *benchSetting) slower() float64 {
	if s.WriteRatio == nil {
		return 1
	}
	return max(*s.WriteRatio, *s.ReadRatio)
}

func (s *benchSetting) time() float64 { return s.WriteNs + s.ReadNs }

// advice says in a sentence what to use and why.
func advice(s, ref *benchSetting) string {
	switch ref {
	case s:
		return fmt.Sprintf("Stay with %v: nothing else here is smaller without taking longer.", s)
	case nil:
		return fmt.Sprintf("Use %v: %s bytes a row, the smallest.", s, figure(s.BytesPerRow))
	}
	than := "smaller"
	saved := 100 * (1 - *s.SizeRatio)
	if saved < 0 {
		than, saved = "larger", -saved
	}
	size := fmt.Sprintf("%.0f %% %s than", saved, than)
	if saved < 0.5 {
		size = "as small as"
	}
	return fmt.Sprintf("Use %v: %s %v, and takes %.2f times as long to write and %.2f times to read.", s, size, ref, *s.WriteRatio, *s.ReadRatio)
}

// print prints a report for people.
func (r *benchReport) print(w io.Writer) {
	threads := "one thread"
	if r.Concurrency > 1 {
		threads = strconv.Itoa(r.Concurrency) + " threads"
	}
	fmt.Fprintf(w, "%s: %s in %s, %s\n\n", printable(r.File), count(r.Rows, "row"), count(int64(r.RecordBatches), "record batch"), threads)
	t := newTable("WRITER", "CODEC", "LEVEL", "OFFSETS", "B/ROW", "×", "WRITE", "×", "READ", "×", "")
	t.right(3, 5, 6, 7, 8, 9, 10)
	for i, s := range r.Settings {
		level, offsets, mark := "", "plain", ""
		if s.codec == ipcx.Zstd {
			level = strconv.Itoa(s.Level)
		}
		if s.Lengths {
			offsets = "lengths"
		}
		if i == r.Use {
			mark = "◀"
		}
		if s.Error != "" {
			t.row(s.Writer, s.Codec, level, offsets, "-", "", "-", "", "-", "", mark)
			continue
		}
		t.row(s.Writer, s.Codec, level, offsets,
			figure(s.BytesPerRow), multiple(s.SizeRatio), figure(s.WriteNs), multiple(s.WriteRatio), figure(s.ReadNs), multiple(s.ReadRatio), mark)
	}
	t.render(w)
	fmt.Fprintln(w, "\nB/ROW in bytes, WRITE and READ in nanoseconds a row, medians")
	for _, s := range r.Settings {
		if s.Error != "" {
			fmt.Fprintf(w, "%v fails: %s\n", s, s.Error)
		}
	}
	if r.Note != "" {
		fmt.Fprintln(w, r.Note)
	}
	fmt.Fprintf(w, "\n%s\n", r.Advice)
}

// figure formats a number with some three digits that count.
func figure(x float64) string {
	switch {
	case x >= 100:
		return strconv.FormatFloat(x, 'f', 0, 64)
	case x >= 10:
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

func multiple(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'f', 2, 64)
}
