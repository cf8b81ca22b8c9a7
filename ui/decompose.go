package ui

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/model/decompose"
	"vespe/ui/detail"
	"vespe/ui/overlay"
)

func decomposeHandlers() map[keymap.Action]handler {
	out := map[keymap.Action]handler{keymap.Decompose: {do: (*App).openDecompose, off: (*App).noDecompose}}
	on := func(action keymap.Action, do func(*App, *dialog) tea.Cmd) {
		out[action] = handler{off: (*App).notDecomposing, do: func(a *App) tea.Cmd { return do(a, a.top()) }}
	}
	says := func(action keymap.Action, do func(*decomposePage) string) {
		on(action, func(_ *App, d *dialog) tea.Cmd {
			d.subtasks.say = do(d.subtasks)
			return nil
		})
	}
	says(keymap.DecomposeNext, func(p *decomposePage) string { return p.show(p.at + 1) })
	says(keymap.DecomposePrev, func(p *decomposePage) string { return p.show(p.at - 1) })
	says(keymap.DecomposeDown, func(p *decomposePage) string { return p.scroll(1) })
	says(keymap.DecomposeUp, func(p *decomposePage) string { return p.scroll(-1) })
	changes := func(action keymap.Action, do func(*decomposePage) string) {
		says(action, func(p *decomposePage) string {
			if p.now().p == nil {
				return ""
			}
			return do(p)
		})
	}
	changes(keymap.DecomposeToggle, (*decomposePage).toggle)
	changes(keymap.DecomposeSplit, (*decomposePage).split)
	changes(keymap.DecomposeItemUp, func(p *decomposePage) string { return p.moveItem(-1) })
	changes(keymap.DecomposeItemDown, func(p *decomposePage) string { return p.moveItem(1) })
	changes(keymap.DecomposeItemNew, (*decomposePage).newPart)
	changes(keymap.DecomposeEarlier, func(p *decomposePage) string { return p.swap(-1) })
	changes(keymap.DecomposeLater, func(p *decomposePage) string { return p.swap(1) })
	on(keymap.DecomposeName, func(a *App, d *dialog) tea.Cmd { return a.nameSubtask(d.subtasks) })
	on(keymap.DecomposeReset, func(a *App, d *dialog) tea.Cmd { return a.resetSubtasks(d.subtasks) })
	on(keymap.DecomposeAccept, (*App).acceptSubtasks)
	return out
}

func (a *App) notDecomposing() string {
	if d := a.top(); d == nil || d.subtasks == nil {
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
		return errNoTask.Error()
	case a.planned(t):
		return ""
	}
	return a.whyNot(a.divided(t.UID))
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
	return a.fx.proposal(a.await("The tasks of the plan", justShown), a.snap, t)
}

// onProposal opens the page, or says why there is none. Where the page is open its plan starts anew.
func (a *App) onProposal(m proposalMsg) tea.Cmd {
	if _, ok := a.answered(m.gen); !ok {
		return nil
	}
	t, ok := a.snap.Task(m.uid)
	if !ok {
		return a.remark("the task is no longer in the store")
	}
	source := &subtaskSource{label: "plan", p: m.p}
	title, lead := "No tasks in the plan", "The plan lists no tasks. List them as"
	var bad *decompose.Unreadable
	switch {
	case errors.As(m.err, &decompose.None{}):
		source.why = decompose.Forms()
	case errors.As(m.err, &bad):
		title, lead = "Can't read the list of tasks", "Nothing is proposed until the plan says:"
		for _, p := range bad.Problems {
			if p.Line > 0 {
				p.Text = fmt.Sprintf("line %d: %s", p.Line, p.Text)
			}
			source.why = append(source.why, p.Text)
		}
	case m.err != nil:
		return a.fail(a.refused(a.title(model.Decompose), m.err))
	}
	if d := a.top(); d != nil && d.subtasks != nil && d.subtasks.task.UID == m.uid {
		d.subtasks.set(source)
		d.subtasks.say = "The plan was read again."
		return nil
	}
	if m.p == nil && a.divided(m.uid) != nil {
		return a.sayLines(title, lead, source.why)
	}
	source.why = slices.Insert(source.why, 0, lead)
	return a.pushSubtasks(t, source)
}

// pushSubtasks opens the page with the tasks of a plan, nil for none, and with parts of the task's own work.
func (a *App) pushSubtasks(t *model.Task, plan *subtaskSource) tea.Cmd {
	p := &decomposePage{st: a.st, limits: a.snap.Policy().SizeLimits(), names: a.name}
	p.hints.split = a.keyHint(keymap.DecomposeSplit, "splits it")
	p.hints.more = a.keyHint(keymap.DecomposeDown, "scrolls")
	if hint := a.keyHint(keymap.DecomposeItemNew, "creates one"); hint != "" {
		p.hints.newPart = "; " + hint
	}
	if deps := a.snap.DependentUIDs(t.UID); len(deps) > 0 {
		p.after = listed(a.names(deps), 2)
	}
	if plan != nil {
		p.sources = append(p.sources, plan)
	}
	p.divide(t, a.divided(t.UID) == nil)
	p.measure()
	return a.push(&dialog{box: p, scope: keymap.Subtasks, subtasks: p, on: nothing})
}

func (a *App) names(uids []model.UID) []string {
	out := make([]string, len(uids))
	for i, uid := range uids {
		out[i] = a.name(uid)
	}
	return out
}

// sayLines shows a few lines to read.
func (a *App) sayLines(title, lead string, lines []string) tea.Cmd {
	out := []string{a.st.Muted.Render(lead), ""}
	for _, l := range lines {
		out = append(out, a.st.Text.Render(a.st.Glyph.Dot+" "+safeLine(l)))
	}
	return a.push(&dialog{box: &page{st: a.st, title: title, lines: out}, scope: keymap.Pager, on: nothing, reads: true})
}

// decomposeAct does an action on the page; false when it is none of its own.
func (a *App) decomposeAct(d *dialog, action keymap.Action) (tea.Cmd, bool) {
	d.subtasks.say = ""
	spec, _ := a.deps.Keymap.Spec(action)
	if !slices.Contains(spec.Scopes, keymap.Subtasks) || action == keymap.DecomposeClose || action == keymap.Help || action == keymap.Suspend {
		return nil, false
	}
	if a.outdated(d.subtasks) {
		return nil, true
	}
	return a.run(action), true
}

// lacks reports whether an action does nothing to what is shown, so that the footer leaves it out.
func (p *decomposePage) lacks(action keymap.Action) bool {
	switch action {
	case keymap.DecomposeNext:
		return len(p.sources) < 2
	case keymap.DecomposeToggle:
		return !p.isPlan() || p.now().p == nil
	case keymap.DecomposeItemUp, keymap.DecomposeItemDown, keymap.DecomposeItemNew, keymap.DecomposeEarlier, keymap.DecomposeLater:
		return p.isPlan()
	}
	return p.now().p == nil
}

// outdated proposes parts anew if the task's files or criteria have changed, and reports whether it did: the key was
// meant for what stood there.
func (a *App) outdated(p *decomposePage) bool {
	t, ok := a.snap.Task(p.task.UID)
	if !ok {
		p.say = "The task is no longer in the store."
		return true
	}
	if p.isPlan() || reflect.DeepEqual(t.Work(), p.task.Work()) {
		return false
	}
	p.divide(t, true)
	p.show(p.at)
	p.say = "The task changed: its parts are proposed again."
	return true
}

// resetSubtasks reads the plan again, or proposes the parts anew.
func (a *App) resetSubtasks(p *decomposePage) tea.Cmd {
	t, ok := a.snap.Task(p.task.UID)
	switch {
	case !ok:
		return a.remark("the task is no longer in the store")
	case p.isPlan():
		return a.readProposal(t)
	case !p.now().changed:
		p.say = "Nothing was changed."
		return nil
	}
	p.set(&subtaskSource{label: p.now().label, p: decompose.Divide(t, complexity.Way(p.now().label))})
	return nil
}

// nameSubtask asks for another name for the subtask under the cursor.
func (a *App) nameSubtask(p *decomposePage) tea.Cmd {
	if p.now().p == nil {
		return nil
	}
	i := p.item()
	it := &p.now().p.Items[i]
	switch f := &p.now().p.Fates[i]; {
	case f.There != "":
		p.say = "It exists; rename it in the tree."
		return nil
	case f.Out && f.Fixed:
		p.say = capital(f.Why) + "."
		return nil
	}
	return a.openPrompt(promptInput{
		title: "Name of " + it.Key, label: "name", value: it.Title, required: true, summary: "What the subtask is called.",
		check: func(a *App, typed string) error { return a.tryName(a.createOp(typed, ""), typed) },
		done: func(_ *App, typed string) tea.Cmd {
			p.now().p.Name(i, typed)
			p.edited()
			return nil
		},
	})
}

// acceptSubtasks says what will happen and asks for a yes. The page stays behind the question.
func (a *App) acceptSubtasks(d *dialog) tea.Cmd {
	p := d.subtasks
	from := p.now().p
	if from == nil {
		return nil
	}
	op := model.Op{
		Name: model.Decompose, UID: p.task.UID, Actor: a.deps.Actor, ID: a.deps.NewID(), Args: from.Decomposition(),
	}
	op.FillUIDs(a.deps.NewUID)
	ch, err := model.Apply(a.snap, op)
	if err != nil {
		n := refusalNotice("", err)
		p.say = capital(joinHints(n.why, n.hint)) + "."
		return nil
	}
	status := model.StatusReviewPlan
	notes := slices.Clone(ch.Warnings)
	var list []overlay.Affected
	if p.isPlan() {
		note := "each has its own plan to review"
		if hint := a.keyHint(keymap.Changeset, "then decides on all at once"); hint != "" {
			note += "; " + hint
		}
		notes = append(notes, note)
	} else {
		status = model.StatusPlanning
		whole := p.task.Complexity(p.limits)
		list = append(list, overlay.Affected{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: "the whole", Detail: detail.ScoreWords(&whole)})
	}
	for _, i := range from.In() {
		row := overlay.Affected{Title: safeLine(from.Items[i].Title), Detail: from.Items[i].Key + ", " + detail.ScoreWords(&p.scores[i])}
		if w := p.waits(i); w != "" {
			row.Detail += ", waits for " + safeLine(w)
		}
		row.Glyph, row.Ink = a.st.Status(status)
		list = append(list, row)
	}
	return a.openConfirm(confirmInput{
		title: "Decompose", summary: capital(ch.Summary) + ".", notes: notes, yes: "Create them", affected: append(list, a.repointed(ch, op)...),
		done: func(a *App) tea.Cmd {
			a.drop(d)
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
		row := overlay.Affected{Title: a.name(t.UID), Detail: stateChange(a.snap.At(i), t)}
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
