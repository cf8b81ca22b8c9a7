package ui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/request"
	"vespe/ui/tour"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// keptVerdicts is how many decisions of this session can be gone back to.
const keptVerdicts = 50

// decision is a decision of this session: on tasks, or on requests.
type decision struct {
	uids     []model.UID
	requests []string
	subtasks bool // it was no verdict: a task was decomposed
	told     int  // the message that told of it
}

// decided remembers what a verdict was on, and forgets that whose verdict was taken back.
func (d *decider) decided(ops []model.Op) {
	now := decision{told: d.notices.Last}
	for _, op := range ops {
		row, ok := lifecycle.Lookup(op.Name)
		switch {
		case op.Name == model.UndoVerdict:
			for i := range d.verdicts {
				v := &d.verdicts[i]
				v.requests = slices.DeleteFunc(v.requests, func(id string) bool { return id == op.Request() })
				if op.Request() == "" {
					v.uids = slices.DeleteFunc(v.uids, func(uid model.UID) bool { return uid == op.UID })
				}
			}
		case op.Name == model.Decompose: // no verdict, but undo takes it back as well
			now.uids, now.subtasks = append(now.uids, op.UID), true
		case !ok || !row.Verdict || op.Actor.Kind() != model.Human:
		case op.Name == model.AnswerRequest:
			now.requests = append(now.requests, op.Request())
		default:
			now.uids = append(now.uids, op.UID)
		}
	}
	switch {
	case len(now.uids)+len(now.requests) > 0 && !now.subtasks:
		d.tour.Did(tour.Decide, here(d.core))
	case len(ops) > 0 && ops[0].Name == model.UndoVerdict:
		d.tour.Did(tour.TakeBack, here(d.core))
	}
	d.panes.Other = ""
	if len(now.uids)+len(now.requests) == 0 && len(ops) > 0 && ops[0].Name != model.UndoVerdict {
		d.panes.Other = ops[0].Name
	}
	none := func(v decision) bool { return len(v.uids)+len(v.requests) == 0 }
	if !none(now) {
		d.verdicts = append(d.verdicts, now)
	}
	d.verdicts = slices.DeleteFunc(d.verdicts, none)
	if over := len(d.verdicts) - keptVerdicts; over > 0 {
		d.verdicts = slices.Clone(d.verdicts[over:])
	}
}

// lastVerdict is what is taken back: the verdict on the tasks that the action would apply to, when there is one that can
// be; otherwise the last verdict of this session that still can be, on tasks or requests. In the inbox that comes first:
// a verdict takes its row away there, and the cursor is on another task, which may have one of its own.
func (d *decider) lastVerdict() decision {
	here := d.targets()
	moved := d.panes.Shown().Scope == keymap.Inbox && len(d.panes.Tree.Marked()) == 0
	if !moved && len(d.undoable(here)) > 0 {
		return decision{uids: here}
	}
	for _, v := range slices.Backward(d.verdicts) {
		open := decision{uids: d.undoable(v.uids)}
		for _, id := range v.requests {
			if q, ok := d.requests.With(id); ok && d.noUndoOf(&q) == "" {
				open.requests = append(open.requests, id)
			}
		}
		if len(open.uids)+len(open.requests) > 0 {
			return open
		}
	}
	return decision{uids: here}
}

// undoable are those of the tasks whose verdict can be taken back.
func (d *decider) undoable(uids []model.UID) []model.UID {
	var out []model.UID
	for _, uid := range uids {
		if d.allowed(model.Op{Name: model.UndoVerdict, UID: uid, Actor: d.deps.Actor}) == nil {
			out = append(out, uid)
		}
	}
	return out
}

// undoOp takes the answer to a request back.
func (d *decider) undoOp(q *model.Request) model.Op {
	op := model.Op{Name: model.UndoVerdict, Actor: d.deps.Actor, Args: model.RequestRef{Request: q.ID}}
	if _, ok := d.snap.Task(q.TaskUID); ok {
		op.UID = q.TaskUID
	}
	return op
}

// noUndoOf says why the answer to a request cannot be taken back.
func (d *decider) noUndoOf(q *model.Request) string {
	if d.snap == nil {
		return request.NoRequest
	}
	return d.proposer().WhyNot(d.allowed(d.undoOp(q)))
}

// noUndo says why there is nothing to take back.
func (d *decider) noUndo() string {
	why := d.noDecisionToUndo()
	if why != "" && d.panes.Other != "" {
		return fmt.Sprintf("%q can't be undone: only decisions can", d.panes.Other.Title())
	}
	return why
}

func (d *decider) noDecisionToUndo() string {
	if q, ok := d.requests.Shown(); ok {
		return d.noUndoOf(&q)
	}
	if d.snap != nil && len(d.lastVerdict().requests) > 0 {
		return ""
	}
	spec, _ := d.deps.Keymap.Spec(keymap.Undo)
	_, err := d.which(spec.Transitions(), d.targetsOf(spec))
	why := d.proposer().WhyNot(err)
	if why != "" && d.verdicts != nil && len(d.verdicts) == 0 && !strings.Contains(why, verdict.NoDecision) {
		return nothingLeft + ", and " + why
	}
	return why
}

// nothingLeft is said by undo once all decisions of the session are taken back.
const nothingLeft = "all your decisions of this session are undone"

// undo takes back the answer to the request that is open, or the last verdict.
func (d *decider) undo() tea.Cmd {
	if q, ok := d.requests.Shown(); ok {
		return d.takeBack([]string{q.ID})
	}
	if ops := d.justDecided(); len(ops) > 0 {
		return d.fire(job{ops: ops})
	}
	if ids := d.lastVerdict().requests; len(ids) > 0 {
		return d.takeBack(ids)
	}
	spec, _ := d.deps.Keymap.Spec(keymap.Undo)
	return d.begin(spec)
}

// justDecided is what takes back the last verdict, while the line that tells of it is on the screen; nil without one. That
// needs no question, as long as nobody has acted on it: it is what the line offers.
func (d *decider) justDecided() []model.Op {
	n, ok := d.notices.Fading()
	if !ok || n.Level != view.Success || len(d.verdicts) == 0 || d.dialogs.Top() != nil {
		return nil
	}
	last := d.verdicts[len(d.verdicts)-1]
	if last.subtasks || last.told != n.ID {
		return nil
	}
	p, _ := d.proposer().Propose(model.Op{Name: model.UndoVerdict}, last.uids, nil)
	ops := p.Ops
	for _, id := range last.requests {
		if q, ok := d.requests.With(id); ok && d.noUndoOf(&q) == "" && q.Answer != nil && q.Answer.FetchedBy == "" {
			op := d.undoOp(&q)
			op.ID = d.deps.NewID()
			ops = append(ops, op)
		}
	}
	if len(p.Notes) > 0 || len(ops) != len(last.uids)+len(last.requests) {
		return nil
	}
	return ops
}

// takeBack takes the answers to requests back. What will happen says who has read them already.
func (d *decider) takeBack(ids []string) tea.Cmd {
	p := verdict.Proposal{Name: model.UndoVerdict}
	for _, id := range ids {
		q, ok := d.requests.With(id)
		if !ok {
			continue
		}
		op := d.undoOp(&q)
		op.ID = d.deps.NewID()
		p.Ops = append(p.Ops, op)
	}
	summary, with, err := d.proposer().Preview(p.Ops)
	if err != nil {
		return d.fail(d.proposer().Refused(model.UndoVerdict.Title(), err))
	}
	p.Summary, p.Notes, p.Affected = strings.Join(summary, "\n"), with.Notes, with.Affected
	return d.ask(p)
}

// targetsOf are the tasks that an action applies to.
func (d *decider) targetsOf(spec keymap.Spec) []model.UID {
	switch {
	case d.snap == nil:
		return nil
	case spec.Action == keymap.Undo:
		return d.lastVerdict().uids
	case spec.Group == "Create": // a text, a name or a dependency is one task's
		if uid := d.selected(); uid != "" {
			return []model.UID{uid}
		}
		return nil
	}
	return d.targets()
}

// back puts the cursor on a task whose verdict was taken back, where the view has it.
func (d *decider) back(ops []model.Op) tea.Cmd {
	if len(ops) == 0 || ops[0].Name != model.UndoVerdict || !d.panes.Left().Jump(ops[0].UID) {
		return nil
	}
	return tea.Batch(d.nav.showItem(false), d.nav.onMoved())
}
