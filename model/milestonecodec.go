package model

import (
	"reflect"
	"slices"
)

var milestonesFormat = formatOf[Milestones]()

// DecodeMilestones reads milestones.json. A milestone without an id that others can name it
// by, or with that of another, is of Error severity, and so is a list that is none; the rest
// is read all the same. `status` is derived, and passed over.
func DecodeMilestones(path string, b []byte) (Milestones, []Problem) {
	r := reader{path: path, src: b}
	ms := new(Milestones)
	if m, ok := r.document(); ok {
		f := milestonesFormat()
		f.read(&r, m, reflect.ValueOf(ms).Elem())
		ms.Extra = r.kept(f.keys)
	}
	ms.Broken = slices.ContainsFunc(r.problems, func(p Problem) bool { return p.Severity == Error })
	return *ms, r.problems
}

// milestones reads the list, each element by f.
func (r *reader) milestones(m *members, f *format, list *[]Milestone) {
	switch m.val[0] {
	case 'n':
	case '[':
		for e := m.inside(); e.element(); {
			r.milestone(&e, f, list)
		}
	default:
		r.problem(m.at, Error, "wrong-type", `"milestones" is `+kindOf(m.val[0])+", not a list", "write a list of objects, each with an id")
	}
}

// milestone reads one element of the list.
func (r *reader) milestone(e *members, f *format, list *[]Milestone) {
	broken := func(why, hint string) { r.problem(e.at, Error, "bad-milestone", why, hint) }
	if e.val[0] != '{' {
		broken("a milestone is "+kindOf(e.val[0])+", not an object", "write it as an object with an id")
		return
	}
	sub := reader{path: r.path, src: r.src}
	x := new(Milestone)
	in := e.inside()
	f.read(&sub, &in, reflect.ValueOf(x).Elem())
	x.Extra = sub.kept(f.keys)
	r.problems = append(r.problems, sub.problems...)
	switch {
	case !ValidMilestoneID(x.ID):
		broken("a milestone has no valid id", `give it one of letters, digits, ".", "_" and "-"`)
	case slices.ContainsFunc(*list, func(o Milestone) bool { return o.ID == x.ID }):
		broken("there are two milestones with the id "+QuoteKey(x.ID), "change one of the ids, or merge the two")
	default:
		*list = append(*list, *x)
	}
}

func (r *reader) date(m *members, dst *Date) {
	if m.val[0] == 'n' || string(m.val) == `""` {
		return
	}
	if isString(m.val) {
		if d, ok := ParseDate(unquote(m.val)); ok {
			*dst = d
			return
		}
	}
	r.wrong(m, "a date like 2026-01-31")
}

// EncodeMilestones writes milestones.json. The list, and id, name and task_ids of each
// milestone are always there.
func EncodeMilestones(ms Milestones) []byte { return encoded(milestonesFormat(), &ms) }

// Clone is a deep copy.
func (m Milestones) Clone() Milestones { return *cloned(milestonesFormat(), &m) }
