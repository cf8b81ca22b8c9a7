package model

import (
	"math"
	"strconv"
	"strings"
)

var (
	specKeys = []string{
		"description", "user_story", "goal_type", "constraints", "acceptance_criteria", "steps", "priority", "priority_by", "source",
		"context", "requester", "risk", "requires_hitl", "files_to_create", "files_to_modify", "test_files", "verify",
		"milestone_id", "estimated_complexity", "max_attempts", "labels", "external", "intent",
	}
	criterionKeys = []string{"text", "state", "evidence"}
	stepKeys      = []string{"step", "done"}
	byKeys        = []string{"priority", "rule"}
)

// DecodeSpec reads spec.json, everything else about the work. All of it is optional: a
// field that cannot be read is a warning and is kept, and only a file that is no JSON
// object is of Error severity. The Spec is never nil.
func DecodeSpec(path string, b []byte) (*Spec, []Problem) {
	r := reader{path: path, src: b}
	s := new(Spec)
	m, ok := r.document()
	if !ok {
		return s, r.problems
	}
	for m.next() {
		r.specMember(&m, s)
	}
	s.Extra = r.kept(specKeys)
	return s, r.problems
}

func (r *reader) specMember(m *members, s *Spec) {
	switch string(m.bare()) {
	case "description":
		readText(r, m, &s.Description)
	case "user_story":
		readText(r, m, &s.UserStory)
	case "goal_type":
		readText(r, m, &s.GoalType)
	case "constraints":
		readTexts(r, m, &s.Constraints)
	case "acceptance_criteria":
		r.criteria(m, &s.AcceptanceCriteria)
	case "steps":
		r.steps(m, &s.Steps)
	case "priority":
		r.priority(m, &s.Priority)
	case "priority_by":
		r.priorityBy(m, &s.PriorityBy)
	case "source":
		readText(r, m, &s.Source)
	case "context":
		r.fields(m, &s.Context)
	case "requester":
		readText(r, m, &s.Requester)
	case "risk":
		r.risk(m, &s.Risk)
	case "requires_hitl":
		r.bool(m, &s.RequiresHITL)
	case "files_to_create":
		readTexts(r, m, &s.FilesToCreate)
	case "files_to_modify":
		readTexts(r, m, &s.FilesToModify)
	case "test_files":
		readTexts(r, m, &s.TestFiles)
	case "verify":
		r.commands(m, &s.Verify)
	case "milestone_id":
		readText(r, m, &s.MilestoneID)
	case "estimated_complexity":
		r.number(m, &s.EstimatedComplexity)
	case "max_attempts":
		r.int(m, &s.MaxAttempts)
	case "labels":
		readTexts(r, m, &s.Labels)
	case "external":
		r.fields(m, &s.External)
	case "intent":
		readText(r, m, &s.Intent)
	default:
		r.unknown(m, specKeys)
	}
}

// ParsePriority reads critical, high, medium or low in any case, and med as medium.
func ParsePriority(s string) (Priority, bool) {
	switch p := Priority(strings.ToLower(strings.TrimSpace(s))); p {
	case Critical, High, Medium, Low:
		return p, true
	case "med":
		return Medium, true
	}
	return "", false
}

func (r *reader) priority(m *members, dst *Priority) {
	if m.val[0] == 'n' || string(m.val) == `""` {
		return
	}
	if isString(m.val) {
		if p, ok := ParsePriority(unquote(m.val)); ok {
			*dst = p
			return
		}
	}
	r.wrong(m, "critical, high, medium or low")
}

func (r *reader) priorityBy(m *members, dst **PriorityBy) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	by := new(PriorityBy)
	for in.next() {
		switch string(in.bare()) {
		case "priority":
			sub.priority(&in, &by.Priority)
		case "rule":
			readText(&sub, &in, &by.Rule)
		default:
			sub.unknown(&in, byKeys)
		}
	}
	if r.join(m, &sub) {
		by.Extra = sub.extra
		*dst = by
	}
}

func (r *reader) risk(m *members, dst *string) {
	if m.val[0] == 'n' || string(m.val) == `""` {
		return
	}
	if isString(m.val) {
		if p, ok := ParsePriority(unquote(m.val)); ok && p != Critical {
			*dst = string(p)
			return
		}
	}
	r.wrong(m, "low, medium or high")
}

// criteria reads strings and objects, mixed as they come.
func (r *reader) criteria(m *members, dst *[]Criterion) {
	readItems(r, m, dst, "a list of criteria", func(text string) Criterion { return Criterion{Text: text} }, func(sub *reader, in *members, c *Criterion) {
		switch string(in.bare()) {
		case "text":
			readText(sub, in, &c.Text)
		case "state":
			readText(sub, in, &c.State)
		case "evidence":
			readText(sub, in, &c.Evidence)
		default:
			sub.unknown(in, criterionKeys)
		}
		c.Extra = sub.extra
	})
}

// steps reads objects, and strings as steps that are not done.
func (r *reader) steps(m *members, dst *[]Step) {
	readItems(r, m, dst, "a list of steps", func(text string) Step { return Step{Step: text} }, func(sub *reader, in *members, s *Step) {
		switch string(in.bare()) {
		case "step":
			readText(sub, in, &s.Step)
		case "done":
			sub.bool(in, &s.Done)
		default:
			sub.unknown(in, stepKeys)
		}
		s.Extra = sub.extra
	})
}

// readItems reads a list of strings and objects, mixed as they come, or one string. key takes one
// member of an object.
func readItems[T any](r *reader, m *members, dst *[]T, want string, of func(text string) T, key func(sub *reader, in *members, item *T)) {
	switch m.val[0] {
	case 'n':
		return
	case '"':
		*dst = []T{of(unquote(m.val))}
		return
	case '[':
	default:
		r.wrong(m, want)
		return
	}
	var out []T
	sub := reader{path: r.path, src: r.src}
	for e := m.inside(); e.element() && !sub.spoiled; {
		var item T
		switch e.val[0] {
		case '"':
			item = of(unquote(e.val))
		case '{':
			sub.extra = nil
			for in := e.inside(); in.next(); {
				key(&sub, &in, &item)
			}
		default:
			sub.wrong(&e, "a list of strings and objects only")
		}
		out = append(out, item)
	}
	if r.join(m, &sub) {
		*dst = out
	}
}

// fields reads an object of any values, which are kept as they are.
func (r *reader) fields(m *members, dst *[]ExtraField) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	for in.next() {
		sub.keep(&in)
	}
	r.problems = append(r.problems, sub.problems...)
	*dst = sub.extra
}

// commands reads a list of argument lists. A command line in one string is refused: how
// it would be split is for a shell to say, and no shell is ever asked.
func (r *reader) commands(m *members, dst *[][]string) {
	const want = `a list of argument lists, like [["go", "test", "./..."]]`
	if m.val[0] == 'n' {
		return
	}
	if m.val[0] != '[' {
		r.wrong(m, want)
		return
	}
	var out [][]string
	for e := m.inside(); e.element(); {
		if e.val[0] != '[' {
			r.wrong(m, want)
			return
		}
		argv := []string{}
		for a := e.inside(); a.element(); {
			if !isString(a.val) {
				r.wrong(m, want)
				return
			}
			argv = append(argv, unquote(a.val))
		}
		out = append(out, argv)
	}
	*dst = out
}

func (r *reader) number(m *members, dst *float64) {
	if m.val[0] == 'n' {
		return
	}
	raw := m.val
	if isString(raw) {
		raw = raw[1 : len(raw)-1]
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f < 0 || math.IsInf(f, 0) || math.IsNaN(f) {
		r.wrong(m, "a number from 0 up")
		return
	}
	*dst = f
}

// EncodeSpec writes spec.json. Every key is left out while it says nothing; an empty Spec
// is {}.
func EncodeSpec(s *Spec) []byte {
	if s == nil {
		s = new(Spec)
	}
	w := writer{buf: make([]byte, 0, 512), extra: s.Extra}
	w.open('{')
	w.text("description", s.Description, false)
	w.text("user_story", s.UserStory, false)
	w.text("goal_type", s.GoalType, false)
	textList(&w, "constraints", s.Constraints, false)
	w.criteria(s.AcceptanceCriteria)
	w.steps(s.Steps)
	w.text("priority", string(s.Priority), false)
	if w.member("priority_by", s.PriorityBy == nil, false) {
		outer := w.nested('{', s.PriorityBy.Extra)
		w.text("priority", string(s.PriorityBy.Priority), true)
		w.text("rule", s.PriorityBy.Rule, true)
		w.rest(byKeys)
		w.endNested('}', outer)
	}
	w.text("source", s.Source, false)
	if w.member("context", len(s.Context) == 0, false) {
		w.verbatim(s.Context)
	}
	w.text("requester", s.Requester, false)
	w.text("risk", s.Risk, false)
	w.bool("requires_hitl", s.RequiresHITL, false)
	textList(&w, "files_to_create", s.FilesToCreate, false)
	textList(&w, "files_to_modify", s.FilesToModify, false)
	textList(&w, "test_files", s.TestFiles, false)
	w.commands(s.Verify)
	w.text("milestone_id", s.MilestoneID, false)
	w.number("estimated_complexity", s.EstimatedComplexity)
	w.int("max_attempts", s.MaxAttempts, false)
	textList(&w, "labels", s.Labels, false)
	if w.member("external", len(s.External) == 0, false) {
		w.verbatim(s.External)
	}
	w.text("intent", s.Intent, false)
	w.rest(specKeys)
	return w.file()
}

// criteria writes a criterion that is only text as a string.
func (w *writer) criteria(criteria []Criterion) {
	if !w.member("acceptance_criteria", len(criteria) == 0, false) {
		return
	}
	outer := w.nested('[', nil)
	for _, c := range criteria {
		w.item()
		if c.State == "" && c.Evidence == "" && len(c.Extra) == 0 {
			w.buf = appendQuoted(w.buf, c.Text)
			continue
		}
		list := w.nested('{', c.Extra)
		w.text("text", c.Text, true)
		w.text("state", c.State, false)
		w.text("evidence", c.Evidence, false)
		w.rest(criterionKeys)
		w.endNested('}', list)
	}
	w.endNested(']', outer)
}

func (w *writer) steps(steps []Step) {
	if !w.member("steps", len(steps) == 0, false) {
		return
	}
	outer := w.nested('[', nil)
	for _, s := range steps {
		w.item()
		list := w.nested('{', s.Extra)
		w.text("step", s.Step, true)
		w.bool("done", s.Done, true)
		w.rest(stepKeys)
		w.endNested('}', list)
	}
	w.endNested(']', outer)
}

func (w *writer) commands(commands [][]string) {
	if !w.member("verify", len(commands) == 0, false) {
		return
	}
	w.open('[')
	for _, argv := range commands {
		w.item()
		list(w, argv)
	}
	w.close(']')
}

func (w *writer) number(key string, f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		f = 0
	}
	if w.member(key, f == 0, false) {
		w.buf = strconv.AppendFloat(w.buf, f, 'f', -1, 64)
	}
}
