package model

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

func (r *reader) undo(m *members, dst **Undo) {
	sub, in, ok := r.object(m, "an object")
	if !ok {
		return
	}
	var u Undo
	for in.next() {
		switch string(in.bare()) {
		case "transition":
			readText(&sub, &in, &u.Transition)
		case "by":
			readText(&sub, &in, &u.By)
		case "at":
			sub.time(&in, &u.At)
		case "tasks":
			if in.val[0] != '[' {
				sub.wrong(&in, "a list")
				break
			}
			for e := in.inside(); e.element() && !sub.spoiled; {
				sub.undoTask(&e, &u)
			}
		case "requests":
			if in.val[0] != '[' {
				sub.wrong(&in, "a list")
				break
			}
			for e := in.inside(); e.element() && !sub.spoiled; {
				sub.undoRequest(&e, &u)
			}
		default:
			sub.dropped(&in)
		}
	}
	if r.join(m, &sub) {
		*dst = &u
	}
}

func (r *reader) undoTask(m *members, u *Undo) {
	if m.val[0] != '{' {
		r.wrong(m, "a list of objects only")
		return
	}
	var t UndoTask
	for in := m.inside(); in.next(); {
		switch string(in.bare()) {
		case "uid":
			r.uid(&in, &t.UID)
		case "revision":
			r.int(&in, &t.Revision)
		case "before":
			if in.val[0] == '{' {
				t.Before = canonical(in.val)
				break
			}
			r.wrong(&in, "an object")
		default:
			r.dropped(&in)
		}
	}
	u.Tasks = append(u.Tasks, t)
}

func (r *reader) undoRequest(m *members, u *Undo) {
	if m.val[0] != '{' {
		r.wrong(m, "a list of objects only")
		return
	}
	var q UndoRequest
	for in := m.inside(); in.next(); {
		switch string(in.bare()) {
		case "id":
			readText(r, &in, &q.ID)
		case "state":
			readText(r, &in, &q.State)
		default:
			r.dropped(&in)
		}
	}
	u.Requests = append(u.Requests, q)
}

// canonical is a value formatted as a file of its own.
func canonical(value []byte) []byte {
	out, err := jsontext.AppendFormat(nil, value, indentOptions("  ")...)
	if err != nil {
		return bytes.Clone(value)
	}
	return append(out, '\n')
}
