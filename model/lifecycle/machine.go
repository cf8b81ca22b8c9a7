package lifecycle

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/lifecycle/internal/edits"
	"vespe/model/lifecycle/internal/machine"
)

// lifecycle never changes.
var lifecycle = sync.OnceValue(func() *machine.Table {
	return machine.NewTable(slices.Concat(planRows(), verdictRows(), commentRows(), workRows(), reopenRows(), treeRows(), changeRows()), append(edits.Rows(), bookRows()...))
})

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
	x := machine.Begin(lifecycle(), w, op, false)
	if r := run(x); r != nil {
		return nil, r
	}
	return settled(x), nil
}

// Allowed runs the guards of an operation and nothing else; required texts and reasons
// may still be missing. It is cheap enough to ask for every row of a palette. The error
// is always a *Refusal.
func Allowed(w model.World, op model.Op) error {
	if r := run(machine.Begin(lifecycle(), w, op, true)); r != nil {
		return r
	}
	return nil
}

// run fires the operation itself.
func run(x *machine.Tx) *model.Refusal {
	if x.Table.Row(x.Op.Name) == nil {
		return x.StepOf(x.Op, "").Refuse(model.CodeUsage, model.GuardOperation,
			fmt.Sprintf("unknown operation %q", string(x.Op.Name)), "`vespe --help` lists them")
	}
	if !accepts(x.Table.Row(x.Op.Name), x.Op.Args) {
		return x.StepOf(x.Op, "").Refuse(model.CodeUsage, model.GuardOperation, "its arguments are those of another operation", "")
	}
	switch args := x.Op.Args.(type) {
	case model.NewTask:
		x.Op.UID = args.UID
	case model.Imported:
		if args.Task != nil {
			x.Op.UID = args.Task.UID
		}
	default:
		if q, ok := x.RequestOf(x.Op.Request()); ok && x.Op.UID == "" && machine.IsOnRequest(&x.Op) {
			x.Op.UID = q.TaskUID
		}
	}
	if r := machine.CheckTexts(x.StepOf(x.Op, "")); r != nil {
		return r
	}
	return x.Fire(x.Op, "")
}

// bookRows are the operations that keep books about what has happened: who has read it, and into what it was cut.
func bookRows() []machine.Row {
	return []machine.Row{
		machine.EditRow(model.Decompose, model.Decomposition{}, doDecompose, machine.OnTask(machine.NeedNotFinal, needDecomposable)),
		machine.EditRow(model.FetchAnswer, model.RequestRef{}, doFetch, []machine.Guard{machine.NeedActor, needAnswer}),
		{Transition: model.Transition{Name: model.FetchVerdict}, Checks: machine.OnTask(needVerdict), Do: doFetchVerdict},
	}
}
