package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"sort"

	"github.com/go-analyze/charts"

	"github.com/arrowplanes/arrowplanes/internal/beside"
)

//go:embed stat_page.html
var pageText string

// page is what the template shows.
type page struct {
	Version string
	Files   []filePage
}

type filePage struct {
	*fileStat
	Summary  string
	Sentence string
	Roles    template.HTML // charts, as SVG
	Sizes    template.HTML
	Lines    []pageLine
}

// pageLine is a line of the table.
type pageLine struct {
	Name, Type, Role string
	Column           bool // rather than a role in one
	sizes
	StoredShare, RawShare float64 // of the longest bar, in percent
}

// writePage writes the page about files to path.
func (a *app) writePage(path string, force bool, stats []*fileStat) error {
	content, err := renderPage(stats)
	if err != nil {
		return err
	}
	if path == stdio {
		_, err := a.stdout.Write(content)
		return err
	}
	if _, err := os.Stat(path); err == nil && !force {
		return &fileError{name: path, err: errExists}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &fileError{name: path, err: err}
	}
	err = beside.Write(path, 0, func(f *os.File) error {
		_, err := f.Write(content)
		return err
	})
	if err != nil {
		return &fileError{name: path, err: err}
	}
	return nil
}

func renderPage(stats []*fileStat) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"size":    size,
		"sizep":   func(n *int64) string { return size(*n) },
		"percent": percent,
		"saved":   func(z pageLine) string { return percent(*z.Zstd-*z.Lengths, *z.Zstd) },
	}).Parse(pageText)
	if err != nil {
		return nil, err
	}
	p := page{Version: version()}
	for _, s := range stats {
		f, err := newFilePage(s)
		if err != nil {
			return nil, err
		}
		p.Files = append(p.Files, f)
	}
	var out bytes.Buffer
	err = t.Execute(&out, p)
	return out.Bytes(), err
}

func newFilePage(s *fileStat) (filePage, error) {
	f := filePage{fileStat: s, Summary: summary(s)}
	if s.Estimate != nil {
		f.Sentence = s.Estimate.sentence(s.Bytes)
	}
	widest := widestColumn(s)
	eachLine(s, func(name, dt, role string, z *sizes) {
		f.Lines = append(f.Lines, pageLine{
			Name: name, Type: dt, Role: role, Column: name != "", sizes: *z,
			StoredShare: 100 * ratio(z.Stored, widest), RawShare: 100 * ratio(z.Raw, widest),
		})
	})
	if len(s.Columns) == 0 {
		return f, nil
	}
	var err error
	if f.Roles, err = rolesChart(s); err != nil {
		return f, err
	}
	f.Sizes, err = sizesChart(s)
	return f, err
}

// chartColumns is how many columns a chart shows, the largest ones.
const chartColumns = 30

// largest returns the columns that a chart shows, in the schema's order, and
// whether there are others.
func largest(s *fileStat) ([]*columnStat, bool) {
	columns := make([]*columnStat, len(s.Columns))
	for i := range columns {
		columns[i] = &s.Columns[i]
	}
	if len(columns) <= chartColumns {
		return columns, false
	}
	order := make([]int, len(columns))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, k int) bool { return columns[order[i]].Stored > columns[order[k]].Stored })
	order = order[:chartColumns]
	sort.Ints(order)
	chosen := make([]*columnStat, len(order))
	for i, k := range order {
		chosen[i] = columns[k]
	}
	return chosen, true
}

// rolesChart draws what each column takes, by role.
func rolesChart(s *fileStat) (template.HTML, error) {
	columns, cut := largest(s)
	var (
		names  []string
		values [][]float64
	)
	for _, role := range roleNames {
		row, sum := make([]float64, len(columns)), int64(0)
		for i, c := range columns {
			n := *storedAs(c, role)
			row[i] = float64(n)
			sum += n
		}
		if sum > 0 {
			names, values = append(names, role), append(values, row)
		}
	}
	title := "Stored bytes by role"
	if cut {
		title += fmt.Sprintf(", the %d largest columns", chartColumns)
	}
	return drawBars(title, columns, names, values, true)
}

// sizesChart draws what each column takes now, decompressed, and as estimated.
func sizesChart(s *fileStat) (template.HTML, error) {
	columns, cut := largest(s)
	names := []string{"raw", "stored"}
	values := [][]float64{make([]float64, len(columns)), make([]float64, len(columns))}
	if s.Estimate != nil {
		names = append(names, "zstd", "zstd, offsets as lengths")
		values = append(values, make([]float64, len(columns)), make([]float64, len(columns)))
	}
	for i, c := range columns {
		values[0][i], values[1][i] = float64(c.Raw), float64(c.Stored)
		if s.Estimate != nil && c.Zstd != nil {
			values[2][i], values[3][i] = float64(*c.Zstd), float64(*c.Lengths)
		}
	}
	title := "Raw and stored bytes"
	if cut {
		title += fmt.Sprintf(", the %d largest columns", chartColumns)
	}
	return drawBars(title, columns, names, values, false)
}

// chartColors are the colours of series, told apart by the colour-blind too.
var chartColors = []string{"#0072B2", "#E69F00", "#009E73", "#CC79A7", "#999999"}

// drawBars draws horizontal bars, a series for each name.
func drawBars(title string, columns []*columnStat, names []string, values [][]float64, stacked bool) (template.HTML, error) {
	if len(values) == 0 {
		return "", nil
	}
	labels := make([]string, len(columns))
	for i, c := range columns {
		// The axis starts at the bottom.
		labels[len(columns)-1-i] = template.HTMLEscapeString(shorten(printable(c.Name), 24))
	}
	for _, row := range values {
		for i, k := 0, len(row)-1; i < k; i, k = i+1, k-1 {
			row[i], row[k] = row[k], row[i]
		}
	}
	colors := make([]charts.Color, len(chartColors))
	for i, hex := range chartColors {
		colors[i] = charts.ColorFromHex(hex)
	}
	height := 26
	if !stacked {
		height = 12 + 12*len(values)
	}
	p := charts.NewPainter(charts.PainterOptions{OutputFormat: charts.ChartOutputSVG, Width: 960, Height: 110 + height*len(columns)})
	opt := charts.NewBarChartOptionWithData(values)
	opt.Horizontal = true
	opt.Theme = charts.GetTheme(charts.ThemeLight).WithSeriesColors(colors)
	opt.StackSeries = &stacked
	opt.Title.Text = title
	opt.Legend.SeriesNames = names
	opt.Legend.Offset = charts.OffsetRight
	opt.CategoryAxis.Labels = labels
	opt.ValueFormatter = func(v float64) string { return size(int64(v)) }
	opt.Padding = charts.NewBoxEqual(16)
	if err := p.BarChart(opt); err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	svg, err := p.Bytes()
	if err != nil {
		return "", fmt.Errorf("chart: %w", err)
	}
	return template.HTML(svg), nil
}

