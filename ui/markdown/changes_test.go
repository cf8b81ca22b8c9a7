package markdown

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/ui/text"
)

// signs are the rows of a whole document that have a sign of a change, and its sign and flag.
func signs(d *Doc, w int) (rows []int, seen string) {
	for y, l := range all(d, w) {
		g := strings.Replace(text.Strip(l), "▌", " ", 1)
		if i := strings.IndexAny(g[:min(len(g), d.gutter())], "+~-"); i >= 0 {
			rows = append(rows, y)
			seen = strings.TrimSuffix(g[i:d.gutter()], " ")
		}
	}
	return rows, seen
}

// Whatever a line is part of, that it changed is seen on a row of it; what is gone after it is
// seen once, and nothing moves for it.
func TestEveryChangedLineIsSeen(t *testing.T) {
	for _, w := range []int{40, 80, 120} {
		for _, raw := range []bool{false, true} {
			d := reading(t, sample(t, "sample.md"), w, 30)
			d.SetRaw(raw)
			bare := all(d, w)
			for l := 1; l <= d.Lines(); l++ {
				d.SetChanges(map[int]ChangeMark{l: {Sign: Mark{Glyph: "+"}, Flag: Mark{Glyph: "!"}}})
				if rows, seen := signs(d, w); len(rows) == 0 || seen != "+!" {
					t.Fatalf("width %d: line %d is seen on rows %v as %q: %q", w, l, rows, seen, d.doc.src.line(l))
				}
				d.SetChanges(map[int]ChangeMark{l: {Sign: Mark{Glyph: "-"}, Below: true}})
				if rows, _ := signs(d, w); len(rows) != 1 {
					t.Fatalf("width %d: what is gone after line %d is seen on rows %v: %q", w, l, rows, d.doc.src.line(l))
				}
			}
			d.SetChanges(nil)
			if !slices.Equal(bare, all(d, w)) {
				t.Errorf("width %d: the marks left something behind", w)
			}
		}
	}
}

// A comment beside a changed line has the place of the flag, and the sign stays.
func TestAChangedLineWithAComment(t *testing.T) {
	d := reading(t, []byte("one\n\ntwo\n\nthree\n"), 40, 10)
	d.SetChanges(map[int]ChangeMark{3: {Sign: Mark{Glyph: "~"}, Flag: Mark{Glyph: "!"}}})
	d.SetInsets([]Inset{{ID: "c", Under: 3, Draw: func(int) []string { return []string{"said"} }}}, map[int]Mark{3: {Glyph: "|"}})
	if _, seen := signs(d, 40); seen != "~|" {
		t.Errorf("it is seen as %q", seen)
	}
}

// Marks change no row but in the gutter, whatever the document.
func TestMarksMoveNothing(t *testing.T) {
	part := rapid.SampledFrom([]string{"# Head", "", "", "some words", "- a", "  - b", "1. c", "> q", "```", "| a | b |", "|---|---|", "<!-- h -->", "    code"})
	rapid.Check(t, func(r *rapid.T) {
		src := strings.Join(rapid.SliceOfN(part, 1, 20).Draw(r, "lines"), "\n")
		w := rapid.IntRange(20, 60).Draw(r, "width")
		d := reading(t, []byte(src), w, 10)
		before := all(d, w)
		marks := map[int]ChangeMark{}
		for l := 1; l <= d.Lines(); l++ {
			if rapid.Bool().Draw(r, "marked") {
				marks[l] = ChangeMark{Sign: Mark{Glyph: "+"}, Below: rapid.Bool().Draw(r, "below")}
			}
		}
		d.SetChanges(marks)
		after := all(d, w)
		if len(before) != len(after) {
			t.Fatalf("%q: %d rows became %d", src, len(before), len(after))
		}
		g := d.gutter()
		for y := range after {
			a, b := text.Strip(before[y]), text.Strip(after[y])
			if d.gutter() > 0 && a[g:] != b[g:] {
				t.Fatalf("%q: %q became %q", src, a, b)
			}
		}
	})
}
