package ui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/progress"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/text"
)

// taskEditor makes and changes tasks: names, dependencies, steps, documents, subtasks.
type taskEditor struct {
	*core
	comments *commenter
	nav      *navigator
	editor   editor
}

// newTask asks for the name of a task beside the one under the cursor.
func (e *taskEditor) newTask() tea.Cmd {
	if t, ok := e.current(); ok && t.Config.ParentUID != "" {
		return e.askName("New sibling", t.Config.ParentUID)
	}
	return e.askName(model.CreateTask.Title(), "")
}

func (e *taskEditor) noSubtask() string {
	t, ok := e.current()
	if !ok {
		return "no task under the cursor"
	}
	return e.proposer().WhyNot(e.allowed(e.createOp("…", t.UID)))
}

func (c *core) createOp(name string, parent model.UID) model.Op {
	return model.Op{
		Name: model.CreateTask, Actor: c.deps.Actor,
		Args: model.NewTask{UID: c.deps.NewUID(), Name: name, Parent: parent},
	}
}

func (e *taskEditor) askName(title string, parent model.UID) tea.Cmd {
	if e.snap == nil {
		return e.remark("the store is loading")
	}
	in := dialog.Line{Title: title, Label: "name", Required: true, Summary: "A new task at the top of the tree."}
	if parent != "" {
		in.Summary = fmt.Sprintf("A new task below %q.", e.name(parent))
		if t, ok := e.snap.Task(parent); ok && t.Status.CurrentState == model.Working && !t.Status.IsPaused {
			in.Notes = []string{fmt.Sprintf("%q is working: it will be paused until the subtask has ended.", e.name(parent))}
		}
	}
	op := e.createOp("", parent)
	in.Check = func(typed string) error {
		_, err := lifecycle.Apply(e.snap, named(op, typed))
		return err
	}
	in.Done = func(typed string) tea.Cmd {
		op := named(op, typed)
		op.ID = e.deps.NewID()
		return e.fire(job{ops: []model.Op{op}, select_: true})
	}
	return e.openPrompt(in)
}

// named is a creation with another name.
func named(op model.Op, name string) model.Op {
	n := model.ArgsOf[model.NewTask](&op)
	n.Name = name
	op.Args = n
	return op
}

// rename asks for another name for the task under the cursor.
func (e *taskEditor) rename() tea.Cmd {
	t, ok := e.current()
	if !ok {
		return nil
	}
	op := model.Op{Name: model.RenameTask, UID: t.UID, Actor: e.deps.Actor, ExpectRevision: t.Status.Revision}
	return e.openPrompt(dialog.Line{
		Title: model.RenameTask.Title(), Label: "name", Value: t.Config.Name, Required: true,
		Summary: fmt.Sprintf("A new name for %q. Its uid stays the same.", t.Config.Name),
		Check: func(typed string) error {
			op := op
			op.Args, op.ExpectRevision = model.NewName{Name: typed}, 0
			_, err := lifecycle.Apply(e.snap, op)
			return err
		},
		Done: func(typed string) tea.Cmd {
			op := op
			op.ID, op.Args = e.deps.NewID(), model.NewName{Name: typed}
			return e.fire(job{ops: []model.Op{op}})
		},
	})
}

// addDependency lets the person choose what the task shall wait for.
func (e *taskEditor) addDependency() tea.Cmd {
	t, ok := e.current()
	if !ok {
		return nil
	}
	var others []model.UID
	for i := range e.snap.Len() {
		uid := e.snap.UID(i)
		if uid != t.UID && !slices.Contains(t.DependsOn, uid) {
			others = append(others, uid)
		}
	}
	if len(others) == 0 {
		return e.remark("no other task that it can depend on")
	}
	title := fmt.Sprintf("%q waits for%s", e.name(t.UID), e.st.Glyph.Ellipsis)
	return e.pickTask(title, others, func(dep model.UID) tea.Cmd {
		return e.fireEdit(model.Op{Name: model.AddDependency, UID: t.UID, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	})
}

func (e *taskEditor) noDependency() string {
	t, ok := e.current()
	switch {
	case !ok:
		return "no task under the cursor"
	case len(t.DependsOn) == 0:
		return "the task depends on nothing"
	}
	return ""
}

// removeDependency lets the person choose a dependency to take away.
func (e *taskEditor) removeDependency() tea.Cmd {
	t, ok := e.current()
	if !ok {
		return nil
	}
	title := fmt.Sprintf("%q no longer waits for%s", e.name(t.UID), e.st.Glyph.Ellipsis)
	return e.pickTask(title, t.DependsOn, func(dep model.UID) tea.Cmd {
		return e.fireEdit(model.Op{Name: model.RemoveDependency, UID: t.UID, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	})
}

// fireEdit fires an edit that the person has just chosen in every detail: no question
// follows. What is refused is said at once, and a cycle is drawn.
func (e *taskEditor) fireEdit(op model.Op) tea.Cmd {
	op.ID, op.Actor = e.deps.NewID(), e.deps.Actor
	if _, err := lifecycle.Apply(e.snap, op); err != nil {
		var r *model.Refusal
		if errors.As(err, &r) && len(r.Cycle) > 0 {
			e.record(e.proposer().Refused(op.Name.Title(), err))
			return e.showCycle(r)
		}
		return e.fail(e.proposer().Refused(op.Name.Title(), err))
	}
	return e.fire(job{ops: []model.Op{op}})
}

// cycleLines draws a cycle: every task with what it waits for below it, back to the first.
func (e *taskEditor) cycleLines(cycle []model.UID) []string {
	g := &e.st.Glyph
	out := []string{e.st.Bad.Render("This would close a cycle: each task would wait for the next."), ""}
	for i, uid := range cycle {
		last := i == len(cycle)-1
		mark := "  "
		if i == 0 {
			mark = g.Arrow + " "
		}
		if last {
			mark = g.Back + " "
		}
		out = append(out, "  "+e.st.Accent.Render(mark)+e.st.Bold.Render(text.SafeLine(e.name(uid)))+e.st.Faint.Render("  "+text.SafeLine(string(uid))))
		if !last {
			word := "waits for"
			if i == 0 {
				word = "would wait for"
			}
			out = append(out, "    "+e.st.EdgeCycle.Render(g.Down)+e.st.Muted.Render(" "+word))
		}
	}
	return append(out, "", e.st.Muted.Render("Nothing was written. Remove one of these dependencies first."))
}

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
		rows = append(rows, overlay.Check{ID: id, Title: id + ". " + text.SafeLine(s.Step), Inside: -1})
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
