package ui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"vespe/model"
	"vespe/ui/diff"
	"vespe/ui/overlay"
)

// planShown is the difference of a plan that has the keys; nil for none.
func (a *App) planShown() *dialog {
	if d := a.top(); d != nil && d.compares != nil {
		return d
	}
	return nil
}

// talked is the task that a comment is about: that of the difference which has the keys, or the
// one under the cursor, in a changeset that of its page.
func (a *App) talked() model.UID {
	if d := a.planShown(); d != nil {
		return d.compares.uid
	}
	if c := a.reviewing(); c != nil {
		return c.page.Current()
	}
	return a.selected()
}

// noPick says why no line of a difference can be commented on.
func noPick(d *dialog) string {
	if _, ok := d.box.(*overlay.Diff).Picked(); !ok {
		return "no line to comment on"
	}
	return ""
}

// noteInDiff is the comment or the draft that the cursor of a difference is on.
func (a *App) noteInDiff(d *dialog) (*model.Comment, *model.Draft) {
	id := d.box.(*overlay.Diff).Note()
	if id == "" {
		return nil, nil
	}
	drafts := a.typed.of(d.compares.uid)
	if i := slices.IndexFunc(drafts, func(t model.Draft) bool { return t.ID == id }); i >= 0 {
		return nil, &drafts[i]
	}
	s := a.sheet
	if c := a.changesetOpen(); c != nil {
		s = c.sheets[d.compares.uid]
	}
	if s != nil && s.uid == d.compares.uid && s.review != nil {
		return s.review.Find(id), nil
	}
	return nil, nil
}

// commentInDiff opens the box for a comment on the lines that were chosen in a difference. One on
// lines that are gone is anchored to the line that they stood under, or to the one in their place,
// and begins with what they said: the plan that it is about has them no more.
func (a *App) commentInDiff(d *dialog) tea.Cmd {
	box, p := d.box.(*overlay.Diff), d.compares
	box.Reveal()
	switch c, t := a.noteInDiff(d); {
	case t != nil:
		return a.composeComment(p.uid, *t, "")
	case c != nil && !box.Marking():
		return a.answerComment()
	}
	picked, _ := box.Picked()
	box.Unmark()
	t := model.Draft{ID: "d-" + a.deps.NewID(), Kind: model.Remark, Doc: model.Plan, Revision: p.now.Revision, At: a.deps.Now().UTC()}
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
	return a.composeComment(p.uid, t, begin)
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

// draftNotes are the comments on the plan that were not sent, beside its lines.
func (p *planDiff) draftNotes(a *App) []diff.Note {
	var out []diff.Note
	for _, t := range a.typed.of(p.uid) {
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
		out = append(out, diff.Note{ID: t.ID, Line: max(1, line), Draw: func(w int) []string { return a.panes.detail.DrawDraft(&t, w) }})
	}
	return out
}

// renote puts what is said about a plan beside the lines of the differences that are open, and the
// cursor of the one on top on a note.
func (a *App) renote(id string) {
	for _, d := range a.dialogs {
		if d.compares == nil {
			continue
		}
		box := d.box.(*overlay.Diff)
		box.SetNotes(d.compares.notes(a))
		if id != "" {
			box.GoToNote(id)
		}
	}
}

// freshTalk hands the differences of a plan that are open what has been said about it since.
func (a *App) freshTalk(s *sheet) {
	for _, d := range a.dialogs {
		if p := d.compares; p != nil && p.uid == s.uid && (p.run != "" || s.plan != nil && p.now.Hash == s.plan.Hash) && p.nowReview != s.review {
			p.nowReview = s.review
			d.box.(*overlay.Diff).SetNotes(p.notes(a))
		}
	}
}
