package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui/dialog"
	"vespe/ui/diff"
	"vespe/ui/discussion"
	"vespe/ui/overlay"
	"vespe/ui/screen"
	"vespe/ui/style"
	"vespe/ui/taskdocs"
	"vespe/ui/verdict"
)

// difference shows what differs between two texts, or what a patch changes.
type difference struct {
	dialog.Frame
	comments *commenter
	diff     *overlay.Diff
	of       *discussion.Discussion // nil where it compares no two revisions of a plan, and is no work on a task
	then     func() tea.Cmd         // what follows once it has been closed; nil for nothing
}

// diffInput is two texts to be compared.
type diffInput struct {
	title, oldName, nowName, note string
	old, now                      []byte
	patch                         []byte // in place of two texts: what changes files
	head                          func(st *style.Styles, w int) []string
	plan                          *discussion.Discussion // what it compares, when that is two revisions of a plan
	then                          func() tea.Cmd
}

// openDiff shows what differs between two texts, once they have been compared.
func (cm *commenter) openDiff(in diffInput) tea.Cmd {
	box := overlay.NewDiff(cm.st, overlay.DiffOptions{
		Title: in.title, OldTitle: in.oldName, NewTitle: in.nowName,
		Old: string(in.old), New: string(in.now), Patch: string(in.patch), Note: in.note, Head: in.head, Empty: "No change.",
		Notes: cm.notesOn(in.plan), Flagged: in.plan.Unasked(), Label: cm.st.Glyph.Unfolded + " " + discussion.Label,
	})
	if in.plan != nil {
		box.Lines()
	}
	pushed := cm.dialogs.Push(&difference{dialog.Frame{Box: box, Scope: keymap.Pager}, cm, box, in.plan, in.then})
	return tea.Batch(pushed, cm.fx.compare(box))
}

// notesOn are the comments and drafts beside what is compared; of may be nil.
func (cm *commenter) notesOn(of *discussion.Discussion) []diff.Note {
	if of == nil {
		return nil
	}
	return of.Notes(cm.panes.Detail, cm.typed.Of(of.UID))
}

// Can leaves out what only plans and work have, and what there is no line or comment for.
func (d *difference) Can(action keymap.Action) dialog.Can {
	switch action {
	case keymap.NoteNext, keymap.NotePrev:
		return dialog.Can{No: !d.diff.Noted()}
	case keymap.DiffAll:
		return dialog.Can{No: d.of != nil && d.of.Run != ""}
	case keymap.Accept, keymap.Reject:
		return dialog.Can{No: !d.decidable()}
	case keymap.Comment, keymap.LineRange:
		return dialog.Can{No: d.of == nil}
	case keymap.CommentsSend:
		return dialog.Can{No: d.of == nil || len(d.comments.typed.Of(d.of.UID)) == 0}
	case keymap.CommentAnswer, keymap.CommentSettle:
		c, draft := d.onNote()
		return dialog.Can{No: c == nil && (draft == nil || action == keymap.CommentAnswer)}
	}
	return dialog.Can{}
}

// Do comments on it, or decides on it.
func (d *difference) Do(action keymap.Action) (tea.Cmd, bool) {
	switch action {
	case keymap.Comment, keymap.LineRange, keymap.CommentAnswer, keymap.CommentSettle, keymap.CommentsSend:
		if d.of == nil {
			return nil, true
		}
	case keymap.Accept, keymap.Reject:
		if !d.decidable() {
			return nil, true
		}
		d.read()
		d.comments.dialogs.Drop(d) // the dialog comes in its place
	default:
		return nil, false
	}
	return d.comments.root.run(action), true
}

// On continues with what it was opened for.
func (d *difference) On(out overlay.Outcome) tea.Cmd {
	if !overlay.Ends(out) {
		return nil
	}
	d.read()
	if d.then != nil {
		return d.then()
	}
	return nil
}

// read remembers that the plan has been seen: all of it was here, or all that changed since a revision that this person
// decided on.
func (d *difference) read() {
	if d.of == nil || d.of.Run != "" || !d.diff.Shown() {
		return
	}
	if s := d.comments.docs; d.diff.Whole() || s != nil && s.IsDecided() && d.of.Old != nil && d.of.Old.Hash == s.Base.Hash {
		d.comments.panes.Detail.SetDrawn(d.of.Now.Hash)
	}
}

// Heard puts what is said about a plan beside its lines.
func (d *difference) Heard(news any) tea.Cmd {
	if d.of == nil {
		return nil
	}
	switch n := news.(type) {
	case noteNews:
		d.diff.SetNotes(d.comments.notesOn(d.of))
		if n.id != "" {
			d.diff.GoToNote(n.id)
		}
	case docsNews:
		p := d.of
		if p.UID == n.UID && (p.Run != "" || n.Plan != nil && p.Now.Hash == n.Plan.Hash) && p.NowReview != n.Review {
			p.NowReview = n.Review
			d.diff.SetNotes(d.comments.notesOn(p))
		}
	}
	return nil
}

func (d *difference) Hosts(box overlay.Overlay, room int) screen.Rect {
	over := d.Place().Rect
	over.H = room - over.Y // below it, where it leaves room
	return dialog.Within(over, box)
}

// decidable reports whether it is the difference of what a verdict on the task under the cursor would be
// about: the plan as it is on the screen, or the patch of its last run.
func (d *difference) decidable() bool {
	cm, p := d.comments, d.of
	if p == nil || len(cm.dialogs.All()) != 1 || p.UID != cm.selected() || cm.docs == nil || cm.docs.UID != p.UID {
		return false
	}
	if p.Run != "" {
		t, ok := cm.snap.Task(p.UID)
		if !ok {
			return false
		}
		run, is := cm.hasWork(t)
		return is && run == p.Run
	}
	return p.Now != nil && cm.docs.Plan != nil && p.Now.Hash == cm.docs.Plan.Hash
}

// noPick says why no line can be commented on.
func (d *difference) noPick() string {
	if _, ok := d.diff.Picked(); !ok {
		return "no line to comment on"
	}
	return ""
}

// onNote is the comment or the draft that the cursor is on.
func (d *difference) onNote() (*model.Comment, *review.Draft) {
	id := d.diff.Note()
	if id == "" || d.of == nil {
		return nil, nil
	}
	drafts := d.comments.typed.Of(d.of.UID)
	if i := slices.IndexFunc(drafts, func(t review.Draft) bool { return t.ID == id }); i >= 0 {
		return nil, &drafts[i]
	}
	if s := d.comments.docs; s != nil && s.UID == d.of.UID && s.Review != nil {
		return s.Review.Find(id), nil
	}
	return nil, nil
}

// comment opens the box for a comment on the lines that were chosen. One on lines that are gone is anchored to the line that
// they stood under, or to the one in their place, and begins with what they said: the plan that it is about has them no more.
func (d *difference) comment() tea.Cmd {
	cm, p := d.comments, d.of
	d.diff.Reveal()
	switch c, t := d.onNote(); {
	case t != nil:
		return cm.composeComment(p.UID, *t, "")
	case c != nil && !d.diff.Marking():
		return cm.answerComment()
	}
	picked, _ := d.diff.Picked()
	d.diff.Unmark()
	t := review.Draft{ID: "d-" + cm.deps.NewID(), Kind: model.Remark, Doc: model.Plan, Revision: p.Now.Revision, At: cm.deps.Now().UTC()}
	begin := ""
	switch {
	case p.Run != "":
		t = p.OnWork(t, picked)
	case picked.From > 0:
		t.Place = model.PlaceAt(p.Now.Body, picked.From, picked.To)
	case picked.Under > 0:
		t.Place, begin = model.PlaceAt(p.Now.Body, picked.Under, picked.Under), quoted(picked.Gone)
	default:
		begin = quoted(picked.Gone)
	}
	return cm.composeComment(p.UID, t, begin)
}

// planShown is the difference of a plan that has the keys; nil for none.
func (cm *commenter) planShown() *difference {
	if d, ok := cm.dialogs.Top().(*difference); ok && d.of != nil {
		return d
	}
	return nil
}

// talked is the task that a comment is about: that of the difference which has the keys, or the
// one under the cursor.
func (cm *commenter) talked() model.UID {
	if d := cm.planShown(); d != nil {
		return d.of.UID
	}
	return cm.selected()
}

// quoted are lines as Markdown quotes them, with room below.
func quoted(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(strings.TrimRight("> "+l, " "))
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return b.String()
}

// decidedName names the revision that a plan is compared with.
func (cm *commenter) decidedName(s *taskdocs.Docs) string {
	name := verdict.RevisionName(s.Base)
	if s.IsDecided() {
		name += ", your last decision"
	}
	return name
}

// planOf are the two revisions that the difference of a plan compares.
func (cm *commenter) planOf(s *taskdocs.Docs) *discussion.Discussion {
	return &discussion.Discussion{UID: s.UID, Old: s.Base, Now: s.Plan, OldReview: s.BaseReview, NowReview: s.Review, Between: s.Between}
}

// markChanges lets the plan be compared with the last revision that this actor decided on. What
// is marked stays until that is done.
func (cm *commenter) markChanges(s *taskdocs.Docs) tea.Cmd {
	if s.Plan == nil || !s.IsDecided() {
		cm.panes.Detail.SetChanges(s.UID, nil)
		return nil
	}
	p := cm.planOf(s)
	return func() tea.Msg { return planChangesMsg{s, p.Changes()} }
}

// onPlanChanges marks what changed in the plan, where it is still the one that was compared.
func (cm *commenter) onPlanChanges(m planChangesMsg) tea.Cmd {
	if cm.docs == m.docs {
		cm.panes.Detail.SetChanges(m.docs.UID, m.changes)
	}
	return nil
}
