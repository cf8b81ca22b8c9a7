// Package discussion puts comments beside two texts that are compared.
package discussion

import (
	"slices"

	"vespe/model"
	"vespe/model/anchor"
	"vespe/model/review"
	"vespe/ui/detail"
	"vespe/ui/diff"
)

// Discussion is two revisions of a plan that are compared, or the patch of a run, with what was said about each.
type Discussion struct {
	UID                  model.UID
	Old, Now             *model.Content
	OldReview, NowReview *model.ReviewFile
	Between              []*model.ReviewFile // of the revisions between them, the newest first
	// Run is the one whose patch it is, in place of two revisions; "" for those.
	Run string

	finder *anchor.Finder
	patch  *diff.Comparison // nil before somebody asks where a line of it belongs
}

// Label marks a difference that Unasked tells of.
const Label = "unasked: no comment asked for this change"

// planComments are those of a review on lines of a plan.
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
func (p *Discussion) later(c *model.Comment) *model.Comment {
	for _, f := range p.since() {
		if l := f.Find(c.ID); l != nil {
			return l
		}
	}
	return c
}

// since are the reviews after that of the earlier revision, the newest first.
func (p *Discussion) since() []*model.ReviewFile {
	var out []*model.ReviewFile
	for _, f := range append([]*model.ReviewFile{p.NowReview}, p.Between...) {
		if f != nil {
			out = append(out, f)
		}
	}
	return out
}

// Drawer draws a comment, or a draft of one, w cells wide.
type Drawer interface {
	DrawComment(c *model.Comment, w int) []string
	DrawDraft(t *review.Draft, w int) []string
}

// Notes are the comments beside the lines that they meant: on the old text those that were made
// on it, with their answers since, and on the new one the rest.
func (p *Discussion) Notes(on Drawer, typed []review.Draft) []diff.Note {
	if p.Run != "" {
		return p.workNotes(on, typed)
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
		out = append(out, diff.Note{ID: c.ID, Old: old, Line: max(1, at.To), Draw: func(w int) []string { return on.DrawComment(&said, w) }})
	}
	for _, c := range planComments(p.OldReview) {
		if !c.Place.Lost() {
			add(c, c.Place, true)
		}
	}
	for i, f := range p.since() {
		for _, c := range planComments(f) {
			if !shown[c.ID] {
				add(c, p.onNew(c.Place, i > 0 || p.NowReview == nil), false)
			}
		}
	}
	return append(out, p.draftNotes(on, typed)...)
}

// draftNotes are the comments on the plan that were not sent, beside its lines.
func (p *Discussion) draftNotes(on Drawer, typed []review.Draft) []diff.Note {
	var out []diff.Note
	for _, t := range typed {
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
		out = append(out, diff.Note{ID: t.ID, Line: max(1, line), Draw: func(w int) []string { return on.DrawDraft(&t, w) }})
	}
	return out
}

// onNew is where a comment is in the later of the two texts. stray: its place is by the lines of a
// revision between them.
func (p *Discussion) onNew(at model.Place, stray bool) model.Place {
	if !stray || at.Lost() {
		return at
	}
	if p.finder == nil {
		p.finder = anchor.NewFinder(string(p.Now.Body), string(p.Now.Body))
	}
	found := p.finder.Find(anchor.Anchor{From: at.From, To: at.To, Quote: at.Quote, Before: at.Before, After: at.After})
	at.From, at.To, at.Fate = found.From, max(found.From, found.To), found.Fate.String()
	return at
}

// Unasked tells the differences that no comment asked for. nil when nobody had commented: then all of it is the writer's
// own. Of other texts than those, p is nil, and nothing is told either.
func (p *Discussion) Unasked() func(diff.Hunk) bool {
	if p == nil || p.Old == nil || p.Now == nil {
		return nil
	}
	r := review.Revisions{Old: p.Old, Now: p.Now, OldReview: p.OldReview, NowReview: p.NowReview, Between: p.Between}
	asked := r.Asked()
	if asked == nil {
		return nil
	}
	return func(h diff.Hunk) bool { return !asked(h.OldFrom, h.OldTo, h.NewFrom, h.NewTo) }
}

// workNotes are the comments and drafts on the lines of a run's patch.
func (p *Discussion) workNotes(on Drawer, typed []review.Draft) []diff.Note {
	var out []diff.Note
	if p.NowReview != nil {
		for i := range p.NowReview.Comments {
			c := p.NowReview.Comments[i]
			if c.Doc != model.Changes || c.Spot.Run != p.Run {
				continue
			}
			line := p.lineOf(c.Place)
			c.Spot = model.Spot{} // the patch is there to see it
			out = append(out, diff.Note{ID: c.ID, Line: line, Draw: func(w int) []string { return on.DrawComment(&c, w) }})
		}
	}
	for _, t := range typed {
		if t.Doc != model.Changes || t.Spot.Run != p.Run {
			continue
		}
		line := p.lineOf(t.Place)
		t.Spot = model.Spot{}
		out = append(out, diff.Note{ID: t.ID, Line: line, Draw: func(w int) []string { return on.DrawDraft(&t, w) }})
	}
	return out
}

// lineOf is the line of the patch that something stands under: that of its place, as long as the patch
// still says there what was quoted, and else the first.
func (p *Discussion) lineOf(at model.Place) int {
	if now := model.PlaceAt(p.Now.Body, at.From, at.To); at.IsZero() || now.To != at.To || !slices.Equal(now.Quote, at.Quote) {
		return 1
	}
	return at.To
}

// OnWork is a comment on lines that were chosen in a run's patch.
func (p *Discussion) OnWork(t review.Draft, picked diff.Picked) review.Draft {
	t.Doc = model.Changes
	t.Spot.Run = p.Run
	if picked.From > 0 {
		t.Place = model.PlaceAt(p.Now.Body, picked.From, picked.To)
		if p.patch == nil {
			p.patch = diff.Patch(string(p.Now.Body))
		}
		t.Spot.File, t.Spot.Line = p.patch.Where(picked.From)
	}
	return t
}

// Changes are what differs in the later revision of a plan.
func (p *Discussion) Changes() *detail.Changes {
	out := &detail.Changes{Hash: p.Now.Hash, Since: p.Old.Revision}
	unasked := p.Unasked()
	for _, c := range diff.Compare(string(p.Old.Body), string(p.Now.Body)).InNew() {
		out.List = append(out.List, detail.Change{Change: c, Unasked: unasked != nil && unasked(c.Hunk)})
	}
	return out
}
