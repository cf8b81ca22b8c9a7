package model

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model/anchor"
)

// comment adds comments to the plan of the step's task, on objective and plan as they are now.
func (s *step) comment(t *Task, objective, plan Content, list []NewComment) *Refusal {
	if len(list) == 0 {
		return nil
	}
	d, r := s.discussion(t)
	if r != nil {
		return r
	}
	s.onRevision(d, t, plan)
	var ids []string
	for _, n := range list {
		c := n.made()
		c.ID, c.By, c.At, c.Since = d.newID(s.op.ID, len(d.file.Comments)), s.op.Actor, s.op.At, d.file.Revision
		body := plan
		switch c.Doc {
		case Objective:
			body = objective
		case Changes: // nobody writes a patch anew
			body = Content{}
		}
		if c.Place, r = s.placed(n.Place, body); r != nil {
			return r
		}
		d.add(c)
		s.made = append(s.made, c)
		ids = append(ids, c.ID)
	}
	s.say(Plural(len(list), "comment", "comments"))
	s.detail(ListField("comments", ids))
	return nil
}

// onRevision turns an empty discussion to the plan that it is about.
func (s *step) onRevision(d *discussion, t *Task, plan Content) {
	if d.file.PlanHash == "" {
		d.file.Revision, d.file.PlanHash = s.planRevision(t, plan), plan.Hash
	}
}

func (n *NewComment) kind() CommentKind {
	if n.Kind == "" {
		return Remark
	}
	return n.Kind
}

func (n *NewComment) doc() Doc {
	if n.Doc == "" {
		return Plan
	}
	return n.Doc
}

// placed finds the place of a new comment in today's document.
func (s *step) placed(p Place, c Content) (Place, *Refusal) {
	if p.IsZero() || c.Hash == "" { // no place, or a world without bytes
		return p, nil
	}
	lines := len(anchor.Lines(string(c.Body)))
	if len(p.Quote) == 0 {
		if p.To < p.From {
			p.To = p.From
		}
		if p.From < 1 || p.To > lines {
			return p, s.refuse(CodeInvalid, GuardPlace, fmt.Sprintf("the %s has no %s: it has %s", c.Doc, p.Lines(), Plural(lines, "line", "lines")),
				"name existing lines")
		}
		return PlaceAt(c.Body, p.From, p.To), nil
	}
	text := string(c.Body)
	return follow(p, anchor.NewFinder(text, text)), nil
}

// follow is where a place is in a later text.
func follow(p Place, f *anchor.Finder) Place {
	at := f.Find(p.anchor())
	if at.Fate == anchor.Lost {
		p.From, p.To, p.Fate = at.From, at.From, at.Fate.String()
		return p
	}
	fate := at.Fate
	moved := placeOf(f.Anchor(at))
	switch {
	case fate == anchor.Kept && p.Fate == "" && at.From == p.From:
		return moved
	case p.Fate == anchor.Edited.String(): // once it was edited it is not what it was made on
		fate = anchor.Edited
	case p.Fate == anchor.Moved.String() && fate == anchor.Kept:
		fate = anchor.Moved
	}
	moved.Fate = fate.String()
	return moved
}

// carryComments takes what is not settled to a new revision of the plan. old is the text
// before it, nil where it is not known.
func (x *tx) carryComments(t *Task, revision int, old, now []byte) *Refusal {
	if t.Status.Comments == nil && x.talks[t.UID] == nil {
		return nil
	}
	d, r := x.discussion(t)
	if r != nil {
		return r
	}
	if d.file.Revision == revision {
		return nil
	}
	if old == nil {
		old = x.revision(t.UID, Plan, d.file.Revision)
	}
	next := &ReviewFile{Revision: revision, PlanHash: HashBytes(now), ObjectiveHash: d.file.ObjectiveHash}
	for i := range d.file.Comments {
		if c := &d.file.Comments[i]; c.Settled() {
			d.book.count(c, -1)
		}
	}
	next.Carry(d.file, old, now)
	d.file, d.dirty = next, true
	return nil
}

// Carry adds what is not settled among the comments on another text of the plan, and not in the file. old and now are
// that text and the file's.
func (f *ReviewFile) Carry(from *ReviewFile, old, now []byte) {
	var finder *anchor.Finder
	for _, c := range from.Comments {
		if c.Settled() || f.Find(c.ID) != nil {
			continue
		}
		if c.Doc == Plan && !c.Place.IsZero() {
			if finder == nil {
				finder = anchor.NewFinder(string(old), string(now))
			}
			c.Place = follow(c.Place, finder)
		}
		c.Replies = slices.Clone(c.Replies)
		f.Comments = append(f.Comments, c)
	}
}

// revision is the text of a recorded revision; nil where this world does not have it.
func (x *tx) revision(uid UID, doc Doc, n int) []byte {
	if w, ok := x.w.(Reviewed); ok && n > 0 {
		if body, err := w.Revision(uid, doc, n); err == nil {
			return body
		}
	}
	return nil
}

// answer gives comments the states that answers say.
func (s *step) answer(t *Task, answers []CommentAnswer) *Refusal {
	if len(answers) == 0 {
		return nil
	}
	d, r := s.discussion(t)
	if r != nil {
		return r
	}
	for _, a := range answers {
		if d.blind {
			d.book.Open = max(0, d.book.Open-1)
			d.dirty = true
			continue
		}
		d.settle(d.file.Find(a.Comment), Reply{
			State: a.Resolution, Text: strings.TrimSpace(a.Text), By: s.op.Actor, At: s.op.At, Revision: t.Status.PlanRevision,
		})
	}
	s.say(Plural(len(answers), "comment", "comments") + " answered")
	return nil
}

// maxQuote is how many lines a comment may be about.
const maxQuote = 10_000

func doComment(s *step) *Refusal {
	by := ArgsOf[Remarks](&s.op)
	list := by.Comments
	if len(list) == 0 {
		list = []NewComment{{Text: by.Text}}
	}
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	s.head = "comment on the plan of " + quoted(s.task)
	if len(list) == 1 {
		s.say(quote(firstLine(list[0].Text)))
	}
	return s.comment(s.note(s.op.UID), objective, plan, list)
}

func doAnswerComments(s *step) *Refusal {
	return s.answer(s.note(s.op.UID), ArgsOf[CommentAnswers](&s.op).Answers)
}

func doResolveComment(s *step) *Refusal { return s.setComment(CommentResolved) }
func doReopenComment(s *step) *Refusal  { return s.setComment(CommentOpen) }

// setComment gives the step's comment the state that a person wants it to have.
func (s *step) setComment(to CommentState) *Refusal {
	t := s.note(s.op.UID)
	d, r := s.discussion(t)
	if r != nil || d.blind {
		d.dirty = d != nil
		return r
	}
	c := d.file.Find(ArgsOf[CommentRef](&s.op).Comment)
	d.settle(c, Reply{State: to, Text: strings.TrimSpace(s.op.Reason), By: s.op.Actor, At: s.op.At, Revision: t.Status.PlanRevision})
	s.say(quote(firstLine(c.Text)))
	s.detail(TextField("comment", c.ID))
	return nil
}
