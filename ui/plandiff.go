package ui

import (
	"fmt"
	"slices"

	"vespe/ui/taskdocs"
	"vespe/ui/verdict"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/anchor"
	"vespe/ui/detail"
	"vespe/ui/diff"
)

// planDiff is two revisions of a plan that are compared, with what was said about each.
type planDiff struct {
	uid                  model.UID
	old, now             *model.Content
	oldReview, nowReview *model.ReviewFile
	between              []*model.ReviewFile // of the revisions between them, the newest first
	finder               *anchor.Finder
	// run is the one whose patch it is, in place of two revisions; "" for those.
	run   string
	patch *diff.Comparison // nil before somebody asks where a line of it belongs
}

const unaskedLabel = "unasked: no comment asked for this change"

// comments are those of a review on lines of a plan.
func planComments(f *model.ReviewFile) []*model.Comment {
	if f == nil {
		return nil
	}
	var out []*model.Comment
	for i := range f.Comments {
		if c := &f.Comments[i]; c.Doc == model.Plan && !c.Place.IsZero() {
			out = append(out, c)
		}
	}
	return out
}

// later is a comment as the later of the two revisions has it: with what was answered since.
func (p *planDiff) later(c *model.Comment) *model.Comment {
	for _, f := range p.since() {
		if l := f.Find(c.ID); l != nil {
			return l
		}
	}
	return c
}

// since are the reviews after that of the earlier revision, the newest first.
func (p *planDiff) since() []*model.ReviewFile {
	var out []*model.ReviewFile
	for _, f := range append([]*model.ReviewFile{p.nowReview}, p.between...) {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// notes are the comments beside the lines that they meant: on the old text those that were made
// on it, with their answers since, and on the new one the rest.
func (p *planDiff) notes(on *core) []diff.Note {
	if p == nil {
		return nil
	}
	if p.run != "" {
		return p.workTalk(on)
	}
	var out []diff.Note
	shown := map[string]bool{}
	add := func(c *model.Comment, at model.Place, old bool) {
		shown[c.ID] = true
		if at.Lost() && !old {
			at.To = max(1, at.From-1)
		}
		said := *p.later(c)
		said.Place.Fate = "" // both texts are there to see it
		out = append(out, diff.Note{ID: c.ID, Old: old, Line: max(1, at.To), Draw: func(w int) []string { return on.panes.detail.DrawComment(&said, w) }})
	}
	for _, c := range planComments(p.oldReview) {
		if !c.Place.Lost() {
			add(c, c.Place, true)
		}
	}
	for i, f := range p.since() {
		for _, c := range planComments(f) {
			if !shown[c.ID] {
				add(c, p.onNew(c.Place, i > 0 || p.nowReview == nil), false)
			}
		}
	}
	return append(out, p.draftNotes(on)...)
}

// draftNotes are the comments on the plan that were not sent, beside its lines.
func (p *planDiff) draftNotes(on *core) []diff.Note {
	var out []diff.Note
	for _, t := range on.typed.Of(p.uid) {
		if t.Doc != model.Plan {
			continue
		}
		at := t.Place
		if !at.IsZero() {
			at = p.onNew(at, true)
		}
		t.Place = at
		line := at.To
		if at.Lost() {
			line = at.From - 1
		}
		out = append(out, diff.Note{ID: t.ID, Line: max(1, line), Draw: func(w int) []string { return on.panes.detail.DrawDraft(&t, w) }})
	}
	return out
}

// onNew is where a comment is in the later of the two texts. stray: its place is by the lines of a
// revision between them.
func (p *planDiff) onNew(at model.Place, stray bool) model.Place {
	if !stray || at.Lost() {
		return at
	}
	if p.finder == nil {
		p.finder = anchor.NewFinder(string(p.now.Body), string(p.now.Body))
	}
	found := p.finder.Find(anchor.Anchor{From: at.From, To: at.To, Quote: at.Quote, Before: at.Before, After: at.After})
	at.From, at.To, at.Fate = found.From, max(found.From, found.To), found.Fate.String()
	return at
}

// unasked tells the differences that no comment asked for from those that one did: one on lines
// that were changed, or beside which something was put. nil when nobody had commented: then all
// of it is the writer's own.
func (p *planDiff) unasked() func(diff.Hunk) bool {
	if p == nil || p.old == nil || p.now == nil {
		return nil
	}
	var olds, news []model.Place
	for _, c := range planComments(p.oldReview) {
		if !c.Place.Lost() {
			olds = append(olds, c.Place)
		}
	}
	for i, f := range p.since() {
		for _, c := range planComments(f) {
			if at := p.onNew(c.Place, i > 0 || p.nowReview == nil); !at.Lost() && (c.Since < p.now.Revision || p.now.Revision == 0) {
				news = append(news, at)
			}
		}
	}
	if len(olds)+len(news) == 0 {
		return nil
	}
	touches := func(list []model.Place, from, to int) bool {
		return slices.ContainsFunc(list, func(at model.Place) bool { return at.From <= to+1 && at.To >= from-1 })
	}
	return func(h diff.Hunk) bool {
		return !touches(olds, h.OldFrom, h.OldTo) && !touches(news, h.NewFrom, h.NewTo)
	}
}

// decidedName names the revision that a plan is compared with.
func (cm *commenter) decidedName(s *taskdocs.Docs) string {
	name := verdict.RevisionName(s.Base)
	if s.IsDecided() {
		name += ", your last decision"
	}
	return name
}

// planOf are the two revisions that the difference of a sheet compares.
func (cm *commenter) planOf(s *taskdocs.Docs) *planDiff {
	return &planDiff{uid: s.UID, old: s.Base, now: s.Plan, oldReview: s.BaseReview, nowReview: s.Review, between: s.Between}
}

// markChanges lets the plan be compared with the last revision that this actor decided on. What
// is marked stays until that is done.
func (cm *commenter) markChanges(s *taskdocs.Docs) tea.Cmd {
	if s.Plan == nil || !s.IsDecided() {
		cm.panes.detail.SetChanges(s.UID, nil)
		return nil
	}
	return cm.fx.planChanges(s, cm.planOf(s))
}

// planChanges compares the two revisions of a plan.
func (e effects) planChanges(s *taskdocs.Docs, p *planDiff) tea.Cmd {
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
func (cm *commenter) onPlanChanges(m planChangesMsg) tea.Cmd {
	if cm.sheet == m.sheet {
		cm.panes.detail.SetChanges(m.sheet.UID, m.changes)
	}
	return nil
}

func (cm *commenter) nextChange(n int) tea.Cmd {
	cm.panes.detail.NextChange(n)
	return nil
}

// noChange says why there is no change of the plan to go to.
func (cm *commenter) noChange() string {
	t, ok := cm.current()
	switch {
	case !ok:
		return verdict.ErrNoTask.Error()
	case cm.panes.detail.Tab() != detail.Plan:
		return "changes are marked in the plan" + cm.orKey(keymap.TabPlan, "shows it")
	case !t.HasPlan:
		return "the task has no plan yet"
	case cm.sheet == nil || cm.sheet.UID != t.UID || cm.sheet.Plan == nil:
		return "the plan isn't read yet"
	case t.Status.PlanRevision < 2 && cm.sheet.Base == nil:
		return "this is the first revision of the plan"
	case !cm.sheet.IsDecided():
		return "you decided on no earlier revision of this plan" + cm.orKey(keymap.Diff, "shows what changed last")
	}
	c := cm.panes.detail.Changes()
	switch {
	case c == nil:
		return "comparing the plan…"
	case len(c.List) == 0:
		return fmt.Sprintf("nothing changed since revision %d, your last decision", c.Since)
	}
	return ""
}
