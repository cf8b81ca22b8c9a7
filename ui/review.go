package ui

import (
	"fmt"
	"slices"
	"strings"

	"vespe/ui/discussion"
	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/ui/detail"
	"vespe/ui/dialog"
	"vespe/ui/screen"
	"vespe/ui/text"
	"vespe/ui/view"
)

// wanted says what has to be read of a task.
func (c *core) wanted(uid model.UID) taskdocs.Wanted {
	w := taskdocs.Wanted{UID: uid, Writes: c.typed.Writes()}
	if t, ok := c.snap.Task(uid); ok {
		w.Base, w.Latest, w.At = taskdocs.Base(t), t.Status.PlanRevision, t.Status.Revision
	}
	return w
}

// bound continues with documents once it is known what a verdict binds to of other tasks.
func (d *decider) bound(op model.Name, docs []*taskdocs.Docs, then func([]*taskdocs.Docs) tea.Cmd) tea.Cmd {
	isKnown := func(s *taskdocs.Docs) bool {
		t, ok := d.snap.Task(s.UID)
		return s.Bound != nil || ok && len(t.DependsOn) == 0 && len(binding.AcceptedWith(d.snap, s.UID, nil)) == 0
	}
	if !slices.ContainsFunc(docs, func(s *taskdocs.Docs) bool { return !isKnown(s) }) {
		return then(docs)
	}
	return d.await(op.Title(), func() opening { return d.fx.bounds(op, docs, then) })
}

// review opens the dialog for accepting plans: whose, which bytes, and what will happen.
func (d *decider) review(targets []model.UID) tea.Cmd {
	uids := d.fit(model.AcceptPlan, targets)
	left := len(targets) - len(uids)
	uids, risky := d.proposer().Alone(uids)
	if len(uids) == 0 && len(risky) > 0 {
		return d.oneByOne(risky)
	}
	var shown tea.Cmd
	if len(uids) == 1 {
		shown = d.showPlan(uids[0]) // what is accepted is what can be read
	}
	return tea.Batch(shown, d.withDocs(model.AcceptPlan.Title(), uids, func(docs []*taskdocs.Docs) tea.Cmd {
		return d.bound(model.AcceptPlan, docs, func(docs []*taskdocs.Docs) tea.Cmd {
			return d.confirmPlans(verdict.Plans{Texts: docs, Left: left, Risky: risky, Excluded: d.proposer().LeftBefore(docs)}, nil)
		})
	}))
}

// showPlan puts the plan of a task on the screen, whatever the cursor is on and whichever
// pane has the whole of it.
func (d *decider) showPlan(uid model.UID) tea.Cmd {
	var moved tea.Cmd
	if uid != d.selected() {
		moved = d.nav.goTo(uid)
	}
	if d.screen.Zoom == screen.ZoomLeft {
		d.screen.Zoom = screen.ZoomNone
	}
	tab := d.nav.showTab(detail.Plan)
	if r := d.screen.Layout.Right; r.W == 0 || r.H == 0 {
		d.nav.focus(true) // the screen has room for one pane
	}
	return tea.Batch(moved, tab)
}

// hiddenNotes say what a person has not seen of the texts on screen, which are accepted: what rendering hides, and what was
// out of the window.
func (d *decider) hiddenNotes() []string {
	var out []string
	for _, doc := range []model.Doc{model.Objective, model.Plan} {
		hidden := d.panes.Detail.Hidden(doc)
		if hidden == 0 {
			continue
		}
		out = append(out, fmt.Sprintf("rendered Markdown hides %s of the %s: look for the mark \"hidden\"", text.Plural(hidden, "passage"), doc))
	}
	if n := d.panes.Detail.Drawn(); n < 100 {
		out = append(out, dialog.Unseen(n, "the plan"))
	}
	return out
}

// readText shows a text as it is.
func (c *core) readText(title string, body []byte) tea.Cmd {
	var lines []string
	for _, l := range text.Wrap(text.Safe(string(body)), c.pageWidth()) {
		lines = append(lines, c.st.Text.Render(l))
	}
	return c.dialogs.Push(dialog.NewPage(c.st, title, lines))
}

// noDiff says why there is no difference to show.
func (d *decider) noDiff() string {
	t, ok := d.current()
	switch {
	case !ok:
		return "no task under the cursor"
	case len(d.comments.recorded()) > 0, d.comments.isStale(t):
		return ""
	case d.comments.onHistory():
		return d.comments.noText()
	case d.isWork(t):
		return ""
	case !t.HasPlan:
		return "the task has no plan yet"
	case d.comments.swapped != nil:
		return ""
	case t.Status.PlanRevision < 2 && (d.docs == nil || d.docs.Base == nil):
		return "this is the first revision of the plan"
	}
	return ""
}

// showDiff shows what changed since the revision that was last decided on; on an event of the
// history that recorded a revision, what that one changed.
func (d *decider) showDiff() tea.Cmd {
	if r := d.comments.recorded(); len(r) > 0 {
		return d.comments.showRevisions(r)
	}
	t, ok := d.current()
	if ok && d.comments.isStale(t) && d.comments.swapped == nil {
		return d.comments.showStale(t.UID, nil)
	}
	if ok && d.isWork(t) {
		run, _ := d.hasWork(t)
		return d.showWork(t.UID, run, nil)
	}
	return d.showPlanDiff(d.selected(), nil)
}

// showPlanDiff shows what changed in the plan of a task, and continues when that has been closed.
func (d *decider) showPlanDiff(uid model.UID, then func() tea.Cmd) tea.Cmd {
	return d.withDocs("The difference", []model.UID{uid}, func(docs []*taskdocs.Docs) tea.Cmd {
		s, note := docs[0], ""
		if said, ok := lifecycle.LastSaid(s.History); ok && s.Plan != nil {
			note = model.Plain(said.Words(s.Plan.Revision) + ": " + said.Reason)
		}
		if old := d.comments.swapped; old != nil && s.Plan != nil && s.UID == d.nav.followed {
			d.comments.swapped = nil
			return d.comments.openDiff(diffInput{
				title: "The plan of " + d.name(s.UID) + " changed while it was on screen",
				old:   old.Plan.Body, now: s.Plan.Body, oldName: verdict.RevisionName(old.Plan), nowName: verdict.RevisionName(s.Plan), then: then,
				plan: &discussion.Discussion{UID: s.UID, Old: old.Plan, Now: s.Plan, OldReview: old.Review, NowReview: s.Review},
			})
		}
		if s.Base == nil || s.Plan == nil {
			return d.remark("no earlier revision to compare with")
		}
		return d.comments.openDiff(diffInput{
			title: "Plan of " + d.name(s.UID), old: s.Base.Body, now: s.Plan.Body, plan: d.comments.planOf(s),
			oldName: d.comments.decidedName(s), nowName: verdict.RevisionName(s.Plan), note: note, then: then,
		})
	})
}

// showChanged shows the difference between the bytes that were on screen and today's.
func (d *decider) showChanged(r *model.Refusal, note string) tea.Cmd {
	var cmds []tea.Cmd
	for _, c := range r.Changed {
		in := diffInput{
			title:   fmt.Sprintf("The %s of %s changed meanwhile", c.Doc, d.name(r.UID)),
			oldName: "what you were shown (" + verdict.ShortHash(c.Seen) + ")", nowName: "what is there now (" + verdict.ShortHash(c.Now.Hash) + ")",
			now: c.Now.Body, note: note, old: c.Was,
		}
		if c.Doc == "" {
			in.title = fmt.Sprintf("%s of %s changed meanwhile", model.FileOf(d.snap, c.File), d.name(r.UID))
			if c.Now.Body == nil {
				in.note = strings.TrimPrefix(in.note+"; only their hashes are stored", "; ")
			}
			cmds = append(cmds, d.comments.openDiff(in))
			continue
		}
		if s := d.shown[r.UID]; s != nil {
			seen := s.Objective
			if c.Doc == model.Plan {
				seen = s.Plan
			}
			if seen != nil {
				in.old = seen.Body
			}
		}
		cmds = append(cmds, d.comments.openDiff(in))
	}
	return tea.Batch(cmds...)
}

// showConflict shows the difference between what somebody else wrote and the text that
// could not be defined.
func (d *decider) showConflict(kept *draft, n view.Notice) tea.Cmd {
	note := d.record(n)
	n.Level = view.Failure
	w := d.wanted(kept.uid)
	return d.awaitOr(n, func() opening {
		return d.fx.docsOfAll([]taskdocs.Wanted{w}, func(docs []*taskdocs.Docs) tea.Cmd {
			kept.loaded(docs[0]) // who continues with the text now has seen this
			c := docs[0].Objective
			if kept.doc == model.Plan {
				c = docs[0].Plan
			}
			in := diffInput{
				title:   fmt.Sprintf("The %s of %s changed while you were writing", kept.doc, d.name(kept.uid)),
				oldName: "what is there now", nowName: "your text (saved)", now: kept.body, note: note,
			}
			if c != nil {
				in.old = c.Body
			}
			return d.comments.openDiff(in)
		})
	})
}

// showCycle draws a cycle that an edit would have closed.
func (e *taskEditor) showCycle(r *model.Refusal) tea.Cmd {
	return e.dialogs.Push(dialog.NewPage(e.st, "A cycle", e.cycleLines(r.Cycle)))
}

// lines name the texts that were not taken.
func (e *editor) lines() []string {
	var out []string
	for _, d := range e.texts {
		line := fmt.Sprintf("%s of %q", d.doc, e.tasks.name(d.uid))
		if d.path != "" {
			line += ", there is a copy at " + d.path
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}
