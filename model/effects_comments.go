package model

import (
	"fmt"
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
		c := n.Made()
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
	return FollowPlace(p, anchor.NewFinder(text, text)), nil
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
			d.book.Count(c, -1)
		}
	}
	next.Carry(d.file, old, now)
	d.file, d.dirty = next, true
	return nil
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
	s.head = "comment on the plan of " + Quoted(s.task)
	if len(list) == 1 {
		s.say(Quote(firstLine(list[0].Text)))
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
	s.say(Quote(firstLine(c.Text)))
	s.detail(TextField("comment", c.ID))
	return nil
}
