package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowplanes/arrowplanes/interop/cases"
)

// good are results without a fault, of one implementation.
func good() (results []cases.Result) {
	add := func(step, table, codec, outcome, text string) {
		results = append(results, cases.Result{Implementation: "it", Version: "1", Step: step,
			Table: table, Codec: codec, Format: "stream", Outcome: outcome, Text: text})
	}
	for _, codec := range cases.Codecs {
		add(cases.StepRead, "utf8", codec.String(), cases.Equal, "")
		add(cases.StepRefuse, "utf8", codec.String(), cases.Refused, "Error: codec")
		add(cases.StepRefuse, cases.Common, codec.String(), cases.Refused, "Error: codec")
		add(stepTheirs, "utf8", codec.String(), cases.Equal, "")
	}
	add(cases.StepValues, "plain", "none", cases.Equal, "")
	add(cases.StepControl, "utf8", "none", cases.Accepted, "")
	add(cases.StepAccept, "utf8", "none", cases.Accepted, "")
	return results
}

func TestGood(t *testing.T) {
	rep := summarize(good())
	require.Empty(t, rep.faults)
	require.Contains(t, rep.markdown(), "| it 1 | 1 / - | 1 / - | 1 / - | 2 / - | 2 / - | 2 / - | 1 / - | 1 / - | 1 / - |")
	require.Contains(t, rep.markdown(), "| it 1 | `codec` | `codec` | `codec` | 0 of 1 |")
}

// TestFaults turns each result into what it must not be, and leaves it out.
func TestFaults(t *testing.T) {
	worse := map[string][]string{
		cases.StepRead:    {cases.Different, cases.Failed},
		cases.StepRefuse:  {cases.Accepted},
		stepTheirs:        {cases.Different, cases.Failed},
		cases.StepValues:  {cases.Different},
		cases.StepControl: {cases.Refused},
	}
	for i, r := range good() {
		for _, outcome := range worse[r.Step] {
			results := good()
			results[i].Outcome = outcome
			require.Len(t, summarize(results).faults, 1, "%s %s %s", r.Step, r.Table, outcome)
			require.True(t, strings.Contains(summarize(results).markdown(), "of") || r.Step == cases.StepValues)
		}
	}
	for _, step := range []string{cases.StepRead, cases.StepRefuse, cases.StepControl, stepTheirs} {
		var rest []cases.Result
		for _, r := range good() {
			if r.Step != step {
				rest = append(rest, r)
			}
		}
		require.NotEmpty(t, summarize(rest).faults, step)
	}
	results := good()
	for _, r := range good() {
		if r.Step == cases.StepRefuse && r.Table != cases.Common && r.Codec == "lz4" {
			results = append(results, r)
		}
	}
	for i := range results {
		if results[i].Table == cases.Common && results[i].Codec == "lz4" {
			results[i].Text = "Error: another"
		}
	}
	require.Len(t, summarize(results).faults, 1)
}

func TestTheirs(t *testing.T) {
	wrong := cases.Result{Implementation: "apache-arrow", Step: stepTheirs, Table: "utf8", Codec: "lz4", Format: "stream",
		Outcome: cases.Failed, Text: "reader: buffer 1: LZ4: 30 stored bytes hold 64 bytes, not the 30 claimed"}
	results := good()
	for i := range results {
		results[i].Implementation = "apache-arrow"
	}
	require.Empty(t, summarize(append(results, wrong)).faults)
	wrong.Codec = "none"
	require.Len(t, summarize(append(results, wrong)).faults, 1)
	wrong.Codec, wrong.Text = "lz4", "reader: something else"
	require.Len(t, summarize(append(results, wrong)).faults, 1)
	wrong.Text, wrong.Outcome = "", cases.Different
	require.Len(t, summarize(append(results, wrong)).faults, 1)
}

func TestInsert(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, insert(name, "table\n"))
	require.NoFileExists(t, name)
	for text, want := range map[string]string{
		"no markers\n":               "no markers\n",
		"a\n" + begin + end + "b\n":  "a\n" + begin + "table\n" + end + "b\n",
		begin + "old\nolder\n" + end: begin + "table\n" + end,
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
		require.NoError(t, insert(name, "table\n"))
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	require.NoError(t, os.WriteFile(name, []byte(begin), 0o644))
	require.Error(t, insert(name, "table\n"))
}

// TestJudge checks that files of the right rows are equal, and others are not.
func TestJudge(t *testing.T) {
	table := cases.Tables()[0]
	want, err := textOf(table.Batches)
	require.NoError(t, err)
	require.Empty(t, difference(want, want))
	require.NotEmpty(t, difference(want, want[1:]))
	changed := append([]string{"x"}, want[1:]...)
	require.NotEmpty(t, difference(want, changed))
	outcome, text := judge([]byte("not a stream"), want)
	require.Equal(t, cases.Failed, outcome)
	require.Contains(t, text, "reader: ")
}
