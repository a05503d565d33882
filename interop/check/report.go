package main

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/arrowplanes/arrowplanes/interop/cases"
)

// report is what all results come to.
type report struct {
	faults []string // what must not be
	rows   map[string]*row
}

// row is one implementation.
type row struct {
	name, version string
	cells         map[cell]*tally
	refusals      map[string]map[string]int // texts, by codec
	unsupported   map[string]bool           // tables
	common        map[string]string         // what it says of cases.Common, by codec
	alone         tally                     // flagged messages without the second mark
	controls      int
	theirs        map[string]map[string]bool // files of ours and of pyarrow's that it cannot read, by table
	notes         map[string]*note
}

// note is something about an implementation that is not our fault.
type note struct {
	count   int
	example string
}

func (x *row) note(text, example string) {
	n := x.notes[text]
	if n == nil {
		n = &note{example: example}
		x.notes[text] = n
	}
	n.count++
	if len(example) < len(n.example) || len(example) == len(n.example) && example < n.example {
		n.example = example
	}
}

// cell is a column of the table.
type cell struct{ step, codec, format string }

// tally counts results that are as they must be, and all.
type tally struct{ good, all int }

func (t *tally) add(good bool) {
	t.all++
	if good {
		t.good++
	}
}

func (t *tally) String() string {
	switch {
	case t == nil:
		return "-"
	case t.good == t.all:
		return fmt.Sprint(t.all)
	}
	return fmt.Sprintf("%d of %d", t.good, t.all)
}

func summarize(results []cases.Result) *report {
	rep := &report{rows: map[string]*row{}}
	for _, r := range results {
		x := rep.rows[r.Implementation]
		if x == nil {
			x = &row{name: r.Implementation, version: r.Version, cells: map[cell]*tally{},
				refusals: map[string]map[string]int{}, unsupported: map[string]bool{},
				common: map[string]string{}, theirs: map[string]map[string]bool{}, notes: map[string]*note{}}
			rep.rows[r.Implementation] = x
		}
		good, counted := x.take(&r)
		if !good {
			rep.faults = append(rep.faults, fmt.Sprintf("%s %s: %s %s, %s, %s %s %s: %s %s",
				r.Implementation, r.Version, r.Step, r.Table, r.Codec, r.Format, r.Form, r.How, r.Outcome, r.Text))
		}
		if counted {
			c := cell{r.Step, r.Codec, r.Format}
			if x.cells[c] == nil {
				x.cells[c] = &tally{}
			}
			x.cells[c].add(r.Outcome == cases.Equal || r.Outcome == cases.Refused)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rep.rows)) {
		rep.faults = append(rep.faults, rep.rows[name].missing()...)
	}
	return rep
}

// take adds a result to the row, and says whether it is as it has to be, and
// whether the table counts it.
func (x *row) take(r *cases.Result) (good, counted bool) {
	switch r.Step {
	case cases.StepRead:
		switch r.Outcome {
		case cases.Unsupported:
			x.unsupported[r.Table] = true
			return true, false
		case cases.Theirs:
			if x.theirs[r.Table] == nil {
				x.theirs[r.Table] = map[string]bool{}
			}
			x.theirs[r.Table][r.Codec+" "+r.Format] = true
			return true, true
		}
		return r.Outcome == cases.Equal, true
	case cases.StepValues:
		return r.Outcome == cases.Equal, false
	case cases.StepControl:
		x.controls++
		return r.Outcome == cases.Accepted, false
	case cases.StepAccept:
		x.alone.add(r.Outcome == cases.Refused)
		return true, false
	case cases.StepRefuse:
		if r.Outcome == cases.Harmless {
			x.note("hands out a column of type Null, which has no buffers, of flagged messages", r.Text)
			return true, false
		}
		if x.refusals[r.Codec] == nil {
			x.refusals[r.Codec] = map[string]int{}
		}
		x.refusals[r.Codec][shortened(r.Text)]++
		if r.Table == cases.Common {
			x.common[r.Codec] = shortened(r.Text)
		}
		return r.Outcome == cases.Refused, true
	case stepTheirs:
		return x.takeTheirs(r)
	}
	return true, false
}

// twoNumbers are in an error about a length that lies.
var twoNumbers = regexp.MustCompile(`\d+ stored bytes hold (\d+ bytes( or more)?, not|more than) the \d+ (bytes )?claimed|frame of \d+ bytes where \d+ bytes are claimed`)

// takeTheirs knows what others write that is wrong.
func (x *row) takeTheirs(r *cases.Result) (good, counted bool) {
	if r.Implementation == "apache-arrow" && r.Codec != "none" && r.Outcome == cases.Failed && twoNumbers.MatchString(r.Text) {
		x.note("writes the compressed length where the uncompressed one belongs with "+codecTitle(r.Codec)+", which we refuse",
			twoNumbers.FindString(r.Text))
		return true, true
	}
	if r.Implementation == "arrow-java" && r.Format == "file" && r.Table == cases.Deltas && r.Outcome == cases.Failed {
		x.note("writes the first dictionary alone into a file, so that indices lead nowhere", r.Text)
		return true, true
	}
	return r.Outcome == cases.Equal, true
}

// missing names what there is no result of: a driver that did nothing would
// have no faults either.
func (x *row) missing() (faults []string) {
	for _, codec := range cases.Codecs {
		for _, step := range []string{cases.StepRead, cases.StepRefuse} {
			if x.cells[cell{step, codec.String(), cases.Formats[0].Name}] == nil {
				faults = append(faults, fmt.Sprintf("%s: no result of step %s with codec %s", x.name, step, codec))
			}
		}
	}
	if x.cells[cell{stepTheirs, cases.Codecs[0].String(), cases.Formats[0].Name}] == nil {
		faults = append(faults, x.name+": wrote nothing that could be read")
	}
	if x.controls == 0 {
		faults = append(faults, x.name+": no result of step "+cases.StepControl)
	}
	// Of types that it knows it has to refuse the flag, not something else.
	for codec, text := range x.common {
		if most := mostFrequent(x.refusals[codec]); text != most {
			faults = append(faults, fmt.Sprintf("%s: refuses %s with %s for %q, not for %q", x.name, cases.Common, codec, text, most))
		}
	}
	return faults
}

var number = regexp.MustCompile(`-?\d{3,}`)

// shortened returns an error's text without what is the same in all of them.
func shortened(text string) string {
	for _, prefix := range []string{"ArrowInvalid: ", "ComputeError: ", "Exception: C Data interface error: ", "TypeError: ", "Error: ",
		"NanoarrowException: ArrowArrayStream::get_next() failed (22): ", "java.lang.", "java.io."} {
		text = strings.TrimPrefix(text, prefix)
	}
	text = number.ReplaceAllStringFunc(text, func(n string) string {
		if len(n) > 6 {
			return "N"
		}
		return n
	})
	if len(text) > 80 {
		text = text[:77] + "..."
	}
	return text
}
