package markdown

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"vespe/ui/text"
)

// reading is a document with a cursor that somebody reads.
func reading(t testing.TB, src []byte, w, h int) *Doc {
	t.Helper()
	d := New(src, dark(t))
	d.SetSize(w, h)
	d.SetCursor(true)
	d.SetFocused(true)
	return d
}

// checkReach walks through a document by single steps, there and back: every source line is
// stopped at both ways, and the cursor is always in the window.
func checkReach(t testing.TB, d *Doc, what string) {
	t.Helper()
	w, h := d.w, d.h
	seen := map[int]int{}
	at := func(way int) {
		line, _ := d.Cursor()
		seen[line] |= way
		f := d.flow()
		if y, ok := f.distance(d.cursor.unit, d.cursor.row); !ok || y >= h {
			t.Fatalf("%s, width %d: the cursor is on line %d, out of the window", what, w, line)
		}
	}
	d.Top()
	for at(1); ; at(1) {
		before := d.cursor
		d.CursorBy(1)
		if d.cursor == before {
			break
		}
	}
	for at(2); ; at(2) {
		before := d.cursor
		d.CursorBy(-1)
		if d.cursor == before {
			break
		}
	}
	for l := 1; l <= d.Lines(); l++ {
		line := strings.TrimSpace(d.doc.src.line(l))
		if !says(line) || strings.Contains(line, "```") {
			continue // a blank, a rule, the fence of code
		}
		if seen[l] != 3 {
			t.Fatalf("%s, width %d: line %d of %d is not reached (%d): %q", what, w, l, d.Lines(), seen[l], d.doc.src.line(l))
		}
	}
}

// Every source line that says something can be commented on: j and k reach it.
func TestEveryLineIsReached(t *testing.T) {
	found := plans(t)
	found["sample"] = sample(t, "sample.md")
	found["a long plan"] = plan()[:40000]
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for _, w := range []int{78, 70, 118} { // beside borders, at 80, 120 and 200 columns
			d := reading(t, found[name], w, 20)
			checkReach(t, d, name)
			if w == 78 {
				d.SetRaw(true)
				checkReach(t, d, name+" as source")
			}
		}
	}
}

// generated is Markdown of all kinds of blocks, with blank lines where it pleases.
func generated() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"", "", "# Head", "Setext\n===", "A paragraph\nof several short\nlines that are joined.", "- one\n- two\n  more of it\n\n  - three",
		"1. first\n\n   still first\n2. second", "> quoted\n> twice\n>\n> thrice", "```go\nfunc f() {\n\n\treturn\n}\n```", "    indented\n\n    code",
		"| a | b |\n|---|---|\n| 1 | 2 |\n| a long cell that takes rows | x |", "<!-- hidden\n\nagain -->", "<div>\nhtml\n</div>", "---", "[x]: http://x.y",
		"a line  \nbroken  \nhard", strings.Repeat("word ", 60), "- [ ] task\n- [x] done", "***", "日本語の文章です。日本語の文章です。", "a\x1b[31m\u202eb", "\t", "> - a\n>   b",
	})
	return rapid.Custom(func(t *rapid.T) string {
		sep := rapid.SampledFrom([]string{"\n", "\n\n", "\n\n\n"})
		var b strings.Builder
		for range rapid.IntRange(1, 12).Draw(t, "pieces") {
			b.WriteString(piece.Draw(t, "piece"))
			b.WriteString(sep.Draw(t, "sep"))
		}
		return b.String()
	})
}

func TestEveryLineOfGeneratedPlansIsReached(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		src := generated().Draw(r, "plan")
		d := reading(t, []byte(src), rapid.SampledFrom([]int{20, 44, 76, 110}).Draw(r, "width"), rapid.IntRange(1, 12).Draw(r, "height"))
		if d.Empty() {
			return
		}
		var list []Inset
		for range rapid.IntRange(0, 5).Draw(r, "insets") {
			n, rows := len(list), rapid.IntRange(1, 4).Draw(r, "rows")
			list = append(list, Inset{ID: fmt.Sprint(n), Under: rapid.IntRange(0, d.Lines()).Draw(r, "under"), Draw: func(int) []string {
				return slices.Repeat([]string{fmt.Sprintf("inset %d", n)}, rows)
			}})
		}
		d.SetInsets(list, nil)
		checkReach(t, d, fmt.Sprintf("%q", src))
		rows := all(d, d.w)
		for y, l := range rows {
			checkLine(t, y, l, d.w)
		}
		joined := text.Strip(strings.Join(rows, "\n"))
		for n := range list {
			if !strings.Contains(joined, fmt.Sprintf("inset %d", n)) {
				r.Fatalf("inset %d under line %d is not shown in %q", n, list[n].Under, src)
			}
		}
	})
}

// What stands under a line comes after every row that shows it, and before what begins later.
func TestInsetsStandUnderTheirLines(t *testing.T) {
	src := []byte("# Plan\n\nOne line.\nAnother line of it.\n\n- a\n- b\n\nThe end.\n")
	for _, raw := range []bool{false, true} {
		d := reading(t, src, 60, 30)
		d.SetRaw(raw)
		var list []Inset
		for _, under := range []int{6, 0, 4, 9, 6} {
			list = append(list, Inset{ID: fmt.Sprint(len(list)), Under: under, Draw: func(int) []string { return []string{fmt.Sprintf("-> %d", under)} }})
		}
		d.SetInsets(list, map[int]Mark{4: {Glyph: "*"}})
		var got []string
		for _, l := range d.View(60, 30) {
			if s := strings.TrimSpace(text.Strip(l)); s != "" {
				got = append(got, s)
			}
		}
		joined := strings.Join(got, "\n")
		last := -1
		for _, want := range []string{"-> 0", "Plan", "Another line", "-> 4", "a\n", "-> 6\n", "-> 6\n", "b\n", "The end", "-> 9"} {
			i := strings.Index(joined[max(0, last):], want)
			if i < 0 {
				t.Fatalf("raw %v: no %q in its place in\n%s", raw, want, joined)
			}
			last = max(0, last) + i + 1
		}
		if !strings.Contains(joined, "*") {
			t.Errorf("no mark in\n%s", joined)
		}
	}
}

// Insets come and go without moving what is read.
func TestInsetsLeaveThePlace(t *testing.T) {
	d := reading(t, plan(), 90, 30)
	d.View(90, 30)
	d.CursorTo(2500)
	before := strings.Join(d.View(90, 30), "\n")
	line, _ := d.Cursor()
	var list []Inset
	for i := range 400 {
		list = append(list, Inset{ID: fmt.Sprint(i), Under: i * 3, Draw: func(int) []string { return []string{"x", "y"} }})
	}
	d.SetInsets(list, nil)
	if now, _ := d.Cursor(); now != line {
		t.Errorf("the cursor went from %d to %d", line, now)
	}
	d.SetInsets(nil, nil)
	if after := strings.Join(d.View(90, 30), "\n"); after != before {
		t.Errorf("the window went from\n%s\nto\n%s", text.Strip(before), text.Strip(after))
	}
	d.SetInsets(list, nil)
	if !d.CursorToInset("300") {
		t.Fatal("no inset")
	}
	if _, id := d.Cursor(); id != "300" {
		t.Errorf("it is on %q", id)
	}
	d.SetSize(50, 20)
	if _, id := d.Cursor(); id != "300" {
		t.Errorf("in a narrower window it is on %q", id)
	}
}

// A row that shows several source lines says which of them is meant.
func TestTheLineOfAJoinedRow(t *testing.T) {
	d := reading(t, []byte("first words\nsecond words\nthird words\n"), 80, 5)
	for n, want := range []string{"first words", "second words", "third words"} {
		row := d.View(80, 5)[0]
		_, after, _ := strings.Cut(row, underlined)
		if !strings.HasPrefix(text.Strip(after), want) || !strings.Contains(text.Strip(row), fmt.Sprintf("▌ %d", n+1)) {
			t.Errorf("on line %d it draws %q", n+1, row)
		}
		d.CursorBy(1)
	}
}

// What is said on a blank line stands under it, its mark beside the gap that stands for the line, and
// a range that has one is marked without a break. When it goes, the cursor is on its line.
func TestInsetOnABlankLine(t *testing.T) {
	d := reading(t, []byte("# Plan\n\nOne line.\n\nAnother one.\n\n## More\nat once\n"), 60, 30)
	list := []Inset{{ID: "c", Under: 4, Draw: func(int) []string { return []string{"said", "more of it"} }}}
	marks := map[int]Mark{}
	for l := 3; l <= 8; l++ {
		marks[l] = Mark{Glyph: "*"}
	}
	rowsOf := func() (out []string) {
		for _, l := range d.View(60, 30) {
			out = append(out, strings.TrimRight(strings.Replace(text.Strip(l), "▌", " ", 1), " "))
		}
		return out
	}
	d.SetInsets(list, marks)
	got := rowsOf()
	one := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "One line") })
	said := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "said") })
	another := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "Another one") })
	end := slices.IndexFunc(got, func(s string) bool { return strings.Contains(s, "at once") })
	if said != one+2 || another != said+2 {
		t.Errorf("it stands in row %d, the lines around it in %d and %d:\n%s", said, one, another, strings.Join(got, "\n"))
	}
	for y := one; y <= end; y++ {
		if y != said && y != said+1 && !strings.Contains(got[y], "*") {
			t.Errorf("row %d has no mark: %q\n%s", y, got[y], strings.Join(got, "\n"))
		}
	}
	if !d.CursorToInset("c") {
		t.Fatal("no inset")
	}
	if line, id := d.Cursor(); line != 4 || id != "c" {
		t.Errorf("on it the cursor is on %d, %q", line, id)
	}
	d.SetInsets(nil, nil)
	if line, id := d.Cursor(); line != 4 || id != "" {
		t.Errorf("when it has gone, the cursor is on %d, %q", line, id)
	}
	if y := slices.IndexFunc(rowsOf(), func(s string) bool { return strings.TrimSpace(s) == "4" }); y != one+1 {
		t.Errorf("the cursor's row is %d:\n%s", y, strings.Join(rowsOf(), "\n"))
	}
}
