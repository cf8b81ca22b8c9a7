package markdown

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vespe/ui/style"
	"vespe/ui/text"
)

// allowed are the only escape sequences that a frame may have.
var allowed = regexp.MustCompile(`\x1b\[[0-9;:]*m|\x1b\]8;[^\x1b\a]*;[^\x1b\a]*\a`)

// checkFrame fails unless every line has exactly w cells and no control byte of its own.
func checkFrame(t testing.TB, lines []string, w, h int) {
	t.Helper()
	if len(lines) != h {
		t.Fatalf("%d lines, want %d", len(lines), h)
	}
	for y, l := range lines {
		checkLine(t, y, l, w)
	}
}

func checkLine(t testing.TB, y int, l string, w int) {
	t.Helper()
	bare := allowed.ReplaceAllString(l, "")
	for _, r := range bare {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u200b' || r == '\ufeff' {
			t.Fatalf("line %d has the character %U: %q", y, r, l)
		}
	}
	if got := text.Width(l); got != w {
		t.Fatalf("line %d has %d cells, want %d: %q", y, got, w, l)
	}
}

func TestGoldens(t *testing.T) {
	src := sample(t, "sample.md")
	for name, st := range profiles(t) {
		for _, w := range []int{40, 80, 120} {
			if w != 80 && name != "dark" && name != "ascii" {
				continue
			}
			d := New(src, st)
			lines := all(d, w)
			for y, l := range lines {
				checkLine(t, y, l, w)
			}
			golden(t, fmt.Sprintf("sample-%s-%d", name, w), lines)
		}
	}
	d := New(src, dark(t))
	d.SetRaw(true)
	golden(t, "raw-dark-60", all(d, 60))
}

func TestNothingIsHidden(t *testing.T) {
	secrets := map[string]string{
		"comment":           "text\n\n<!-- SECRET -->\n\nmore",
		"inline comment":    "text <!-- SECRET --> more",
		"link definition":   "text\n\n[x]: http://a \"SECRET\"\n",
		"comment as link":   "text\n\n[//]: # (SECRET)\n",
		"unused label":      "[SECRET]: http://a",
		"script":            "<script>\nSECRET\n</script>\n",
		"style":             "<style>.a{content:'SECRET'}</style>",
		"hidden span":       "a <span hidden>SECRET</span> b",
		"attribute":         "a <span data-x=\"SECRET\">b</span>",
		"title of link":     "[a](http://b \"SECRET\")",
		"title of image":    "![a](b.png 'SECRET')",
		"alt text":          "![SECRET](b.png)",
		"fragment link":     "[a](#SECRET)",
		"bad link":          "[a](http://[::1]:x/SECRET)",
		"reference":         "[a][SECRET]\n\n[SECRET]: http://b",
		"extra cell":        "| a | b |\n|---|---|\n| 1 | 2 | SECRET |\n",
		"info string":       "```go SECRET\nx\n```\n",
		"front matter":      "---\nkey: SECRET\n---\n# t\n",
		"front unclosed":    "---\nkey: SECRET\n",
		"instruction":       "<?SECRET?>",
		"declaration":       "<!SECRET>",
		"cdata":             "<![CDATA[SECRET]]>",
		"template":          "<template>\nSECRET\n</template>",
		"details":           "<details>\nSECRET\n</details>",
		"struck link":       "~~[a](http://SECRET)~~",
		"in a quote":        "> <!-- SECRET -->\n",
		"in a list":         "- a\n\n  <!-- SECRET -->\n",
		"definition list":   "- [a]: http://SECRET\n",
		"quoted def":        "> [a]: /SECRET\n",
		"footnote":          "a[^1]\n\n[^1]: SECRET\n",
		"after blank flood": strings.Repeat("\n", 400) + "SECRET",
		"far to the right":  "```\n" + strings.Repeat(" ", 500) + "SECRET\n```",
		"indented far":      strings.Repeat(" ", 500) + "SECRET",
		"deep quote":        strings.Repeat("> ", 80) + "SECRET",
		"deep list":         strings.Repeat("- ", 80) + "SECRET",
		"table heading":     "| SECRET |\n|---|\n",
		"emphasis":          "***~~SECRET~~***",
		"entity":            "&#83;ECRET",
		"heading attr":      "# a {#SECRET}",
		"autolink":          "<http://SECRET>",
		"code in link":      "[`SECRET`](http://a)",
	}
	for name, src := range secrets {
		for _, pname := range []string{"dark", "ascii"} {
			st := profiles(t)[pname]
			for _, w := range []int{24, 80} {
				out := flat(all(New([]byte(src), st), w))
				if !strings.Contains(out, "SECRET") {
					t.Errorf("%s (%s, %d): not shown:\n%s", name, pname, w, out)
				}
			}
		}
	}
}

// flat is the text of rows without anything that layout has put between words.
func flat(lines []string) string {
	s := text.Strip(strings.Join(lines, "\n"))
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \n│▎─┼•◦▪|-", r) {
			return -1
		}
		return r
	}, s)
}

func TestHiddenIsFlagged(t *testing.T) {
	for _, src := range []string{
		"<!-- x -->", "a <!-- x --> b", "[x]: http://a", "<script>\nx\n</script>", "a <span hidden>x</span>",
		"---\na: b\n---\n", `<p style="display:none">x</p>`, "| a |\n|---|\n| 1 | x |\n",
	} {
		d := New([]byte(src), dark(t))
		if out := text.Strip(strings.Join(all(d, 70), "\n")); !strings.Contains(out, "⚑") {
			t.Errorf("%q has no flag:\n%s", src, out)
		}
		if len(d.Hidden()) == 0 {
			t.Errorf("%q is not in Hidden", src)
		}
	}
	for _, src := range []string{"plain **text**", "# h\n\n- a\n- b", "[a](http://b)", "| a | b |\n|---|---|\n| `x\\|y` | 2 |", "<b>bold</b>", "- [x] done", "1. a\n1. b", "a&b &lt; c \\* d"} {
		d := New([]byte(src), dark(t))
		if out := text.Strip(strings.Join(all(d, 70), "\n")); strings.Contains(out, "⚑") {
			t.Errorf("%q is flagged:\n%s", src, out)
		}
	}
}

func TestExactText(t *testing.T) {
	for src, want := range map[string]string{
		"a \\* b \\\\ c":               `a * b \ c`,
		"`a \\* &lt; b`":               `a \* &lt; b`,
		"&amp;lt; &copy; &#35;":        "&lt; © #",
		"&#27;[31mred &#x202e; &#0;":   "␛[31mred ⟨U+202E⟩ \ufffd",
		"&bogus; &copy x":              "&bogus; &copy x",
		"a `b` *c* **d** ***e***":      "a b c d e",
		"line one\nline two":           "line one line two",
		"**a\\*b**":                    "a*b",
		"[`x\\y`](http://z)":           `x\y http://z`,
		"HEAD~1 and ~/bin, ~~gone~~":   "HEAD~1 and ~/bin, gone",
		"http://a.b/c_d":               "http://a.b/c_d",
		"[http://a](http://a)":         "http://a",
		"x {{.text}} {{range}}":        "x {{.text}} {{range}}",
		"a\u202eb\u200bc\x1b[2Jd\x9be": "a⟨U+202E⟩b⟨U+200B⟩c␛[2Jd",
	} {
		got := strings.TrimSpace(text.Strip(New([]byte(src), dark(t)).View(70, 1)[0]))
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q is shown as %q, want %q", src, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	for src, want := range map[string]bool{
		"[a](http://b.c)":          true,
		"[a](HTTPS://b.c)":         true,
		"<mailto:a@b.c>":           true,
		"[a](javascript:alert(1))": false,
		"[a](file:///etc/passwd)":  false,
		"[a](//b.c)":               false,
		"[a](http://b&#27;]8;;x)":  true,
		"[a](http://b\u202e.c)":    false,
		"![a](data:text/html,x)":   false,
	} {
		out := New([]byte(src), dark(t)).View(70, 2)
		checkFrame(t, out, 70, 2)
		if got := strings.Contains(strings.Join(out, ""), "\x1b]8;;"); got != want {
			t.Errorf("%q: hyperlink %v, want %v: %q", src, got, want, out[0])
		}
	}
}

// checkMapping walks through a document: source lines never go back, and every line of the
// source that is not blank is on some row.
func checkMapping(t testing.TB, d *Doc, w int) {
	t.Helper()
	d.SetSize(w, 1)
	d.Top()
	seen := make([]bool, d.Lines()+2)
	prev := 0
	for n := 0; ; n++ {
		a, b := d.SourceAt(0)
		if !d.Empty() && (a < 1 || b > d.Lines() || a > b) {
			t.Fatalf("row %d has source lines %d to %d of %d", n, a, b, d.Lines())
		}
		if a < prev {
			t.Fatalf("row %d goes back from source line %d to %d", n, prev, a)
		}
		prev = a
		for l := a; l <= b; l++ {
			seen[l] = true
		}
		if d.AtBottom() {
			break
		}
		u, r := d.flow().unit, d.flow().row
		d.ScrollBy(1)
		if u == d.flow().unit && r == d.flow().row {
			t.Fatalf("stuck at row %d", n)
		}
	}
	for l := 1; l <= d.Lines(); l++ {
		if !seen[l] && !separator(d.doc.src.line(l)) {
			t.Fatalf("source line %d is on no row: %q", l, d.doc.src.line(l))
		}
	}
}

func TestSourceMapping(t *testing.T) {
	for _, w := range []int{20, 60, 120} {
		d := New(sample(t, "sample.md"), dark(t))
		checkMapping(t, d, w)
		d.SetRaw(true)
		checkMapping(t, d, w)
	}
	d := New([]byte("one two\nthree four\nfive *six\nseven* eight\n\n- a\n  b\n- c\n"), dark(t))
	d.SetSize(12, 20)
	for row, want := range [][2]int{{1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 7}, {8, 8}} {
		if a, b := d.SourceAt(row); a != want[0] || b != want[1] {
			t.Errorf("row %d (%q) is of lines %d to %d, want %v", row, text.Strip(d.View(12, 20)[row]), a, b, want)
		}
	}
}

func TestScrolling(t *testing.T) {
	for _, raw := range []bool{false, true} {
		d := New(sample(t, "sample.md"), dark(t))
		d.SetRaw(raw)
		down := all(d, 50)
		// Up, row by row, is the same in reverse.
		d.Bottom()
		up := slices.Clone(d.View(50, 20))
		for !d.AtTop() {
			d.ScrollBy(-1)
			up = slices.Insert(up, 0, d.View(50, 20)[0])
		}
		if !slices.Equal(down, up) {
			t.Fatalf("raw %v: %d rows down, %d rows up, or others", raw, len(down), len(up))
		}
		// Any step lands where as many single steps do.
		for _, n := range []int{3, 19, 7, -5, 40, -11, 1000, -1000} {
			d.ScrollBy(n)
			v := d.View(50, 20)
			found := false
			for i := 0; i+20 <= len(down); i++ {
				found = found || slices.Equal(v, down[i:i+20])
			}
			if !found {
				t.Fatalf("raw %v: after a step of %d the window shows what is nowhere", raw, n)
			}
		}
		d.Bottom()
		if !slices.Equal(d.View(50, 20), down[len(down)-20:]) {
			t.Error("Bottom is not the end")
		}
		if d.Percent() != 100 || !d.AtBottom() {
			t.Error("the end is not 100 percent")
		}
	}
}

func TestScrollToEveryLine(t *testing.T) {
	d := New(sample(t, "sample.md"), dark(t))
	d.SetSize(50, 1)
	for l := 1; l <= d.Lines(); l++ {
		d.ScrollTo(l)
		if a, b := d.SourceAt(0); l < a || l > b {
			t.Errorf("ScrollTo(%d) shows lines %d to %d", l, a, b)
		}
		d.SetRaw(true)
		if a, _ := d.SourceAt(0); a > l {
			t.Errorf("switching to the source at line %d goes to line %d", l, a)
		}
		d.SetRaw(false)
	}
}

func TestResizeKeepsThePlace(t *testing.T) {
	d := New(sample(t, "sample.md"), dark(t))
	d.SetSize(80, 10)
	d.ScrollTo(34)
	for _, w := range []int{30, 120, 17, 80} {
		d.View(w, 10)
		if a, b := d.SourceAt(0); a > 34 || b < 33 {
			t.Errorf("at width %d the top is line %d to %d, was 34", w, a, b)
		}
	}
}

func TestSearch(t *testing.T) {
	src := "# Alpha beta\n\nalpha **be**ta and more alpha\nbeta.\n\n| x | alpha |\n|---|---|\n| alpha beta | y |\n\n```\nalpha beta\n```\n\n<!-- alpha -->\n"
	for _, raw := range []bool{false, true} {
		for _, w := range []int{11, 40, 90} {
			d := New([]byte(src), dark(t))
			d.SetRaw(raw)
			d.View(w, 8)
			if n := d.Search("alpha"); n != 7 {
				t.Fatalf("raw %v: %d matches of alpha, want 7", raw, n)
			}
			if n := d.Search("Alpha"); n != 1 {
				t.Errorf("raw %v: %d matches of Alpha, want 1", raw, n)
			}
			if n := d.Search("zeta"); n != 0 {
				t.Errorf("%d matches of zeta", n)
			}
			n := d.Search("alpha")
			for i := range n + 1 {
				v := d.View(w, 8)
				checkFrame(t, v, w, 8)
				if !strings.Contains(strings.Join(v, ""), d.look.matchNow) {
					t.Errorf("raw %v, width %d: match %d is not in the window", raw, w, i)
				}
				d.NextMatch()
			}
			if i, _ := d.Match(); i != 2 {
				t.Errorf("after one round the match is %d, want 2", i)
			}
			d.Search("")
			if strings.Contains(strings.Join(all(d, w), ""), d.look.match) {
				t.Error("an empty query leaves highlights")
			}
		}
	}
	d := New([]byte(src), dark(t))
	if n := d.Search("alpha beta"); n != 5 {
		t.Errorf("%d matches of a phrase across styles and lines, want 5", n)
	}
}

// Highlights change no text.
func TestSearchLeavesText(t *testing.T) {
	for _, q := range []string{"e", "the", "s ", " a", "log", "测试", "-", "|"} {
		d := New(sample(t, "sample.md"), dark(t))
		before := text.Strip(strings.Join(all(d, 44), "\n"))
		d.Search(q)
		if after := text.Strip(strings.Join(all(d, 44), "\n")); before != after {
			t.Errorf("searching %q changes the text", q)
		}
	}
}

func TestHeadings(t *testing.T) {
	d := New(sample(t, "sample.md"), dark(t))
	want := []Heading{{1, "Store: a log that commits", 5}, {2, "Steps to take", 12}, {2, "Setext heading", 66}}
	if got := d.Headings(); !slices.Equal(got, want) {
		t.Errorf("headings %v, want %v", got, want)
	}
	d.SetSize(60, 5)
	for _, h := range want {
		if !d.NextHeading(1) {
			t.Fatal("no next heading")
		}
		if a, _ := d.SourceAt(0); a > h.Line || a < h.Line-1 && !d.AtBottom() {
			t.Errorf("the next heading is at line %d, want %d", a, h.Line)
		}
	}
	if d.NextHeading(1) {
		t.Error("a heading after the last")
	}
	if !d.NextHeading(-1) {
		t.Error("no heading before the last")
	}
}

func TestThemeChangesAtOnce(t *testing.T) {
	p := profiles(t)
	d := New(sample(t, "sample.md"), p["dark"])
	before := d.View(60, 30)
	d.SetStyles(p["light"])
	if slices.Equal(before, d.View(60, 30)) {
		t.Error("another theme draws the same")
	}
	d.SetStyles(p["dark"])
	if !slices.Equal(before, d.View(60, 30)) {
		t.Error("going back to a theme does not draw as before")
	}
	code := New([]byte("```go\nfunc x() {}\n```\n"), p["dark"])
	one := code.View(40, 2)
	code.SetStyles(p["light"])
	if slices.Equal(one, code.View(40, 2)) {
		t.Error("code keeps the colors of the theme before")
	}
}

func TestDegenerate(t *testing.T) {
	for _, src := range []string{"", "\n", " ", "\n\n\n", "-", "#", "```", "---", "|", ">", "[]:", "\x00", "\xff\xfe"} {
		for _, st := range []*style.Styles{dark(t), profiles(t)["ascii"]} {
			for _, size := range [][2]int{{0, 0}, {1, 1}, {2, 3}, {80, 24}, {0, 5}, {5, 0}} {
				d := New([]byte(src), st)
				v := d.View(size[0], size[1])
				if size[0] > 0 {
					checkFrame(t, v, size[0], size[1])
				}
				d.ScrollBy(3)
				d.Bottom()
				d.ScrollTo(99)
				d.Search("x")
				d.NextMatch()
				d.SetRaw(true)
				d.View(size[0], size[1])
				d.SourceAt(2)
				d.Prerender(5)
			}
		}
	}
}

func TestLongBlocksAreSplit(t *testing.T) {
	long := map[string]string{
		"fence":     "```go\n" + strings.Repeat("x := 1\n", 3000) + "```\n",
		"list":      strings.Repeat("- an item of a list\n", 3000),
		"table":     "| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 3000),
		"paragraph": strings.Repeat("some words on a line\n", 3000),
		"one line":  strings.Repeat("word ", 20000),
		"no spaces": strings.Repeat("wordé", 20000),
		"comment":   "<!--\n" + strings.Repeat("x\n", 3000) + "-->\n",
		"quote":     strings.Repeat("> words in a quote\n", 3000),
	}
	for name, src := range long {
		d := New([]byte(src), dark(t))
		for i := range d.doc.units {
			u := &d.doc.units[i]
			if lines := u.last - u.first + 1; lines > 260 {
				t.Errorf("%s: unit %d has %d lines", name, i, lines)
			}
			if n := len(u.joined(&d.doc.src)); n > 2*maxLeaf {
				t.Errorf("%s: unit %d has %d bytes", name, i, n)
			}
		}
		checkFrame(t, d.View(70, 30), 70, 30)
		d.Bottom()
		checkFrame(t, d.View(70, 30), 70, 30)
		if len(d.near) > 200 {
			t.Errorf("%s: two screens rendered %d units", name, len(d.near))
		}
	}
}
