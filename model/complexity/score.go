package complexity

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Work is what a score is made of.
type Work struct {
	Title    string   // the task's name
	Story    string   // the user story
	Criteria []string // acceptance criteria
	Create   []string // files to create, slash paths
	Modify   []string // files to modify
	Tests    []string // test files; they count nothing, and go with the files that they test
}

// Files is how many files the work creates and modifies.
func (w *Work) Files() int { return len(w.Create) + len(w.Modify) }

// files are those to create, then those to modify.
func (w *Work) files() []string { return slices.Concat(w.Create, w.Modify) }

// IsEmpty says whether there is nothing to do. Test files alone are nothing.
func (w *Work) IsEmpty() bool { return w.Files()+len(w.Criteria) == 0 }

// Lists are files and criteria as lists of Markdown, each below its title and a blank line.
func (w Work) Lists() string {
	var b strings.Builder
	for _, l := range []struct {
		title string
		items []string
	}{{"Files to create", w.Create}, {"Files to modify", w.Modify}, {"Tests", w.Tests}, {"It is done when", w.Criteria}} {
		if len(l.items) == 0 {
			continue
		}
		b.WriteString("\n" + l.title + ":\n\n")
		for _, item := range l.items {
			b.WriteString("- " + strings.ReplaceAll(item, "\n", "\n  ") + "\n")
		}
	}
	return b.String()
}

// Limits are guidance: work beyond them is warned about. Only Threshold says that work is too much.
type Limits struct {
	FilesToCreate int
	FilesToModify int
	Criteria      int
	InputTokens   int
	OutputTokens  int
	Minutes       float64 // of one attempt
	Threshold     float64 // 0–13; more than that should be split
	AutoSplit     bool    // a split is proposed without being asked for
}

// DefaultLimits are those that hold where nothing is said.
func DefaultLimits() Limits {
	return Limits{
		FilesToCreate: 5, FilesToModify: 8, Criteria: 7, InputTokens: 6000, OutputTokens: 3000,
		Minutes: 5, Threshold: 5, AutoSplit: true,
	}
}

// Factor is one of the five parts of a score.
type Factor int

// The parts of a score, in the order in which ties between them are settled.
const (
	FileScope Factor = iota
	CrossFileDeps
	Semantic
	Uncertainty
	TokenPenalty
	NumFactors = iota
)

var factors = [NumFactors]struct {
	name, words string
	most        float64
}{
	{"file_scope", "files", 5},
	{"cross_file_deps", "directories", 2},
	{"semantic", "kind of work", 3},
	{"uncertainty", "uncertainty", 2},
	{"token_penalty", "length", 1},
}

// String is the factor as docs/format/complexity.md writes it.
func (f Factor) String() string { return factors[f].name }

// Words is the factor as a person reads it.
func (f Factor) Words() string { return factors[f].words }

// Most is how many points the factor gives at the most.
func (f Factor) Most() float64 { return factors[f].most }

// Most is the greatest score.
const Most = 13

// Level is a score in one word.
type Level string

// The levels: below 5, below 8, below 11, and the rest.
const (
	Low      Level = "low"
	Medium   Level = "medium"
	High     Level = "high"
	Critical Level = "critical"
)

// LevelOf is the level of a score.
func LevelOf(total float64) Level {
	switch {
	case total < 5:
		return Low
	case total < 8:
		return Medium
	case total < 11:
		return High
	}
	return Critical
}

// Advice is what the score means for who runs the work. That no files are named is no reason to leave it alone.
func (s *Score) Advice() string {
	if s.Level == Low && !s.Named() {
		return "no files are named, so it may be larger"
	}
	return s.Level.advice()
}

// Named reports whether the work names files, which an estimate of its time is made of.
func (s *Score) Named() bool { return len(s.Parts[FileScope].Paths) > 0 }

func (l Level) advice() string {
	switch l {
	case Low:
		return "safe to run unattended"
	case Medium:
		return "watch it run"
	case High:
		return "consider splitting it"
	}
	return "split it"
}

// pace is how many times longer work of the level takes.
func (l Level) pace() float64 {
	switch l {
	case Low:
		return 1
	case Medium:
		return 1.5
	case High:
		return 2
	}
	return 3
}

// Part is one part of a score with what is behind it.
type Part struct {
	Factor Factor
	Points float64
	Why    string   // one line, from what was counted; never empty
	Found  []Found  // the words that counted, in the order of their list
	Paths  []string // the files, first directories or layers that counted
}

// Found is a word of a list, and where it is.
type Found struct {
	Word  string
	Where []string // "name", "user story", "criterion 2"
}

// Warning is a limit that the work is beyond.
type Warning struct {
	Limit string  // its key in task_size_limits
	Is    float64 // what the work has
	Most  float64 // what the limit allows
	Text  string  // one line
}

// Score is how much a piece of work is.
type Score struct {
	Parts    [NumFactors]Part
	Total    float64 // 0–13
	Level    Level
	Tokens   int     // estimate of what has to be read
	Output   int     // estimate of the tokens that have to be written
	Minutes  float64 // estimate of one attempt
	Warnings []Warning
	Split    bool // Total is above the threshold
}

// Of is the score of w.
func Of(w Work, l Limits) Score {
	s := Score{Tokens: Tokens(w), Output: OutputTokens(w)}
	text := w.texts()
	s.Parts = [NumFactors]Part{
		fileScope(&w), crossFileDeps(w.files()), semantic(text), uncertainty(text, w.Criteria), tokenPenalty(s.Tokens, l.InputTokens),
	}
	for i := range s.Parts {
		s.Total += s.Parts[i].Points
	}
	s.Level = LevelOf(s.Total)
	s.Minutes = Minutes(w.Files(), s.Level)
	s.Split = s.Total > l.Threshold
	s.Warnings = warnings(&w, &s, l)
	return s
}

// Tokens estimates how much has to be read to do the work: 1.3 a word, 2,000 a file to modify,
// 50 a file to create; rounded down.
func Tokens(w Work) int {
	words := len(strings.Fields(w.Title)) + len(strings.Fields(w.Story))
	for _, c := range w.Criteria {
		words += len(strings.Fields(c))
	}
	return words*13/10 + 2000*len(w.Modify) + 50*len(w.Create)
}

// Tokens that a file takes to write: as many as the default limits of files allow come to the default
// limit of output, 5 to create or 8 to modify to 3,000.
const (
	outputCreate = 600
	outputModify = 375
)

// OutputTokens estimates how much has to be written to do the work: 600 a file to create, 375 a file to
// modify. The task specification names a limit of output and no estimate; this is ours, and no part of
// the score.
func OutputTokens(w Work) int { return outputCreate*len(w.Create) + outputModify*len(w.Modify) }

// Minutes estimates how long one attempt takes: half a minute a file, times 1, 1½, 2 or 3 by level,
// and at least one.
func Minutes(files int, l Level) float64 { return max(1, 0.5*float64(files)*l.pace()) }

func fileScope(w *Work) Part {
	n := w.Files()
	p := Part{Factor: FileScope, Points: min(float64(n)/2, FileScope.Most()), Paths: w.files()}
	switch {
	case n == 0:
		p.Why = "no files are named"
	case len(w.Modify) == 0:
		p.Why = count(n, "file") + " to create"
	case len(w.Create) == 0:
		p.Why = count(n, "file") + " to modify"
	default:
		p.Why = fmt.Sprintf("%s: %d to create, %d to modify", count(n, "file"), len(w.Create), len(w.Modify))
	}
	return p
}

func crossFileDeps(files []string) Part {
	p := Part{Factor: CrossFileDeps}
	if len(files) <= 1 {
		p.Why = "fewer than two files"
		return p
	}
	dirs := topDirs(files)
	if n := len(dirs); n > 1 {
		p.Points, p.Paths = min(2, float64(n)/2), dirs
		p.Why = fmt.Sprintf("files in %d top-level directories", n)
		return p
	}
	layers := layersOf(files)
	switch n := len(layers); {
	case n >= 2:
		p.Points, p.Paths = float64(min(n, 3)-1), layers
		p.Why = fmt.Sprintf("%d layers in one top-level directory", n)
	case len(files) > 3:
		p.Points, p.Paths = 0.5, dirs
		p.Why = "more than three files in one top-level directory"
	default:
		p.Paths = dirs
		p.Why = "one top-level directory, one layer"
	}
	return p
}

func semantic(text []passage) Part {
	p := Part{Factor: Semantic}
	if p.Found = find(hardWords, text); len(p.Found) > 0 {
		p.Points = 1.5 + float64(min(len(p.Found), 3))/2
		p.Why = count(len(p.Found), "hard word")
		return p
	}
	p.Found = find(mediumWords, text)
	p.Points = float64(min(len(p.Found), 3)) / 2
	if p.Why = "no word suggests hard work"; len(p.Found) > 0 {
		p.Why = count(len(p.Found), "word") + " of medium weight"
	}
	return p
}

// The mean length of criteria, in characters, outside of which they are vague.
const (
	shortCriteria = 20
	longCriteria  = 200
)

func uncertainty(text []passage, criteria []string) Part {
	p := Part{Factor: Uncertainty, Found: find(vagueWords, text)}
	p.Points = float64(min(len(p.Found), 3)) / 2
	var why []string
	if len(p.Found) > 0 {
		why = append(why, count(len(p.Found), "vague word"))
	}
	runes := 0
	for _, c := range criteria {
		runes += utf8.RuneCountInString(c)
	}
	switch n := len(criteria); {
	case n == 0:
	case runes < shortCriteria*n:
		p.Points += 0.5
		why = append(why, fmt.Sprintf("criteria of %.0f characters on average, under %d", float64(runes)/float64(n), shortCriteria))
	case runes > longCriteria*n:
		p.Points += 0.5
		why = append(why, fmt.Sprintf("criteria of %.0f characters on average, over %d", float64(runes)/float64(n), longCriteria))
	}
	p.Points = min(p.Points, Uncertainty.Most())
	if p.Why = strings.Join(why, "; "); p.Why == "" {
		p.Why = "no vague words"
	}
	return p
}

func tokenPenalty(tokens, most int) Part {
	p := Part{Factor: TokenPenalty}
	switch {
	case tokens > most:
		p.Points, p.Why = 1, fmt.Sprintf("about %d tokens, over %d", tokens, most)
	case 10*tokens > 8*most:
		p.Points, p.Why = 0.5, fmt.Sprintf("about %d tokens, over 80%% of %d", tokens, most)
	default:
		p.Why = fmt.Sprintf("about %d tokens of %d", tokens, most)
	}
	return p
}

// warnings are the soft limits that w is beyond, in the order of Limits.
func warnings(w *Work, s *Score, l Limits) []Warning {
	var out []Warning
	check := func(limit, what string, is, most float64) {
		if is > most {
			out = append(out, Warning{limit, is, most, fmt.Sprintf("%s: %s, more than %s", what, number(is), number(most))})
		}
	}
	check("max_files_to_create", "files to create", float64(len(w.Create)), float64(l.FilesToCreate))
	check("max_files_to_modify", "files to modify", float64(len(w.Modify)), float64(l.FilesToModify))
	check("max_criteria_per_task", "acceptance criteria", float64(len(w.Criteria)), float64(l.Criteria))
	check("max_input_tokens", "tokens to read", float64(s.Tokens), float64(l.InputTokens))
	check("max_output_tokens", "tokens to write", float64(s.Output), float64(l.OutputTokens))
	check("max_time_minutes", "minutes", s.Minutes, l.Minutes)
	return out
}

// number is a figure with no more digits than it needs.
func number(f float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", f), "0"), ".")
}

// MinuteWords is a number of minutes in words: "1 minute", "4.5 minutes".
func MinuteWords(minutes float64) string {
	if minutes == 1 {
		return "1 minute"
	}
	return number(minutes) + " minutes"
}

// count is "1 file", "3 files".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
