package lifecycle

import (
	"fmt"
	"strings"

	"vespe/model"
	"vespe/model/anchor"
)

// comment adds comments to the plan of the step's task, on objective and plan as they are now.
func (s *step) comment(t *model.Task, objective, plan model.Content, list []model.NewComment) *model.Refusal {
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
		case model.Objective:
			body = objective
		case model.Changes: // nobody writes a patch anew
			body = model.Content{}
		}
		if c.Place, r = s.placed(n.Place, body); r != nil {
			return r
		}
		d.add(c)
		s.made = append(s.made, c)
		ids = append(ids, c.ID)
	}
	s.say(model.Plural(len(list), "comment", "comments"))
	s.detail(model.ListField("comments", ids))
	return nil
}

// onRevision turns an empty discussion to the plan that it is about.
func (s *step) onRevision(d *discussion, t *model.Task, plan model.Content) {
	if d.file.PlanHash == "" {
		d.file.Revision, d.file.PlanHash = s.planRevision(t, plan), plan.Hash
	}
}

// placed finds the place of a new comment in today's document.
func (s *step) placed(p model.Place, c model.Content) (model.Place, *model.Refusal) {
	if p.IsZero() || c.Hash == "" { // no place, or a world without bytes
		return p, nil
	}
	lines := len(anchor.Lines(string(c.Body)))
	if len(p.Quote) == 0 {
		if p.To < p.From {
			p.To = p.From
		}
		if p.From < 1 || p.To > lines {
			return p, s.refuse(model.CodeInvalid, model.GuardPlace, fmt.Sprintf("the %s has no %s: it has %s", c.Doc, p.Lines(), model.Plural(lines, "line", "lines")),
				"name existing lines")
		}
		return model.PlaceAt(c.Body, p.From, p.To), nil
	}
	text := string(c.Body)
	return model.FollowPlace(p, anchor.NewFinder(text, text)), nil
}

// carryComments takes what is not settled to a new revision of the plan. old is the text
// before it, nil where it is not known.
func (x *tx) carryComments(t *model.Task, revision int, old, now []byte) *model.Refusal {
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
		old = x.revision(t.UID, model.Plan, d.file.Revision)
	}
	next := &model.ReviewFile{Revision: revision, PlanHash: model.HashBytes(now), ObjectiveHash: d.file.ObjectiveHash}
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
func (x *tx) revision(uid model.UID, doc model.Doc, n int) []byte {
	if w, ok := x.w.(model.Reviewed); ok && n > 0 {
		if body, err := w.Revision(uid, doc, n); err == nil {
			return body
		}
	}
	return nil
}

// answer gives comments the states that answers say.
func (s *step) answer(t *model.Task, answers []model.CommentAnswer) *model.Refusal {
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
		d.settle(d.file.Find(a.Comment), model.Reply{
			State: a.Resolution, Text: strings.TrimSpace(a.Text), By: s.op.Actor, At: s.op.At, Revision: t.Status.PlanRevision,
		})
	}
	s.say(model.Plural(len(answers), "comment", "comments") + " answered")
	return nil
}

// maxQuote is how many lines a comment may be about.
const maxQuote = 10_000

func doComment(s *step) *model.Refusal {
	by := model.ArgsOf[model.Remarks](&s.op)
	list := by.Comments
	if len(list) == 0 {
		list = []model.NewComment{{Text: by.Text}}
	}
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	s.head = "comment on the plan of " + model.Quoted(s.task)
	if len(list) == 1 {
		s.say(model.Quote(firstLine(list[0].Text)))
	}
	t := s.note(s.op.UID)
	t.Status.Remark(s.task.Status.WaitsSince(), s.op.Actor)
	return s.comment(t, objective, plan, list)
}

func doAnswerComments(s *step) *model.Refusal {
	return s.answer(s.note(s.op.UID), model.ArgsOf[model.CommentAnswers](&s.op).Answers)
}

func doResolveComment(s *step) *model.Refusal { return setComment(s, model.CommentResolved) }
func doReopenComment(s *step) *model.Refusal  { return setComment(s, model.CommentOpen) }

// setComment gives the step's comment the state that a person wants it to have.
func setComment(s *step, to model.CommentState) *model.Refusal {
	t := s.note(s.op.UID)
	d, r := s.discussion(t)
	if r != nil || d.blind {
		d.dirty = d != nil
		return r
	}
	c := d.file.Find(model.ArgsOf[model.CommentRef](&s.op).Comment)
	d.settle(c, model.Reply{State: to, Text: strings.TrimSpace(s.op.Reason), By: s.op.Actor, At: s.op.At, Revision: t.Status.PlanRevision})
	s.say(model.Quote(firstLine(c.Text)))
	s.detail(model.TextField("comment", c.ID))
	return nil
}
