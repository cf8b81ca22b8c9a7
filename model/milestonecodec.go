package model

import "reflect"

var (
	milestonesKeys  = []string{"milestones"}
	milestoneFormat = formatOf[Milestone]()
)

// DecodeMilestones reads milestones.json. A milestone without an id that others can name it
// by, or with that of another, is of Error severity, and so is a list that is none; the rest
// is read all the same. `status` is derived, and passed over.
func DecodeMilestones(path string, b []byte) (Milestones, []Problem) {
	r := reader{path: path, src: b}
	var ms Milestones
	m, ok := r.document()
	for ok && m.next() {
		if string(m.bare()) != "milestones" {
			r.unknown(m, milestonesKeys, milestonesKeys...)
			continue
		}
		switch m.val[0] {
		case 'n':
		case '[':
			for e := m.inside(); e.element(); {
				r.milestone(&e, &ms)
			}
		default:
			r.problem(m.at, Error, "wrong-type", `"milestones" is `+kindOf(m.val[0])+", not a list", "write a list of objects, each with an id")
		}
	}
	ms.Extra = r.kept(milestonesKeys)
	for _, p := range r.problems {
		ms.Broken = ms.Broken || p.Severity == Error
	}
	return ms, r.problems
}

// milestone reads one element of the list.
func (r *reader) milestone(e *members, ms *Milestones) {
	broken := func(why, hint string) { r.problem(e.at, Error, "bad-milestone", why, hint) }
	if e.val[0] != '{' {
		broken("a milestone is "+kindOf(e.val[0])+", not an object", "write it as an object with an id")
		return
	}
	sub := reader{path: r.path, src: r.src}
	var x Milestone
	in := e.inside()
	milestoneFormat().read(&sub, &in, reflect.ValueOf(&x).Elem())
	x.Extra = sub.kept(milestoneFormat().keys)
	r.problems = append(r.problems, sub.problems...)
	switch {
	case !ValidMilestoneID(x.ID):
		broken("a milestone has no id that a task could name it by", `give it one of letters, digits, ".", "_" and "-"`)
	case ms.Index(x.ID) >= 0:
		broken("there are two milestones with the id "+quoteKey(x.ID), "give one of them another id, or make one of the two")
	default:
		ms.List = append(ms.List, x)
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
	r.wrong(m, "a day like 2026-01-31")
}

// EncodeMilestones writes milestones.json. The list, and id, name and task_ids of each
// milestone are always there.
func EncodeMilestones(ms Milestones) []byte {
	w := writer{buf: make([]byte, 0, 512), extra: ms.Extra}
	w.open('{')
	if w.member("milestones", len(ms.List) == 0, true) {
		outer := w.nested('[', nil)
		for i := range ms.List {
			w.item()
			milestoneFormat().object(&w, reflect.ValueOf(&ms.List[i]).Elem())
		}
		w.endNested(']', outer)
	}
	w.rest(milestonesKeys)
	return w.file()
}
