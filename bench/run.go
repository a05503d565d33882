package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// measure measures a table with all that is asked for.
func (s *suite) measure(src source) error {
	// Bytes of record batches: enough for a steady figure and for what a writer
	// takes to start to weigh little, few enough that all of it is done in minutes.
	rows := 0
	for i, batchRows := range batchSizes {
		budget, limit := 1<<20, 24<<20
		if batchRows == 8192 {
			budget = 4 << 20
		}
		if s.full {
			budget, limit = 8<<20, 1<<30
		}
		n, err := rowsFor(src, batchRows, budget, limit)
		if err != nil {
			return err
		}
		if n == 0 {
			s.skip(fmt.Sprintf("%s in batches of %d rows, of which one takes long: -full measures it", src.name, batchRows))
			continue
		}
		whole, err := src.load(n)
		if err != nil {
			return err
		}
		if i > 0 && rows > 0 && int(whole.NumRows()) <= batchSizes[i-1] {
			continue // the same batch as before: the table has no more rows
		}
		rows = int(whole.NumRows())
		t, err := cut(whole, src.name, batchRows, s.work)
		if err != nil {
			return err
		}
		if err := s.measureTable(t); err != nil {
			return err
		}
		os.Remove(t.path)
	}
	if slices.Contains(alike, src.name) {
		const batchRows, batches = 65536, 8
		whole, err := src.load(batches * batchRows)
		if err != nil {
			return err
		}
		t, err := cut(whole, src.name, batchRows, s.work)
		if err != nil {
			return err
		}
		gains, err := measureThreads(t, s.rounds)
		if err != nil {
			return err
		}
		s.report.gains = append(s.report.gains, gains...)
		os.Remove(t.path)
	}
	return nil
}

// measureTable measures a table with all codecs. Other batch sizes than 8192 have
// the codec alone that all libraries share a level of, unless all is asked for;
// and so has another GOMAXPROCS than 1.
func (s *suite) measureTable(t *table) error {
	var all []peer
	for _, p := range s.peers {
		err := p.open(t.path)
		if err != nil && ofGo(p.name()) {
			return err
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "left out:", err)
			continue
		}
		all = append(all, p)
	}
	for _, c := range codecs {
		own := c.Codec == "zstd" && c.Level == ownZstd
		if !s.full && t.batchRows != 8192 && !own {
			continue
		}
		for _, procs := range processors {
			if !s.full && procs > 1 && !own {
				continue
			}
			peers := all
			if procs > 1 || !s.full && t.batchRows != 8192 {
				peers = peers[:2] // GOMAXPROCS means nothing to the others
			}
			results, err := measure(peers, t, c, procs, s.rounds)
			if err != nil {
				return err
			}
			s.report.results = append(s.report.results, results...)
		}
	}
	if t.batchRows == 256 {
		whole, err := wholeBodies(t)
		if err != nil {
			return err
		}
		s.report.bodies[t.name] = whole
	}
	return nil
}

// save writes BENCHMARKS.md and what it names.
func (s *suite) save() error {
	s.report.versions = []string{"arrow-go " + moduleVersion("github.com/apache/arrow-go/v18")}
	for _, p := range s.peers {
		if w, ok := p.(*worker); ok && w.version != "" && w.label != "parquet" {
			s.report.versions = append(s.report.versions, w.label+" "+w.version)
		}
	}
	dir := filepath.Join(s.out, "bench", "results")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	if s.report.charts, err = drawCharts(s.report.results, dir); err != nil {
		return err
	}
	var figures bytes.Buffer
	if err := writeCSV(&figures, s.report.results); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "results.csv"), figures.Bytes(), 0o644); err != nil {
		return err
	}
	var page bytes.Buffer
	s.report.write(&page)
	return os.WriteFile(filepath.Join(s.out, "BENCHMARKS.md"), page.Bytes(), 0o644)
}
