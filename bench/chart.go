package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-analyze/charts"
)

// The colours of libraries, told apart by the colour-blind too.
var peerColors = []struct{ peer, color string }{
	{"ipcx", "#009E73"}, {"arrow-go", "#0072B2"}, {"pyarrow", "#E69F00"},
	{"parquet", "#CC79A7"}, {"polars", "#56B4E9"}, {"arro3", "#B0B0B0"},
}

// drawCharts draws the size and the time of every table with zstd, one chart each,
// and returns the names of the files in dir.
func drawCharts(results []result, dir string) ([]string, error) {
	kinds := []struct {
		file, title string
		value       func(result) float64
	}{
		{"size.svg", "Bytes a row", func(r result) float64 { return r.bytes }},
		{"write.svg", "Writing, ns a row", func(r result) float64 { return r.write.ns }},
		{"read.svg", "Reading, ns a row", func(r result) float64 { return r.read.ns }},
	}
	var files []string
	for _, k := range kinds {
		svg, err := draw(k.title+", as parts of what arrow-go takes, zstd 3, 8192 rows a batch, one thread", results, k.value)
		if err != nil {
			return nil, fmt.Errorf("chart %s: %w", k.file, err)
		}
		if svg == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, k.file), svg, 0o644); err != nil {
			return nil, err
		}
		files = append(files, k.file)
	}
	return files, nil
}

// draw draws horizontal bars: for each table one of every library.
func draw(title string, results []result, value func(result) float64) ([]byte, error) {
	s := selection{batchRows: 8192, codec: "zstd", level: ownZstd, procs: 1}
	names := slices.Clone(tableNames(results))
	slices.Reverse(names) // the axis starts at the bottom
	var peers []string
	var colors []charts.Color
	var values [][]float64
	top := 1.0
	for _, c := range peerColors {
		row := make([]float64, len(names))
		for i, name := range names {
			theirs, ok := s.find(results, name, c.peer)
			base, compared := s.find(results, name, "arrow-go")
			if !ok || !compared {
				continue
			}
			row[i] = min(value(theirs)/value(base), chartTop)
			top = max(top, row[i])
		}
		if slices.ContainsFunc(row, func(v float64) bool { return v > 0 }) {
			peers, colors, values = append(peers, c.peer), append(colors, charts.ColorFromHex(c.color)), append(values, row)
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	steps := int(math.Ceil(top / 0.5))
	p := charts.NewPainter(charts.PainterOptions{
		OutputFormat: charts.ChartOutputSVG, Width: 1000, Height: 120 + (16+9*len(peers))*len(names),
	})
	err := p.BarChart(charts.BarChartOption{
		SeriesList:   charts.NewSeriesListBar(values),
		Horizontal:   true,
		Theme:        charts.GetTheme(charts.ThemeLight).WithSeriesColors(colors),
		Padding:      charts.Box{Top: 16, Left: 8, Bottom: 8, Right: 32, IsSet: true},
		Title:        charts.TitleOption{Text: title},
		Legend:       charts.LegendOption{SeriesNames: peers, Offset: charts.OffsetStr{Left: "left", Top: "28"}},
		CategoryAxis: charts.CategoryAxisOption{Labels: names, LabelCount: len(names)},
		ValueAxis: []charts.ValueAxisOption{{
			Min: charts.Ptr(0.0), Max: charts.Ptr(0.5 * float64(steps)), LabelCount: steps + 1,
		}},
		BarMargin:      charts.Ptr(0.0),
		ValueFormatter: func(v float64) string { return fmt.Sprintf("%.1f", v) },
	})
	if err != nil {
		return nil, err
	}
	return p.Bytes()
}

// chartTop is where bars end, however long they are.
const chartTop = 4.0
