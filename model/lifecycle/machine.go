package lifecycle

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"vespe/model"
)

// machine is the table of transitions with the edits beside it. Effects reach other rows
// through it, never through the package's variable.
type machine struct {
	rows  []Transition // those of Table
	edits []Transition // operations that never change the state: create, rename, …
	at    map[model.Name]*Transition
}

// lifecycle never changes.
var lifecycle = sync.OnceValue(newMachine)

func newMachine() *machine {
	m := &machine{rows: tableRows(), edits: slices.Concat(editRows(), milestoneRows(), guidanceRows(), []Transition{priorityRow()}), at: map[model.Name]*Transition{}}
	for _, list := range [][]Transition{m.rows, m.edits} {
		for i := range list {
			row := &list[i]
			row.Guards = make([]GuardInfo, len(row.checks))
			for k, c := range row.checks {
				row.Guards[k] = c.GuardInfo
			}
			m.at[row.Name] = row
		}
	}
	return m
}

// row is the transition or edit of that name, or nil.
func (m *machine) row(n model.Name) *Transition { return m.at[n] }

// Apply works out what an operation does to w: every after-image, file, request and
// event, cascades to children, parents and dependents included. It
// changes nothing itself, and neither w's tasks nor op are written to. The error is
// always a *Refusal that names the guard; nothing has then happened.
//
// In a world without bytes (a Snapshot) the result is a preview: the Summary and the
// list of tasks are right, hashes are left empty, and guards on bytes are passed over.
//
// A Change without Tasks, Requests and Milestones means that the operation was allowed and had nothing to do.
func Apply(w model.World, op model.Op) (*model.Change, error) {
	op.At = op.At.UTC().Truncate(time.Millisecond) // what files keep of a time
	x := &tx{m: lifecycle(), w: w, op: op, policy: w.Policy(), touched: map[model.UID]*touch{}}
	x.o = NewOverlay(w)
	x.w = x.o
	if r := x.run(); r != nil {
		return nil, r
	}
	return x.change(), nil
}

// Allowed runs the guards of an operation and nothing else; required texts and reasons
// may still be missing. It is cheap enough to ask for every row of a palette. The error
// is always a *Refusal.
func Allowed(w model.World, op model.Op) error {
	x := &tx{m: lifecycle(), w: w, op: op, policy: w.Policy(), trial: true}
	if r := x.run(); r != nil {
		return r
	}
	return nil
}

// run fires the operation itself.
func (x *tx) run() *model.Refusal {
	if x.m.row(x.op.Name) == nil {
		return x.step(x.op, "").refuse(model.CodeUsage, model.GuardOperation,
			fmt.Sprintf("unknown operation %q", string(x.op.Name)), "`vespe --help` lists them")
	}
	if !accepts(x.m.row(x.op.Name), x.op.Args) {
		return x.step(x.op, "").refuse(model.CodeUsage, model.GuardOperation, "its arguments are those of another operation", "")
	}
	switch args := x.op.Args.(type) {
	case model.NewTask:
		x.op.UID = args.UID
	case model.Imported:
		if args.Task != nil {
			x.op.UID = args.Task.UID
		}
	default:
		if q, ok := x.requestOf(x.op.Request()); ok && x.op.UID == "" && isOnRequest(&x.op) {
			x.op.UID = q.TaskUID
		}
	}
	if r := checkTexts(x.step(x.op, "")); r != nil {
		return r
	}
	return x.fire(x.op, "")
}
