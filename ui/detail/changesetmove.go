package detail

import (
	"slices"

	"vespe/model"
	"vespe/model/review"
)

// at is the part that the cursor is in; -1 where there is none. onHead: it is on no text.
func (c *Changeset) at() (part int, onHead bool) {
	if len(c.spots) == 0 {
		return -1, true
	}
	return c.stack.Cursor()
}

// Current is the task that the cursor is in; "" for none.
func (c *Changeset) Current() model.UID {
	if i, _ := c.at(); i >= 0 {
		return c.spots[i].m.UID
	}
	return ""
}

// here is the detail of the task under the cursor, with the document under it on its tab; nil where
// the cursor is on no text.
func (c *Changeset) here() *Detail {
	i, onHead := c.at()
	if onHead {
		return nil
	}
	s := c.spots[i]
	s.m.d.tab = s.tab
	return s.m.d
}

// ShownDoc is the document that the cursor is in.
func (c *Changeset) ShownDoc() (model.Doc, bool) {
	i, _ := c.at()
	switch {
	case i < 0 || c.spots[i].tab == Overview:
		return "", false
	case c.spots[i].tab == Objective:
		return model.Objective, true
	}
	return model.Plan, true
}

// moving moves the cursor: a range of lines goes with it inside of a text, and is given up beyond.
func (c *Changeset) moving(move func()) {
	was := c.here()
	move()
	now := c.here()
	if was != nil && was.Marking() && (now != was || now.docOnTab() != was.docOnTab()) {
		was.unmark()
	}
	if now != nil {
		now.moveMark()
	}
}

// Move goes n stops down.
func (c *Changeset) Move(n int) { c.moving(func() { c.stack.Move(n) }) }

// Home goes to the beginning, End to the end.
func (c *Changeset) Home() { c.moving(c.stack.Top) }

// End goes to the end.
func (c *Changeset) End() { c.moving(c.stack.Bottom) }

// HalfPage moves by n halves of the window.
func (c *Changeset) HalfPage(n int) { c.moving(func() { c.stack.Leap(n * max(1, c.h/2)) }) }

// Page moves by n windows, of which one row stays in view.
func (c *Changeset) Page(n int) { c.moving(func() { c.stack.Leap(n * max(1, c.h-1)) }) }

// Wheel scrolls the window by rows.
func (c *Changeset) Wheel(n int) { c.moving(func() { c.stack.ScrollBy(n) }) }

// CursorAt are the rows of the page from the first of what the cursor is in to that which it is on.
func (c *Changeset) CursorAt() (from, to int) { return c.stack.CursorAt() }

// Click puts the cursor on a row of the page.
func (c *Changeset) Click(y int) { c.moving(func() { c.stack.CursorRow(y) }) }

// GoTo puts the cursor on the head of a task; false when the changeset does not have it.
func (c *Changeset) GoTo(uid model.UID) bool {
	m := c.member(uid)
	if m == nil {
		return false
	}
	c.moving(func() { c.stack.To(m.first) })
	return true
}

// NextTask goes to the next task whose texts are on the page (1), or to the head of this one and then
// to the one before (-1). It reports whether there was one.
func (c *Changeset) NextTask(n int) bool {
	i, onHead := c.at()
	if i < 0 {
		return false
	}
	now := slices.Index(c.members, c.spots[i].m)
	if n < 0 && c.shown(c.members[now]) && (i != c.members[now].first || !onHead) {
		return c.GoTo(c.members[now].UID)
	}
	for k := now + n; k >= 0 && k < len(c.members); k += n {
		if c.shown(c.members[k]) {
			return c.GoTo(c.members[k].UID)
		}
	}
	return false
}

// NextHeading goes to the next heading (1) or the one before (-1); from the last of a text to the
// head of the next. It reports whether there was one.
func (c *Changeset) NextHeading(n int) bool {
	i, onHead := c.at()
	if i < 0 {
		return false
	}
	moved := false
	c.moving(func() {
		if d := c.here(); d != nil {
			if doc := d.onDoc(); !doc.Raw() && doc.NextHeading(n) {
				c.stack.Show(i)
				moved = true
				return
			}
		}
		to := i + n
		switch {
		case n > 0 && onHead && c.spots[i].tab != Overview:
			c.stack.Move(1)
			moved = true
			return
		case n < 0 && !onHead:
			to = i
		}
		if to >= 0 && to < len(c.spots) {
			c.stack.To(to)
			moved = true
		}
	})
	return moved
}

// Lines are the lines that the cursor is on, or that are marked, and the text that has them.
func (c *Changeset) Lines() (content *model.Content, from, to int, ok bool) {
	if d := c.here(); d != nil {
		return d.Lines()
	}
	return nil, 0, 0, false
}

// OnNote is the comment or the draft under the cursor; nil, nil for neither.
func (c *Changeset) OnNote() (*model.Comment, *review.Draft) {
	if d := c.here(); d != nil {
		return d.OnNote()
	}
	return nil, nil
}

// MarkLines begins a range of lines at the cursor, or gives up the one that was begun.
func (c *Changeset) MarkLines() {
	if d := c.here(); d != nil {
		d.MarkLines()
	}
}

// Marking reports whether a range of lines has been begun.
func (c *Changeset) Marking() bool {
	return slices.ContainsFunc(c.members, func(m *member) bool { return m.d.Marking() })
}

// Unmark gives up the range of lines.
func (c *Changeset) Unmark() {
	for _, m := range c.members {
		m.d.unmark()
	}
}

// FoldNote folds the comment under the cursor to one row, or unfolds it; false when there is none.
func (c *Changeset) FoldNote() bool {
	d := c.here()
	if d == nil || !d.FoldNote() {
		return false
	}
	i, _ := c.at()
	c.renote(c.spots[i].m)
	return true
}

// FoldNotes folds all comments, or unfolds them.
func (c *Changeset) FoldNotes(on bool) {
	for _, m := range c.members {
		m.d.FoldNotes(on)
	}
	c.renote(nil)
}

// csNote is a comment or a draft on the page.
type csNote struct {
	part, under int
	id          string
}

// notes are the comments and drafts in the order of the page.
func (c *Changeset) notes() (out []csNote) {
	for i, s := range c.spots {
		if s.tab == Overview || !s.m.talks(s.tab) {
			continue
		}
		p := s.m.doc(s.tab)
		if p.content == nil {
			continue
		}
		c.stack.Keep(i, func() { p.ready(s.m.d) })
		for _, n := range p.notes {
			out = append(out, csNote{i, n.under, n.id()})
		}
	}
	return out
}

// talks reports whether anything is said about a document.
func (m *member) talks(tab Tab) bool {
	doc := model.Objective
	if tab == Plan {
		doc = model.Plan
	}
	return slices.ContainsFunc(m.d.talk.comments, func(c model.Comment) bool { return c.Doc == doc }) ||
		slices.ContainsFunc(m.d.talk.drafts, func(d review.Draft) bool { return d.Doc == doc })
}

// Notes is how many comments and drafts there are on the page.
func (c *Changeset) Notes() int {
	n := 0
	for _, m := range c.members {
		if c.shown(m) {
			n += len(m.d.talk.comments) + len(m.d.talk.drafts)
		}
	}
	return n
}

// NextNote goes to the next comment or draft (1) or the one before (-1), around the ends; false when
// there is none.
func (c *Changeset) NextNote(n int) bool {
	all := c.notes()
	part, onHead := c.at()
	if len(all) == 0 {
		return false
	}
	line, id := 0, ""
	if d := c.here(); d != nil && !onHead {
		line, id = d.onDoc().Cursor()
	}
	at := -1
	if id != "" {
		at = slices.IndexFunc(all, func(o csNote) bool { return o.part == part && o.id == id })
	}
	if at >= 0 {
		at += n
	} else {
		at = slices.IndexFunc(all, func(o csNote) bool { return o.part > part || o.part == part && o.under >= line })
		if at < 0 {
			at = len(all)
		}
		if n < 0 {
			at--
		}
	}
	to := all[(at+len(all))%len(all)]
	return c.toNote(to.part, to.id)
}

func (c *Changeset) toNote(part int, id string) bool {
	ok := false
	c.moving(func() {
		s := c.spots[part]
		if doc := s.m.doc(s.tab).ready(s.m.d); doc != nil && doc.CursorToInset(id) {
			c.stack.Show(part)
			ok = true
		}
	})
	return ok
}

// GoToNote puts the cursor on a comment or draft of a task.
func (c *Changeset) GoToNote(uid model.UID, id string) bool {
	return slices.ContainsFunc(c.notes(), func(n csNote) bool {
		return c.spots[n.part].m.UID == uid && n.id == id && c.toNote(n.part, id)
	})
}

// GoToLine puts the cursor on a line of the plan of a task.
func (c *Changeset) GoToLine(uid model.UID, line int) {
	m := c.member(uid)
	if m == nil {
		return
	}
	i := m.part(Plan)
	c.moving(func() {
		if p := m.doc(Plan); i >= 0 && p.content != nil {
			c.stack.To(i) // made, with the size of the page
			if doc := p.ready(m.d); doc != nil {
				doc.CursorTo(line)
				c.stack.Show(i)
			}
		}
	})
}

// ToggleRaw switches the texts between their rendering and their source.
func (c *Changeset) ToggleRaw() {
	c.raw = !c.raw
	for _, m := range c.members {
		m.d.raw = c.raw
	}
	c.stack.SetRaw(c.raw)
}

// Text is the text of a document of a task, as it is on the page; nil for none.
func (c *Changeset) Text(uid model.UID, doc model.Doc) *model.Content {
	m := c.member(uid)
	if m == nil {
		return nil
	}
	if doc == model.Plan {
		return m.d.docs[1].content
	}
	return m.d.docs[0].content
}
