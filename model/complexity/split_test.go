package complexity

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawn is pieces of w as one line each: focus, files (~ before those to modify), tests, criteria from 1.
func drawn(w *Work, pieces []Work) string {
	var b strings.Builder
	for i := range pieces {
		p := &pieces[i]
		files := slices.Clone(p.Create)
		for _, f := range p.Modify {
			files = append(files, "~"+f)
		}
		var criteria []string
		for _, c := range p.Criteria {
			criteria = append(criteria, fmt.Sprint(slices.Index(w.Criteria, c)+1))
		}
		fmt.Fprintf(&b, "%s %s: %s | %s | %s\n", Letter(i), p.Title, strings.Join(files, " "), strings.Join(p.Tests, " "), strings.Join(criteria, " "))
	}
	return b.String()
}

func divided(t *testing.T, w Work, by Way) []Work {
	t.Helper()
	pieces, err := Divide(w, by)
	if err != nil {
		t.Fatal(err)
	}
	if why := Check(w, pieces); why != "" {
		t.Errorf("by %s: %s\n%s", by, why, drawn(&w, pieces))
	}
	return pieces
}

func wantPieces(t *testing.T, w Work, by Way, want string) {
	t.Helper()
	if got := drawn(&w, divided(t, w, by)); got != want {
		t.Errorf("by %s:\n%s\nwant\n%s", by, got, want)
	}
}

// The layers of the documented example: data, business, presentation, each with its criteria.
func TestDivideTheDocumentedExample(t *testing.T) {
	w := documented()
	wantPieces(t, w, ByLayers, ""+
		"a data layer: data/models/account.go data/models/posting.go |  | 1 3\n"+
		"b business layer: logic/services/post.go logic/services/balance.go |  | 2\n"+
		"c presentation layer: web/views/list.go app/controllers/list.go |  | 4\n")
	s := Of(w, DefaultLimits())
	if got := Suggest(s); got != ByLayers {
		t.Errorf("suggested %s: 2 of 2 is more than 3 of 5, 2½ of 3 and 1 of 2", got)
	}
	for _, p := range divided(t, w, ByLayers) {
		if after := Of(p, DefaultLimits()); after.Total >= s.Total {
			t.Errorf("%s is %v, no less than the whole, %v", p.Title, after.Total, s.Total)
		}
	}
}

// Directories stay whole, also one with more files than a part takes.
func TestDivideByFiles(t *testing.T) {
	w := Work{
		Create:   append(paths("big", 6), "a/1.go", "a/2.go", "c/1.go"),
		Modify:   []string{"a/3.go", "b/1.go", "top.go"},
		Tests:    []string{"big/fb_test.go", "a/3_test.go", "test/1.go", "elsewhere/x_test.go"},
		Criteria: []string{"first of all things here", "second of all things here", "third of all things here", "fourth of all things here"},
	}
	wantPieces(t, w, ByFiles, ""+
		"a top directory and a: a/1.go a/2.go ~a/3.go ~top.go | a/3_test.go test/1.go | 1\n"+
		"b b: ~b/1.go |  | 2\n"+
		"c big: big/fa.go big/fb.go big/fc.go big/fd.go big/fe.go big/ff.go | big/fb_test.go | 3\n"+
		"d c: c/1.go | elsewhere/x_test.go | 4\n")
}

func TestDivideByLayers(t *testing.T) {
	w := Work{
		Create: []string{"src/db/x.go", "src/handlers/x.go", "src/api/models.go", "README.md", "src/UserViews.ts"},
		Modify: []string{"src/helpers/y.go", "src/logic/z.go"},
	}
	wantPieces(t, w, ByLayers, ""+
		"a data layer: src/db/x.go src/api/models.go |  | \n"+
		"b business layer: src/handlers/x.go ~src/logic/z.go |  | \n"+
		"c presentation layer: src/UserViews.ts |  | \n"+
		"d infrastructure layer: ~src/helpers/y.go |  | \n"+
		"e other files: README.md |  | \n")
}

// Criteria are dealt in turn, to as many parts as take three each.
func TestDivideByCriteria(t *testing.T) {
	w := Work{Criteria: strings.Split("one two three four five six seven", " "), Create: []string{"a/1", "a/2", "a/3", "a/4"}, Modify: []string{"b/1"}}
	wantPieces(t, w, ByCriteria, ""+
		"a part 1: a/1 a/4 ~b/1 |  | 1 4 7\n"+
		"b part 2: a/2 |  | 2 5\n"+
		"c part 3: a/3 |  | 3 6\n")
}

// What comes to one part is no split: three criteria still are two parts, one is refused.
func TestNoSplitIntoOnePart(t *testing.T) {
	wantPieces(t, Work{Criteria: []string{"one", "two", "three"}, Create: []string{"a/1"}}, ByCriteria, ""+
		"a part 1: a/1 |  | 1 3\n"+
		"b part 2:  |  | 2\n")
	for _, test := range []struct {
		work Work
		by   Way
		why  string
	}{
		{Work{Criteria: []string{"one"}, Create: paths("a", 9)}, ByCriteria, "a single acceptance criterion"},
		{Work{Create: paths("a", 9)}, ByCriteria, "no acceptance criteria"},
		{Work{Create: paths("a", 9)}, ByFiles, "all files are in one directory, a, and directories aren't split"},
		{Work{Create: []string{"a/1", "b/1"}, Modify: []string{"c/1", "d/1"}}, ByFiles, "its 4 files fit in one part"},
		{Work{Criteria: []string{"one", "two"}}, ByFiles, "no files are named"},
		{Work{Criteria: []string{"one", "two"}}, ByLayers, "no files are named"},
		{Work{Create: []string{"x/models/1", "y/db/1"}}, ByLayers, "all files are in one layer, data"},
		{Work{Create: []string{"x/1", "y/1"}}, ByLayers, "no path names a layer"},
		{Work{Create: paths("a", 9)}, "size", "unknown split"},
	} {
		_, err := Divide(test.work, test.by)
		var undivided *Undivided
		if !errors.As(err, &undivided) || !strings.Contains(err.Error(), test.why) {
			t.Errorf("by %s: %v, want %q", test.by, err, test.why)
		}
	}
}

// The way is that of the part with the greatest share of what it can give, ties in the order of the parts.
func TestSuggest(t *testing.T) {
	for _, test := range []struct {
		files, cross, semantic, uncertainty float64
		want                                Way
	}{
		{3, 2, 2.5, 1, ByLayers},  // the documented example
		{2.5, 1, 1.5, 1, ByFiles}, // all of them a half
		{3, 1.5, 2, 1, ByLayers},
		{4, 1.5, 2, 1, ByFiles},
		{5, 2, 3, 2, ByFiles},
		{2.5, 2, 2.5, 0, ByLayers},
		{2, 0.5, 0, 0, ByFiles},
		{0, 0, 0, 0, ByFiles},
		{1.5, 2, 0, 0, ByLayers},
		{1, 1.5, 1.5, 0, ByLayers},
		{0.5, 1, 0, 0, ByFiles},
		{1, 1, 2, 0, ByCriteria},
		{1, 1, 0, 1.5, ByCriteria},
		{2.5, 0.5, 3, 2, ByCriteria},
		{0, 0, 2, 2, ByCriteria},
	} {
		var s Score
		for f, p := range []float64{test.files, test.cross, test.semantic, test.uncertainty} {
			s.Parts[f].Points = p
		}
		if got := Suggest(s); got != test.want {
			t.Errorf("%v: %s", test, got)
		}
	}
}

func TestCheck(t *testing.T) {
	w := Work{Create: []string{"a", "b"}, Modify: []string{"c"}, Tests: []string{"t"}, Criteria: []string{"one", "two"}}
	whole := func(change func(p []Work)) []Work {
		p := []Work{{Create: []string{"a"}, Tests: []string{"t"}, Criteria: []string{"two"}}, {Create: []string{"b"}, Modify: []string{"c"}, Criteria: []string{"one"}}}
		change(p)
		return p
	}
	for want, change := range map[string]func(p []Work){
		"":                func([]Work) {},
		"part b is empty": func(p []Work) { p[1] = Work{Tests: []string{"t"}} },
		`the file to create "b" is missing from the parts`: func(p []Work) { p[1].Create = nil },
		`the file to create "a" is in two parts`:           func(p []Work) { p[1].Create = []string{"b", "a"} },
		`the file to create "c" is not part of the task`:   func(p []Work) { p[1].Create = []string{"b", "c"} },
		`the file to modify "c" is missing from the parts`: func(p []Work) { p[1].Modify = nil },
		`the test file "t" is missing from the parts`:      func(p []Work) { p[0].Tests = nil },
		`the criterion "one" is missing from the parts`:    func(p []Work) { p[1].Criteria = nil },
		`the criterion "two" is in two parts`:              func(p []Work) { p[1].Criteria = []string{"one", "two"} },
		`the criterion "six" is not part of the task`:      func(p []Work) { p[1].Criteria = []string{"one", "six"} },
	} {
		if got := Check(w, whole(change)); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := Check(w, whole(func([]Work) {})[:1]); got != "there must be at least two parts" {
		t.Errorf("one part: %q", got)
	}
}

func TestPieceTitle(t *testing.T) {
	for i, want := range map[int]string{0: "a", 25: "z", 26: "aa", 51: "az", 52: "ba", 701: "zz", 702: "aaa"} {
		if got := Letter(i); got != want {
			t.Errorf("part %d is %s, want %s", i, got, want)
		}
	}
	if got := PieceTitle("Ledger", 1, "data layer"); got != "Ledger (b: data layer)" {
		t.Error(got)
	}
	if got := PieceTitle(strings.Repeat("ü", 300), 0, strings.Repeat("p", 300)); len([]rune(got)) > 200 {
		t.Errorf("%d characters", len([]rune(got)))
	}
}

// Whatever the work, what is divided is whole, in two parts or more, and by files no directory is torn.
func TestDivideKeepsEverything(t *testing.T) {
	file := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "a/", "b/", "models/", "x/views/", "api/", "./b/"}).Draw(t, "dir") +
			rapid.StringMatching(`[a-e]{1,2}(_test)?\.go`).Draw(t, "name")
	})
	rapid.Check(t, func(t *rapid.T) {
		w := Work{
			Title: "Some work", Create: rapid.SliceOfN(file, 0, 12).Draw(t, "create"), Modify: rapid.SliceOfN(file, 0, 6).Draw(t, "modify"),
			Tests: rapid.SliceOfN(file, 0, 4).Draw(t, "tests"), Criteria: rapid.SliceOfN(rapid.StringMatching(`[a-z]{2,9}( [a-z]{2,9}){0,4}`), 0, 9).Draw(t, "criteria"),
		}
		for _, by := range Ways() {
			pieces, err := Divide(w, by)
			if err != nil {
				continue
			}
			if why := Check(w, pieces); why != "" {
				t.Fatalf("by %s: %s\n%s", by, why, drawn(&w, pieces))
			}
			if by != ByFiles {
				continue
			}
			home := map[string]int{}
			for i := range pieces {
				for _, f := range pieces[i].files() {
					dir := CleanPath(f)[:strings.LastIndex("/"+CleanPath(f), "/")]
					if at, ok := home[dir]; ok && at != i {
						t.Fatalf("%q is in two parts\n%s", dir, drawn(&w, pieces))
					}
					home[dir] = i
				}
			}
		}
	})
}
