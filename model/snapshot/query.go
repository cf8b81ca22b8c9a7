package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// Filter selects tasks. The zero Filter selects all of them.
//
// It is written as words that must all hold. A word is `key:value`, or text that the
// name, the uid, a label or the description contains, whatever the case. `a,b` as a value
// means either of them, "…" keeps spaces and colons together, and `-` or `!` before a
// word turns it round. The keys:
//
//	is:        a status with - for its space (is:ready, is:plan-review), or one of
//	           open closed review inbox root leaf parent orphan cycle
//	status:    a status
//	under:     the task that this uid, uid prefix or name means, and all below it
//	label:     a label
//	priority:  critical high medium low none
//	by:        who made it or works on it: a name (ann), or a kind and a name (human:ann)
//	type:      goal_type of spec.json
//	milestone: the id or the name of the one that it is in, or none
//	has:       plan objective deps dependents subtasks labels description problem run
type Filter struct {
	src   string
	terms []term
}

// term is one word of a Filter.
type term struct {
	key    string // "" for text
	not    bool
	values []string    // lower case, but for refs
	mask   uint32      // is:, status: — the statuses that match, one bit each
	uids   []model.UID // under: — what values mean, once bound
	bound  bool

	roots   []int32 // their indexes in one snapshot
	rootsOf *Snapshot
}

// filterKeys are the keys in the order in which they are explained.
var filterKeys = []string{"is", "status", "under", "label", "priority", "by", "type", "milestone", "has"}

var (
	filterPriorities = []string{"critical", "high", "medium", "low", "none"}
	filterHas        = []string{"plan", "objective", "deps", "dependents", "subtasks", "labels", "description", "problem", "run"}
	filterIs         = []string{"open", "closed", "review", "inbox", "root", "leaf", "parent", "orphan", "cycle"}
)

// FilterKeys are the keys that ParseFilter knows, without the colon, and the values of
// each that has a closed list of them: for completion and help.
func FilterKeys() (keys []string, values map[string][]string) {
	statuses := statusSlugs()
	return slices.Clone(filterKeys), map[string][]string{
		"is":       append(slices.Clone(filterIs), statuses...),
		"status":   statuses,
		"priority": slices.Clone(filterPriorities),
		"has":      slices.Clone(filterHas),
	}
}

// TakesSpaces reports whether a value of a key of filters or searches may have spaces: a name, or text.
func TakesSpaces(key string) bool {
	_, values := FilterKeys()
	key = strings.ToLower(key)
	_, field := ParseSearchField(key)
	return field || slices.Contains(filterKeys, key) && values[key] == nil
}

// statusSlugs are the statuses as they are typed.
func statusSlugs() []string {
	out := make([]string, model.NumStatuses)
	for i := range out {
		out[i] = model.Status(i).Slug()
	}
	return out
}

// ParseFilter reads a filter as it is typed. The error is a *Refusal with CodeUsage that
// names the bad word, the known ones, and the one that was probably meant.
func ParseFilter(args string) (Filter, error) {
	f := Filter{src: strings.TrimSpace(args)}
	words, err := orWords(splitFilter(f.src))
	if err != nil {
		err.Task = f.src
		return Filter{}, err
	}
	for _, w := range words {
		t, err := parseTerm(w)
		if err == nil && w.or {
			err = f.terms[len(f.terms)-1].or(t)
		}
		if err != nil {
			err.Task = f.src
			return Filter{}, err
		}
		if !w.or {
			f.terms = append(f.terms, t)
		}
	}
	// Cheap tests first; text reads whole descriptions.
	slices.SortStableFunc(f.terms, func(a, b term) int { return cmp.Compare(a.cost(), b.cost()) })
	return f, nil
}

func (t *term) cost() int {
	switch {
	case t.key == "":
		return 2
	case t.mask != 0:
		return 0
	}
	return 1
}

// Empty reports whether f selects everything because it says nothing.
func (f Filter) Empty() bool { return len(f.terms) == 0 }

// String is the filter as it was typed.
func (f Filter) String() string { return f.src }

// filterWord is a word before it is understood.
type filterWord struct {
	text  string // without quotes and sign
	colon int    // index in text of the first colon outside quotes; -1
	not   bool

	quoted bool // some of it was in quotes
	or     bool // OR stands before it: one of it and the word before is enough
}

// splitFilter cuts at spaces outside quotes. An open quote ends with the line.
func splitFilter(args string) []filterWord {
	var words []filterWord
	var b strings.Builder
	w := filterWord{colon: -1}
	started, quoted := false, false
	flush := func() {
		w.text = b.String()
		if w.text != "" {
			words = append(words, w)
		}
		b.Reset()
		w, started = filterWord{colon: -1}, false
	}
	for _, r := range args {
		switch {
		case r == '"':
			quoted = !quoted
			started, w.quoted = true, true
		case !quoted && (r == ' ' || r == '\t' || r == '\n' || r == '\r'):
			flush()
		case !started && (r == '-' || r == '!'):
			w.not, started = true, true
		default:
			if r == ':' && !quoted && w.colon < 0 {
				w.colon = b.Len()
			}
			b.WriteRune(r)
			started = true
		}
	}
	flush()
	return words
}

// orWords takes each OR out of the words and notes it on the word after it.
func orWords(words []filterWord) ([]filterWord, *model.Refusal) {
	var out []filterWord
	or := false
	for i, w := range words {
		if w.text == "OR" && !w.quoted && !w.not {
			if or || len(out) == 0 || i == len(words)-1 {
				return nil, &model.Refusal{Code: model.CodeUsage, Op: "filter", Why: "OR needs a word on both sides", Hint: `to look for the word itself, put it in quotes: "OR"`}
			}
			or = true
			continue
		}
		w.or = or
		if or && (w.not || out[len(out)-1].not) {
			return nil, &model.Refusal{Code: model.CodeUsage, Op: "filter", Why: "OR can't join words that are excluded with -", Hint: "list them separately: -a -b"}
		}
		out, or = append(out, w), false
	}
	return out, nil
}

// or makes t match what another term of text matches, too.
func (t *term) or(other term) *model.Refusal {
	if t.key != "" || other.key != "" {
		key := cmp.Or(other.key, t.key)
		return &model.Refusal{Code: model.CodeUsage, Op: "filter", Why: "OR joins words, not " + key + ":", Hint: "list the values instead, as in is:ready,running"}
	}
	t.values = append(t.values, other.values...)
	return nil
}

func parseTerm(w filterWord) (term, *model.Refusal) {
	if w.colon <= 0 {
		return term{not: w.not, values: []string{strings.ToLower(w.text)}}, nil
	}
	key, rest := strings.ToLower(w.text[:w.colon]), w.text[w.colon+1:]
	t := term{key: key, not: w.not}
	if !slices.Contains(filterKeys, key) {
		r := filterRefusal(fmt.Sprintf("unknown filter %q; the filters are %s:", key+":", strings.Join(filterKeys, ":, ")),
			model.Nearest(key, filterKeys), ":")
		if f, ok := ParseSearchField(key); ok {
			r.Hint = "search texts with `vespe search " + string(f) + ":…` or / in the workbench"
		}
		if r.Hint == "" {
			r.Hint = `to look for text with a colon, put it in quotes`
		}
		return t, r
	}
	for v := range strings.SplitSeq(rest, ",") {
		if v = strings.TrimSpace(v); v == "" {
			continue
		}
		if r := t.add(v); r != nil {
			return t, r
		}
	}
	if len(t.values) == 0 {
		return t, filterRefusal(key+": needs a value"+oneOf(key), "", "")
	}
	return t, nil
}

// oneOf lists the values that key takes, for an error.
func oneOf(key string) string {
	if _, values := FilterKeys(); len(values[key]) > 0 {
		return ": one of " + strings.Join(values[key], " ")
	}
	return ""
}

func filterRefusal(why, meant, tail string) *model.Refusal {
	r := &model.Refusal{Code: model.CodeUsage, Op: "filter", Why: why}
	if meant != "" {
		r.Hint = "did you mean " + meant + tail + "?"
	}
	return r
}

// add takes one value of t.
func (t *term) add(v string) *model.Refusal {
	low := strings.ToLower(v)
	known := true
	switch t.key {
	case "under":
		low = v // a name's case counts
	case "is", "status":
		known = t.addStatus(low)
	case "priority":
		if low == "med" {
			low = "medium"
		}
		known = slices.Contains(filterPriorities, low)
	case "has":
		known = slices.Contains(filterHas, low)
	}
	if !known {
		_, values := FilterKeys()
		return filterRefusal(t.key+": unknown value "+v+"; use "+strings.Join(values[t.key], ", "),
			model.Nearest(low, values[t.key]), "")
	}
	t.values = append(t.values, low)
	return nil
}

// addStatus takes a status or, after is:, another word.
func (t *term) addStatus(low string) bool {
	if st, ok := model.ParseStatus(low); ok {
		t.mask |= 1 << st
		return true
	}
	if t.key == "status" {
		return false
	}
	switch low {
	case "open", "closed", "inbox", "review":
		for i := range model.NumStatuses {
			st := model.Status(i)
			if low == "open" && st.Open() || low == "closed" && !st.Open() ||
				low == "inbox" && st.WaitsFor() == model.ForPeople ||
				low == "review" && (st == model.StatusReviewPlan || st == model.StatusReviewWork) {
				t.mask |= 1 << st
			}
		}
		return true
	}
	return slices.Contains(filterIs, low)
}
