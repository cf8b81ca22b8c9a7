package ui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/complexity"
	"vespe/ui/detail"
	"vespe/ui/overlay"
	"vespe/ui/style"
)

func splitHandlers() map[keymap.Action]handler {
	out := map[keymap.Action]handler{
		keymap.Split:   {do: (*App).openSplit, off: refusedFor(model.Op{Name: model.Decompose, Decompose: &model.Decomposition{}})},
		keymap.Suggest: {do: (*App).openSuggested, off: (*App).noTasks},
	}
	on := func(action keymap.Action, do func(*App, *dialog) tea.Cmd) {
		out[action] = handler{off: (*App).notSplitting, do: func(a *App) tea.Cmd { return do(a, a.top()) }}
	}
	says := func(action keymap.Action, do func(*splitPage) string) {
		on(action, func(_ *App, d *dialog) tea.Cmd {
			d.split.say = do(d.split)
			return nil
		})
	}
	says(keymap.SplitLeft, func(p *splitPage) string { return p.goTo(p.part - 1) })
	says(keymap.SplitRight, func(p *splitPage) string { return p.goTo(p.part + 1) })
	says(keymap.SplitItemLeft, func(p *splitPage) string { return p.moveItem(-1) })
	says(keymap.SplitItemRight, func(p *splitPage) string { return p.moveItem(1) })
	says(keymap.SplitItemNew, (*splitPage).newPart)
	says(keymap.SplitWayNext, func(p *splitPage) string { return p.other(1) })
	says(keymap.SplitWayPrev, func(p *splitPage) string { return p.other(-1) })
	says(keymap.SplitEarlier, func(p *splitPage) string { return p.swap(-1) })
	says(keymap.SplitLater, func(p *splitPage) string { return p.swap(1) })
	says(keymap.SplitReset, (*splitPage).reset)
	on(keymap.SplitName, func(a *App, d *dialog) tea.Cmd { return a.namePart(d.split) })
	on(keymap.SplitAccept, (*App).acceptSplit)
	return out
}

func (a *App) notSplitting() string {
	if d := a.top(); d == nil || d.split == nil {
		return "no task is being split"
	}
	return ""
}

// openSplit shows what the task under the cursor could be split into.
func (a *App) openSplit() tea.Cmd {
	t, ok := a.current()
	if !ok {
		return nil
	}
	p := newSplitPage(a.st, t, a.snap.Policy().SizeLimits())
	p.closeHint = a.lookFoot(keymap.SplitClose)
	if hint := a.keyHint(keymap.SplitItemNew, "makes one"); hint != "" {
		p.newHint = "; " + hint
	}
	if n := len(t.DependsOn); n > 0 {
		p.before = listed(a.names(t.DependsOn), 2)
	}
	if deps := a.snap.DependentUIDs(t.UID); len(deps) == 1 {
		p.after = a.name(deps[0]) + " will wait"
	} else if len(deps) > 1 {
		p.after = listed(a.names(deps), 2) + " will wait"
	}
	return a.push(&dialog{box: p, scope: keymap.Pieces, split: p, on: func(*App, overlay.Outcome) tea.Cmd { return nil }})
}

func (a *App) names(uids []model.UID) []string {
	out := make([]string, len(uids))
	for i, uid := range uids {
		out[i] = a.name(uid)
	}
	return out
}

// splitAct does an action on the page of a split; false when it is none of its own.
func (a *App) splitAct(d *dialog, action keymap.Action) (tea.Cmd, bool) {
	d.split.say = ""
	spec, _ := a.deps.Keymap.Spec(action)
	if !slices.Contains(spec.Scopes, keymap.Pieces) || action == keymap.SplitClose || action == keymap.Help || action == keymap.Suspend {
		return nil, false
	}
	if a.outdatedSplit(d.split) {
		return nil, true
	}
	cmd := a.run(action)
	d.split.follow()
	return cmd, true
}

// outdatedSplit proposes parts anew where the task has other files or criteria by now, and says so. It reports
// whether it did: the key was meant for what stood there.
func (a *App) outdatedSplit(p *splitPage) bool {
	t, ok := a.snap.Task(p.uid)
	if !ok {
		p.say = "The task is not in the store any more."
		return true
	}
	if reflect.DeepEqual(t.Work(), p.work) {
		return false
	}
	fresh := newSplitPage(p.st, t, p.limits)
	p.work, p.whole, p.suggested, p.ways = fresh.work, fresh.whole, fresh.suggested, fresh.ways
	p.part, p.first = 0, 0
	p.say = "The task has changed meanwhile: its parts are proposed anew."
	return true
}

// namePart asks for another name for the part under the cursor.
func (a *App) namePart(p *splitPage) tea.Cmd {
	c := &p.now().parts[p.part]
	n := slices.Index(p.now().made(), p.part)
	if n < 0 {
		p.say = "A part that has nothing to do is not made."
		return nil
	}
	return a.openPrompt(promptInput{
		title: "Name of part " + complexity.Letter(n), label: "name", value: c.title(p.work.Title, n), required: true,
		summary: "What the part is called as a task.",
		check: func(a *App, typed string) error {
			return a.tryName(a.createOp(typed, ""), typed)
		},
		done: func(_ *App, typed string) tea.Cmd {
			c.name, p.now().changed = typed, true
			return nil
		},
	})
}

// acceptSplit says what will happen and asks for a yes. The page stays behind the question.
func (a *App) acceptSplit(d *dialog) tea.Cmd {
	p := d.split
	t, _ := a.snap.Task(p.uid)
	op := model.Op{Name: model.Decompose, UID: p.uid, Actor: a.deps.Actor, ID: a.deps.NewID(), Decompose: p.now().decomposition(t).WithUIDs(a.deps.NewUID)}
	if err := a.allowed(op); err != nil {
		n := refusalNotice("", err)
		p.say = capital(joinHints(n.why, n.hint)) + "."
		return nil
	}
	ch, err := model.Apply(a.snap, op)
	if err != nil {
		n := refusalNotice("", err)
		p.say = capital(joinHints(n.why, n.hint)) + "."
		return nil
	}
	rows := []overlay.Affected{{Glyph: a.st.Glyph.Dot, Ink: a.st.Accent, Title: "the whole", Detail: detail.ScoreWords(&p.whole)}}
	for i := range op.Decompose.Subtasks {
		part := &model.Task{Config: model.Config{Name: op.Decompose.Subtasks[i].Name}, Spec: op.Decompose.Subtasks[i].Spec}
		s := part.Complexity(p.limits)
		row := overlay.Affected{Title: safeLine(part.Config.Name), Detail: detail.ScoreWords(&s) + ", new"}
		row.Glyph, row.Ink = a.st.Status(model.StatusPlanning)
		rows = append(rows, row)
	}
	return a.openConfirm(confirmInput{
		title: "Split", summary: fmt.Sprintf("Split %q into %s.", a.name(p.uid), plural(len(op.Decompose.Subtasks), "part")),
		notes: ch.Warnings, yes: "Split", affected: append(rows, a.repointed(ch, op)...),
		done: func(a *App) tea.Cmd {
			a.drop(d)
			return a.fire(job{ops: []model.Op{op}})
		},
	})
}

// repointed are the tasks that a split makes something else of, and those that wait for another one.
func (a *App) repointed(ch *model.Change, op model.Op) []overlay.Affected {
	var out []overlay.Affected
	last := op.Decompose.Subtasks[len(op.Decompose.Subtasks)-1]
	for _, t := range ch.Tasks {
		i, known := a.snap.Index(t.UID)
		if !known || t.UID == op.UID {
			continue
		}
		row := overlay.Affected{Title: a.name(t.UID), Detail: stateChange(a.snap.At(i), t)}
		row.Glyph, row.Ink = a.st.Status(a.snap.Status(i))
		if slices.Contains(t.DependsOn, last.UID) {
			row.Detail = strings.TrimSuffix("waits for part "+complexity.Letter(len(op.Decompose.Subtasks)-1)+", "+row.Detail, ", ")
		}
		if row.Detail != "" {
			out = append(out, row)
		}
	}
	if t, ok := a.snap.Task(op.UID); ok && t.Status.CurrentState == model.Working {
		row := overlay.Affected{Title: a.name(op.UID), Detail: "waits for its parts"}
		row.Glyph, row.Ink = a.st.Status(model.StatusSubtasks)
		out = append(out, row)
	}
	return out
}

// openSuggested looks for the dependencies that files suggest, and lists them to be added.
func (a *App) openSuggested() tea.Cmd {
	if a.snap == nil {
		return nil
	}
	return a.fx.overlaps(a.await("The list of suggested dependencies", justShown), a.snap)
}

// onOverlaps lists what files say.
func (a *App) onOverlaps(m overlapsMsg) tea.Cmd {
	if _, ok := a.answered(m.gen); !ok {
		return nil
	}
	here, _ := a.currentIndex()
	checks, out := suggestedRows(a.st, m, here)
	if len(checks) == 0 {
		return a.sayOverlaps(m)
	}
	box := overlay.NewChecklist(a.st, overlay.ChecklistOptions{Title: "Dependencies that files suggest", Rows: checks, Out: out})
	box.SetHints(strings.Join([]string{
		a.keyHint(keymap.PartsToggle, "in or out"), a.keyHint(keymap.PartsDone, "add them"), a.keyHint(keymap.PartsCancel, "cancel"),
	}, "  "))
	return a.push(&dialog{box: box, scope: keymap.Parts, on: func(a *App, o overlay.Outcome) tea.Cmd {
		if chosen, ok := o.(overlay.Checked); ok {
			return a.addSuggested(m, chosen.Out)
		}
		return nil
	}})
}

// suggestedRows are the dependencies that can be added, those of the task under the cursor first; where
// there are some, the others are left out at first.
func suggestedRows(st *style.Styles, m overlapsMsg, here int) (checks []overlay.Check, out []string) {
	for _, own := range []bool{true, false} {
		head := map[bool]string{true: "Of the task under the cursor", false: "Of other tasks"}[own]
		left := len(checks) > 0
		for k, n := range m.needs {
			if n.Cycle != nil || (int(n.Task) == here || int(n.On) == here) != own {
				continue
			}
			c := overlay.Check{
				ID: fmt.Sprint(k), Inside: -1, Head: head,
				Title:  m.snap.Name(int(n.Task)) + " waits for " + m.snap.Name(int(n.On)),
				Detail: strings.Join(n.Files, ", "),
			}
			c.Glyph, c.Ink = st.Status(m.snap.Status(int(n.Task)))
			checks, head = append(checks, c), ""
			if left {
				out = append(out, c.ID)
			}
		}
	}
	return checks, out
}

// overlapLines are the clashes, and the dependencies that would close a cycle.
func overlapLines(m overlapsMsg) []string {
	var out []string
	for _, n := range m.needs {
		if n.Cycle != nil {
			out = append(out, fmt.Sprintf("%q modifies %s, which %q creates, but that would close a cycle",
				m.snap.Name(int(n.Task)), strings.Join(n.Files, ", "), m.snap.Name(int(n.On))))
		}
	}
	for _, c := range m.clashes {
		var names []string
		for _, i := range c.Tasks {
			names = append(names, fmt.Sprintf("%q", m.snap.Name(int(i))))
		}
		what := "create it"
		if c.Kind == model.Writers {
			what = "modify it, not one after the other"
		}
		out = append(out, c.File+": "+listed(names, 3)+" "+what)
	}
	return out
}

// sayOverlaps shows what nothing can be added for.
func (a *App) sayOverlaps(m overlapsMsg) tea.Cmd {
	list := overlapLines(m)
	if len(list) == 0 {
		return a.remark("files suggest no dependency, and no two open tasks are about the same file")
	}
	lines := []string{a.st.Muted.Render("Files suggest no dependency that could be added. Files that several open tasks are about:"), ""}
	for _, l := range list {
		lines = append(lines, a.st.Warn.Render(a.st.Glyph.Warning)+" "+a.st.Text.Render(safeLine(l)))
	}
	return a.push(&dialog{box: &page{st: a.st, title: "What files say", lines: lines}, scope: keymap.Pager, on: nothing, reads: true})
}

// addSuggested asks whether the dependencies that were chosen are to be added.
func (a *App) addSuggested(m overlapsMsg, out []string) tea.Cmd {
	var chosen []model.FileNeed
	for k, n := range m.needs {
		if n.Cycle == nil && !slices.Contains(out, fmt.Sprint(k)) {
			chosen = append(chosen, n)
		}
	}
	if len(chosen) == 0 {
		return a.remark("no dependency was chosen")
	}
	ops, left := m.snap.NeedOps(chosen, a.deps.Actor)
	p := proposal{name: model.AddDependency, notes: overlapLines(m)}
	for i := range ops {
		ops[i].ID = a.deps.NewID()
	}
	for _, n := range left {
		p.notes = append(p.notes, fmt.Sprintf("left out: %q would wait for itself by way of %q", m.snap.Name(int(n.Task)), m.snap.Name(int(n.On))))
	}
	if len(ops) == 0 {
		return a.remark(strings.Join(p.notes, "; "))
	}
	if _, with, err := a.preview(ops); err != nil {
		return a.fail(a.refused(a.title(model.AddDependency), err))
	} else {
		p.affected = with.affected
	}
	p.ops = ops
	p.summary = "Add " + countDependencies(ops) + "."
	var rows []overlay.Affected
	for _, n := range chosen {
		row := overlay.Affected{Title: m.snap.Name(int(n.Task)), Detail: "waits for " + m.snap.Name(int(n.On)) + ": " + strings.Join(n.Files, ", ")}
		row.Glyph, row.Ink = a.st.Status(m.snap.Status(int(n.Task)))
		rows = append(rows, row)
	}
	return a.confirm(p, rows)
}

func countDependencies(ops []model.Op) string {
	n := 0
	for _, op := range ops {
		n += len(op.Deps)
	}
	if n == 1 {
		return "1 dependency"
	}
	return fmt.Sprintf("%d dependencies", n)
}
