package model

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
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
			r.misspelt(m, ruleKeys[k], Warning)
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
