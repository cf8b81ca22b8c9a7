package ui

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/panes"
	"vespe/ui/request"
	"vespe/ui/tour"
	"vespe/ui/verdict"
)

// done is what this person did last here.
type done struct {
	decided  []verdict.Decision // when it was a decision
	subtasks bool               // when it was a decomposition
	other    model.Name         // when it was neither a decision nor taking one back
}

// remember is told what was done.
func (d *decider) remember(ops []model.Op) {
	d.jobs.did = done{}
	if len(ops) == 0 {
		return
	}
	if ops[0].Name == model.UndoVerdict {
		d.tour.Did(tour.TakeBack, here(d.core))
		return
	}
	d.jobs.did.subtasks = ops[0].Name == model.Decompose
	for _, op := range ops {
		row, ok := lifecycle.Lookup(op.Name)
		if d.jobs.did.subtasks || ok && row.Verdict && op.Actor.Kind() == model.Human {
			d.jobs.did.decided = append(d.jobs.did.decided, verdict.Decision{UID: op.UID, Request: op.Request(), At: d.deps.Now()})
		}
	}
	switch {
	case len(d.jobs.did.decided) == 0:
		d.jobs.did.other = ops[0].Name
	case !d.jobs.did.subtasks:
		d.tour.Did(tour.Decide, here(d.core))
	}
}

// noUndoOf says why the answer to a request cannot be taken back.
func (d *decider) noUndoOf(q *model.Request) string {
	switch {
	case d.snap == nil:
		return request.NoRequest
	case q.Answer != nil && q.Answer.By != d.deps.Actor:
		return q.Answer.By.Name() + " answered it, and you can only undo your own answers here"
	}
	return d.proposer().NoUndo(verdict.Decision{UID: q.TaskUID, Request: q.ID})
}

// noUndo says why there is nothing to take back.
func (d *decider) noUndo() string {
	if q, ok := d.requests.Shown(); ok {
		return d.noUndoOf(&q)
	}
	switch {
	case d.deps.ReadOnly != "":
		return d.deps.ReadOnly
	case len(d.proposer().Last()) > 0:
		return ""
	case d.jobs.did.other != "":
		return fmt.Sprintf("%q can't be undone: only decisions can", d.jobs.did.other.Title())
	case len(d.fit(model.UndoVerdict, d.targets())) > 0:
		return "you have no decision to undo" + d.orKey(keymap.UndoOther, "undoes the one on this task")
	}
	return "you have no decision to undo"
}

// undo takes back the answer to the request that is open, or this person's last decision, wherever the cursor is.
func (d *decider) undo() tea.Cmd {
	list := d.proposer().Last()
	if q, ok := d.requests.Shown(); ok {
		list = []verdict.Decision{{UID: q.TaskUID, Request: q.ID}}
		if q.Answer != nil {
			list[0].At = q.Answer.At
		}
	}
	p, err := d.proposer().Undo(list, d.deps.Now())
	if err != nil {
		return d.fail(d.proposer().Refused(model.UndoVerdict.Title(), err))
	}
	if d.justDecided(list) && len(p.Notes) == 1 {
		return d.fire(job{ops: p.Ops})
	}
	if d.jobs.did.other != "" {
		p.Notes = append([]string{fmt.Sprintf("Your last action, %q, can't be undone: this undoes an earlier decision", d.jobs.did.other.Title())}, p.Notes...)
	}
	return d.ask(p)
}

// justDecided reports that verdicts are the last thing that was done here, and that no agent has read them: taking them
// back needs no question.
func (d *decider) justDecided(list []verdict.Decision) bool {
	return !d.jobs.did.subtasks && len(list) == len(d.jobs.did.decided) && !slices.ContainsFunc(list, func(x verdict.Decision) bool {
		return d.proposer().WasRead(x) || !slices.ContainsFunc(d.jobs.did.decided, func(y verdict.Decision) bool { return x.UID == y.UID && x.Request == y.Request && !x.At.After(y.At) })
	})
}

// targetsOf are the tasks that an action applies to.
func (d *decider) targetsOf(spec keymap.Spec) []model.UID {
	switch {
	case d.snap == nil:
		return nil
	case spec.Group == "Create": // a text, a name or a dependency is one task's
		if uid := d.selected(); uid != "" {
			return []model.UID{uid}
		}
		return nil
	}
	return d.targets()
}

// back puts the cursor on what waits for a decision again, or on its task, where the view has it.
func (d *decider) back(ops []model.Op) tea.Cmd {
	if len(ops) == 0 || ops[0].Name != model.UndoVerdict {
		return nil
	}
	asked := d.panes.View == panes.Inbox && d.panes.Inbox.JumpToRequest(ops[0].Request())
	if !asked && !d.panes.Left().Jump(ops[0].UID) {
		return nil
	}
	return tea.Batch(d.nav.showItem(false), d.nav.onMoved())
}
