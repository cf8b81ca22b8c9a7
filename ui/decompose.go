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
	a    *App
	page *subtasks.Page
}

func (a *App) decomposeActions() map[keymap.Action]view.Action {
	out := map[keymap.Action]view.Action{keymap.Decompose: {Do: a.openDecompose, Off: a.noDecompose}}
	for _, spec := range keymap.Actions() {
		if slices.Equal(spec.Scopes, []keymap.Scope{keymap.Subtasks}) && spec.Action != keymap.DecomposeClose {
			out[spec.Action] = view.Action{Off: a.notDecomposing, Do: func() tea.Cmd { return a.decomposing().act(spec.Action) }}
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
func (a *App) decomposing() *decomposePage {
	p, _ := a.dialogs.Top().(*decomposePage)
	return p
}

func (a *App) notDecomposing() string {
	if a.decomposing() == nil {
		return "no task is being decomposed"
	}
	return ""
}

// planned reports whether a task has a plan that can be read here.
func (a *App) planned(t *model.Task) bool {
	return a.deps.Plans != nil && (t.HasPlan || t.Status.PlanRevision > 0)
}

// divided is why a task's own work can't be divided; nil if it can.
func (a *App) divided(uid model.UID) error {
	return a.allowed(model.Op{Name: model.Decompose, UID: uid, Actor: a.deps.Actor, Args: model.Decomposition{}})
}

// noDecompose says why the task under the cursor can't be decomposed.
func (a *App) noDecompose() string {
	t, ok := a.current()
	switch {
	case !ok:
		return verdict.ErrNoTask.Error()
	case a.planned(t):
		return ""
	}
	return a.proposer().WhyNot(a.divided(t.UID))
}

// openDecompose shows what the task under the cursor could be decomposed into. A plan is read first.
func (a *App) openDecompose() tea.Cmd {
	t, ok := a.current()
	switch {
	case !ok:
		return nil
	case a.planned(t):
		return a.readProposal(t)
	}
	return a.pushSubtasks(t, nil)
}

func (a *App) readProposal(t *model.Task) tea.Cmd {
	snap := a.snap
	return a.await("The tasks of the plan", func() opening { return a.fx.proposal(snap, t) })
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
	if m.p == nil && a.divided(m.uid) != nil {
		lines := []string{a.st.Muted.Render(lead), ""}
		for _, l := range reasons {
			lines = append(lines, a.st.Text.Render(a.st.Glyph.Dot+" "+safeLine(l)))
		}
		return a.dialogs.Push(dialog.NewPage(a.st, title, lines))
	}
	return a.pushSubtasks(t, subtasks.Plan(m.p, slices.Insert(reasons, 0, lead)))
}

// pushSubtasks opens the page with the tasks of a plan, nil for none, and with parts of the task's own work.
func (a *App) pushSubtasks(t *model.Task, plan *subtasks.Source) tea.Cmd {
	o := subtasks.Options{
		Limits: a.snap.Policy().SizeLimits(), Names: a.name, More: a.keyHint(keymap.DecomposeDown, "scrolls"),
	}
	if deps := a.snap.DependentUIDs(t.UID); len(deps) > 0 {
		names := make([]string, len(deps))
		for i, uid := range deps {
			names[i] = a.name(uid)
		}
		o.After = text.Listed(names, 2)
	}
	page := subtasks.New(a.st, t, plan, a.divided(t.UID) == nil, o)
	return a.dialogs.Push(&decomposePage{dialog.Frame{Box: page, Scope: keymap.Subtasks}, a, page})
}

func (p *decomposePage) Can(action keymap.Action) dialog.Can {
	return dialog.Can{No: p.page.Lacks(action)}
}

func (p *decomposePage) Do(action keymap.Action) (tea.Cmd, bool) {
	p.page.Say("")
	spec, _ := p.a.deps.Keymap.Spec(action)
	if !slices.Contains(spec.Scopes, keymap.Subtasks) || action == keymap.DecomposeClose {
		return nil, false
	}
	switch t, ok := p.a.snap.Task(p.page.Task().UID); {
	case !ok:
		p.page.Say("The task is no longer in the store.")
		return nil, true
	case p.page.Update(t):
		return nil, true
	}
	return p.a.run(action), true
}

// accept says what will happen and asks for a yes. The page stays behind the question.
func (p *decomposePage) accept() tea.Cmd {
	a, page := p.a, p.page
	from := page.Proposal()
	if from == nil {
		page.Say(subtasks.Nothing)
		return nil
	}
	op := model.Op{
		Name: model.Decompose, UID: page.Task().UID, Actor: a.deps.Actor, ID: a.deps.NewID(), Args: from.Decomposition(),
	}
	op.FillUIDs(a.deps.NewUID)
	ch, err := lifecycle.Apply(a.snap, op)
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
		whole := page.Task().Complexity(a.snap.Policy().SizeLimits())
		list = append(list, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: "the whole", Detail: detail.ScoreWords(&whole)})
	}
	for _, i := range from.In() {
		row := overlay.Affected{Title: safeLine(from.Items[i].Title), Detail: from.Items[i].Key + ", " + detail.ScoreWords(page.Score(i))}
		if w := page.Waits(i); w != "" {
			row.Detail += ", waits for " + safeLine(w)
		}
		row.Glyph, row.Ink = a.st.Status(status)
		list = append(list, row)
	}
	return a.openConfirm(dialog.Ask{
		Title: "Decompose", Summary: capital(ch.Summary) + ".", Notes: notes, Yes: "Create them", Affected: append(list, a.repointed(ch, op)...),
		Done: func() tea.Cmd {
			a.dialogs.Drop(p)
			return a.fire(job{ops: []model.Op{op}})
		},
	})
}

// repointed are the other tasks that a decomposition changes: those that wait for the last part now, and the task itself.
func (a *App) repointed(ch *model.Change, op model.Op) []overlay.Affected {
	var out []overlay.Affected
	parts := model.ArgsOf[model.Decomposition](&op).Subtasks
	n := len(parts) - 1
	for _, t := range ch.Tasks {
		i, known := a.snap.Index(t.UID)
		if !known || t.UID == op.UID {
			continue
		}
		row := overlay.Affected{Title: a.name(t.UID), Detail: verdict.StateChange(a.snap.At(i), t)}
		row.Glyph, row.Ink = a.st.Status(a.snap.Status(i))
		if slices.Contains(t.DependsOn, parts[n].UID) {
			row.Detail = strings.TrimSuffix("waits for part "+complexity.Letter(n)+", "+row.Detail, ", ")
		}
		if row.Detail != "" {
			out = append(out, row)
		}
	}
	if t, ok := a.snap.Task(op.UID); ok && t.Status.CurrentState == model.Working {
		row := overlay.Affected{Title: a.name(op.UID), Detail: "waits for its subtasks"}
		row.Glyph, row.Ink = a.st.Status(model.StatusSubtasks)
		out = append(out, row)
	}
	return out
}
