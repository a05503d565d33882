package main

import (
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io/fs"
	"os"

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
	StoredShare, RawShare float64 // of the raw bytes, and of the longest bar, in percent
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
	err = beside.Write(path, 0, func(f *beside.File) error {
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
			StoredShare: min(100, 100*ratio(z.Stored, z.Raw)), RawShare: 100 * ratio(z.Raw, widest),
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
