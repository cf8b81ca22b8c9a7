package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/model/lifecycle"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/subtasks"
	"vespe/ui/text"
	"vespe/ui/verdict"
	"vespe/ui/view"
)

// decomposePage is the page on which a task is decomposed.
type decomposePage struct {
	dialog.Frame
	tasks *taskEditor
	page  *subtasks.Page
}

func (e *taskEditor) decomposeActions() map[keymap.Action]view.Action {
	out := map[keymap.Action]view.Action{keymap.Decompose: {Do: e.openDecompose, Off: e.noDecompose}}
	for _, spec := range keymap.Actions() {
		if slices.Equal(spec.Scopes, []keymap.Scope{keymap.Subtasks}) && spec.Action != keymap.DecomposeClose {
			out[spec.Action] = view.Action{Off: e.notDecomposing, Do: func() tea.Cmd { return e.decomposing().act(spec.Action) }}
		}
	}
	return out
}

// act does an action of the page.
func (p *decomposePage) act(action keymap.Action) tea.Cmd {
	if action == keymap.DecomposeAccept {
		return p.accept()
	}
	p.page.Do(action)
	return nil
}

// decomposing is the page that has the keys; nil for none.
func (e *taskEditor) decomposing() *decomposePage {
	p, _ := e.dialogs.Top().(*decomposePage)
	return p
}

func (e *taskEditor) notDecomposing() string {
	if e.decomposing() == nil {
		return "no task is being decomposed"
	}
	return ""
}

// planned reports whether a task has a plan that can be read here.
func (e *taskEditor) planned(t *model.Task) bool {
	return e.deps.Plans != nil && (t.HasPlan || t.Status.PlanRevision > 0)
}

// divided is why a task's own work can't be divided; nil if it can.
func (e *taskEditor) divided(uid model.UID) error {
	return e.allowed(model.Op{Name: model.Decompose, UID: uid, Actor: e.deps.Actor, Args: model.Decomposition{}})
}

// noDecompose says why the task under the cursor can't be decomposed.
func (e *taskEditor) noDecompose() string {
	t, ok := e.current()
	switch {
	case !ok:
		return verdict.ErrNoTask.Error()
	case e.planned(t):
		return ""
	}
	return e.proposer().WhyNot(e.divided(t.UID))
}

// openDecompose shows what the task under the cursor could be decomposed into. A plan is read first.
func (e *taskEditor) openDecompose() tea.Cmd {
	t, ok := e.current()
	switch {
	case !ok:
		return nil
	case e.planned(t):
		return e.readProposal(t)
	}
	return e.pushSubtasks(t, nil)
}

func (e *taskEditor) readProposal(t *model.Task) tea.Cmd {
	snap := e.snap
	return e.await("The tasks of the plan", func() opening { return e.fx.proposal(snap, t) })
}

// planTasks is what the plan of a task lists.
type planTasks struct {
	uid model.UID
	p   *decompose.Proposal
	err error
}

// open opens the page, or says why there is none.
func (m planTasks) open(a *App) tea.Cmd {
	t, ok := a.snap.Task(m.uid)
	if !ok {
		return a.remark("the task is no longer in the store")
	}
	var reasons []string
	title, lead := "No tasks in the plan", "The plan lists no tasks. List them as"
	var bad *decompose.Unreadable
	switch {
	case errors.As(m.err, &decompose.None{}):
		reasons = decompose.Forms()
	case errors.As(m.err, &bad):
		title, lead = "Can't read the list of tasks", "Fix these problems in the plan first:"
		for _, p := range bad.Problems {
			if p.Line > 0 {
				p.Text = fmt.Sprintf("line %d: %s", p.Line, p.Text)
			}
			reasons = append(reasons, p.Text)
		}
	case m.err != nil:
		return a.fail(a.proposer().Refused(model.Decompose.Title(), m.err))
	}
	if m.p == nil && a.tasks.divided(m.uid) != nil {
		lines := []string{a.st.Muted.Render(lead), ""}
		for _, l := range reasons {
			lines = append(lines, a.st.Text.Render(a.st.Glyph.Dot+" "+text.SafeLine(l)))
		}
		return a.dialogs.Push(dialog.NewPage(a.st, title, lines))
	}
	return a.tasks.pushSubtasks(t, subtasks.Plan(m.p, slices.Insert(reasons, 0, lead)))
}

// pushSubtasks opens the page with the tasks of a plan, nil for none, and with parts of the task's own work.
func (e *taskEditor) pushSubtasks(t *model.Task, plan *subtasks.Source) tea.Cmd {
	o := subtasks.Options{
		Limits: e.snap.Policy().SizeLimits(), Names: e.name, More: e.keyHint(keymap.DecomposeDown, "scrolls"),
	}
	if deps := e.snap.DependentUIDs(t.UID); len(deps) > 0 {
		names := make([]string, len(deps))
		for i, uid := range deps {
			names[i] = e.name(uid)
		}
		o.After = text.Listed(names, 2)
	}
	page := subtasks.New(e.st, t, plan, e.divided(t.UID) == nil, o)
	return e.dialogs.Push(&decomposePage{dialog.Frame{Box: page, Scope: keymap.Subtasks}, e, page})
}

func (p *decomposePage) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: p.page.Lacks(action)}
}

func (p *decomposePage) Do(action keymap.Action) (tea.Cmd, bool) {
	p.page.Say("")
	spec, _ := p.tasks.deps.Keymap.Spec(action)
	if !slices.Contains(spec.Scopes, keymap.Subtasks) || action == keymap.DecomposeClose {
		return nil, false
	}
	switch t, ok := p.tasks.snap.Task(p.page.Task().UID); {
	case !ok:
		p.page.Say("The task is no longer in the store.")
		return nil, true
	case p.page.Update(t):
		return nil, true
	}
	return p.tasks.root.run(action), true
}

// accept says what will happen and asks for a yes. The page stays behind the question.
func (p *decomposePage) accept() tea.Cmd {
	e, page := p.tasks, p.page
	from := page.Proposal()
	if from == nil {
		page.Say(subtasks.Nothing)
		return nil
	}
	op := model.Op{
		Name: model.Decompose, UID: page.Task().UID, Actor: e.deps.Actor, ID: e.deps.NewID(), Args: from.Decomposition(),
	}
	op.FillUIDs(e.deps.NewUID)
	ch, err := lifecycle.Apply(e.snap, op)
	if err != nil {
		n := view.Refusal("", err)
		page.Say(n.Sentence().Error())
		return nil
	}
	status := model.StatusReviewPlan
	notes := slices.Clone(ch.Warnings)
	var list []overlay.Affected
	if page.IsPlan() {
		notes = append(notes, "each has its own plan to review")
	} else {
		status = model.StatusPlanning
		whole := page.Task().Complexity(e.snap.Policy().SizeLimits())
		list = append(list, overlay.Affected{Glyph: e.st.Glyph.Dot, Ink: e.st.Accent, Title: "the whole", Detail: detail.ScoreWords(&whole)})
	}
	for _, i := range from.In() {
		row := overlay.Affected{Title: text.SafeLine(from.Items[i].Title), Detail: from.Items[i].Key + ", " + detail.ScoreWords(page.Score(i))}
		if w := page.Waits(i); w != "" {
			row.Detail += ", waits for " + text.SafeLine(w)
		}
		row.Glyph, row.Ink = e.st.Status(status)
		list = append(list, row)
	}
	return e.openConfirm(dialog.Ask{
		Title: "Decompose", Summary: text.Capital(ch.Summary) + ".", Notes: notes, Yes: "Create them", Affected: append(list, e.repointed(ch, op)...),
		Done: func() tea.Cmd {
			e.dialogs.Drop(p)
			return e.fire(job{ops: []model.Op{op}})
		},
	})
}

// repointed are the other tasks that a decomposition changes: those that wait for the last part now, and the task itself.
func (e *taskEditor) repointed(ch *model.Change, op model.Op) []overlay.Affected {
	var out []overlay.Affected
	parts := model.ArgsOf[model.Decomposition](&op).Subtasks
	n := len(parts) - 1
	for _, t := range ch.Tasks {
		i, known := e.snap.Index(t.UID)
		if !known || t.UID == op.UID {
			continue
		}
		row := overlay.Affected{Title: e.name(t.UID), Detail: verdict.StateChange(e.snap.At(i), t)}
		row.Glyph, row.Ink = e.st.Status(e.snap.Status(i))
		if slices.Contains(t.DependsOn, parts[n].UID) {
			row.Detail = strings.TrimSuffix("waits for part "+complexity.Letter(n)+", "+row.Detail, ", ")
		}
		if row.Detail != "" {
			out = append(out, row)
		}
	}
	if t, ok := e.snap.Task(op.UID); ok && t.Status.CurrentState == model.Working {
		row := overlay.Affected{Title: e.name(op.UID), Detail: "waits for its subtasks"}
		row.Glyph, row.Ink = e.st.Status(model.StatusSubtasks)
		out = append(out, row)
	}
	return out
}
