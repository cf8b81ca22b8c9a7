package ui

import (
	"errors"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/ui/dialog"
)

// newTask asks for the name of a task beside the one under the cursor.
func (a *App) newTask() tea.Cmd {
	if t, ok := a.current(); ok && t.Config.ParentUID != "" {
		return a.askName("New sibling", t.Config.ParentUID)
	}
	return a.askName(model.CreateTask.Title(), "")
}

func (a *App) noSubtask() string {
	t, ok := a.current()
	if !ok {
		return "no task under the cursor"
	}
	return a.proposer().WhyNot(a.allowed(a.createOp("…", t.UID)))
}

func (a *App) createOp(name string, parent model.UID) model.Op {
	return model.Op{
		Name: model.CreateTask, Actor: a.deps.Actor,
		Args: model.NewTask{UID: a.deps.NewUID(), Name: name, Parent: parent},
	}
}

func (a *App) askName(title string, parent model.UID) tea.Cmd {
	if a.snap == nil {
		return a.remark("the store is loading")
	}
	in := dialog.Line{Title: title, Label: "name", Required: true, Summary: "A new task at the top of the tree."}
	if parent != "" {
		in.Summary = fmt.Sprintf("A new task below %q.", a.name(parent))
		if t, ok := a.snap.Task(parent); ok && t.Status.CurrentState == model.Working && !t.Status.IsPaused {
			in.Notes = []string{fmt.Sprintf("%q is working: it will be paused until the subtask has ended.", a.name(parent))}
		}
	}
	op := a.createOp("", parent)
	in.Check = func(typed string) error {
		_, err := lifecycle.Apply(a.snap, named(op, typed))
		return err
	}
	in.Done = func(typed string) tea.Cmd {
		op := named(op, typed)
		op.ID = a.deps.NewID()
		return a.fire(job{ops: []model.Op{op}, select_: true})
	}
	return a.openPrompt(in)
}

// named is a creation with another name.
func named(op model.Op, name string) model.Op {
	n := model.ArgsOf[model.NewTask](&op)
	n.Name = name
	op.Args = n
	return op
}

// rename asks for another name for the task under the cursor.
func (a *App) rename() tea.Cmd {
	t, ok := a.current()
	if !ok {
		return nil
	}
	op := model.Op{Name: model.RenameTask, UID: t.UID, Actor: a.deps.Actor, ExpectRevision: t.Status.Revision}
	return a.openPrompt(dialog.Line{
		Title: model.RenameTask.Title(), Label: "name", Value: t.Config.Name, Required: true,
		Summary: fmt.Sprintf("A new name for %q. Its uid stays the same.", t.Config.Name),
		Check: func(typed string) error {
			op := op
			op.Args, op.ExpectRevision = model.NewName{Name: typed}, 0
			_, err := lifecycle.Apply(a.snap, op)
			return err
		},
		Done: func(typed string) tea.Cmd {
			op := op
			op.ID, op.Args = a.deps.NewID(), model.NewName{Name: typed}
			return a.fire(job{ops: []model.Op{op}})
		},
	})
}

// addDependency lets the person choose what the task shall wait for.
func (a *App) addDependency() tea.Cmd {
	t, ok := a.current()
	if !ok {
		return nil
	}
	var others []model.UID
	for i := range a.snap.Len() {
		uid := a.snap.UID(i)
		if uid != t.UID && !slices.Contains(t.DependsOn, uid) {
			others = append(others, uid)
		}
	}
	if len(others) == 0 {
		return a.remark("no other task that it can depend on")
	}
	title := fmt.Sprintf("%q waits for%s", a.name(t.UID), a.st.Glyph.Ellipsis)
	return a.pickTask(title, others, func(dep model.UID) tea.Cmd {
		return a.fireEdit(model.Op{Name: model.AddDependency, UID: t.UID, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	})
}

func (a *App) noDependency() string {
	t, ok := a.current()
	switch {
	case !ok:
		return "no task under the cursor"
	case len(t.DependsOn) == 0:
		return "the task depends on nothing"
	}
	return ""
}

// removeDependency lets the person choose a dependency to take away.
func (a *App) removeDependency() tea.Cmd {
	t, ok := a.current()
	if !ok {
		return nil
	}
	title := fmt.Sprintf("%q no longer waits for%s", a.name(t.UID), a.st.Glyph.Ellipsis)
	return a.pickTask(title, t.DependsOn, func(dep model.UID) tea.Cmd {
		return a.fireEdit(model.Op{Name: model.RemoveDependency, UID: t.UID, Args: model.DependencyEdit{DependsOn: []model.UID{dep}}})
	})
}

// fireEdit fires an edit that the person has just chosen in every detail: no question
// follows. What is refused is said at once, and a cycle is drawn.
func (a *App) fireEdit(op model.Op) tea.Cmd {
	op.ID, op.Actor = a.deps.NewID(), a.deps.Actor
	if _, err := lifecycle.Apply(a.snap, op); err != nil {
		var r *model.Refusal
		if errors.As(err, &r) && len(r.Cycle) > 0 {
			a.record(a.proposer().Refused(op.Name.Title(), err))
			return a.showCycle(r)
		}
		return a.fail(a.proposer().Refused(op.Name.Title(), err))
	}
	return a.fire(job{ops: []model.Op{op}})
}

// cycleLines draws a cycle: every task with what it waits for below it, back to the first.
func (a *App) cycleLines(cycle []model.UID) []string {
	g := &a.st.Glyph
	out := []string{a.st.Bad.Render("This would close a cycle: each task would wait for the next."), ""}
	for i, uid := range cycle {
		last := i == len(cycle)-1
		mark := "  "
		if i == 0 {
			mark = g.Arrow + " "
		}
		if last {
			mark = g.Back + " "
		}
		out = append(out, "  "+a.st.Accent.Render(mark)+a.st.Bold.Render(safeLine(a.name(uid)))+a.st.Faint.Render("  "+safeLine(string(uid))))
		if !last {
			word := "waits for"
			if i == 0 {
				word = "would wait for"
			}
			out = append(out, "    "+a.st.EdgeCycle.Render(g.Down)+a.st.Muted.Render(" "+word))
		}
	}
	return append(out, "", a.st.Muted.Render("Nothing was written. Remove one of these dependencies first."))
}
