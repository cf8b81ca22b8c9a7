package model

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

var policyFormat = formatOf[Policy]()

// ruleKeys are the keys of config.json by which something is decided.
var ruleKeys = []string{"dependency_policy", "on_subtask_failure", "max_attempts", gateKey, hitlWord.object, workerKey, parallelKey}

// The words of Policy.
const (
	DependencyCompleted          = "completed"
	DependencyCompletedOrAborted = "completed_or_aborted"
	SubtaskFailureFail           = "fail"
	SubtaskFailureHold           = "hold"
)

// DefaultPolicy is what holds where .vespe/config.json says nothing: only a completed
// dependency is met, a child's failure fails its parent, and there are three attempts.
func DefaultPolicy() Policy {
	return Policy{DependencyPolicy: DependencyCompleted, OnSubtaskFailure: SubtaskFailureFail, MaxAttempts: 3}
}

// UnreadPolicy is the policy of a config.json that cannot be read: DefaultPolicy, and the strictest of each
// rule. why names the file, and what to do.
func UnreadPolicy(why string) Policy {
	p := DefaultPolicy()
	p.Unread = why
	return p
}

// Attempts are how many a task has that names no number. Where the number cannot be read, a person is asked after
// the first.
func (p Policy) Attempts() int {
	if p.Unread != "" || p.IsSpoilt("max_attempts") {
		return 1
	}
	return p.MaxAttempts
}

// IsSpoilt reports a known key whose value could not be read.
func (p Policy) IsSpoilt(key string) bool {
	_, kept := p.Extra.Get(key)
	return kept
}

// Strict is what holds because .vespe/config.json, or a rule of it, cannot be read: a sentence each. None where all
// can be read.
func (p Policy) Strict() []string {
	if p.Unread != "" {
		return []string{p.Unread + ". Until then all agent calls and starts wait for a person, and no worker starts."}
	}
	var out []string
	if g := p.Gate(); g.Unread != "" {
		out = append(out, g.Unread+". Until then all agent calls wait for a person.")
	}
	if raw, ok := p.Extra.Get(hitlWord.object); ok {
		if wrong := hitlWord.mistake(raw); wrong != "" {
			out = append(out, PolicyPath+": "+wrong+". Until then a person is asked before every start.")
		}
	}
	if w := p.Worker(); w.Unread != "" {
		out = append(out, w.Unread+". Until then no worker starts.")
	}
	for _, key := range []string{"dependency_policy", "on_subtask_failure", "max_attempts"} {
		if p.IsSpoilt(key) {
			out = append(out, PolicyPath+": "+QuoteKey(key)+" cannot be read. Correct it; until then "+strictest+".")
		}
	}
	return out
}

// PolicyPath is config.json of a store, for people.
const PolicyPath = ".vespe/" + BoundPolicy

// firstOf is the first of some problems of a file, for people: where it is, what is wrong and what to do.
func firstOf(path string, problems []Problem) string {
	if len(problems) == 0 {
		return ""
	}
	p := &problems[0]
	if p.Line > 1 {
		path = fmt.Sprintf("%s:%d", path, p.Line)
	}
	return path + ": " + p.Reason + "; " + p.Hint
}

// DecodePolicy reads .vespe/config.json. What it does not say is as in DefaultPolicy, and of what it does not say in a
// way that can be read the strictest holds (Policy.Strict).
func DecodePolicy(path string, b []byte) (Policy, []Problem) {
	r := reader{path: path, src: b}
	p := new(Policy)
	*p = DefaultPolicy()
	m, ok := r.document()
	if !ok {
		p.Unread = firstOf(path, r.problems)
		return *p, r.problems
	}
	f := policyFormat()
	r.strange = func(m *members) {
		if r.ruleObject(m) {
			return
		}
		if k := slices.IndexFunc(ruleKeys, func(k string) bool { return nearKey(m.name(), k) }); k >= 0 {
			r.misspelled(m, ruleKeys[k], Warning)
			last := r.problems[len(r.problems)-1]
			p.Unread = cmp.Or(p.Unread, path+": "+last.Reason+"; "+last.Hint)
			r.keep(m)
			return
		}
		r.unknown(m, f.keys)
	}
	f.read(&r, m, reflect.ValueOf(p).Elem())
	p.Extra = r.kept(f.keys)
	return *p, r.problems
}

// ruleObject checks an object of rules, which is kept, and reports whether the member is one.
func (r *reader) ruleObject(m *members) bool {
	defer func() { r.until = "" }()
	switch string(m.bare()) {
	case gitWord.object:
		r.within(m, &gitWord)
	case hitlWord.object:
		r.within(m, &hitlWord)
	case sizeLimits:
		r.limits(m)
	case gateKey:
		r.until = "all agent calls wait for a person"
		r.gateIn(m, &GateRules{})
	case workerKey:
		r.until = "no worker starts"
		r.workerIn(m, &WorkerPolicy{})
	case parallelKey:
		r.until = "no worker starts"
		r.parallelIn(m)
	default:
		return false
	}
	return true
}

// strictest is what holds of a rule that cannot be read, in words.
const strictest = "the strictest value applies"

// rules reads an object of rules, and keeps it as it is.
func (r *reader) rules(m *members, want string, read func(*reader, *members)) {
	switch m.val[0] {
	case '{':
		sub, in := reader{path: r.path, src: r.src, of: m.name(), until: r.until}, m.inside()
		read(&sub, &in)
		r.problems = append(r.problems, sub.problems...)
		r.keep(m)
	case 'n':
		r.keep(m)
	default:
		r.spoiled = true
		r.problem(m.at, Warning, "wrong-type", m.name()+" is "+describe(m.val)+", not "+want, r.hint("fix it"))
		r.keep(m)
	}
}

// rulesIn reads an object of rules that was kept.
func rulesIn(key string, raw []byte, read func(*reader, *members)) []Problem {
	r := reader{src: slices.Concat([]byte(`{"`+key+`":`), raw, []byte("}"))}
	if m, ok := r.document(); ok && m.next() {
		read(&r, m)
	}
	if len(r.problems) > 0 {
		r.problems[0].Line = 0 // it is one of the object, not of the file
	}
	return r.problems
}

// within keeps an object of which one key is a rule.
func (r *reader) within(m *members, w *policyWord) {
	if wrong := w.mistake(m.val); wrong != "" {
		r.spoiled = true
		r.problem(m.at, Warning, "wrong-type", wrong, "fix it; until then it stays in the file, and "+w.until)
	}
	r.keep(m)
}

// rule is a value of config.json that is always written, unset as byDefault; the strictest holds where it can't be read.
func rule(x value, byDefault any, read func(*reader, *members, reflect.Value)) value {
	is := reflect.ValueOf(byDefault)
	write := x.write
	x.read = func(r *reader, m *members, v reflect.Value) {
		r.until = strictest
		read(r, m, v)
		r.until = ""
	}
	x.empty = func(v reflect.Value) bool { return v.IsZero() || v.Equal(is) }
	x.write = func(w *writer, v reflect.Value) {
		if v.IsZero() {
			v = is
		}
		write(w, v)
	}
	return x
}

// ruleNamed is valueNamed for the rules of config.json.
func ruleNamed(name string, x value) value {
	switch name {
	case "dependency-policy":
		return rule(x, DependencyCompleted, choice(DependencyCompleted, DependencyCompletedOrAborted))
	case "on-subtask-failure":
		return rule(x, SubtaskFailureFail, choice(SubtaskFailureFail, SubtaskFailureHold))
	case "attempts":
		return rule(x, DefaultPolicy().MaxAttempts, reads(fromOne))
	case "from-1":
		x.read = reads(fromOne)
	case "patterns":
		x.read = reads((*reader).patterns)
	case "gate-risk":
		x.read = choice(RiskLow, RiskMedium, RiskHigh, RiskNever)
	default:
		x.read = workerNamed(name)
	}
	return x
}

func fromOne(r *reader, m *members, dst *int) { r.atLeast(m, dst, 1, "a positive whole number") }

// EncodePolicy writes .vespe/config.json. The three rules are always there, with their
// defaults where p has none, so that the file shows what can be set.
func EncodePolicy(p Policy) []byte {
	p.MaxAttempts = max(p.MaxAttempts, 0)
	return encoded(policyFormat(), &p)
}

// AttemptsOf is how many attempts a task may take: its own number, the policy's, or 3. Where its own number was raised
// outside vespe or can't be read, the least of them counts.
func AttemptsOf(t *Task, p Policy) int {
	most := 3
	if n := p.Attempts(); n > 0 {
		most = n
	}
	switch {
	case t.Spec != nil && t.Spec.MaxAttempts == 0 && IsSpoilt(t.Spec, "max_attempts"):
		return 1
	case t.Spec != nil && t.Spec.MaxAttempts > 0:
		return t.loweredAttempts(t.Spec.MaxAttempts, most)
	}
	return t.loweredAttempts(most, most)
}

// policyWord is a rule of .vespe/config.json that stands in an object, such as {"git": {"mode": "ref"}}.
type policyWord struct {
	object, key string
	words       []string
	unsaid      string // what holds where nothing is said,
	unread      string // and where it is said in no way that can be read
	until       string // what that means, for people
	such        string // an example
	alone       bool   // no other program keeps anything in the object: an unknown key may have been meant for this one
}

var (
	gitWord = policyWord{
		object: "git", key: "mode", words: []string{GitOff, GitRef, GitBranch}, unsaid: GitOff, unread: GitOff,
		until: "nothing becomes a commit", such: `{"mode": "ref"}`,
	}
	// Who wrote something under hitl wanted to be asked.
	hitlWord = policyWord{
		object: "hitl", key: "start", words: []string{RiskLow, RiskMedium, RiskHigh, RiskNever}, unsaid: RiskNever, unread: RiskLow,
		until: "a person is asked before every start", such: `{"start": "high"}`, alone: true,
	}
)

// The words of git.mode in .vespe/config.json: whether transactions become commits.
const (
	GitOff    = "off"    // they do not
	GitRef    = "ref"    // of refs/vespe/history, which no branch, index or worktree knows
	GitBranch = "branch" // of the branch that is checked out
)

// GitMode is git.mode: GitOff, GitRef or GitBranch. What is not said, or is said in no way
// that can be read, is GitOff.
func (p Policy) GitMode() string { return gitWord.of(p) }

// GitMistake is what is wrong with git.mode; "" when it can be read, or is not said.
func (p Policy) GitMistake() string {
	for _, x := range p.Extra {
		if x.Key == gitWord.object {
			return gitWord.mistake(x.Value)
		}
	}
	return ""
}

// HITLStart is hitl.start in .vespe/config.json: the least risk of tasks that a person has to
// allow the start of when it is an agent that starts them; RiskNever where that is not said, and
// RiskLow where it is said in no way that can be read.
func (p Policy) HITLStart() string { return hitlWord.of(p) }

func (w *policyWord) of(p Policy) string {
	if p.Unread != "" {
		return w.unread
	}
	for _, x := range p.Extra {
		if x.Key == w.object {
			word, _ := w.read(x.Value)
			return word
		}
	}
	return w.unsaid
}

// mistake is what is wrong with the value of the object's key; "" when nothing is.
func (w *policyWord) mistake(raw []byte) string {
	_, wrong := w.read(raw)
	return wrong
}

// read is the word that the object says, or what holds instead and what is wrong with it.
func (w *policyWord) read(raw []byte) (word, wrong string) {
	if raw[0] == 'n' {
		return w.unsaid, ""
	}
	r := reader{src: raw}
	m, ok := r.document()
	if !ok {
		return w.unread, w.object + " is " + describe(raw) + "; it must be an object such as " + w.such
	}
	for m.next() {
		switch name := string(m.bare()); {
		case name != w.key && (w.alone || nearKey(name, w.key)):
			return w.unread, w.object + " has the unknown key " + QuoteKey(name) + "; its key is " + w.key
		case name != w.key, m.val[0] == 'n':
			continue
		}
		said := describe(m.val)
		if isString(m.val) {
			word := unquote(m.val)
			for _, one := range w.words {
				if word == one {
					return word, ""
				}
			}
			said = QuoteKey(word)
		}
		return w.unread, w.object + "." + w.key + " is " + said + "; it must be " + quotedWords(w.words)
	}
	return w.unsaid, ""
}

// quotedWords is a choice of words as a sentence has it: "a", "b" or "c".
func quotedWords(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = QuoteKey(word)
	}
	last := len(quoted) - 1
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
