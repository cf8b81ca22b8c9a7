package detail

import (
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/anchor"
	"vespe/model/review"
	"vespe/ui/markdown"
	"vespe/ui/style"
)

// talk is what is said about the documents of a task: comments, and drafts of the reader's own.
type talk struct {
	comments []model.Comment
	drafts   []review.Draft
	err      error
	folded   map[string]bool // by id, where somebody has folded or unfolded one
	from     int             // the line that a range begins on; 0 for none
}

// isFolded reports whether a comment takes one row. What is settled for good is folded until
// somebody looks.
func (k *talk) isFolded(id string, state model.CommentState) bool {
	if f, ok := k.folded[id]; ok {
		return f
	}
	return state == model.CommentResolved
}

// SetReview hands over what is said about the documents of the task, and what the reader has
// written and not sent.
func (d *Detail) SetReview(uid model.UID, f *model.ReviewFile, drafts []review.Draft, err error) {
	if uid != d.uid {
		return
	}
	d.talk.err, d.talk.drafts, d.talk.comments = err, drafts, nil
	if f != nil {
		d.talk.comments = f.Comments
	}
	d.renote()
}

// renote makes the comments be set between the lines anew.
func (d *Detail) renote() { d.docs[0].noted, d.docs[1].noted = false, false }

// which is the document that a pane shows.
func (d *Detail) which(p *docPane) model.Doc {
	if p == &d.docs[1] {
		return model.Plan
	}
	return model.Objective
}

// note sets the comments on a document between its lines.
func (d *Detail) note(p *docPane) {
	if p.noted || p.doc == nil {
		return
	}
	p.noted = true
	which, k := d.which(p), &d.talk
	on := &placer{body: p.content.Body, lines: anchor.Lines(string(p.content.Body))}
	var insets []markdown.Inset
	marks := map[int]markdown.Mark{}
	p.notes = p.notes[:0]
	add := func(n note) {
		n.place = on.place(n.place)
		under := n.place.To
		if n.place.Lost() || n.place.IsZero() {
			under = 0
		}
		if under > 0 {
			ink := d.noteInk(&n)
			for l := n.place.From; l <= n.place.To; l++ {
				if _, ok := marks[l]; !ok || n.draft != nil {
					marks[l] = markdown.Mark{Glyph: d.bar(), SGR: ink.Open()}
				}
			}
		}
		n.under = under
		p.notes = append(p.notes, n)
		insets = append(insets, markdown.Inset{
			ID: n.id(), Under: under, Mark: markdown.Mark{Glyph: d.bar(), SGR: d.noteInk(&n).Open()},
			Draw: func(w int) []string { return d.drawNote(&n, w) },
		})
	}
	for i := range k.comments {
		switch c := &k.comments[i]; {
		case c.Doc == which:
			add(note{comment: c, place: c.Place})
		case c.Doc == model.Changes && which == model.Plan: // the next plan has to answer it
			add(note{comment: c})
		}
	}
	for i := range k.drafts {
		switch t := &k.drafts[i]; {
		case t.Doc == which:
			add(note{draft: t, place: t.Place})
		case t.Doc == model.Changes && which == model.Plan:
			add(note{draft: t})
		}
	}
	slices.SortStableFunc(p.notes, func(a, b note) int { return a.under - b.under })
	insets = append(d.markLeftOut(p, marks), insets...)
	p.doc.SetInsets(insets, marks)
}

// placer finds where comments are in the text that is shown, which may not be the one that they
// were made on.
type placer struct {
	body   []byte
	lines  []string
	finder *anchor.Finder
}

func (p *placer) place(at model.Place) model.Place {
	if at.IsZero() || at.Lost() || at.To <= len(p.lines) && at.From <= at.To && slices.Equal(p.lines[at.From-1:at.To], at.Quote) {
		return at
	}
	if p.finder == nil {
		p.finder = anchor.NewFinder(string(p.body), string(p.body))
	}
	found := p.finder.Find(anchor.Anchor{From: at.From, To: at.To, Quote: at.Quote, Before: at.Before, After: at.After})
	at.Fate = found.Fate.String()
	if found.Fate != anchor.Lost {
		at.From, at.To = found.From, found.To
	}
	return at
}

// note is a comment or a draft between the lines of a document.
type note struct {
	comment *model.Comment
	draft   *review.Draft
	place   model.Place
	under   int
}

func (n *note) id() string {
	if n.draft != nil {
		return n.draft.ID
	}
	return n.comment.ID
}

func (b *base) bar() string {
	if b.st.Options.ASCII {
		return "|"
	}
	return "▎"
}

// noteInk tells at a glance what is still wanted of somebody.
func (b *base) noteInk(n *note) style.Ink {
	if n.draft != nil {
		return b.st.Violet
	}
	return CommentInk(b.st, n.comment)
}

// talkCounts says how many comments on a document wait for something.
func (d *Detail) talkCounts(p *docPane) []headPart {
	open, blocking, answered, drafts := 0, 0, 0, 0
	for _, n := range p.notes {
		switch {
		case n.draft != nil:
			drafts++
		case n.comment.Blocking && !n.comment.Settled():
			blocking++
		case n.comment.State == model.CommentOpen:
			open++
		case n.comment.State != model.CommentResolved:
			answered++
		}
	}
	var out []headPart
	for _, c := range []struct {
		n    int
		ink  style.Ink
		what string
		rank int
	}{{blocking, d.st.Bad, "blocking", 1}, {open, d.st.Warn, "open", 2}, {answered, d.st.Good, "answered", 6}} {
		if c.n > 0 {
			out = append(out, headPart{c.ink.Render(fmt.Sprintf("%d %s", c.n, c.what)), c.rank})
		}
	}
	if drafts > 0 {
		out = append(out, headPart{d.st.Violet.Render(plural(drafts, "draft")), 3})
	}
	if d.talk.err != nil {
		out = append(out, headPart{d.st.Bad.Render(d.st.Glyph.Warning + " comments not read"), 0})
	}
	return out
}

// docOnTab is the document tab on screen; nil when there is none.
func (d *Detail) docOnTab() *docPane {
	switch d.tab {
	case Objective:
		return &d.docs[0]
	case Plan:
		return &d.docs[1]
	}
	return nil
}

// OnNote is the comment or the draft under the cursor of a document; nil, nil for neither.
func (d *Detail) OnNote() (*model.Comment, *review.Draft) {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil {
		return nil, nil
	}
	_, id := p.doc.Cursor()
	for i := range p.notes {
		if p.notes[i].id() == id {
			return p.notes[i].comment, p.notes[i].draft
		}
	}
	return nil, nil
}

// Lines are the lines of the document on screen that the cursor is on, or that are marked. ok is
// false where there is no document.
func (d *Detail) Lines() (c *model.Content, from, to int, ok bool) {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil {
		return nil, 0, 0, false
	}
	line, _ := p.doc.Cursor()
	from, to = line, line
	if d.talk.from > 0 {
		from, to = min(d.talk.from, line), max(d.talk.from, line)
	}
	return p.content, from, to, from > 0
}

// MarkLines begins a range of lines at the cursor, or gives up the one that was begun.
func (d *Detail) MarkLines() {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil {
		return
	}
	if d.talk.from > 0 {
		d.unmark()
		return
	}
	d.talk.from, _ = p.doc.Cursor()
	d.marked(p)
}

// Marking reports whether a range of lines has been begun.
func (d *Detail) Marking() bool { return d.talk.from > 0 }

// Unmark gives up the range of lines.
func (d *Detail) Unmark() { d.unmark() }

func (d *Detail) unmark() {
	d.talk.from = 0
	for i := range d.docs {
		if doc := d.docs[i].doc; doc != nil {
			doc.SetMarked(0, 0)
		}
	}
}

// marked shows the range of lines.
func (d *Detail) marked(p *docPane) {
	if d.talk.from > 0 {
		line, _ := p.doc.Cursor()
		p.doc.SetMarked(d.talk.from, line)
	}
}

// FoldNote folds the comment under the cursor to one row, or unfolds it; false when there is
// none.
func (d *Detail) FoldNote() bool {
	c, _ := d.OnNote()
	if c == nil {
		return false
	}
	on := !d.talk.isFolded(c.ID, c.State)
	if d.talk.folded == nil {
		d.talk.folded = map[string]bool{}
	}
	d.talk.folded[c.ID] = on
	d.renote()
	return true
}

// GoToNote puts the cursor on a comment or draft.
func (d *Detail) GoToNote(id string) bool {
	p := d.docOnTab()
	return p != nil && p.ready(d) != nil && p.doc.CursorToInset(id)
}

// GoToLine puts the cursor on a line of the document on screen.
func (d *Detail) GoToLine(line int) {
	if p := d.docOnTab(); p != nil && p.ready(d) != nil {
		p.doc.CursorTo(line)
	}
}

// Headings are those of the document on screen, and how many lines it has.
func (d *Detail) Headings() (list []markdown.Heading, lines int) {
	p := d.docOnTab()
	if p == nil || p.ready(d) == nil {
		return nil, 0
	}
	return p.doc.Headings(), p.doc.Lines()
}
