package markdown

import (
	"fmt"
	"strings"
	"testing"

	"vespe/internal/worsttest"
)

// However a text of 1 MiB is nested, it is parsed and drawn in time that grows with its size.
func TestWorstTexts(t *testing.T) {
	st := dark(t)
	worsttest.Check(t, worsttest.Texts(), func(body string) {
		d := NewWith([]byte(body), st)
		d.View(100, 30)
		d.Bottom()
		d.View(100, 30)
		for _, q := range []string{"a", "zz", "*_*_*_*_*"} {
			d.Search(q)
		}
	})
}

// What lies beyond the bounds is there as it is written, and flagged: nothing is hidden.
func TestBeyondTheBounds(t *testing.T) {
	for name, tt := range map[string]struct{ body, shows, says string }{
		"quotes":   {strings.Repeat(">", 100) + " deep text\n", "deep text", "nested too deep"},
		"lists":    {strings.Repeat("- ", 100) + "deep text\n", "deep text", "nested too deep"},
		"levels":   {deepList(60), "item 59", "nested too deep"},
		"marks":    {strings.Repeat("*a _b ", 2000) + "last words\n", "last words", "too much markup"},
		"links":    {strings.Repeat("[a](b) ", 2000) + "last words\n", "last words", "too much markup"},
		"columns":  {strings.Repeat("|a", 300) + "|\n" + strings.Repeat("|-", 300) + "|\n|last words|\n", "last words", "too much markup"},
		"no cells": {strings.Repeat("|a", 100) + "|\n" + strings.Repeat("|-", 100) + "|\n" + strings.Repeat("|b\n", 5000) + "|last words|\n", "last words", "too much markup"},
	} {
		d := New([]byte("# Plan\n\n"+tt.body+"\nAfter *it* all.\n"), dark(t))
		var shown strings.Builder
		for i := range d.doc.units {
			d.w = 120
			for _, l := range d.rows(i) {
				for _, s := range l.spans {
					shown.WriteString(s.text)
				}
				shown.WriteByte('\n')
			}
		}
		for _, want := range []string{tt.shows, tt.says, "After it all."} {
			if !strings.Contains(strings.Join(strings.Fields(shown.String()), " "), want) {
				t.Errorf("%s: no %q in\n%.2000s", name, want, shown.String())
			}
		}
		if len(d.Hidden()) == 0 {
			t.Errorf("%s: nothing is flagged", name)
		}
	}
}

func deepList(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s- item %d\n", strings.Repeat("  ", i), i)
	}
	return b.String()
}
