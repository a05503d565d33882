package main

import (
	"fmt"
	"math"

	"github.com/arrowplanes/arrowplanes/ipcx"
)

// shuffled is how large lineitem is, whole, without and with offsets as lengths.
type shuffled struct {
	scale         float64
	rows          int
	setting       setting
	before, after float64 // bytes a row
}

// measureShuffled writes the lineitem of an Arrow file in batches of 8192 rows.
func measureShuffled(s source, scale float64, dir string) ([]shuffled, error) {
	whole, err := s.load(math.MaxInt)
	if err != nil {
		return nil, err
	}
	t, err := cut(whole, s.name+"-whole", 8192, dir)
	if err != nil {
		return nil, err
	}
	var all []shuffled
	for _, s := range codecs {
		row := shuffled{scale: scale, rows: t.rows, setting: s}
		for _, plain := range []bool{true, false} {
			s.Plain = plain
			var n counter
			w := ipcx.NewWriter(&n, writeOptions(t.schema, s)...)
			for _, rec := range t.batches {
				if err := w.Write(rec); err != nil {
					return nil, fmt.Errorf("%s with %s: %w", t.name, s, err)
				}
			}
			if err := w.Close(); err != nil {
				return nil, fmt.Errorf("%s with %s: %w", t.name, s, err)
			}
			if plain {
				row.before = t.perRow(float64(n))
			} else {
				row.after = t.perRow(float64(n))
			}
		}
		if s.Codec != "none" {
			all = append(all, row)
		}
	}
	return all, nil
}
