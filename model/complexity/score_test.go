package complexity

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Work that names no files is not called small because of that.
func TestAdviceWithoutFiles(t *testing.T) {
	small := Work{Title: "Net worth over time", Criteria: []string{"It works."}}
	if s := Of(small, DefaultLimits()); s.Level != Low || s.Advice() != "no files are named, so it may be larger" || s.Named() {
		t.Errorf("%s: %s", s.Level, s.Advice())
	}
	small.Modify = []string{"worth.go"}
	if s := Of(small, DefaultLimits()); s.Level != Low || s.Advice() != "safe to run unattended" {
		t.Errorf("%s: %s", s.Level, s.Advice())
	}
}

// points are the parts of a score, and their sum.
func points(s Score) [NumFactors + 1]float64 {
	var out [NumFactors + 1]float64
	for i, p := range s.Parts {
		out[i] = p.Points
	}
	out[NumFactors] = s.Total
	return out
}

func paths(dir string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = dir + "/f" + string(rune('a'+i)) + ".go"
	}
	return out
}

// The figures are worked out by hand from the rules in doc.go.
func TestScore(t *testing.T) {
	long := strings.Repeat("x", 201)
	clear := "the list is sorted by name" // 26 characters, no word of any list
	tests := []struct {
		name    string
		work    Work
		want    [NumFactors + 1]float64 // files, cross, semantic, uncertainty, tokens; total
		level   Level
		tokens  int
		minutes float64
	}{
		{"nothing", Work{}, [6]float64{}, Low, 0, 1},
		{"one file", Work{Title: "Rename", Create: []string{"a.go"}}, [6]float64{0.5, 0, 0, 0, 0, 0.5}, Low, 51, 1},
		{"three files beside each other", Work{Create: paths("src", 3)}, [6]float64{1.5, 0, 0, 0, 0, 1.5}, Low, 150, 1.5},
		{"four files beside each other", Work{Create: paths("src", 4)}, [6]float64{2, 0.5, 0, 0, 0, 2.5}, Low, 200, 2},
		{"two first directories", Work{Create: []string{"a/x.go", "b/x.go"}}, [6]float64{1, 1, 0, 0, 0, 2}, Low, 100, 1},
		{"the root is a directory", Work{Create: []string{"x.go", "b/x.go"}}, [6]float64{1, 1, 0, 0, 0, 2}, Low, 100, 1},
		{"three first directories", Work{Create: []string{"a/x.go", "b/x.go", "c/x.go"}}, [6]float64{1.5, 1.5, 0, 0, 0, 3}, Low, 150, 1.5},
		{"five first directories", Work{Create: []string{"a/x", "b/x", "c/x", "d/x", "e/x"}}, [6]float64{2.5, 2, 0, 0, 0, 4.5}, Low, 250, 2.5},
		{"two layers", Work{Create: []string{"src/models/x.go", "src/views/x.go"}}, [6]float64{1, 1, 0, 0, 0, 2}, Low, 100, 1},
		{"three layers", Work{Create: []string{"src/models/x.go", "src/api/x.go", "src/core/x.go"}}, [6]float64{1.5, 2, 0, 0, 0, 3.5}, Low, 150, 1.5},
		{"four layers", Work{Create: []string{"src/repositories/x", "src/handlers/x", "src/services/x", "src/utils/x"}}, [6]float64{2, 2, 0, 0, 0, 4}, Low, 200, 2},
		{"one layer twice", Work{Create: []string{"src/views/x.go", "src/controllers/x.go"}}, [6]float64{1, 0, 0, 0, 0, 1}, Low, 100, 1},
		{"ten files", Work{Create: paths("src", 10)}, [6]float64{5, 0.5, 0, 0, 0, 5.5}, Medium, 500, 7.5},
		{"twelve files are no more than ten", Work{Create: paths("src", 12)}, [6]float64{5, 0.5, 0, 0, 0, 5.5}, Medium, 600, 9},

		{"one hard word", Work{Title: "Cache"}, [6]float64{0, 0, 2, 0, 0, 2}, Low, 1, 1},
		{"a hard word twice", Work{Title: "Cache", Story: "a cache"}, [6]float64{0, 0, 2, 0, 0, 2}, Low, 3, 1},
		{"two hard words", Work{Title: "Cache", Story: "async"}, [6]float64{0, 0, 2.5, 0, 0, 2.5}, Low, 2, 1},
		{"four hard words", Work{Title: "Cache, async, parallel index"}, [6]float64{0, 0, 3, 0, 0, 3}, Low, 5, 1},
		{"two words that belong together", Work{Title: "A State\nmachine"}, [6]float64{0, 0, 2, 0, 0, 2}, Low, 3, 1},
		{"hard words hide those of medium weight", Work{Title: "Cache the api schema"}, [6]float64{0, 0, 2, 0, 0, 2}, Low, 5, 1},
		{"one word of medium weight", Work{Title: "Query"}, [6]float64{0, 0, 0.5, 0, 0, 0.5}, Low, 1, 1},
		{"two of medium weight", Work{Title: "Query the schema"}, [6]float64{0, 0, 1, 0, 0, 1}, Low, 3, 1},
		{"four of medium weight", Work{Title: "Parse, query, transform, serialize"}, [6]float64{0, 0, 1.5, 0, 0, 1.5}, Low, 5, 1},

		{"one vague word", Work{Title: "Maybe"}, [6]float64{0, 0, 0, 0.5, 0, 0.5}, Low, 1, 1},
		{"two vague words", Work{Title: "Maybe later, if needed"}, [6]float64{0, 0, 0, 1, 0, 1}, Low, 5, 1},
		{"five vague words", Work{Title: "TBD TODO maybe should varies"}, [6]float64{0, 0, 0, 1.5, 0, 1.5}, Low, 6, 1},
		{"short criteria", Work{Criteria: []string{"it is fast"}}, [6]float64{0, 0, 0, 0.5, 0, 0.5}, Low, 3, 1},
		{"criteria of 20 characters", Work{Criteria: []string{"12345678901234567890"}}, [6]float64{}, Low, 1, 1},
		{"characters, not bytes", Work{Criteria: []string{strings.Repeat("ü", 19)}}, [6]float64{0, 0, 0, 0.5, 0, 0.5}, Low, 1, 1},
		{"short and clear on average", Work{Criteria: []string{"short", strings.Repeat("y", 35)}}, [6]float64{}, Low, 2, 1},
		{"long criteria", Work{Criteria: []string{long}}, [6]float64{0, 0, 0, 0.5, 0, 0.5}, Low, 1, 1},
		{"criteria of 200 characters", Work{Criteria: []string{long[1:]}}, [6]float64{}, Low, 1, 1},
		{"all of the uncertainty", Work{Title: "TBD todo maybe", Criteria: []string{"ok"}}, [6]float64{0, 0, 0, 2, 0, 2}, Low, 5, 1},
		{"criteria count as text", Work{Criteria: []string{"the cache should be cleared"}}, [6]float64{0, 0, 2, 0.5, 0, 2.5}, Low, 6, 1},

		{"two files to read", Work{Modify: paths("src", 2)}, [6]float64{1, 0, 0, 0, 0, 1}, Low, 4000, 1},
		{"four fifths of the tokens", Work{Modify: paths("src", 2), Create: paths("src", 16)}, [6]float64{5, 0.5, 0, 0, 0, 5.5}, Medium, 4800, 13.5},
		{"over four fifths", Work{Title: "x", Modify: paths("src", 2), Create: paths("src", 16)}, [6]float64{5, 0.5, 0, 0, 0.5, 6}, Medium, 4801, 13.5},
		{"three files to read and no word", Work{Modify: paths("src", 3)}, [6]float64{1.5, 0, 0, 0, 0.5, 2}, Low, 6000, 1.5},
		{"three files to read and a word", Work{Title: "Rename", Modify: paths("src", 3)}, [6]float64{1.5, 0, 0, 0, 1, 2.5}, Low, 6001, 1.5},

		{
			"everything",
			Work{
				Title: "Maybe an async cache index", Story: "tbd, todo", Criteria: []string{"ok"},
				Modify: []string{"a/1", "b/1", "c/1", "d/1", "d/2", "d/3"}, Create: []string{"d/4", "d/5", "d/6", "d/7"},
			},
			[6]float64{5, 2, 3, 2, 1, 13},
			Critical, 8*13/10 + 12000 + 200, 15,
		},
		{
			"just medium",
			Work{Title: "Cache", Criteria: []string{clear}, Create: paths("src", 5)},
			[6]float64{2.5, 0.5, 2, 0, 0, 5},
			Medium, 7*13/10 + 250, 3.75,
		},
		{
			"just critical",
			Work{Title: "async cache index", Story: "maybe, todo", Create: append(paths("a", 7), "b/1", "c/1", "d/1")},
			[6]float64{5, 2, 3, 1, 0, 11},
			Critical, 5*13/10 + 500, 15,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := Of(test.work, DefaultLimits())
			if got := points(s); got != test.want {
				t.Errorf("points %v, want %v", got, test.want)
			}
			if s.Level != test.level || s.Tokens != test.tokens || s.Minutes != test.minutes {
				t.Errorf("%s, %d tokens, %v minutes; want %s, %d, %v", s.Level, s.Tokens, s.Minutes, test.level, test.tokens, test.minutes)
			}
			for _, p := range s.Parts {
				if p.Why == "" || p.Points > p.Factor.Most() {
					t.Errorf("%s: %v of %v, %q", p.Factor, p.Points, p.Factor.Most(), p.Why)
				}
			}
		})
	}
}

// The example of the task specification: 3 + 2 + 2½ + 1 is 8½, which is high.
func TestScoreOfTheDocumentedExample(t *testing.T) {
	s := Of(documented(), DefaultLimits())
	if got, want := points(s), [6]float64{3, 2, 2.5, 1, 0, 8.5}; got != want || s.Level != High || !s.Split {
		t.Errorf("%v %s split=%v, want %v high", got, s.Level, s.Split, want)
	}
}

// documented is a task with the scores of the specification's example: six files in four
// first directories, two hard words, two vague ones.
func documented() Work {
	return Work{
		Title: "Ledger workflow", Story: "As a clerk I want postings to be parallel, if needed",
		Criteria: []string{
			"Accounts of models are stored exactly", "Debits should balance to the last cent",
			"Schemata of models are checked on reading", "The list of views shows the newest first",
		},
		Create: []string{"data/models/account.go", "data/models/posting.go", "logic/services/post.go", "logic/services/balance.go", "web/views/list.go", "app/controllers/list.go"},
	}
}

// A word is a whole one. Each of these has a word of a list inside another word.
func TestWholeWords(t *testing.T) {
	for _, text := range []string{
		"rapid", "shoulder", "therapist", "remodel", "subqueries", "reindexed", "cached", "asynchronous",
		"parallelogram", "undecided", "services", "todos", "my_cache", "optimized",
	} {
		s := Of(Work{Title: text}, DefaultLimits())
		if s.Total != 0 {
			t.Errorf("%q gives %v: %+v", text, s.Total, s.Parts)
		}
	}
	for text, want := range map[string]string{
		"async/await": "async", "re-index": "index", "(cache)": "cache", "CACHE": "cache", "state-machine": "state machine",
		"an api’s": "api", "should've": "should", "Depends\n  on": "depends on",
	} {
		if found := slices.ContainsFunc(find(slices.Concat(hardWords, mediumWords, vagueWords), []passage{{"name", wordsOf(text)}}), func(f Found) bool { return f.Word == want }); !found {
			t.Errorf("%q does not have %q", text, want)
		}
	}
	for _, text := range []string{"the state. Machine", "it depends, on Monday", "if needed?"} {
		got := find([]string{"state machine", "depends on", "if needed"}, []passage{{"name", wordsOf(text)}})
		if want := text == "if needed?"; (len(got) == 1) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	// Nor do words of two texts make one expression.
	if s := Of(Work{Title: "Only if", Story: "needed by many readers"}, DefaultLimits()); s.Total != 0 {
		t.Errorf("an expression across two texts counts: %+v", s.Parts[Uncertainty])
	}
}

func TestWordsOfPaths(t *testing.T) {
	for file, want := range map[string][]string{
		"src/rapid.go": nil, "src/score.go": nil, "src/reviews.go": nil, // api, core, views inside
		"src/api.go": {layerPresentation}, "src/UserServices.java": {layerBusiness}, "src/user_models.py": {layerData},
		"src/http-handlers/x.go": {layerPresentation}, "src/core/Utils.cs": {layerBusiness, layerInfrastructure},
	} {
		if got := layersOf([]string{file}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", file, got, want)
		}
	}
	if got := topDirs([]string{"./a/x", "a//y", "b/../a/z", "/a/x", "w.go"}); !slices.Equal(got, []string{".", "/", "a"}) {
		t.Errorf("first directories: %q", got)
	}
}

// What is behind a score is named: words with where they are, directories, layers, files.
func TestWhatIsBehindAScore(t *testing.T) {
	s := Of(Work{
		Title: "Cache of reports", Story: "Should be async", Criteria: []string{"fast", "the cache is cleared at midnight"},
		Create: []string{"b/x.go"}, Modify: []string{"a/y.go"},
	}, DefaultLimits())
	want := []Found{{"async", []string{"user story"}}, {"cache", []string{"name", "criterion 2"}}}
	if got := s.Parts[Semantic]; !reflect.DeepEqual(got.Found, want) || got.Why != "2 hard words" {
		t.Errorf("semantic: %+v", got)
	}
	if got := s.Parts[Uncertainty]; got.Why != "1 vague word; criteria of 18 characters on average, under 20" || len(got.Found) != 1 {
		t.Errorf("uncertainty: %+v", got)
	}
	if got := s.Parts[CrossFileDeps]; !slices.Equal(got.Paths, []string{"a", "b"}) || got.Why != "files in 2 top-level directories" {
		t.Errorf("cross_file_deps: %+v", got)
	}
	if got := s.Parts[FileScope]; !slices.Equal(got.Paths, []string{"b/x.go", "a/y.go"}) || got.Why != "2 files: 1 to create, 1 to modify" {
		t.Errorf("file_scope: %+v", got)
	}
}

// Limits warn; only the threshold says that something is to be split.
func TestSoftLimits(t *testing.T) {
	l := DefaultLimits()
	criteria := slices.Repeat([]string{"the list is sorted by its name"}, 8)
	s := Of(Work{Criteria: criteria, Create: paths("src", 6)}, l)
	if s.Split || s.Total != 3.5 {
		t.Errorf("total %v, split %v", s.Total, s.Split)
	}
	var keys []string
	for _, w := range s.Warnings {
		keys = append(keys, w.Limit)
	}
	if want := []string{"max_files_to_create", "max_criteria_per_task", "max_output_tokens"}; !slices.Equal(keys, want) {
		t.Errorf("warnings %v, want %v", keys, want)
	}
	if got := s.Warnings[0].Text; got != "files to create: 6, more than 5" {
		t.Errorf("warning %q", got)
	}
	s = Of(Work{Modify: paths("src", 9)}, l)
	keys = nil
	for _, w := range s.Warnings {
		keys = append(keys, w.Limit)
	}
	if want := []string{"max_files_to_modify", "max_input_tokens", "max_output_tokens", "max_time_minutes"}; !slices.Equal(keys, want) {
		t.Errorf("warnings %v, want %v", keys, want) // 4.5 + 0.5 + 1 is 6: medium, 6.75 minutes
	}
	// As many files as may be are as much as may be written.
	for _, w := range []Work{{Create: paths("src", l.FilesToCreate)}, {Modify: paths("src", l.FilesToModify)}} {
		s := Of(w, l)
		if s.Output != l.OutputTokens || slices.ContainsFunc(s.Warnings, func(w Warning) bool { return w.Limit == "max_output_tokens" }) {
			t.Errorf("%d tokens to write, %v", s.Output, s.Warnings)
		}
	}
	less := l
	less.OutputTokens = 1000
	s = Of(Work{Create: paths("src", 1), Modify: paths("src", 2)}, less)
	if n := len(s.Warnings); n != 1 || s.Warnings[0].Text != "tokens to write: 1350, more than 1000" {
		t.Errorf("warnings %v", s.Warnings)
	}
	for total, want := range map[float64]bool{4.5: false, 5: false, 5.5: true} {
		files := int((total - 0.5) * 2)
		if s := Of(Work{Create: paths("src", files)}, l); s.Total != total || s.Split != want {
			t.Errorf("%v (%d files): split %v, want %v", s.Total, files, s.Split, want)
		}
	}
	l.Threshold = 4
	if !Of(Work{Create: paths("src", 8)}, l).Split {
		t.Error("another threshold changes nothing")
	}
}

func TestLevels(t *testing.T) {
	for total, want := range map[float64]Level{0: Low, 4.5: Low, 5: Medium, 7.5: Medium, 8: High, 10.5: High, 11: Critical, 13: Critical} {
		if got := LevelOf(total); got != want || got.advice() == "" {
			t.Errorf("%v is %s, want %s", total, got, want)
		}
	}
	sum := 0.0
	for f := FileScope; f < NumFactors; f++ {
		sum += f.Most()
	}
	if sum != Most {
		t.Errorf("the parts make %v at the most, not %v", sum, Most)
	}
	for level, want := range map[Level]float64{Low: 2, Medium: 3, High: 4, Critical: 6} {
		if got := Minutes(4, level); got != want {
			t.Errorf("4 files, %s: %v minutes, want %v", level, got, want)
		}
	}
}

func TestMinuteWords(t *testing.T) {
	for minutes, want := range map[float64]string{1: "1 minute", 1.5: "1.5 minutes", 12: "12 minutes"} {
		if got := MinuteWords(minutes); got != want {
			t.Errorf("%v: %q, want %q", minutes, got, want)
		}
	}
}
