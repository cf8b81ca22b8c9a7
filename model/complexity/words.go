package complexity

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
)

// The lists, in lower case; a space stands between words that follow each other.
var (
	hardWords = []string{
		"algorithm", "optimize", "performance", "concurrent", "async", "parallel", "distributed", "cache", "index", "migration",
		"refactor", "architecture", "redesign", "security", "encrypt", "authentication", "authorization", "state machine", "workflow",
	}
	mediumWords = []string{
		"integrate", "api", "database", "query", "validation", "transform", "parse", "serialize", "handler", "middleware",
		"configuration", "schema", "model", "entity", "service",
	}
	vagueWords = []string{
		"should", "might", "consider", "optional", "if needed", "possibly", "maybe", "tbd", "todo", "decide", "unclear",
		"flexible", "configurable", "depends on", "varies",
	}
)

// The layers, in the order in which work goes through them.
const (
	layerData           = "data"
	layerBusiness       = "business"
	layerPresentation   = "presentation"
	layerInfrastructure = "infrastructure"
	layerOther          = "other"
)

// scoredLayers say which layers a file is of for the score. It is not the map by which layers are
// split: there handlers are business.
var scoredLayers = map[string]string{
	"models": layerData, "repositories": layerData,
	"views": layerPresentation, "controllers": layerPresentation, "handlers": layerPresentation, "api": layerPresentation,
	"services": layerBusiness, "core": layerBusiness,
	"utils": layerInfrastructure,
}

// passage is one text of a piece of work, as words.
type passage struct {
	where string
	words []string // lower case; "" stands where something keeps two words from being one expression
}

func (w *Work) texts() []passage {
	out := []passage{{"name", wordsOf(w.Title)}, {"user story", wordsOf(w.Story)}}
	for i, c := range w.Criteria {
		out = append(out, passage{fmt.Sprintf("criterion %d", i+1), wordsOf(c)})
	}
	return out
}

// isWord says whether a character is part of a word. As in regular expressions "_" is, so that a
// name in code is one word.
func isWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

// wordsOf cuts a text into words. Between words that only white space or a hyphen keeps apart
// nothing stands.
func wordsOf(text string) []string {
	var out []string
	start, apart := -1, false
	for i, r := range text + " " {
		switch {
		case isWord(r):
			if start < 0 {
				start = i
			}
			continue
		case start >= 0:
			if apart && len(out) > 0 {
				out = append(out, "")
			}
			out = append(out, strings.ToLower(text[start:i]))
			start, apart = -1, false
		}
		apart = apart || !unicode.IsSpace(r) && r != '-'
	}
	return out
}

// find looks for each of a list in the passages, as whole words.
func find(list []string, text []passage) []Found {
	var out []Found
	for _, entry := range list {
		want := strings.Fields(entry)
		var where []string
		for _, p := range text {
			if follow(p.words, want) {
				where = append(where, p.where)
			}
		}
		if len(where) > 0 {
			out = append(out, Found{entry, where})
		}
	}
	return out
}

// follow says whether the words of want stand in words one after the other.
func follow(words, want []string) bool {
	for i := 0; i+len(want) <= len(words); i++ {
		if slices.Equal(words[i:i+len(want)], want) {
			return true
		}
	}
	return false
}

// CleanPath is a path as files are compared by: no "./" before it, no "//" or ".." in it.
func CleanPath(file string) string { return path.Clean(strings.TrimSpace(file)) }

// topDirs are the first directories of files, each once, sorted; "." for a file beside them.
func topDirs(files []string) []string {
	seen := map[string]bool{}
	for _, f := range files {
		top, _, _ := strings.Cut(path.Dir(CleanPath(f)), "/")
		if top == "" {
			top = "/"
		}
		seen[top] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// layersOf are the layers that files are of, each once, sorted.
func layersOf(files []string) []string {
	var out []string
	for _, f := range files {
		for _, word := range pathWords(f) {
			if layer, ok := scoredLayers[word]; ok && !slices.Contains(out, layer) {
				out = append(out, layer)
			}
		}
	}
	slices.Sort(out)
	return out
}

// pathWords are the words that a path is joined of, in lower case: those between anything that is no
// letter or digit, and between aLower and anUpper case.
func pathWords(file string) []string {
	var out []string
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	var last rune
	for _, r := range file {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			end()
			word.WriteRune(r)
		default:
			word.WriteRune(r)
		}
		last = r
	}
	end()
	return out
}
