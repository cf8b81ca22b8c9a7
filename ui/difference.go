package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/keymap"
	"vespe/model"
	"vespe/model/review"
	"vespe/ui/dialog"
	"vespe/ui/overlay"
	"vespe/ui/screen"
)

// difference shows what differs between two texts, or what a patch changes.
type difference struct {
	dialog.Frame
	comments *commenter
	diff     *overlay.Diff
	of       *planDiff      // nil where it compares no two revisions of a plan, and is no work on a task
	then     func() tea.Cmd // what follows once it has been closed; nil for nothing
}

// diffInput is two texts to be compared.
type diffInput struct {
	title, oldName, nowName, note string
	old, now                      []byte
	patch                         []byte    // in place of two texts: what changes files
	plan                          *planDiff // what it compares, when that is two revisions of a plan
	then                          func() tea.Cmd
}

// openDiff shows what differs between two texts, once they have been compared.
func (cm *commenter) openDiff(in diffInput) tea.Cmd {
	box := overlay.NewDiff(cm.st, overlay.DiffOptions{
		Title: in.title, OldTitle: in.oldName, NewTitle: in.nowName,
		Old: string(in.old), New: string(in.now), Patch: string(in.patch), Note: in.note, Empty: "No change.",
		Notes: in.plan.notes(cm.core), Flagged: in.plan.unasked(), Label: cm.st.Glyph.Unfolded + " " + unaskedLabel,
	})
	if in.plan != nil {
		box.Lines()
	}
	pushed := cm.dialogs.Push(&difference{dialog.Frame{Box: box, Scope: keymap.Pager}, cm, box, in.plan, in.then})
	return tea.Batch(pushed, cm.fx.compare(box))
}

// Can leaves out what only plans and work have, and what there is no line or comment for.
func (d *difference) Can(action keymap.Action) dialog.Can {
	switch action {
	case keymap.NoteNext, keymap.NotePrev:
		return dialog.Can{No: !d.diff.Noted()}
	case keymap.DiffAll:
		return dialog.Can{No: d.of != nil && d.of.run != ""}
	case keymap.Accept, keymap.Reject:
		return dialog.Can{No: !d.decidable()}
	case keymap.Comment, keymap.LineRange:
		return dialog.Can{No: d.of == nil}
	case keymap.CommentsSend:
		return dialog.Can{No: d.of == nil || len(d.comments.typed.Of(d.of.uid)) == 0}
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
		d.comments.dialogs.Drop(d) // the sheet comes in its place
	default:
		return nil, false
	}
	return d.comments.root.run(action), true
}

// On continues with what it was opened for.
func (d *difference) On(out overlay.Outcome) tea.Cmd {
	if overlay.Ends(out) && d.then != nil {
		return d.then()
	}
	return nil
}

// Heard puts what is said about a plan beside its lines.
func (d *difference) Heard(news any) tea.Cmd {
	if d.of == nil {
		return nil
	}
	switch n := news.(type) {
	case noteNews:
		d.diff.SetNotes(d.of.notes(d.comments.core))
		if n.id != "" {
			d.diff.GoToNote(n.id)
		}
	case sheetNews:
		p := d.of
		if p.uid == n.UID && (p.run != "" || n.Plan != nil && p.now.Hash == n.Plan.Hash) && p.nowReview != n.Review {
			p.nowReview = n.Review
			d.diff.SetNotes(p.notes(d.comments.core))
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
	if p == nil || len(cm.dialogs.All()) != 1 || p.uid != cm.selected() || cm.sheet == nil || cm.sheet.UID != p.uid {
		return false
	}
	if p.run != "" {
		t, ok := cm.snap.Task(p.uid)
		if !ok {
			return false
		}
		run, is := cm.hasWork(t)
		return is && run == p.run
	}
	return p.now != nil && cm.sheet.Plan != nil && p.now.Hash == cm.sheet.Plan.Hash
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
	drafts := d.comments.typed.Of(d.of.uid)
	if i := slices.IndexFunc(drafts, func(t review.Draft) bool { return t.ID == id }); i >= 0 {
		return nil, &drafts[i]
	}
	if s := d.comments.sheet; s != nil && s.UID == d.of.uid && s.Review != nil {
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
		return cm.composeComment(p.uid, *t, "")
	case c != nil && !d.diff.Marking():
		return cm.answerComment()
	}
	picked, _ := d.diff.Picked()
	d.diff.Unmark()
	t := review.Draft{ID: "d-" + cm.deps.NewID(), Kind: model.Remark, Doc: model.Plan, Revision: p.now.Revision, At: cm.deps.Now().UTC()}
	begin := ""
	switch {
	case p.run != "":
		t = p.draftOnWork(t, picked)
	case picked.From > 0:
		t.Place = model.PlaceAt(p.now.Body, picked.From, picked.To)
	case picked.Under > 0:
		t.Place, begin = model.PlaceAt(p.now.Body, picked.Under, picked.Under), quoted(picked.Gone)
	default:
		begin = quoted(picked.Gone)
	}
	return cm.composeComment(p.uid, t, begin)
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
		return d.of.uid
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
