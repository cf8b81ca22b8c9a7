package ui

import (
	"strconv"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/progress"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
)

// noSteps says why no steps can be ticked.
func (e *taskEditor) noSteps() string {
	t, ok := e.current()
	switch {
	case !ok:
		return "no task under the cursor"
	case t.Spec == nil || len(t.Spec.Steps) == 0:
		return "the task has no steps"
	}
	return e.proposer().WhyNot(e.allowed(model.Op{Name: model.SetFields, UID: t.UID, Actor: e.deps.Actor, Args: model.FieldEdit{Set: []model.Assignment{progress.TickStep(1, true)}}}))
}

// tickSteps lists the steps of the task; those that were ticked or opened again are written at once.
func (e *taskEditor) tickSteps() tea.Cmd {
	t, ok := e.current()
	if !ok || t.Spec == nil {
		return nil
	}
	var rows []overlay.Check
	var open []string
	for i, s := range t.Spec.Steps {
		id := strconv.Itoa(i + 1)
		rows = append(rows, overlay.Check{ID: id, Title: id + ". " + safeLine(s.Step), Inside: -1})
		if !s.Done {
			open = append(open, id)
		}
	}
	op := model.Op{Name: model.SetFields, UID: t.UID, Actor: e.deps.Actor, ExpectRevision: t.Status.Revision}
	steps := t.Spec.Steps
	o := overlay.ChecklistOptions{Title: "Steps of " + e.name(t.UID), Rows: rows, Out: open, OutWord: "open", InWord: "done"}
	return e.dialogs.Push(&stepsList{dialog.NewChecklist(e.st, nil, o, func(out []string) tea.Cmd {
		isOpen := map[string]bool{}
		for _, id := range out {
			isOpen[id] = true
		}
		var set []model.Assignment
		for i, s := range steps {
			if done := !isOpen[strconv.Itoa(i+1)]; done != s.Done {
				set = append(set, progress.TickStep(i+1, done))
			}
		}
		if len(set) == 0 {
			return e.remark("no step changed")
		}
		op.ID, op.Args = e.deps.NewID(), model.FieldEdit{Set: set}
		return e.fire(job{ops: []model.Op{op}})
	})})
}

// stepsList are the steps of a task: what is ticked in it is done.
type stepsList struct{ dialog.Checklist }

func (s *stepsList) Can(action keymap.Action) dialog.Can {
	switch action {
	case keymap.PartsToggle:
		return dialog.Can{Title: "done or open"}
	case keymap.PartsDone:
		return dialog.Can{Title: "save"}
	}
	return dialog.Can{}
}
