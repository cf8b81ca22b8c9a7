package snapshot

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"vespe/model"
)

// SearchField is a part of a task that a search looks through. It is also the key that
// narrows a word of a query to it: `plan:word`.
type SearchField string

// The fields in the order in which they are explained, and in which a match in one counts for
// more than one in those after it.
const (
	SearchName      SearchField = "name"
	SearchObjective SearchField = "objective" // and the description, criteria and labels of spec.json
	SearchPlan      SearchField = "plan"
	SearchComment   SearchField = "comment" // comments on plans and objectives, and their answers
	SearchResult    SearchField = "result"  // texts below result/
	SearchHistory   SearchField = "history" // what events say
)

var searchFields = []SearchField{SearchName, SearchObjective, SearchPlan, SearchComment, SearchResult, SearchHistory}

// SearchFields are all fields.
func SearchFields() []SearchField { return slices.Clone(searchFields) }

// ParseSearchField reads the name of a field; its plural and the names of the documents mean it too.
func ParseSearchField(s string) (SearchField, bool) {
	low := strings.ToLower(strings.TrimSpace(s))
	for _, f := range searchFields {
		if low == string(f) || low == string(f)+"s" {
			return f, true
		}
	}
	return "", false
}

// SearchQuery asks for tasks by what was written about them.
type SearchQuery struct {
	Text   string        // the words as they are typed: see ParseSearch
	Fields []SearchField // words that name no field are looked for in these; none: in all
	Limit  int           // the most tasks; 0: SearchLimit
}

// SearchLimit is how many tasks a search finds at most, unless it says how many.
const SearchLimit = 50

// SearchAnswer is what a search found.
type SearchAnswer struct {
	Hits []SearchHit // the best first
	More bool        // there are more than Hits
	// Indexed of Tasks are in the index so far. While it is fewer, what is not found may still come.
	Indexed, Tasks int
	// Ahead says what the index does not have yet though the store has it; "" when nothing is missing.
	Ahead string
}

// SearchHit is a task that a search found.
type SearchHit struct {
	UID     model.UID
	Name    string
	Status  model.Status
	Matches []SearchMatch // where, the best first: one a field at the most, and at least one
}

// SearchMatch is where a search found something in a task. All its text is untrusted.
type SearchMatch struct {
	Field SearchField
	// Part is what of the field it is in: the path of a file below result/, the id of a comment, the name
	// of an event, the key of spec.json; "" for the name and the documents themselves.
	Part string
	// Snippet is a piece of one line or a few, with its line breaks as spaces.
	Snippet string
	// Marks are the byte ranges of Snippet that match: from, to; ascending, not overlapping.
	Marks [][2]int
	// Line is that of the document or the file in which the first mark lies, from 1; 0 where it has none.
	Line int
	// Word is the text that was found, as it stands there: what to search for to come to this place.
	Word string
}

// Place says in a few words where it was found: "plan:3", "result report.md:12". An event is not named: its text
// begins with what was done. The words are untrusted.
func (m *SearchMatch) Place() string {
	where := string(m.Field)
	if m.Part != "" && m.Field != SearchHistory {
		where += " " + m.Part
	}
	switch m.Field {
	case SearchHistory, SearchComment, SearchName:
	default:
		if m.Line > 0 {
			where += ":" + strconv.Itoa(m.Line)
		}
	}
	return where
}

// Search is a query that was understood: the tasks that Filter selects and that hold all of Words.
type Search struct {
	Filter Filter
	Words  []SearchWord
}

// SearchWord is a word of a query, or several in quotes.
type SearchWord struct {
	Text   string // as it was typed, without quotes
	Field  SearchField
	Phrase bool // in quotes: these words, whole, one after the other
	Prefix bool // with a * at its end: a word that begins so
	Not    bool // tasks that hold it are left out
	Or     bool // a task that has the word before it need not have this one
}

// ParseSearch reads a query. It is the language of ParseFilter with the fields as further keys:
// `plan:word`, `comment:"two words"`, `-result:word`, `status:ready`. A word alone is looked for in
// all fields, also within words; with a * at its end it is the beginning of a word; in quotes it is
// whole words in this order; OR between two words asks for either. The error is a *Refusal with
// CodeUsage: an unknown key, a value that a key of the filter does not take, or a query of nothing
// but words to leave out. Text with a colon is searched for in quotes.
func ParseSearch(text string) (Search, error) {
	var s Search
	s.Filter.src = strings.TrimSpace(text)
	wanted := false
	refused := func(r *model.Refusal) (Search, error) {
		r.Op, r.Task = "search", s.Filter.src
		return Search{}, r
	}
	words, no := orWords(splitFilter(s.Filter.src))
	if no != nil {
		return refused(no)
	}
	last := "" // the key of the word before; a filter's, or ""
	for _, w := range words {
		word := SearchWord{Text: w.text, Not: w.not, Phrase: w.quoted, Or: w.or}
		key := ""
		if w.colon > 0 {
			key = strings.ToLower(w.text[:w.colon])
		}
		if f, ok := ParseSearchField(key); ok {
			word.Field, word.Text, key = f, w.text[w.colon+1:], ""
		}
		if w.or && (key != "" || last != "") {
			left, right := term{key: last}, term{key: key}
			return refused(left.or(right))
		}
		if last = key; key != "" {
			t, err := parseTerm(w)
			if err != nil {
				if meant := model.Nearest(key, searchKeys()); meant != "" && meant != key {
					err.Hint = "did you mean " + meant + ":?"
				}
				return refused(err)
			}
			s.Filter.terms = append(s.Filter.terms, t)
			wanted = true
			continue
		}
		if !word.Phrase && len(word.Text) > 1 && strings.HasSuffix(word.Text, "*") {
			word.Prefix, word.Text = true, strings.TrimRight(word.Text, "*")
		}
		if !strings.ContainsFunc(word.Text, isWordRune) {
			continue // signs alone are in no index
		}
		word.Or = word.Or && len(s.Words) > 0
		s.Words = append(s.Words, word)
		wanted = wanted || !word.Not
	}
	if !wanted && len(s.Words) > 0 {
		return Search{}, &model.Refusal{
			Code: model.CodeUsage, Op: "search", Task: s.Filter.src, Why: "it only excludes words",
			Hint: "add a word to look for, or a filter such as is:open",
		}
	}
	return s, nil
}

// Empty reports whether s asks for nothing.
func (s Search) Empty() bool { return len(s.Words) == 0 && s.Filter.Empty() }

// isWordRune says what a word is made of. The index has nothing else.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Co, r)
}

// searchKeys are the keys of a query: those of filters, and the fields.
func searchKeys() []string {
	keys := slices.Clone(filterKeys)
	for _, f := range searchFields {
		keys = append(keys, string(f))
	}
	return keys
}
