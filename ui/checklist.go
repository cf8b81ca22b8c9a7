package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/overlay"
)

// checklist is a list of which some rows are left out.
type checklist struct {
	window
	done func(out []string) tea.Cmd
}

func (a *App) checklist(o overlay.ChecklistOptions, done func(out []string) tea.Cmd) checklist {
	return checklist{window{a: a, box: overlay.NewChecklist(a.st, o), scope: keymap.Parts}, done}
}

func (c *checklist) On(out overlay.Outcome) tea.Cmd {
	if chosen, ok := out.(overlay.Checked); ok {
		return c.done(chosen.Out)
	}
	return nil
}

// partsList are the parts of what a sheet accepts.
type partsList struct {
	checklist
	of *question
}

// chooseFrom lists parts of what a sheet accepts, to leave some out. then opens the sheet for what was
// chosen in the place of the one that was there; it accepts the bytes of that one.
func (a *App) chooseFrom(title string, of *question, parts []overlay.Check, left []string, then func(out []string) tea.Cmd) tea.Cmd {
	return a.push(&partsList{a.checklist(overlay.ChecklistOptions{Title: title, Rows: parts, Out: left}, func(out []string) tea.Cmd {
		if slices.Equal(out, left) {
			return nil
		}
		return then(out)
	}), of})
}

func (p *partsList) Place() place { return p.of.placed(p.box) }

// noSteps says why no steps can be ticked.
func (a *App) noSteps() string {
	t, ok := a.current()
	switch {
	case !ok:
		return "no task under the cursor"
	case t.Spec == nil || len(t.Spec.Steps) == 0:
		return "the task has no steps"
	}
	return a.whyNot(a.allowed(model.Op{Name: model.SetFields, UID: t.UID, Actor: a.deps.Actor, Args: model.FieldEdit{Set: []model.Assignment{model.TickStep(1, true)}}}))
}

// tickSteps lists the steps of the task; those that were ticked or opened again are written at once.
func (a *App) tickSteps() tea.Cmd {
	t, ok := a.current()
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
	op := model.Op{Name: model.SetFields, UID: t.UID, Actor: a.deps.Actor, ExpectRevision: t.Status.Revision}
	steps := t.Spec.Steps
	o := overlay.ChecklistOptions{Title: "Steps of " + a.name(t.UID), Rows: rows, Out: open, OutWord: "open", InWord: "done"}
	return a.push(&stepsList{a.checklist(o, func(out []string) tea.Cmd {
		isOpen := map[string]bool{}
		for _, id := range out {
			isOpen[id] = true
		}
		var set []model.Assignment
		for i, s := range steps {
			if done := !isOpen[strconv.Itoa(i+1)]; done != s.Done {
				set = append(set, model.TickStep(i+1, done))
			}
		}
		if len(set) == 0 {
			return a.remark("no step changed")
		}
		op.ID, op.Args = a.deps.NewID(), model.FieldEdit{Set: set}
		return a.fire(job{ops: []model.Op{op}})
	})})
}

// stepsList are the steps of a task: what is ticked in it is done.
type stepsList struct{ checklist }

func (s *stepsList) Can(action keymap.Action) can {
	switch action {
	case keymap.PartsToggle:
		return can{title: "done or open"}
	case keymap.PartsDone:
		return can{title: "save"}
	}
	return can{}
}
