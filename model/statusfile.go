package model

import (
	"bytes"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/internal/lazyregexp"
)

// ChangedUnrecorded is the File of a ChangeReason when a task is known to be changed but
// not by what: the older vocabulary has a state `changed` and no reasons.
const ChangedUnrecorded = "not recorded"

// RevisionOf is the number of the newest revision of a document; 0 where it has none.
func (s *StatusFile) RevisionOf(d Doc) int {
	if d == Objective {
		return s.ObjectiveRevision
	}
	return s.PlanRevision
}

// PauseKind says what a pause is for: "" when s is not paused, "subtasks" while it waits
// for its children, "hitl" while a person must answer, "other" for any other reason.
func (s StatusFile) PauseKind() string {
	if !s.IsPaused {
		return ""
	}
	kind, _, _ := strings.Cut(s.PauseReason, ":")
	switch strings.TrimSpace(kind) {
	case "subtasks":
		return "subtasks"
	case "hitl":
		return "hitl"
	}
	return "other"
}

// PauseText is what was asked or said when the task was paused, without the mark of a question.
func (s StatusFile) PauseText() string {
	return strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s.PauseReason, "hitl"), ":"))
}

// ExcludedReason begins the pause of a subtask that a person left out of an accepted plan. vespe no longer writes it.
const ExcludedReason = "excluded: "

// WaitsForPerson reports that only a person resumes the task: it asks one, or one has left it out of a plan.
func (s StatusFile) WaitsForPerson() bool {
	return s.PauseKind() == "hitl" || s.IsPaused && strings.HasPrefix(s.PauseReason, ExcludedReason)
}

var statusFormat = formatOf[StatusFile]()

// DecodeStatus reads status.json. A current_state that is absent or no known word is a
// problem of Error severity; null reads as created, with a warning. The words of the
// older vocabulary set the flags that they imply (see ParseState).
func DecodeStatus(path string, b []byte) (s StatusFile, problems []Problem) {
	problems = s.Decode(path, b)
	return s, problems
}

// Decode is DecodeStatus into s, which says nothing yet.
func (s *StatusFile) Decode(path string, b []byte) []Problem {
	r := reader{path: path, src: b}
	m, ok := r.document()
	if !ok {
		return r.problems
	}
	f := statusFormat()
	seen := f.read(&r, m, reflect.ValueOf(s).Elem())
	if !f.has(seen, "current_state") {
		r.missing("current_state", `write a state, for example "created"`)
	}
	r.imply(s, f.has(seen, "revision"))
	s.Extra = r.kept(f.keys)
	return r.problems
}

// EncodeStatus writes status.json. The keys that are always there are those that every system expects that reads the
// file; all others are left out while they say nothing.
func EncodeStatus(s StatusFile) []byte {
	s = s.Elsewhere.over(s)
	return encoded(statusFormat(), &s)
}

// Clone is a deep copy.
func (s StatusFile) Clone() StatusFile { return *cloned(statusFormat(), &s) }

// stateWord is what the word in current_state says beyond the state.
type stateWord struct{ paused, changed, accepted bool }

func (r *reader) currentState(m *members, dst *State) {
	if m.val[0] == 'n' {
		*dst = Created
		r.problem(m.at, Warning, "null-state", `"current_state" is null; it reads as created`, "write the state that the task is in")
		return
	}
	if isString(m.val) {
		var ok bool
		*dst, r.implied.paused, r.implied.changed, r.implied.accepted, ok = ParseState(unquote(m.val))
		if ok {
			return
		}
	}
	r.fatal(m, "a state: created, objective_defined, plan_defined, working, error, failed, completed, replanned or aborted")
}

// imply sets what a word of the older vocabulary says beyond the state, and what a pause says
// that has no reason. An accepted_plan
// that is there but cannot be read stays unread: then nothing is accepted. ours: the file has a revision, as vespe alone
// writes it, and vespe never writes an acceptance as a word.
func (r *reader) imply(s *StatusFile, ours bool) {
	word := r.implied
	if word.paused && !s.IsPaused {
		s.IsPaused = true
		r.extra = r.extra.Without("is_paused")
	}
	// The original knows no reasons: it pauses what waits for its subtasks, and nothing else.
	if !ours && s.IsPaused && s.PauseReason == "" && len(s.SubtaskUIDs) > 0 && !hasKey(r.extra, "pause_reason") {
		s.PauseReason = "subtasks"
	}
	if word.changed && len(s.ChangedBecause) == 0 {
		s.ChangedBecause = []ChangeReason{{File: ChangedUnrecorded}}
	}
	if word.accepted && !ours && s.AcceptedPlan == nil && !hasKey(r.extra, "accepted_plan") {
		s.AcceptedPlan = &AcceptedPlan{}
	}
}

// state reads a state that may be absent.
func (r *reader) state(m *members, dst *State) {
	switch {
	case m.val[0] == 'n' || string(m.val) == `""`:
		return
	case isString(m.val):
		if st, _, _, _, ok := ParseState(unquote(m.val)); ok {
			*dst = st
			return
		}
	}
	r.wrong(m, "a state")
}

// progress is a string; a number is taken over as it is written.
func (r *reader) progress(m *members, dst *string) {
	if c := m.val[0]; c == '-' || '0' <= c && c <= '9' {
		*dst = string(m.val)
		return
	}
	readText(r, m, dst)
}

func (r *reader) hashes(m *members, dst *[]ContentHash) {
	_, in, ok := r.object(m, "an object of hashes")
	if !ok {
		return
	}
	var out []ContentHash
	for in.next() {
		if !isString(in.val) {
			r.wrong(m, "an object of strings only")
			return
		}
		out = append(out, ContentHash{Key: in.name(), Hash: canonicalHash(unquote(in.val))})
	}
	slices.SortFunc(out, func(a, b ContentHash) int { return strings.Compare(a.Key, b.Key) })
	*dst = out
}

// uids reads a list of references. One that cannot name a task stays in the list, where
// it is as unknown as a task that is gone, and is a warning.
func (r *reader) uids(m *members, dst *[]UID) bool {
	if !readTexts(r, m, dst) {
		return false
	}
	for _, u := range *dst {
		if !u.Valid() {
			r.problem(m.at, Warning, "bad-uid", QuoteKey(m.name())+" names "+QuoteKey(string(u))+", which cannot be a task",
				"a uid has lowercase letters, digits and dashes; fix it or remove it")
		}
	}
	return true
}

// changes reads changed_because. It is never unreadable: whatever stands there says that
// the task is changed, so anything but an object of file, old and new becomes text.
func (r *reader) changes(m *members, dst *[]ChangeReason) {
	switch m.val[0] {
	case 'n', 'f':
		return
	case '[':
		var out []ChangeReason
		for e := m.inside(); e.element(); {
			out = append(out, r.change(&e))
		}
		*dst = out
		return
	}
	if string(m.val) != `""` {
		*dst = []ChangeReason{r.change(m)}
	}
}

func (r *reader) change(m *members) ChangeReason {
	var c ChangeReason
	switch {
	case isString(m.val):
		c.File = unquote(m.val)
	case m.val[0] == '{':
		var known, strange int
		for in := m.inside(); in.next(); known++ {
			switch string(in.bare()) {
			case "file":
				strange += textOr(in.val, &c.File)
			case "old":
				strange += textOr(in.val, &c.Old)
			case "new":
				strange += textOr(in.val, &c.New)
			default:
				strange++
			}
		}
		if strange > 0 {
			return ChangeReason{File: string(CompactJSON(m.val))}
		}
		c.Old, c.New = canonicalHash(c.Old), canonicalHash(c.New)
	case m.val[0] != 't' && m.val[0] != 'n':
		c.File = string(CompactJSON(m.val))
	}
	if c == (ChangeReason{}) {
		c.File = ChangedUnrecorded
	}
	return c
}

// textOr reads a string or null, and returns 1 for anything else.
func textOr(raw []byte, dst *string) int {
	switch raw[0] {
	case '"':
		*dst = unquote(raw)
	case 'n':
	default:
		return 1
	}
	return 0
}

// acceptedHash reads what may stand in place of an acceptance: the hash of the plan alone, or false. It reports whether
// one of them does, or what is neither that nor an object.
func (r *reader) acceptedHash(m *members, dst **AcceptedPlan) bool {
	switch m.val[0] {
	case '{', 'n':
		return false
	case 'f':
	case '"':
		if hash := unquote(m.val); hash != "" {
			*dst = &AcceptedPlan{PlanHash: canonicalHash(hash)}
		}
	default:
		r.wrong(m, "an object or the hash of the plan")
	}
	return true
}

func (r *reader) hash(m *members, dst *string) {
	readText(r, m, dst)
	*dst = canonicalHash(*dst)
}

// statusBefore reads a status.json of a task in that of another, or a later one of its own.
func (r *reader) statusBefore(m *members, dst *[]byte) {
	if m.val[0] != '{' {
		r.wrong(m, "an object")
		return
	}
	*dst = Canonical(m.val)
}

// Canonical is a value formatted as a file of its own.
func Canonical(value []byte) []byte {
	out, err := jsontext.AppendFormat(nil, value, indentOptions("  ")...)
	if err != nil {
		return bytes.Clone(value)
	}
	return append(out, '\n')
}

// oneLine writes a list of operations without line breaks. Two clones that changed it conflict then in git, which merges
// by lines: lists that share their last lines it may merge into a file with a key written twice.
func (w *writer) oneLine(ops []string) {
	w.buf = append(w.buf, '[')
	for i, op := range ops {
		if i > 0 {
			w.buf = append(w.buf, ", "...)
		}
		w.buf = appendQuoted(w.buf, op)
	}
	w.buf = append(w.buf, ']')
}

func (w *writer) hashes(hashes []ContentHash) {
	outer := w.nested('{', nil)
	for i, h := range hashes {
		if i == 0 || hashes[i-1].Key != h.Key {
			w.name(h.Key)
			w.buf = appendQuoted(w.buf, h.Hash)
		}
	}
	w.endNested('}', outer)
}

// changes writes a reason that is only text as a string, and any other as an object.
func (w *writer) changes(reasons []ChangeReason) {
	outer := w.nested('[', nil)
	for _, c := range reasons {
		w.item()
		if c.Old == "" && c.New == "" {
			w.buf = appendQuoted(w.buf, c.File)
			continue
		}
		w.fields(Extra{TextField("file", c.File), TextField("old", c.Old), TextField("new", c.New)})
	}
	w.endNested(']', outer)
}

// ProgressKey is a key of `set` that is none of spec.json: how far the work is, in status.json.
const ProgressKey = "progress"

var (
	percentWords = lazyregexp.New(`(?:^|[^\d.])(\d{1,3})(?:\.\d+)? ?%`)
	countWords   = lazyregexp.New(`(?:^|[^\d.])(\d{1,6}) ?(?:/|of) ?(\d{1,6})(?:$|[^\d.])`)
)

// Percent is how much of the work is done by its progress: what it says as "60%", "3/5" or "3 of 5". ok is false where
// it says no such thing.
func (s *StatusFile) Percent() (percent int, ok bool) {
	if m := percentWords.Get().FindStringSubmatch(s.Progress); m != nil {
		n, err := strconv.Atoi(m[1])
		return min(n, 100), err == nil && n <= 100
	}
	if m := countWords.Get().FindStringSubmatch(s.Progress); m != nil {
		done, err1 := strconv.Atoi(m[1])
		total, err2 := strconv.Atoi(m[2])
		return 100 * done / max(total, 1), err1 == nil && err2 == nil && total > 0 && done <= total
	}
	return 0, false
}
