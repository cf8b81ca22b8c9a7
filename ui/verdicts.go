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
func (a *App) decided(ops []model.Op) {
	now := decision{told: a.notices.Last}
	for _, op := range ops {
		row, ok := lifecycle.Lookup(op.Name)
		switch {
		case op.Name == model.UndoVerdict:
			for i := range a.verdicts {
				v := &a.verdicts[i]
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
		a.tour.Did(tour.Decide, here(a))
	case len(ops) > 0 && ops[0].Name == model.UndoVerdict:
		a.tour.Did(tour.TakeBack, here(a))
	}
	a.panes.other = ""
	if len(now.uids)+len(now.requests) == 0 && len(ops) > 0 && ops[0].Name != model.UndoVerdict {
		a.panes.other = ops[0].Name
	}
	none := func(v decision) bool { return len(v.uids)+len(v.requests) == 0 }
	if !none(now) {
		a.verdicts = append(a.verdicts, now)
	}
	a.verdicts = slices.DeleteFunc(a.verdicts, none)
	if over := len(a.verdicts) - keptVerdicts; over > 0 {
		a.verdicts = slices.Clone(a.verdicts[over:])
	}
}

// lastVerdict is what is taken back: the verdict on the tasks that the action would apply to, when there is one that can
// be; otherwise the last verdict of this session that still can be, on tasks or requests. In the inbox that comes first:
// a verdict takes its row away there, and the cursor is on another task, which may have one of its own.
func (a *App) lastVerdict() decision {
	here := a.targets()
	moved := a.panes.shown().scope == keymap.Inbox && len(a.panes.tree.Marked()) == 0
	if !moved && len(a.undoable(here)) > 0 {
		return decision{uids: here}
	}
	for _, v := range slices.Backward(a.verdicts) {
		open := decision{uids: a.undoable(v.uids)}
		for _, id := range v.requests {
			if q, ok := a.requests.With(id); ok && a.noUndoOf(&q) == "" {
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
func (a *App) undoable(uids []model.UID) []model.UID {
	var out []model.UID
	for _, uid := range uids {
		if a.allowed(model.Op{Name: model.UndoVerdict, UID: uid, Actor: a.deps.Actor}) == nil {
			out = append(out, uid)
		}
	}
	return out
}

// undoOp takes the answer to a request back.
func (a *App) undoOp(q *model.Request) model.Op {
	op := model.Op{Name: model.UndoVerdict, Actor: a.deps.Actor, Args: model.RequestRef{Request: q.ID}}
	if _, ok := a.snap.Task(q.TaskUID); ok {
		op.UID = q.TaskUID
	}
	return op
}

// noUndoOf says why the answer to a request cannot be taken back.
func (a *App) noUndoOf(q *model.Request) string {
	if a.snap == nil {
		return request.NoRequest
	}
	return a.proposer().WhyNot(a.allowed(a.undoOp(q)))
}

// noUndo says why there is nothing to take back.
func (a *App) noUndo() string {
	why := a.noDecisionToUndo()
	if why != "" && a.panes.other != "" {
		return fmt.Sprintf("%q can't be undone: only decisions can", a.panes.other.Title())
	}
	return why
}

func (a *App) noDecisionToUndo() string {
	if q, ok := a.requests.Shown(); ok {
		return a.noUndoOf(&q)
	}
	if a.snap != nil && len(a.lastVerdict().requests) > 0 {
		return ""
	}
	spec, _ := a.deps.Keymap.Spec(keymap.Undo)
	_, err := a.which(spec.Transitions(), a.targetsOf(spec))
	why := a.proposer().WhyNot(err)
	if why != "" && a.verdicts != nil && len(a.verdicts) == 0 && !strings.Contains(why, verdict.NoDecision) {
		return nothingLeft + ", and " + why
	}
	return why
}

// nothingLeft is said by undo once all decisions of the session are taken back.
const nothingLeft = "all your decisions of this session are undone"

// undo takes back the answer to the request that is open, or the last verdict.
func (a *App) undo() tea.Cmd {
	if q, ok := a.requests.Shown(); ok {
		return a.takeBack([]string{q.ID})
	}
	if ops := a.justDecided(); len(ops) > 0 {
		return a.fire(job{ops: ops})
	}
	if ids := a.lastVerdict().requests; len(ids) > 0 {
		return a.takeBack(ids)
	}
	spec, _ := a.deps.Keymap.Spec(keymap.Undo)
	return a.begin(spec)
}

// justDecided is what takes back the last verdict, while the line that tells of it is on the screen; nil without one. That
// needs no question, as long as nobody has acted on it: it is what the line offers.
func (a *App) justDecided() []model.Op {
	n, ok := a.notices.Fading()
	if !ok || n.Level != view.Success || len(a.verdicts) == 0 || a.dialogs.Top() != nil {
		return nil
	}
	last := a.verdicts[len(a.verdicts)-1]
	if last.subtasks || last.told != n.ID {
		return nil
	}
	p, _ := a.proposer().Propose(model.Op{Name: model.UndoVerdict}, last.uids, nil)
	ops := p.Ops
	for _, id := range last.requests {
		if q, ok := a.requests.With(id); ok && a.noUndoOf(&q) == "" && q.Answer != nil && q.Answer.FetchedBy == "" {
			op := a.undoOp(&q)
			op.ID = a.deps.NewID()
			ops = append(ops, op)
		}
	}
	if len(p.Notes) > 0 || len(ops) != len(last.uids)+len(last.requests) {
		return nil
	}
	return ops
}

// takeBack takes the answers to requests back. What will happen says who has read them already.
func (a *App) takeBack(ids []string) tea.Cmd {
	p := verdict.Proposal{Name: model.UndoVerdict}
	for _, id := range ids {
		q, ok := a.requests.With(id)
		if !ok {
			continue
		}
		op := a.undoOp(&q)
		op.ID = a.deps.NewID()
		p.Ops = append(p.Ops, op)
	}
	summary, with, err := a.proposer().Preview(p.Ops)
	if err != nil {
		return a.fail(a.proposer().Refused(model.UndoVerdict.Title(), err))
	}
	p.Summary, p.Notes, p.Affected = strings.Join(summary, "\n"), with.Notes, with.Affected
	return a.ask(p)
}

// targetsOf are the tasks that an action applies to.
func (a *App) targetsOf(spec keymap.Spec) []model.UID {
	switch {
	case a.snap == nil:
		return nil
	case spec.Action == keymap.Undo:
		return a.lastVerdict().uids
	case spec.Group == "Create": // a text, a name or a dependency is one task's
		if uid := a.selected(); uid != "" {
			return []model.UID{uid}
		}
		return nil
	}
	return a.targets()
}

// back puts the cursor on a task whose verdict was taken back, where the view has it.
func (a *App) back(ops []model.Op) tea.Cmd {
	if len(ops) == 0 || ops[0].Name != model.UndoVerdict || !a.panes.left().Jump(ops[0].UID) {
		return nil
	}
	return tea.Batch(a.showItem(false), a.onMoved())
}
