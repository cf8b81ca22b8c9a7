package ui

import (
	"errors"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
)

// keptVerdicts is how many decisions of this session can be gone back to.
const keptVerdicts = 50

// decided remembers the tasks of a verdict, and forgets those whose verdict was taken back.
func (a *App) decided(ops []model.Op) {
	var uids []model.UID
	for _, op := range ops {
		row, ok := model.Lookup(op.Name)
		switch {
		case op.Name == model.UndoVerdict:
			for i, batch := range a.verdicts {
				a.verdicts[i] = slices.DeleteFunc(batch, func(uid model.UID) bool { return uid == op.UID })
			}
		case ok && row.Verdict && op.Actor.Kind() == model.Human:
			uids = append(uids, op.UID)
		}
	}
	if len(uids) > 0 {
		a.verdicts = append(a.verdicts, uids)
	}
	a.verdicts = slices.DeleteFunc(a.verdicts, func(batch []model.UID) bool { return len(batch) == 0 })
	if over := len(a.verdicts) - keptVerdicts; over > 0 {
		a.verdicts = slices.Clone(a.verdicts[over:])
	}
}

// undoTargets are the tasks whose verdict is taken back: those that the action would
// apply to anyway, when one of them has a verdict that can be; otherwise those of the last
// verdict of this session that still can be. A verdict given from the inbox takes its row
// away, and the cursor goes on.
func (a *App) undoTargets() []model.UID {
	here := a.targets()
	if len(a.undoable(here)) > 0 {
		return here
	}
	for _, batch := range slices.Backward(a.verdicts) {
		if uids := a.undoable(batch); len(uids) > 0 {
			return uids
		}
	}
	return here
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

// targetsOf are the tasks that an action applies to.
func (a *App) targetsOf(spec keymap.Spec) []model.UID {
	switch {
	case a.snap == nil:
		return nil
	case spec.Action == keymap.Undo:
		return a.undoTargets()
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
	return a.onMoved()
}

// errNoTask is what is said where an action has no task to act on.
var errNoTask = errors.New("there is no task under the cursor")
