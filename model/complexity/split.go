package complexity

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Way is how work is cut into pieces.
type Way string

// The ways.
const (
	ByFiles    Way = "files"    // directories stay whole
	ByLayers   Way = "layers"   // data, business, presentation, infrastructure, other
	ByCriteria Way = "criteria" // the acceptance criteria are dealt out
)

// Ways are all of them, in the order in which they are offered.
func Ways() []Way { return []Way{ByFiles, ByLayers, ByCriteria} }

const (
	filesPerPiece    = 4 // a directory with more stays whole
	criteriaPerPiece = 3
)

// splitLayers say which layer a file goes to. Its first that has a word of the path is taken; handlers
// are business here, though the score has them in the presentation.
var splitLayers = []struct {
	layer string
	words []string
}{
	{layerData, []string{"models", "repositories", "entities", "schemas", "db"}},
	{layerBusiness, []string{"services", "core", "domain", "logic", "handlers"}},
	{layerPresentation, []string{"views", "controllers", "api", "routes", "endpoints"}},
	{layerInfrastructure, []string{"utils", "config", "helpers", "common"}},
	{layerOther, nil},
}

// Letter is the name of piece i, from 0: a to z, then aa, ab and so on.
func Letter(i int) string {
	out := ""
	for i++; i > 0; i = (i - 1) / 26 {
		out = string(rune('a'+(i-1)%26)) + out
	}
	return out
}

// PieceTitle is the name of piece i of work with that title.
func PieceTitle(title string, i int, focus string) string {
	title, focus = shortened(title, 120), shortened(focus, 60)
	if focus == "" {
		return title + " (" + Letter(i) + ")"
	}
	return title + " (" + Letter(i) + ": " + focus + ")"
}

// shortened is a text of at most so many characters.
func shortened(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return text
}

// highCrossFileDeps is from how many points on files are so coupled that layers are suggested.
const highCrossFileDeps = 1.5

// Suggest is the way that fits the part of the score that weighs most: the greatest share of what it can
// give. Files when it is their number, layers when it is their coupling, else the criteria. Ties go in
// this order. Coupling has to be high; below that it is files, as where nothing weighs anything.
func Suggest(s Score) Way {
	share := func(f Factor) float64 { return s.Parts[f].Points / f.Most() }
	top := FileScope
	for _, f := range []Factor{CrossFileDeps, Semantic, Uncertainty} {
		if share(f) > share(top) {
			top = f
		}
	}
	switch points := s.Parts[top].Points; {
	case top == CrossFileDeps && points >= highCrossFileDeps:
		return ByLayers
	case top == Semantic, top == Uncertainty:
		return ByCriteria
	}
	return ByFiles
}

// Undivided says why a way gives no two pieces.
type Undivided struct {
	Way Way
	Why string // "all files are in one directory: src"
}

func (u *Undivided) Error() string { return "no split by " + string(u.Way) + ": " + u.Why }

// Divide proposes at least two pieces, none of them empty; each file and each criterion is in just one.
// A criterion goes with the files that its words name; the others are dealt out in turn. The order
// of the pieces is the order in which they are meant to be done. The title of a piece says what it is about, in a few
// words: "src/models", "data layer", "part 2". The error is always an *Undivided.
func Divide(w Work, by Way) ([]Work, error) {
	var pieces []Work
	var why string
	switch by {
	case ByFiles:
		pieces, why = byFiles(&w)
	case ByLayers:
		pieces, why = byLayers(&w)
	case ByCriteria:
		pieces, why = byCriteria(&w)
	default:
		why = "unknown split; use files, layers or criteria"
	}
	if why != "" {
		return nil, &Undivided{by, why}
	}
	if by != ByCriteria {
		dealCriteria(&w, pieces)
	}
	for i := range pieces {
		pieces[i].Story = w.Story
	}
	at := homesIn(pieces)
	for _, test := range w.Tests {
		p := &pieces[at.of(test)]
		p.Tests = append(p.Tests, test)
	}
	return pieces, nil
}

// byFiles fills pieces with directories, in their order, up to filesPerPiece files each.
func byFiles(w *Work) (pieces []Work, why string) {
	in := map[string]int{}
	for _, f := range w.files() {
		in[path.Dir(CleanPath(f))]++
	}
	var dirs []string
	for dir := range in {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	switch len(dirs) {
	case 0:
		return nil, "no files are named"
	case 1:
		return nil, "all files are in one directory, " + dirs[0] + ", and directories aren't split"
	}
	at, names, held := map[string]int{}, [][]string{}, 0
	for _, dir := range dirs {
		if len(names) == 0 || held+in[dir] > filesPerPiece {
			names, held = append(names, nil), 0
		}
		last := len(names) - 1
		at[dir], names[last], held = last, append(names[last], dir), held+in[dir]
	}
	if len(names) == 1 {
		return nil, fmt.Sprintf("its %s fit in one part", count(w.Files(), "file"))
	}
	pieces = make([]Work, len(names))
	for i := range pieces {
		pieces[i].Title = focusOf(names[i])
	}
	w.sort(pieces, func(f string) int { return at[path.Dir(CleanPath(f))] })
	return pieces, ""
}

// focusOf names directories, only the first of more than two.
func focusOf(dirs []string) string {
	names := slices.Clone(dirs)
	if i := slices.Index(names, "."); i >= 0 {
		names[i] = "top directory"
	}
	switch n := len(names); n {
	case 1:
		return names[0]
	case 2:
		return names[0] + " and " + names[1]
	default:
		return fmt.Sprintf("%s and %d more", names[0], n-1)
	}
}

// sort puts each file into the piece that of names.
func (w *Work) sort(pieces []Work, of func(file string) int) {
	for _, f := range w.Create {
		p := &pieces[of(f)]
		p.Create = append(p.Create, f)
	}
	for _, f := range w.Modify {
		p := &pieces[of(f)]
		p.Modify = append(p.Modify, f)
	}
}

// layerOf is the index in splitLayers of a file's layer.
func layerOf(file string) int {
	words := pathWords(file)
	for i, l := range splitLayers {
		for _, word := range l.words {
			if slices.Contains(words, word) {
				return i
			}
		}
	}
	return len(splitLayers) - 1
}

func byLayers(w *Work) (pieces []Work, why string) {
	if w.Files() == 0 {
		return nil, "no files are named"
	}
	all := make([]Work, len(splitLayers))
	for i, l := range splitLayers {
		all[i].Title = l.layer + " layer"
	}
	all[len(all)-1].Title = "other files"
	w.sort(all, layerOf)
	for _, p := range all {
		if !p.IsEmpty() {
			pieces = append(pieces, p)
		}
	}
	if len(pieces) == 1 {
		if pieces[0].Title == all[len(all)-1].Title {
			return nil, "no path names a layer"
		}
		return nil, "all files are in one layer, " + pieces[0].Title[:len(pieces[0].Title)-len(" layer")]
	}
	return pieces, ""
}

// byCriteria deals criteria and files out to as many pieces as take criteriaPerPiece each, to two at least.
func byCriteria(w *Work) (pieces []Work, why string) {
	n := len(w.Criteria)
	if n < 2 {
		return nil, "it has " + map[bool]string{true: "no acceptance criteria", false: "a single acceptance criterion"}[n == 0]
	}
	pieces = make([]Work, max(2, (n+criteriaPerPiece-1)/criteriaPerPiece))
	for i := range pieces {
		pieces[i].Title = fmt.Sprintf("part %d", i+1)
	}
	for i := range w.Criteria {
		p := &pieces[i%len(pieces)]
		p.Criteria = append(p.Criteria, w.Criteria[i])
	}
	for i, f := range w.Create {
		p := &pieces[i%len(pieces)]
		p.Create = append(p.Create, f)
	}
	for i, f := range w.Modify {
		p := &pieces[i%len(pieces)]
		p.Modify = append(p.Modify, f)
	}
	return pieces, ""
}

// dealCriteria gives each criterion to the piece that its words name, and those that name none, or
// several alike, to the pieces in turn.
func dealCriteria(w *Work, pieces []Work) {
	own := ownWords(pieces)
	turn := 0
	for _, c := range w.Criteria {
		named := map[int]int{} // by piece: how many of its words
		for word := range stems(wordsOf(c)) {
			if k, ok := own[word]; ok {
				named[k]++
			}
		}
		best, most, alike := 0, 0, 0
		for k, n := range named {
			switch {
			case n > most:
				best, most, alike = k, n, 1
			case n == most:
				alike++
			}
		}
		if alike != 1 {
			best, turn = turn%len(pieces), turn+1
		}
		pieces[best].Criteria = append(pieces[best].Criteria, c)
	}
}

// ownWords are the words of the pieces' paths that are in one piece only, and which that is.
func ownWords(pieces []Work) map[string]int {
	const several = -1
	out := map[string]int{}
	for i := range pieces {
		var words []string
		for _, f := range pieces[i].files() {
			words = append(words, pathWords(strings.TrimSuffix(f, path.Ext(f)))...)
		}
		for word := range stems(words) {
			if _, other := out[word]; other {
				out[word] = several
				continue
			}
			out[word] = i
		}
	}
	for word, i := range out {
		if i == several {
			delete(out, word)
		}
	}
	return out
}

// stems are words without the s of a plural.
func stems(words []string) map[string]bool {
	out := make(map[string]bool, len(words))
	for _, word := range words {
		if len(word) > 2 {
			out[strings.TrimSuffix(word, "s")] = true
		}
	}
	return out
}

// homes are for files, names, and directories of pieces the first piece that has them.
type homes struct {
	file, beside, name, dir map[string]int
	last                    int
}

func homesIn(pieces []Work) *homes {
	h := &homes{map[string]int{}, map[string]int{}, map[string]int{}, map[string]int{}, len(pieces) - 1}
	for i := range pieces {
		for _, f := range pieces[i].files() {
			f = CleanPath(f)
			dir, name := path.Dir(f), strings.TrimSuffix(path.Base(f), path.Ext(f))
			for _, x := range []struct {
				in  map[string]int
				key string
			}{{h.file, f}, {h.beside, dir + "/" + name}, {h.name, name}, {h.dir, dir}} {
				if _, known := x.in[x.key]; !known {
					x.in[x.key] = i
				}
			}
		}
	}
	return h
}

// of is the piece that a test file belongs to: the one with the file itself, with the file that it
// tests, with a file beside it, or else the last, after which everything is there.
func (h *homes) of(test string) int {
	clean := CleanPath(test)
	want, dir := testedBy(clean), path.Dir(clean)
	for _, x := range []struct {
		in  map[string]int
		key string
	}{{h.file, clean}, {h.beside, dir + "/" + want}, {h.name, want}, {h.dir, dir}} {
		if i, ok := x.in[x.key]; ok {
			return i
		}
	}
	return h.last
}

// testedBy is the name, without its ending, of the file that a test file tests by the usual customs:
// x_test, x.test, x.spec, test_x, XTest.
func testedBy(test string) string {
	name := strings.TrimSuffix(path.Base(test), path.Ext(test))
	for _, end := range []string{"_test", ".test", ".spec", "_spec", "Tests", "Test"} {
		name = strings.TrimSuffix(name, end)
	}
	return strings.TrimPrefix(name, "test_")
}

// Check says what is wrong with parts of w, in a sentence without its first word's capital; "" when
// nothing is: at least two, none empty, every file and criterion of the work in just one of them
// and nothing else.
func Check(w Work, parts []Work) string {
	if len(parts) < 2 {
		return "there must be at least two parts"
	}
	for i := range parts {
		if parts[i].IsEmpty() {
			return "part " + Letter(i) + " is empty"
		}
	}
	for _, l := range []struct {
		what string
		of   func(w *Work) []string
	}{
		{"the file to create", func(w *Work) []string { return w.Create }},
		{"the file to modify", func(w *Work) []string { return w.Modify }},
		{"the test file", func(w *Work) []string { return w.Tests }},
		{"the criterion", func(w *Work) []string { return w.Criteria }},
	} {
		left := map[string]int{}
		for _, item := range l.of(&w) {
			left[item]++
		}
		for i := range parts {
			for _, item := range l.of(&parts[i]) {
				n, known := left[item]
				switch {
				case !known:
					return fmt.Sprintf("%s %q is not part of the task", l.what, item)
				case n == 0:
					return fmt.Sprintf("%s %q is in two parts", l.what, item)
				}
				left[item] = n - 1
			}
		}
		for _, item := range l.of(&w) {
			if left[item] > 0 {
				return fmt.Sprintf("%s %q is missing from the parts", l.what, item)
			}
		}
	}
	return ""
}
