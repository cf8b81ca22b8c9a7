package ui

import (
	"fmt"
	"slices"
	"strings"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/screen"
	"vespe/ui/text"
	"vespe/ui/view"
)

// wanted says what has to be read of a task.
func (a *App) wanted(uid model.UID) taskdocs.Wanted {
	w := taskdocs.Wanted{UID: uid, Writes: a.typed.Writes()}
	if t, ok := a.snap.Task(uid); ok {
		w.Base, w.Latest, w.At = taskdocs.Base(t), t.Status.PlanRevision, t.Status.Revision
	}
	return w
}

// bound continues with sheets once it is known what a verdict binds to of other tasks.
func (a *App) bound(op model.Name, sheets []*taskdocs.Docs, then func([]*taskdocs.Docs) tea.Cmd) tea.Cmd {
	isKnown := func(s *taskdocs.Docs) bool {
		t, ok := a.snap.Task(s.UID)
		return s.Bound != nil || ok && len(t.DependsOn) == 0 && len(binding.AcceptedWith(a.snap, s.UID, nil)) == 0
	}
	if !slices.ContainsFunc(sheets, func(s *taskdocs.Docs) bool { return !isKnown(s) }) {
		return then(sheets)
	}
	return a.await(op.Title(), func() opening { return a.fx.bounds(op, sheets, then) })
}

// review opens the sheet for accepting plans: whose, which bytes, and what will happen.
func (a *App) review(targets []model.UID) tea.Cmd {
	uids := a.fit(model.AcceptPlan, targets)
	left := len(targets) - len(uids)
	uids, risky := a.proposer().Alone(uids)
	if len(uids) == 0 && len(risky) > 0 {
		return a.oneByOne(risky)
	}
	var shown tea.Cmd
	if len(uids) == 1 {
		shown = a.showPlan(uids[0]) // what is accepted is what can be read
	}
	return tea.Batch(shown, a.withSheets(model.AcceptPlan.Title(), uids, func(sheets []*taskdocs.Docs) tea.Cmd {
		return a.bound(model.AcceptPlan, sheets, func(sheets []*taskdocs.Docs) tea.Cmd {
			return a.openPlanSheet(verdict.Plans{Texts: sheets, Left: left, Risky: risky, Excluded: a.proposer().LeftBefore(sheets)}, nil)
		})
	}))
}

// showPlan puts the plan of a task on the screen, whatever the cursor is on and whichever
// pane has the whole of it.
func (a *App) showPlan(uid model.UID) tea.Cmd {
	var moved tea.Cmd
	if uid != a.selected() {
		moved = a.goTo(uid)
	}
	if a.screen.Zoom == screen.ZoomLeft {
		a.screen.Zoom = screen.ZoomNone
	}
	tab := a.showTab(detail.Plan)
	if r := a.screen.Layout.Right; r.W == 0 || r.H == 0 {
		a.focus(true) // the screen has room for one pane
	}
	return tea.Batch(moved, tab)
}

// hiddenNotes say what rendering hides of the texts on screen, which are accepted.
func (a *App) hiddenNotes() []string {
	var out []string
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		hidden := a.panes.detail.Hidden(doc)
		if hidden == 0 {
			continue
		}
		note := fmt.Sprintf("rendering the %s hides %s", doc, plural(hidden, "passage"))
		if key := a.keyHint(keymap.Raw, "shows the source"); key != "" {
			note += ": close this, then " + key
		}
		out = append(out, note)
	}
	return out
}

// readText shows a text as it is.
func (a *App) readText(title string, body []byte) tea.Cmd {
	var lines []string
	for _, l := range text.Wrap(text.Safe(string(body)), a.pageWidth()) {
		lines = append(lines, a.st.Text.Render(l))
	}
	return a.dialogs.Push(dialog.NewPage(a.st, title, lines))
}

// noDiff says why there is no difference to show.
func (a *App) noDiff() string {
	t, ok := a.current()
	switch {
	case !ok:
		return "no task under the cursor"
	case len(a.recorded()) > 0, a.isStale(t):
		return ""
	case a.onHistory():
		return a.noText()
	case a.isWork(t):
		return ""
	case !t.HasPlan:
		return "the task has no plan yet"
	case a.swapped != nil:
		return ""
	case t.Status.PlanRevision < 2 && (a.sheet == nil || a.sheet.Base == nil):
		return "this is the first revision of the plan"
	}
	return ""
}

// showDiff shows what changed since the revision that was last decided on; on an event of the
// history that recorded a revision, what that one changed.
func (a *App) showDiff() tea.Cmd {
	if r := a.recorded(); len(r) > 0 {
		return a.showRevisions(r)
	}
	t, ok := a.current()
	if ok && a.isStale(t) && a.swapped == nil {
		return a.showStale(t.UID)
	}
	if ok && a.isWork(t) {
		run, _ := a.hasWork(t)
		return a.showWork(t.UID, run, nil)
	}
	return a.showPlanDiff(a.selected(), nil)
}

// showPlanDiff shows what changed in the plan of a task, and continues when that has been closed.
func (a *App) showPlanDiff(uid model.UID, then func() tea.Cmd) tea.Cmd {
	return a.withSheets("The difference", []model.UID{uid}, func(sheets []*taskdocs.Docs) tea.Cmd {
		s := sheets[0]
		if old := a.swapped; old != nil && s.Plan != nil && s.UID == a.followed {
			a.swapped = nil
			return a.openDiff(diffInput{
				title: "The plan of " + a.name(s.UID) + " changed while it was on screen",
				old:   old.Plan.Body, now: s.Plan.Body, oldName: verdict.RevisionName(old.Plan), nowName: verdict.RevisionName(s.Plan), then: then,
				plan: &planDiff{uid: s.UID, old: old.Plan, now: s.Plan, oldReview: old.Review, nowReview: s.Review},
			})
		}
		if s.Base == nil || s.Plan == nil {
			return a.remark("no earlier revision to compare with")
		}
		return a.openDiff(diffInput{
			title: "Plan of " + a.name(s.UID), old: s.Base.Body, now: s.Plan.Body, plan: a.planOf(s),
			oldName: a.decidedName(s), nowName: verdict.RevisionName(s.Plan), then: then,
		})
	})
}

// showChanged shows the difference between the bytes that were on screen and today's.
func (a *App) showChanged(r *model.Refusal, note string) tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range r.Changed {
		d := diffInput{
			title:   fmt.Sprintf("The %s of %s changed meanwhile", c.Doc, a.name(r.UID)),
			oldName: "what you were shown (" + verdict.ShortHash(c.Seen) + ")", nowName: "what is there now (" + verdict.ShortHash(c.Now.Hash) + ")",
			now: c.Now.Body, note: note, old: c.Was,
		}
		if c.Doc == "" {
			d.title = fmt.Sprintf("%s of %s changed meanwhile", model.FileOf(a.snap, c.File), a.name(r.UID))
			if c.Now.Body == nil {
				d.note = strings.TrimPrefix(d.note+"; only their hashes are stored", "; ")
			}
			cmds = append(cmds, a.openDiff(d))
			continue
		}
		if s := a.shown[r.UID]; s != nil {
			seen := s.Objective
			if c.Doc == model.Plan {
				seen = s.Plan
			}
			if seen != nil {
				d.old = seen.Body
			}
		}
		cmds = append(cmds, a.openDiff(d))
	}
	return tea.Batch(cmds...)
}

// showConflict shows the difference between what somebody else wrote and the text that
// could not be defined.
func (a *App) showConflict(d *draft, n view.Notice) tea.Cmd {
	note := a.record(n)
	n.Level = view.Failure
	w := a.wanted(d.uid)
	return a.awaitOr(n, func() opening {
		return a.fx.sheets([]taskdocs.Wanted{w}, func(sheets []*taskdocs.Docs) tea.Cmd {
			d.loaded(sheets[0]) // who continues with the text now has seen this
			c := sheets[0].Objective
			if d.doc == model.Plan {
				c = sheets[0].Plan
			}
			in := diffInput{
				title:   fmt.Sprintf("The %s of %s changed while you were writing", d.doc, a.name(d.uid)),
				oldName: "what is there now", nowName: "your text (saved)", now: d.body, note: note,
			}
			if c != nil {
				in.old = c.Body
			}
			return a.openDiff(in)
		})
	})
}

// showCycle draws a cycle that an edit would have closed.
func (a *App) showCycle(r *model.Refusal) tea.Cmd {
	return a.dialogs.Push(dialog.NewPage(a.st, "A cycle", a.cycleLines(r.Cycle)))
}

// lines name the texts that were not taken.
func (e *editor) lines() []string {
	var out []string
	for _, d := range e.texts {
		line := fmt.Sprintf("%s of %q", d.doc, e.a.name(d.uid))
		if d.path != "" {
			line += ", there is a copy at " + d.path
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}
