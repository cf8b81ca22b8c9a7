package style

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/visible"
	"vespe/themes"
	"vespe/ui/text"
)

// each runs f for every bundled theme on both backgrounds, with and without colors and
// Unicode.
func each(t *testing.T, f func(t *testing.T, s *Styles)) {
	t.Helper()
	for _, th := range themes.Bundled() {
		for bits := range 8 {
			o := Options{Dark: bits&1 != 0, ASCII: bits&2 != 0, NoColor: bits&4 != 0}
			t.Run(fmt.Sprintf("%s/%+v", th.Name, o), func(t *testing.T) { f(t, New(th, o)) })
		}
	}
}

func vespe(t testing.TB, o Options) *Styles {
	t.Helper()
	th := themes.Bundled()[0] // the default
	return New(th, o)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func TestStatusesAreTold(t *testing.T) {
	each(t, func(t *testing.T, s *Styles) {
		seen := map[string]model.Status{}
		for _, st := range model.Statuses() {
			glyph, ink := s.Status(st)
			if ansi.StringWidth(glyph) != 1 || ansi.StringWidthWc(glyph) != 1 || text.SafeLine(glyph) != glyph {
				t.Errorf("%s: %q is not one certain cell", st, glyph)
			}
			if s.Options.ASCII && !isASCII(glyph) {
				t.Errorf("%s: %q is not ASCII", st, glyph)
			}
			if other, ok := seen[glyph]; ok {
				t.Errorf("%s and %s are both %q", st, other, glyph)
			}
			seen[glyph] = st
			badge := s.Badge(st)
			if got, want := ansi.Strip(badge), glyph+" "+st.Label(); got != want {
				t.Errorf("the badge of %s is %q", st, got)
			}
			if ansi.StringWidth(badge) > BadgeWidth {
				t.Errorf("the badge of %s is wider than BadgeWidth", st)
			}
			if s.StatusGlyph(st) != ink.Render(glyph) {
				t.Errorf("the glyph of %s is not in its ink", st)
			}
		}
		if g, _ := s.Status(model.Status(200)); g != "?" || s.Badge(model.Status(200)) == "" {
			t.Error("an unknown status is not drawn")
		}
	})
}

func TestGlyphsAreCertain(t *testing.T) {
	each(t, func(t *testing.T, s *Styles) {
		v := reflect.ValueOf(s.Glyph)
		for i := range v.NumField() {
			name, g := v.Type().Field(i).Name, v.Field(i).String()
			want := 1
			switch name {
			case "Branch", "Last", "Trunk", "Blank":
				want = 2
			}
			if ansi.StringWidth(g) != want || ansi.StringWidthWc(g) != want {
				t.Errorf("%s %q is not %d cells", name, g, want)
			}
			if s.Options.ASCII && !isASCII(g) {
				t.Errorf("%s %q is not ASCII", name, g)
			}
		}
	})
}

// inks lists every ink of s by name.
func inks(s *Styles) map[string]Ink {
	out := map[string]Ink{}
	v := reflect.ValueOf(*s)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() {
			if ink, ok := v.Field(i).Interface().(Ink); ok {
				out[f.Name] = ink
			}
		}
	}
	for i, l := range s.Lanes {
		out[fmt.Sprintf("Lane%d", i+1)] = l
	}
	for _, st := range model.Statuses() {
		_, ink := s.Status(st)
		out["Status "+st.String()] = ink
	}
	return out
}

func TestNoColorHasNone(t *testing.T) {
	s := vespe(t, Options{NoColor: true})
	for name, ink := range inks(s) {
		params := strings.TrimSuffix(strings.TrimPrefix(ink.Open(), "\x1b["), "m")
		for p := range strings.SplitSeq(params, ";") {
			switch p {
			case "", "1", "2", "3", "4", "7", "9":
			default:
				t.Errorf("%s has the attribute %q", name, p)
			}
		}
	}
	// What colors alone would say is said in another way.
	for name, ink := range map[string]Ink{
		"Select": s.Select, "SelectDim": s.SelectDim, "Match": s.Match, "MatchNow": s.MatchNow, "HiddenText": s.HiddenText,
		"TabActive": s.TabActive, "TitleFocus": s.TitleFocus, "Key": s.Key, "EdgeCycle": s.EdgeCycle, "Chip": s.Chip,
		"DiffAddWord": s.DiffAddWord, "KeyOff": s.KeyOff,
	} {
		if ink.Open() == "" {
			t.Errorf("%s cannot be seen without colors", name)
		}
	}
	if s.Select.Open() == s.SelectDim.Open() || s.Match.Open() == s.MatchNow.Open() {
		t.Error("two states look the same without colors")
	}
}

func TestColorsAreThere(t *testing.T) {
	s := vespe(t, Options{Dark: true})
	for name, ink := range inks(s) {
		if ink.Open() == "" {
			t.Errorf("%s is nothing", name)
		}
		if got := ink.Render("x"); got != ink.Open()+"x\x1b[m" || got != ink.Style().Render("x") {
			t.Errorf("%s draws %q, its style %q", name, got, ink.Style().Render("x"))
		}
	}
	var none Ink
	if none.Render("x") != "x" || none.Style().Render("x") != "x" || s.Text.Render("") != "" {
		t.Error("no style is not nothing")
	}
}

func TestOver(t *testing.T) {
	s := vespe(t, Options{Dark: true})
	both := s.Strong.Over(s.CodeBlock)
	if got, want := ansi.Strip(both.Render("x")), "x"; got != want {
		t.Fatal(got)
	}
	if both.Open() != s.CodeBlock.Open()+s.Strong.Open() || !both.Style().GetBold() || both.Style().GetBackground() != s.CodeBlock.Style().GetBackground() {
		t.Errorf("bold over a code block is %q", both.Open())
	}
}

// frameOf draws the example that the goldens show.
func frameOf(s *Styles, w, h int) []string {
	var rows []string
	for i, st := range model.Statuses() {
		rows = append(rows, s.Row(text.Pad(s.Glyph.Branch+s.StatusGlyph(st)+" task "+fmt.Sprint(i), max(0, w-BadgeWidth-4))+s.Badge(st), w-2,
			Row{Cursor: i == 1, Focused: true, Selected: i == 2}))
	}
	return s.Frame(Frame{Title: "Tree", Extra: "17 of 99", Foot: "is:blocked", Focused: true, Scroll: Scroll{Top: 20, Visible: 17, Total: 99}}, rows, w, h)
}

func TestFrameGolden(t *testing.T) {
	var b strings.Builder
	for _, o := range []Options{{Dark: true}, {Dark: true, ASCII: true}} {
		s := vespe(t, o)
		for _, size := range [][2]int{{48, 19}, {20, 5}} {
			for _, l := range frameOf(s, size[0], size[1]) {
				b.WriteString(ansi.Strip(l) + "\n")
			}
		}
	}
	const golden = "testdata/frame.txt"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("frames differ from %s:\n%s", golden, b.String())
	}
}

func TestASCIIHasNothingElse(t *testing.T) {
	s := vespe(t, Options{ASCII: true, Dark: true})
	lines := append(frameOf(s, 40, 12), frameOf(s, 12, 3)...)
	lines = append(lines, s.Progress(3, 7, 20))
	for _, l := range lines {
		if !isASCII(l) {
			t.Errorf("%q is not ASCII", l)
		}
	}
}

func TestFrameIsExact(t *testing.T) {
	th := themes.Bundled()[0]
	styles := make([]*Styles, 8)
	for i := range styles {
		styles[i] = New(th, Options{Dark: i&1 != 0, ASCII: i&2 != 0, NoColor: i&4 != 0})
	}
	word := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "日", " ", "─", "\x1b[1mb\x1b[m", "e\u0301", "\x1b[31mopen"}), 0, 30),
		func(p []string) string { return strings.Join(p, "") })
	rapid.Check(t, func(t *rapid.T) {
		s := styles[rapid.IntRange(0, 7).Draw(t, "style")]
		w, h := rapid.IntRange(0, 40).Draw(t, "w"), rapid.IntRange(0, 12).Draw(t, "h")
		f := Frame{
			Title: word.Draw(t, "title"), Tabs: rapid.SampledFrom([]string{"", "\x1b[1mone\x1b[m  two"}).Draw(t, "tabs"), Extra: word.Draw(t, "extra"), Foot: word.Draw(t, "foot"),
			Focused: rapid.Bool().Draw(t, "focused"), Raised: rapid.Bool().Draw(t, "raised"),
			Scroll: Scroll{rapid.IntRange(-5, 200).Draw(t, "top"), rapid.IntRange(0, 20).Draw(t, "visible"), rapid.IntRange(0, 100).Draw(t, "total")},
		}
		lines := rapid.SliceOfN(word, 0, 14).Draw(t, "lines")
		checkBlock(t, s.Frame(f, lines, w, h), w, h)
		checkBlock(t, s.Frame(f, lines, w, h), w, h)
		r := Row{Cursor: rapid.Bool().Draw(t, "cursor"), Focused: f.Focused, Selected: rapid.Bool().Draw(t, "selected")}
		checkBlock(t, []string{s.Row(f.Title, w, r)}, w, 1)
		checkBlock(t, []string{s.Progress(f.Scroll.Visible, f.Scroll.Total, w)}, w, 1)
	})
}

func TestWhatAFrameIsGivenIsDrawnAsText(t *testing.T) {
	const evil = "x\x1b[8m\x1b]0;t\a\u202ey\n"
	s := vespe(t, Options{Dark: true})
	for _, l := range s.Frame(Frame{Title: evil, Extra: evil, Foot: evil}, nil, 80, 3) {
		if visible.Has(ansi.Strip(l)) || strings.Contains(l, "\x1b[8m") || strings.Contains(l, "\x1b]") {
			t.Errorf("%q", l)
		}
	}
	if top := s.Frame(Frame{Title: evil, Extra: evil}, nil, 80, 3)[0]; strings.Count(top, "␛]0;t") != 2 {
		t.Errorf("the title and what is beside it are not shown: %q", top)
	}
}

func checkBlock(t *rapid.T, block []string, w, h int) {
	if len(block) != h {
		t.Fatalf("%d lines, want %d", len(block), h)
	}
	for _, l := range block {
		if g, wc := ansi.StringWidth(l), ansi.StringWidthWc(l); g != w || wc != w || strings.Contains(l, "\n") {
			t.Fatalf("%q has %d and %d cells, want %d", l, g, wc, w)
		}
	}
}

func TestRowMarksTheCursorWithoutColors(t *testing.T) {
	s := vespe(t, Options{NoColor: true})
	plain := s.Row("task", 10, Row{})
	cursor := s.Row("task", 10, Row{Cursor: true, Focused: true})
	away := s.Row("task", 10, Row{Cursor: true})
	chosen := s.Row("task", 10, Row{Selected: true})
	if !strings.HasPrefix(ansi.Strip(cursor), s.Glyph.Cursor) || !strings.Contains(cursor, "\x1b[7m") {
		t.Errorf("the cursor's row is %q", cursor)
	}
	if !strings.HasPrefix(ansi.Strip(chosen), s.Glyph.Selected) {
		t.Errorf("a selected row is %q", chosen)
	}
	rows := map[string]bool{plain: true, cursor: true, away: true, chosen: true, s.Row("task", 10, Row{Cursor: true, Focused: true, Selected: true}): true}
	if len(rows) != 5 {
		t.Error("two states of a row look the same")
	}
}

func TestThumb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(1, 60).Draw(t, "h")
		total := rapid.IntRange(0, 200_000).Draw(t, "total")
		top := rapid.IntRange(0, max(0, total-h)).Draw(t, "top")
		from, to := thumb(Scroll{Top: top, Visible: h, Total: total}, h)
		if total <= h {
			if from != to {
				t.Fatal("a thumb although everything is in view")
			}
			return
		}
		if from < 0 || to > h || to <= from {
			t.Fatalf("thumb [%d,%d) of %d", from, to, h)
		}
		if h-(to-from) >= 2 && ((from == 0) != (top == 0) || (to == h) != (top == total-h)) {
			t.Fatalf("thumb [%d,%d) of %d touches an end that the view at %d of %d does not", from, to, h, top, total)
		}
	})
}

func TestProgress(t *testing.T) {
	s := vespe(t, Options{ASCII: true, NoColor: true})
	for _, c := range []struct {
		done, total int
		want        string
	}{{0, 0, "...."}, {0, 9, "...."}, {1, 9, "#..."}, {5, 10, "##.."}, {8, 9, "###."}, {9, 9, "####"}, {12, 9, "####"}} {
		if got := ansi.Strip(s.Progress(c.done, c.total, 4)); got != c.want {
			t.Errorf("%d of %d is %q, want %q", c.done, c.total, got, c.want)
		}
	}
}

func TestHints(t *testing.T) {
	s := vespe(t, Options{Dark: true})
	hints := []Hint{{Key: "a", Title: "accept"}, {Key: "r", Title: "reject", Off: true}, {Key: "^p", Title: "palette"}}
	for w, want := range map[int]string{
		0: "", 7: "", 8: "a accept", 17: "a accept", 18: "a accept  r reject", 99: "a accept  r reject  ^p palette",
	} {
		if got := ansi.Strip(s.Hints(hints, w)); got != want {
			t.Errorf("%d cells: %q, want %q", w, got, want)
		}
	}
}

func BenchmarkFrame100x58(b *testing.B) {
	s := vespe(b, Options{Dark: true})
	rows := make([]string, 56)
	for i := range rows {
		st := model.Status(i % model.NumStatuses)
		rows[i] = s.Row(text.Pad(s.Muted.Render(s.Glyph.Branch)+s.StatusGlyph(st)+s.Text.Render(" a task with a name of usual length"), 80)+s.Badge(st), 98, Row{Cursor: i == 3, Focused: true})
	}
	f := Frame{Title: "Tree", Extra: "56 of 100000", Focused: true, Scroll: Scroll{Top: 500, Visible: 56, Total: 100000}}
	b.ResetTimer()
	for b.Loop() {
		s.Frame(f, rows, 100, 58)
	}
}

func BenchmarkRow(b *testing.B) {
	s := vespe(b, Options{Dark: true})
	line := s.Muted.Render(s.Glyph.Branch) + s.StatusGlyph(model.StatusReady) + s.Text.Render(" a task with a name of usual length")
	for b.Loop() {
		s.Row(line, 98, Row{Cursor: true, Focused: true})
	}
}

func BenchmarkNew(b *testing.B) {
	th := themes.Bundled()[0] // the default
	for b.Loop() {
		New(th, Options{Dark: true})
	}
}
