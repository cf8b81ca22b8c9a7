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
	"vespe/ui/detail"
	"vespe/ui/overlay"
)

func breakHandlers() map[keymap.Action]handler {
	out := map[keymap.Action]handler{keymap.Breakdown: {do: (*App).openBreakdown, off: (*App).noBreakdown}}
	on := func(action keymap.Action, do func(*App, *dialog) tea.Cmd) {
		out[action] = handler{off: (*App).notBreaking, do: func(a *App) tea.Cmd { return do(a, a.top()) }}
	}
	says := func(action keymap.Action, do func(*breakPage) string) {
		on(action, func(_ *App, d *dialog) tea.Cmd {
			d.planned.say = do(d.planned)
			return nil
		})
	}
	says(keymap.BreakToggle, (*breakPage).toggle)
	says(keymap.BreakSplit, (*breakPage).split)
	says(keymap.BreakDown, func(p *breakPage) string { return p.scroll(1) })
	says(keymap.BreakUp, func(p *breakPage) string { return p.scroll(-1) })
	on(keymap.BreakName, func(a *App, d *dialog) tea.Cmd { return a.namePlanned(d.planned) })
	on(keymap.BreakReset, func(a *App, d *dialog) tea.Cmd { return a.readProposal(d.planned.p.Task.UID) })
	on(keymap.BreakAccept, (*App).acceptBreakdown)
	return out
}

func (a *App) notBreaking() string {
	if d := a.top(); d == nil || d.planned == nil {
		return "no plan is being broken down"
	}
	return ""
}

// noBreakdown says why the plan of the task under the cursor cannot be looked at.
func (a *App) noBreakdown() string {
	t, ok := a.current()
	switch {
	case !ok:
		return errNoTask.Error()
	case a.deps.Plans == nil:
		return "plans cannot be read here"
	case !t.HasPlan && t.Status.PlanRevision == 0:
		return "the task has no plan"
	}
	return ""
}

// openBreakdown shows the tasks that the plan of the task under the cursor lists.
func (a *App) openBreakdown() tea.Cmd {
	t, ok := a.current()
	if !ok {
		return nil
	}
	return a.readProposal(t.UID)
}

func (a *App) readProposal(uid model.UID) tea.Cmd {
	t, ok := a.snap.Task(uid)
	if !ok {
		return a.remark("the task is not in the store any more")
	}
	return a.fx.proposal(a.await("The tasks of the plan", justShown), a.snap, t)
}

// onProposal opens the page, or says why there is none. Where the page is open it starts anew.
func (a *App) onProposal(m proposalMsg) tea.Cmd {
	if _, ok := a.answered(m.gen); !ok {
		return nil
	}
	var bad *decompose.Unreadable
	switch {
	case errors.As(m.err, &decompose.None{}):
		return a.sayLines("No tasks in the plan", "The plan lists no tasks. It may list them as", decompose.Forms())
	case errors.As(m.err, &bad):
		var lines []string
		for _, p := range bad.Problems {
			if p.Line > 0 {
				p.Text = fmt.Sprintf("line %d: %s", p.Line, p.Text)
			}
			lines = append(lines, p.Text)
		}
		return a.sayLines("The list of tasks cannot be read", "Nothing is proposed until the plan says:", lines)
	case m.err != nil:
		return a.fail(a.refused("Break down", m.err))
	}
	if d := a.top(); d != nil && d.planned != nil && d.planned.p.Task.UID == m.uid {
		d.planned.set(m.p)
		d.planned.say = "The plan was read again."
		return nil
	}
	p := newBreakPage(a.st, m.p, a.snap.Policy().SizeLimits())
	p.closeHint = a.lookFoot(keymap.BreakClose)
	p.splitHint = a.keyHint(keymap.BreakSplit, "splits it")
	p.moreHint = a.keyHint(keymap.BreakDown, "scrolls")
	p.names = a.name
	return a.push(&dialog{box: p, scope: keymap.Planned, planned: p, on: nothing})
}

// sayLines shows a few lines to read.
func (a *App) sayLines(title, lead string, lines []string) tea.Cmd {
	out := []string{a.st.Muted.Render(lead), ""}
	for _, l := range lines {
		out = append(out, a.st.Text.Render(a.st.Glyph.Dot+" "+safeLine(l)))
	}
	return a.push(&dialog{box: &page{st: a.st, title: title, lines: out}, scope: keymap.Pager, on: nothing, reads: true})
}

// breakAct does an action on the page of a breakdown; false when it is none of its own.
func (a *App) breakAct(d *dialog, action keymap.Action) (tea.Cmd, bool) {
	d.planned.say = ""
	spec, _ := a.deps.Keymap.Spec(action)
	if !slices.Contains(spec.Scopes, keymap.Planned) || action == keymap.BreakClose || action == keymap.Help || action == keymap.Suspend {
		return nil, false
	}
	return a.run(action), true
}

// namePlanned asks for another name for the task under the cursor.
func (a *App) namePlanned(p *breakPage) tea.Cmd {
	it := p.item()
	if p.p.Fates[p.cur].There != "" {
		p.say = "It is there already; rename it in the tree."
		return nil
	}
	return a.openPrompt(promptInput{
		title: "Name of " + it.Key, label: "name", value: it.Title, required: true, summary: "What the subtask is called.",
		check: func(a *App, typed string) error { return a.tryName(a.createOp(typed, ""), typed) },
		done: func(_ *App, typed string) tea.Cmd {
			it.Title = typed
			p.changed = true
			p.measure()
			return nil
		},
	})
}

// acceptBreakdown says what will happen and asks for a yes. The page stays behind the question.
func (a *App) acceptBreakdown(d *dialog) tea.Cmd {
	p := d.planned
	uid := p.p.Task.UID
	op := model.Op{Name: model.Decompose, UID: uid, Actor: a.deps.Actor, ID: a.deps.NewID(), Decompose: p.p.Decomposition().WithUIDs(a.deps.NewUID)}
	ch, err := model.Apply(a.snap, op)
	if err != nil {
		n := refusalNotice("", err)
		p.say = capital(joinHints(n.why, n.hint)) + "."
		return nil
	}
	var list []overlay.Affected
	for _, i := range p.p.In() {
		it := &p.p.Items[i]
		row := overlay.Affected{Title: safeLine(it.Title), Detail: it.Key + ", " + string(p.scores[i].Level)}
		if w := p.waits(i); w != "" {
			row.Detail += ", waits for " + safeLine(w)
		}
		row.Glyph, row.Ink = a.st.Status(model.StatusReviewPlan)
		list = append(list, row)
	}
	if t, ok := a.snap.Task(uid); ok && t.Status.CurrentState == model.Working {
		row := overlay.Affected{Title: a.name(uid), Detail: "waits for its subtasks"}
		row.Glyph, row.Ink = a.st.Status(model.StatusSubtasks)
		list = append(list, row)
	}
	note := "each has a plan of its own to decide on"
	if hint := a.keyHint(keymap.Changeset, "then decides on all at once"); hint != "" {
		note += "; " + hint
	}
	notes := append(slices.Clone(ch.Warnings), note)
	return a.openConfirm(confirmInput{
		title: "Break down", summary: capital(ch.Summary) + ".", notes: notes, yes: "Make them", affected: list,
		done: func(a *App) tea.Cmd {
			a.drop(d)
			return a.fire(job{ops: []model.Op{op}})
		},
	})
}

// waits are the keys that an item waits for, and the names of what is there.
func (p *breakPage) waits(i int) string {
	items, tasks := p.p.Waits(i)
	var out []string
	for _, k := range items {
		out = append(out, p.p.Items[k].Key)
	}
	for _, uid := range tasks {
		out = append(out, p.names(uid))
	}
	return strings.Join(out, ", ")
}

// split cuts the item under the cursor into parts.
func (p *breakPage) split() string {
	if p.p.Fates[p.cur].Fixed {
		return capital(p.p.Fates[p.cur].Why) + "."
	}
	way := complexity.Suggest(p.scores[p.cur])
	if err := p.p.Split(p.cur, way); err != nil {
		return capital(err.Error()) + "."
	}
	p.changed = true
	p.measure()
	return "Split by " + string(way) + ". " + capital(detail.ScoreWords(&p.scores[p.cur])) + " is the first part."
}

func (p *breakPage) toggle() string {
	if !p.p.Toggle(p.cur) {
		return capital(p.p.Fates[p.cur].Why) + "."
	}
	p.changed = true
	p.measure()
	return ""
}
