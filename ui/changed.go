package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/ui/detail"
	"vespe/ui/diff"
)

// planOf are the two revisions that the difference of a sheet compares.
func (a *App) planOf(s *sheet) *planDiff {
	return &planDiff{uid: s.uid, old: s.base, now: s.plan, oldReview: s.baseReview, nowReview: s.review, between: s.between, latest: a.latestPlan(s.uid)}
}

// isDecided reports whether the revision that a sheet compares with is one that this actor decided
// on.
func (s *sheet) isDecided() bool {
	return s.base != nil && s.base.Revision > 0 && s.base.Revision == s.decided
}

// markChanges lets the plan be compared with the last revision that this actor decided on. What
// is marked stays until that is done.
func (a *App) markChanges(s *sheet) tea.Cmd {
	if s.plan == nil || !s.isDecided() {
		a.panes.detail.SetChanges(s.uid, nil)
		return nil
	}
	return a.fx.planChanges(s, a.planOf(s))
}

// planChanges compares the two revisions of a plan.
func (e effects) planChanges(s *sheet, p *planDiff) tea.Cmd {
	return func() tea.Msg {
		out := &detail.Changes{Hash: p.now.Hash, Since: p.old.Revision}
		unasked := p.unasked()
		for _, c := range diff.Compare(string(p.old.Body), string(p.now.Body)).InNew() {
			out.List = append(out.List, detail.Change{Change: c, Unasked: unasked != nil && unasked(c.Hunk)})
		}
		return planChangesMsg{s, out}
	}
}

// onPlanChanges marks what changed in the plan, where it is still the one that was compared.
func (a *App) onPlanChanges(m planChangesMsg) tea.Cmd {
	if a.sheet == m.sheet {
		a.panes.detail.SetChanges(m.sheet.uid, m.changes)
	}
	return nil
}

func (a *App) nextChange(n int) tea.Cmd {
	a.panes.detail.NextChange(n)
	return nil
}

// noChange says why there is no change of the plan to go to.
func (a *App) noChange() string {
	t, ok := a.current()
	switch {
	case !ok:
		return errNoTask.Error()
	case a.panes.detail.Tab() != detail.Plan:
		return "changes are marked in the plan" + a.orKey(keymap.TabPlan, "shows it")
	case !t.HasPlan:
		return "the task has no plan yet"
	case a.sheet == nil || a.sheet.uid != t.UID || a.sheet.plan == nil:
		return "the plan isn't read yet"
	case t.Status.PlanRevision < 2 && a.sheet.base == nil:
		return "this is the first revision of the plan"
	case !a.sheet.isDecided():
		return "you decided on no earlier revision of this plan" + a.orKey(keymap.Diff, "shows what changed last")
	}
	c := a.panes.detail.Changes()
	switch {
	case c == nil:
		return "comparing the plan…"
	case len(c.List) == 0:
		return fmt.Sprintf("nothing changed since revision %d, your last decision", c.Since)
	}
	return ""
}
