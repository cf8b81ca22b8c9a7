package model

import (
	"vespe/model/complexity"
)

// sizeLimits is the key of .vespe/config.json under which the limits of complexity stand, as in
// {"task_size_limits": {"complexity_threshold": 6}}.
const sizeLimits = "task_size_limits"

var sizeKeys = []string{
	"max_files_to_create", "max_files_to_modify", "max_criteria_per_task", "max_input_tokens", "max_output_tokens",
	"max_time_minutes", "complexity_threshold", "auto_split",
}

// SizeLimits are the limits that the store's task_size_limits gives. What it does not say, or does
// not say in a way that can be read, is as in complexity.DefaultLimits.
func (p Policy) SizeLimits() complexity.Limits {
	l := complexity.DefaultLimits()
	for _, x := range p.Extra {
		if x.Key != sizeLimits {
			continue
		}
		r := reader{src: x.Value}
		if m, ok := r.document(); ok {
			r.sizes(m, &l)
		}
		break
	}
	return l
}

// sizes reads the members of task_size_limits.
func (r *reader) sizes(m *members, l *complexity.Limits) {
	for m.next() {
		switch string(m.bare()) {
		case "max_files_to_create":
			r.atLeast(m, &l.FilesToCreate, 1, "a positive whole number")
		case "max_files_to_modify":
			r.atLeast(m, &l.FilesToModify, 1, "a positive whole number")
		case "max_criteria_per_task":
			r.atLeast(m, &l.Criteria, 1, "a positive whole number")
		case "max_input_tokens":
			r.atLeast(m, &l.InputTokens, 1000, "a whole number of at least 1000")
		case "max_output_tokens":
			r.atLeast(m, &l.OutputTokens, 500, "a whole number of at least 500")
		case "max_time_minutes":
			r.between(m, &l.Minutes, 0.5, 1<<31, "a number of at least 0.5")
		case "complexity_threshold":
			r.between(m, &l.Threshold, 0, complexity.Most, "a number from 0 to 13")
		case "auto_split":
			if m.val[0] != 'n' {
				r.bool(m, &l.AutoSplit)
			}
		default:
			r.unknown(m, sizeKeys)
		}
	}
}

// limits says what of task_size_limits cannot be used. The object is kept as it is.
func (r *reader) limits(m *members) {
	sub, in, ok := r.object(m, "an object such as {\"complexity_threshold\": 5}")
	if !ok {
		return
	}
	l := complexity.DefaultLimits()
	sub.sizes(&in, &l)
	r.problems = append(r.problems, sub.problems...)
	r.keep(m)
}

// atLeast reads a whole number; one below least is refused.
func (r *reader) atLeast(m *members, dst *int, least int, want string) {
	if m.val[0] == 'n' {
		return
	}
	n, problems := *dst, len(r.problems)
	if r.int(m, &n); len(r.problems) > problems {
		return
	}
	if n < least {
		r.wrong(m, want)
		return
	}
	*dst = n
}

// between reads a number; one below least or above most is refused.
func (r *reader) between(m *members, dst *float64, least, most float64, want string) {
	f, problems := *dst, len(r.problems)
	if r.number(m, &f); len(r.problems) > problems {
		return
	}
	if f < least || f > most {
		r.wrong(m, want)
		return
	}
	*dst = f
}

// Work is what the complexity of t is made of.
func (t *Task) Work() complexity.Work {
	return WorkOf(t.Config.Name, t.Spec)
}

// WorkOf is what the complexity of a task with a name and a specification is made of; sp may be nil.
func WorkOf(name string, sp *Spec) complexity.Work {
	w := complexity.Work{Title: name}
	if sp != nil {
		w.Story, w.Create, w.Modify, w.Tests = sp.UserStory, sp.FilesToCreate, sp.FilesToModify, sp.TestFiles
		for _, c := range sp.AcceptanceCriteria {
			w.Criteria = append(w.Criteria, c.Text)
		}
	}
	return w
}

// Complexity is how much work t is, by the limits of its store (Policy.SizeLimits).
func (t *Task) Complexity(l complexity.Limits) complexity.Score { return complexity.Of(t.Work(), l) }
