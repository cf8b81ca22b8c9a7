package model

var policyKeys = []string{"name", "description", "dependency_policy", "on_subtask_failure", "max_attempts"}

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

// DecodePolicy reads .vespe/config.json. What it does not say, or does not say in a way
// that can be read, is as in DefaultPolicy.
func DecodePolicy(path string, b []byte) (Policy, []Problem) {
	r := reader{path: path, src: b}
	p := DefaultPolicy()
	m, ok := r.document()
	if !ok {
		return p, r.problems
	}
	for m.next() {
		switch string(m.bare()) {
		case "name":
			readText(&r, &m, &p.Name)
		case "description":
			readText(&r, &m, &p.Description)
		case "dependency_policy":
			r.word(&m, &p.DependencyPolicy, DependencyCompleted, DependencyCompletedOrAborted)
		case "on_subtask_failure":
			r.word(&m, &p.OnSubtaskFailure, SubtaskFailureFail, SubtaskFailureHold)
		case "max_attempts":
			n := p.MaxAttempts
			if r.int(&m, &n); n < 1 {
				r.wrong(&m, "a whole number from 1 up")
				break
			}
			p.MaxAttempts = n
		case gitWord.object:
			r.within(&m, &gitWord)
		case hitlWord.object:
			r.within(&m, &hitlWord)
		case sizeLimits:
			r.limits(&m)
		case gateKey:
			r.gateIn(&m)
		case workerKey:
			r.workerIn(&m)
		case parallelKey:
			r.parallelIn(&m)
		default:
			r.unknown(&m, policyKeys)
		}
	}
	p.Extra = r.kept(policyKeys)
	return p, r.problems
}

// within keeps an object of which one key is a rule.
func (r *reader) within(m *members, w *policyWord) {
	if wrong := w.mistake(m.val); wrong != "" {
		r.spoiled = true
		r.problem(m.at, Warning, "wrong-type", wrong, "correct it; until then it is kept, and "+w.until)
	}
	r.keep(m)
}

// word reads one of two words.
func (r *reader) word(m *members, dst *string, a, b string) {
	switch {
	case m.val[0] == 'n':
	case isString(m.val) && unquote(m.val) == a:
		*dst = a
	case isString(m.val) && unquote(m.val) == b:
		*dst = b
	default:
		r.wrong(m, quoteKey(a)+" or "+quoteKey(b))
	}
}

// EncodePolicy writes .vespe/config.json. The three rules are always there, with their
// defaults where p has none, so that the file shows what can be set.
func EncodePolicy(p Policy) []byte {
	rules := DefaultPolicy()
	w := writer{buf: make([]byte, 0, 256), extra: p.Extra}
	w.open('{')
	w.text("name", p.Name, false)
	w.text("description", p.Description, false)
	w.rule("dependency_policy", p.DependencyPolicy, rules.DependencyPolicy)
	w.rule("on_subtask_failure", p.OnSubtaskFailure, rules.OnSubtaskFailure)
	n := p.MaxAttempts
	if n < 1 {
		n = rules.MaxAttempts
	}
	if w.member("max_attempts", n == rules.MaxAttempts, true) {
		w.buf = append(w.buf, IntField("", n).Value...)
	}
	w.rest(policyKeys)
	return w.file()
}

func (w *writer) rule(key, value, byDefault string) {
	if value == "" {
		value = byDefault
	}
	if w.member(key, value == byDefault, true) {
		w.buf = appendQuoted(w.buf, value)
	}
}
