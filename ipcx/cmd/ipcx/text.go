package main

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"
)

// size formats a number of bytes.
func size(n int64) string {
	if n < 0 {
		return "-" + size(-n)
	}
	return humanize.IBytes(uint64(n))
}

// count formats a number of things.
func count(n int64, one string) string {
	s := humanize.Comma(n) + " " + one
	switch {
	case n == 1:
		return s
	case strings.HasSuffix(one, "batch"):
		return s + "es"
	case strings.HasSuffix(one, "y"):
		return strings.TrimSuffix(s, "y") + "ies"
	}
	return s + "s"
}

// ratio is part as a share of whole, 0 of nothing.
func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// percent formats part as a share of whole.
func percent(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	return strconv.FormatFloat(100*ratio(part, whole), 'f', 1, 64) + " %"
}

// printable replaces what a terminal would take for more than text: names and
// values come from files of strangers.
func printable(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) || r == unicode.ReplacementChar }

// shorten cuts s to at most n runes.
func shorten(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n-1]) + "…"
}
