package main

import (
	"fmt"
	"html/template"
	"slices"
	"sort"

	"github.com/go-analyze/charts"
)

// series is what a bar of each column shows.
type series struct {
	name, color string
	values      []float64 // bytes, by column
}

// The colours of series, told apart by the colour-blind too.
const (
	blue   = "#0072B2"
	orange = "#E69F00"
	green  = "#009E73"
	pink   = "#CC79A7"
	grey   = "#B0B0B0"
)

var roleColors = map[string]string{"validity": grey, "offsets": orange, "values": green, "data": blue, "unknown": pink}

// rolesChart draws what each column takes, by role.
func rolesChart(s *fileStat) (template.HTML, error) {
	columns, title := largest(s, "Stored bytes by role")
	var bars []series
	for _, role := range roleNames {
		row, sum := series{role, roleColors[role], nil}, int64(0)
		for _, c := range columns {
			n := *storedAs(c, role)
			row.values = append(row.values, float64(n))
			sum += n
		}
		if sum > 0 {
			bars = append(bars, row)
		}
	}
	return drawBars(title, columns, bars, true)
}

// sizesChart draws what each column takes now, decompressed, and as estimated.
func sizesChart(s *fileStat) (template.HTML, error) {
	columns, title := largest(s, "Raw and stored bytes")
	bars := []series{{"raw", grey, nil}, {"stored", blue, nil}}
	if s.Estimate != nil {
		bars = append(bars, series{"zstd", orange, nil}, series{"zstd with offsets as lengths", green, nil})
	}
	for _, c := range columns {
		for i, n := range []*int64{&c.Raw, &c.Stored, c.Zstd, c.Lengths}[:len(bars)] {
			v := 0.0
			if n != nil {
				v = float64(*n)
			}
			bars[i].values = append(bars[i].values, v)
		}
	}
	return drawBars(title, columns, bars, false)
}

// chartColumns is how many columns a chart shows at most.
const chartColumns = 30

// largest returns the columns that a chart shows, in the schema's order: all, or
// the largest. The title says which.
func largest(s *fileStat, title string) ([]*columnStat, string) {
	columns := make([]*columnStat, len(s.Columns))
	order := make([]int, len(s.Columns))
	for i := range columns {
		columns[i], order[i] = &s.Columns[i], i
	}
	if len(columns) <= chartColumns {
		return columns, title
	}
	sort.SliceStable(order, func(i, k int) bool { return columns[order[i]].Stored > columns[order[k]].Stored })
	order = order[:chartColumns]
	sort.Ints(order)
	chosen := make([]*columnStat, len(order))
	for i, k := range order {
		chosen[i] = columns[k]
	}
	return chosen, fmt.Sprintf("%s, the %d largest of %d columns", title, chartColumns, len(columns))
}

// drawBars draws horizontal bars as SVG: for each column one bar a series, or
// one of all.
func drawBars(title string, columns []*columnStat, bars []series, stacked bool) (template.HTML, error) {
	if len(bars) == 0 || len(columns) == 0 {
		return "", nil
	}
	labels := make([]string, len(columns))
	for i, c := range columns {
		labels[i] = shorten(printable(c.Name), 24) // the library escapes it
	}
	slices.Reverse(labels) // the axis starts at the bottom
	var (
		names  []string
		colors []charts.Color
		values [][]float64
	)
	longest := make([]float64, len(columns))
	for _, b := range bars {
		names, colors, values = append(names, b.name), append(colors, charts.ColorFromHex(b.color)), append(values, b.values)
		slices.Reverse(b.values)
		for i, v := range b.values {
			if stacked {
				longest[i] += v
			} else {
				longest[i] = max(longest[i], v)
			}
		}
	}
	step, steps := scale(slices.Max(longest))
	height := 26
	if !stacked {
		height = 14 + 10*len(bars)
	}
	p := charts.NewPainter(charts.PainterOptions{OutputFormat: charts.ChartOutputSVG, Width: 960, Height: 110 + height*len(columns)})
	err := p.BarChart(charts.BarChartOption{
		SeriesList:   charts.NewSeriesListBar(values),
		Horizontal:   true,
		StackSeries:  &stacked,
		Theme:        charts.GetTheme(charts.ThemeLight).WithSeriesColors(colors),
		Padding:      charts.Box{Top: 16, Left: 8, Bottom: 8, Right: 48, IsSet: true},
		Title:        charts.TitleOption{Text: title},
		Legend:       charts.LegendOption{SeriesNames: names, Offset: charts.OffsetRight},
		CategoryAxis: charts.CategoryAxisOption{Labels: labels, LabelCount: len(labels)},
		ValueAxis: []charts.ValueAxisOption{{
			Min:        charts.Ptr(0.0),
			Max:        charts.Ptr(step * float64(steps)),
			LabelCount: steps + 1,
		}},
		BarMargin:      charts.Ptr(0.0),
		ValueFormatter: func(v float64) string { return size(int64(v + 0.5)) },
	})
	if err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	svg, err := p.Bytes()
	if err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	return template.HTML(svg), nil
}

// scale returns the steps of an axis up to top bytes, round in KiB and MiB.
func scale(top float64) (step float64, steps int) {
	step = 1
	for step*4 < top {
		step *= 2
	}
	for steps = 1; step*float64(steps) < top; steps++ {
	}
	return step, steps
}
