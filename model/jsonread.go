package model

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"vespe/model/visible"
)

// reader reads one JSON file. The whole file is validated first, by jsontext (RFC 7493:
// UTF-8, no duplicate names); after that, members walks the bytes without looking for
// errors, because there can be none.
type reader struct {
	path     string
	src      []byte
	problems []Problem
	extra    Extra
	failed   bool // an error is listed behind so many problems that no more are
	// spoiled is set by a value that could not be read. A nested object of which any
	// part cannot be read is kept whole as an unknown key of its parent.
	spoiled bool
	// Of a file of rules, where vespe doesn't ignore what is wrong: the object that the members are of, "" for the file,
	// and what holds until a person corrects them.
	of, until string
	strange   func(*members) // reads a key that the file's format does not have; nil: the key is kept

	top members // of the outermost object

	implied stateWord // what the word in current_state of status.json says
}

// document checks the file and opens its outermost object.
func (r *reader) document() (*members, bool) {
	if !r.valid() {
		return nil, false
	}
	at := skipSpace(r.src, 0)
	if r.src[at] != '{' {
		r.problem(at, Error, "wrong-type", "the file contains "+kindOf(r.src[at])+", not an object",
			"write one JSON object: { … }")
		return nil, false
	}
	r.top = members{src: r.src, i: at + 1}
	return &r.top, true
}

func (r *reader) valid() bool {
	r.src = bytes.TrimPrefix(r.src, []byte("\ufeff"))
	switch {
	case len(r.src) > MaxJSON:
		r.problem(-1, Error, "too-large", fmt.Sprintf("the file is larger than %d MiB", MaxJSON>>20),
			"move long texts into result/ and keep only their names here")
		return false
	case len(bytes.TrimSpace(r.src)) == 0:
		r.problem(-1, Error, "empty-file", "the file is empty",
			"restore it from version control, or remove it if the task doesn't need it")
		return false
	case jsontext.Value(r.src).IsValid():
		return true
	}
	r.syntax()
	return false
}

// syntax finds out what is wrong with a file that is not valid.
func (r *reader) syntax() {
	d := jsontext.NewDecoder(bytes.NewBuffer(r.src))
	if _, err := d.ReadValue(); err != nil {
		r.syntaxError(err)
		return
	}
	r.problem(skipSpace(r.src, int(d.InputOffset())), Error, "bad-json", "there is more text after the end of the object",
		"remove what follows the closing brace")
}

func (r *reader) syntaxError(err error) {
	at, reason := len(r.src), err.Error()
	var syntactic *jsontext.SyntacticError
	if errors.As(err, &syntactic) {
		at = min(int(syntactic.ByteOffset), len(r.src))
		reason = syntactic.Err.Error()
	}
	reason = visible.Line(strings.TrimPrefix(reason, "jsontext: "))
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		r.problem(at, Error, "duplicate-key", "the key "+QuoteKey(nameAt(r.src, at))+" is given twice in one object",
			"keep one of the two; it is unclear which one counts")
	case strings.Contains(reason, "UTF-8"):
		r.problem(at, Error, "bad-utf8", "the file is not valid UTF-8", "save it again as UTF-8")
	case strings.Contains(reason, "max depth"):
		r.tooDeep(at)
	case errors.Is(err, io.ErrUnexpectedEOF):
		r.problem(len(bytes.TrimSpace(r.src)), Error, "bad-json", "the file is incomplete",
			"complete it, or restore it from version control")
	case conflicted(r.src, at):
		reason := "unresolved merge conflict markers"
		if p, whole := ConflictProblem("", r.path, r.src); whole {
			reason = p.Reason
		}
		r.problem(at, Error, CodeConflictMarks, reason, conflictHint(r.path))
	default:
		r.problem(at, Error, "bad-json", "this is not JSON: "+reason, "fix the file at this line")
	}
}

// conflicted reports that the line at an offset is one that git writes into a file that
// it could not merge.
func conflicted(src []byte, at int) bool {
	line := src[bytes.LastIndexByte(src[:at], '\n')+1:]
	for _, mark := range []string{"<<<<<<<", "|||||||", "=======", ">>>>>>>"} {
		if bytes.HasPrefix(line, []byte(mark)) {
			return true
		}
	}
	return false
}

// nameAt is the string that starts at or after an offset, for a message.
func nameAt(src []byte, at int) string {
	start := bytes.IndexByte(src[at:], '"')
	if start < 0 {
		return ""
	}
	raw := src[at+start:]
	for i := 1; i < len(raw); i++ {
		switch raw[i] {
		case '\\':
			i++
		case '"':
			return unquote(raw[:i+1])
		}
	}
	return ""
}

// problem lists something wrong at an offset of the file; -1 is no place in particular.
func (r *reader) problem(at int, sev Severity, code, reason, hint string) {
	switch n := len(r.problems); {
	case n > maxProblems && (sev == Warning || r.failed): // each costs a look at the lines before it
		return
	case sev == Error:
		r.failed = n >= maxProblems
	case n == maxProblems:
		code, reason = "more-problems", "and more of the same kind"
	}
	line := 0
	if at >= 0 {
		line = 1 + bytes.Count(r.src[:min(at, len(r.src))], []byte{'\n'})
	}
	r.problems = append(r.problems, Problem{
		UID: taskOfPath(r.path), Path: r.path, Line: line,
		Severity: sev, Code: code, Reason: reason, Hint: hint,
	})
}

// taskOfPath is the task that a path below tasks/ belongs to, or "".
func taskOfPath(path string) UID {
	parts := strings.Split(path, "/")
	if i := slices.Index(parts, "tasks"); i >= 0 && i+2 < len(parts) && UID(parts[i+1]).Valid() {
		return UID(parts[i+1])
	}
	return ""
}

// wrong lists a known key whose value is not what it must be. The value is kept as if the
// key were unknown, so that a rewrite loses nothing.
func (r *reader) wrong(m *members, want string) {
	r.invalid(m, fmt.Sprintf("is %s, not %s", describe(m.val), want))
}

// invalid is wrong in other words: what goes on after the key.
func (r *reader) invalid(m *members, what string) {
	r.spoiled = true
	key, hint := QuoteKey(m.name()), "fix it; until then vespe ignores it and leaves it in the file"
	if r.of != "" || r.until != "" {
		hint = r.hint("fix it")
	}
	if r.of != "" {
		key = r.of + "." + m.name()
	}
	r.problem(m.at, Warning, "wrong-type", key+" "+what, hint)
	r.keep(m)
}

// hint is what to do about a rule, and what holds until then.
func (r *reader) hint(do string) string {
	if r.until == "" {
		return do
	}
	return do + "; until then " + r.until
}

// fatal is wrong for what the task cannot be understood without.
func (r *reader) fatal(m *members, want string) {
	r.spoiled = true
	r.problem(m.at, Error, "wrong-type", fmt.Sprintf("%s is %s, not %s", QuoteKey(m.name()), describe(m.val), want),
		"fix it: the task can't be used without it")
	r.keep(m)
}

func (r *reader) missing(key, hint string) {
	r.problem(0, Error, "missing-key", QuoteKey(key)+" is missing", hint)
}

// keep takes over the current member as it is.
func (r *reader) keep(m *members) {
	if JSONDepth(m.val) >= MaxDepth {
		r.tooDeep(m.at)
		return
	}
	r.extra = append(r.extra, ExtraField{Key: m.name(), Value: bytes.Clone(m.val)})
}

func (r *reader) tooDeep(at int) {
	r.problem(at, Error, "too-deep", fmt.Sprintf("values are nested deeper than %d levels", MaxDepth), "flatten this value")
}

// unknown keeps a key that is none of known, and says so when it looks like one of them:
// other readers fold case and would take it for the key itself. It is an error beside a
// key of vital, because then two readers could see two different tasks.
func (r *reader) unknown(m *members, known []string, vital ...string) {
	name := m.name()
	for _, k := range known {
		if !sameKey(name, k) {
			continue
		}
		sev := Warning
		if slices.Contains(vital, k) {
			sev = Error
		}
		r.misspelled(m, k, sev)
		break
	}
	r.keep(m)
}

func (r *reader) misspelled(m *members, key string, sev Severity) {
	r.problem(m.keyAt, sev, "misspelled-key", fmt.Sprintf("the key %s looks like %s but is not", QuoteKey(m.name()), QuoteKey(key)),
		r.hint(fmt.Sprintf("rename it to %s, or remove it", QuoteKey(key))))
}

// foreign is unknown for an object of rules, in which nobody else keeps anything: a rule that is written wrong must
// not count as none.
func (r *reader) foreign(m *members, known []string) {
	r.spoiled = true
	if k := slices.IndexFunc(known, func(k string) bool { return nearKey(m.name(), k) }); k >= 0 {
		r.misspelled(m, known[k], Warning)
	} else {
		r.problem(m.keyAt, Warning, "unknown-key", fmt.Sprintf("%s has the unknown key %s; its keys are %s", r.of, QuoteKey(m.name()), strings.Join(known, ", ")),
			r.hint("rename or remove it"))
	}
	r.keep(m)
}

// kept is everything that was kept, in the order in which it is written again: values of
// known keys that could not be read stand in the places of those keys, and the unknown
// keys follow in file order. It lists unknown keys that differ only in case.
func (r *reader) kept(known []string) Extra {
	if len(r.extra) < 2 {
		return r.extra
	}
	place := func(f ExtraField) int {
		if i := slices.Index(known, f.Key); i >= 0 {
			return i
		}
		return len(known)
	}
	slices.SortStableFunc(r.extra, func(a, b ExtraField) int { return place(a) - place(b) })
	seen := make(map[string]string, len(r.extra))
	for _, f := range r.extra {
		folded := strings.ToLower(strings.ToUpper(f.Key))
		if first, ok := seen[folded]; ok {
			r.problem(0, Warning, "case-key", fmt.Sprintf("the keys %s and %s differ only in case", QuoteKey(first), QuoteKey(f.Key)),
				"rename one of them: some readers treat them as the same")
			continue
		}
		seen[folded] = f.Key
	}
	return r.extra
}

// QuoteKey is a name for a message: visible, and not too long.
func QuoteKey(name string) string {
	name = visible.Line(name)
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	return `"` + name + `"`
}

func describe(raw []byte) string {
	switch raw[0] {
	case '{', '[', 'n':
		return kindOf(raw[0])
	}
	if len(raw) > 40 {
		return kindOf(raw[0])
	}
	return visible.Line(string(raw))
}

func kindOf(c byte) string {
	switch c {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "true or false"
	case 'n':
		return "null"
	}
	return "a number"
}

// The setters below read the current member into dst. null leaves dst alone.

func readText[T ~string](r *reader, m *members, dst *T) {
	if s, ok := r.text(m); ok {
		*dst = T(s)
	}
}

// text is a string; ok is false for null, and for what is none.
func (r *reader) text(m *members) (s string, ok bool) {
	switch m.val[0] {
	case '"':
		return unquote(m.val), true
	case 'n':
	default:
		r.wrong(m, "a string")
	}
	return "", false
}

func (r *reader) time(m *members, dst *time.Time) {
	if m.val[0] == 'n' {
		return
	}
	if isString(m.val) {
		if t, ok := parseStamp(m.val[1 : len(m.val)-1]); ok {
			*dst = t
			return
		}
		if t, ok := ParseTime(unquote(m.val)); ok {
			*dst = t
			return
		}
	}
	r.wrong(m, "a time like 2026-01-31T12:00:00Z")
}

func (r *reader) bool(m *members, dst *bool) {
	switch string(m.val) {
	case "true", `"true"`:
		*dst = true
	case "false", `"false"`, "null":
		*dst = false
	default:
		r.wrong(m, "true or false")
	}
}

// int reads a whole number from 0 up; also one in quotes, and 3.0.
func (r *reader) int(m *members, dst *int) {
	if m.val[0] == 'n' {
		return
	}
	const most = 1 << 31
	digits := m.val
	if isString(digits) {
		digits = digits[1 : len(digits)-1]
	}
	if n, ok := digitsOf(digits); ok {
		*dst = n
		return
	}
	if f, err := strconv.ParseFloat(string(digits), 64); err == nil && f >= 0 && f < most && f == float64(int(f)) {
		*dst = int(f)
		return
	}
	r.wrong(m, "a whole number of at least 0")
}

// exit reads the code that a process ended with, which may be negative.
func (r *reader) exit(m *members, dst *int) {
	if m.val[0] == 'n' {
		return
	}
	n, err := strconv.ParseInt(string(m.val), 10, 32)
	if err != nil {
		r.wrong(m, "a whole number")
		return
	}
	*dst = int(n)
}

// count reads a number that may be larger than those of status.json.
func count[T int64 | uint64](r *reader, m *members, dst *T) {
	if m.val[0] == 'n' {
		return
	}
	n, err := strconv.ParseUint(string(m.val), 10, 64)
	if err != nil || T(n) < 0 {
		r.wrong(m, "a whole number of at least 0")
		return
	}
	*dst = T(n)
}

func digitsOf(b []byte) (n int, ok bool) {
	if len(b) == 0 || len(b) > 9 {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}
	return n, true
}

// texts reads a list of strings; one string alone is a list of one.
func readTexts[T ~string](r *reader, m *members, dst *[]T) bool {
	switch m.val[0] {
	case 'n':
		return true
	case '"':
		*dst = []T{T(unquote(m.val))}
		return true
	case '[':
		var out []T
		for e := m.inside(); e.element(); {
			if !isString(e.val) {
				r.wrong(m, "a list of strings only")
				return false
			}
			out = append(out, T(unquote(e.val)))
		}
		*dst = out
		return true
	}
	r.wrong(m, "a list of strings")
	return false
}

// object opens the current member, which must be an object; sub reads it. null is not
// one, and leaves everything alone.
func (r *reader) object(m *members, want string) (sub reader, in members, ok bool) {
	switch m.val[0] {
	case '{':
		return reader{path: r.path, src: r.src}, m.inside(), true
	case 'n':
	default:
		r.wrong(m, want)
	}
	return reader{}, members{}, false
}

// join takes over the problems of a nested object. It reports false, having kept the
// whole member as an unknown key, when part of it could not be read.
func (r *reader) join(m *members, sub *reader) bool {
	r.problems = append(r.problems, sub.problems...)
	if sub.spoiled {
		r.spoiled = true
		r.keep(m)
	}
	return !sub.spoiled
}

// dropped lists an unknown key in an object that has no place to keep it.
func (r *reader) dropped(m *members) {
	r.problem(m.keyAt, Warning, "unknown-key", "unknown key "+QuoteKey(m.name()), "the next write of this file drops it")
}
