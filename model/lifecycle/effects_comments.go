package lifecycle

import (
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// comment adds comments to the plan of the step's task, on objective and plan as they are now.
func comment(s *machine.Step, t *model.Task, objective, plan model.Content, list []model.NewComment) *model.Refusal {
	if len(list) == 0 {
		return nil
	}
	d, r := s.Discussion(t)
	if r != nil {
		return r
	}
	onRevision(d, t, plan)
	var ids []string
	for _, n := range list {
		c := n.Made()
		c.ID, c.By, c.At, c.Since = d.File.NewID(s.Op.ID, len(d.File.Comments)), s.Op.Actor, s.Op.At, d.File.Revision
		body := plan
		switch c.Doc {
		case model.Objective:
			body = objective
		case model.Changes: // nobody writes a patch anew
			body = model.Content{}
		}
		if c.Place, r = binding.PlaceOf(s, n.Place, body); r != nil {
			return r
		}
		d.Add(c)
		s.Made = append(s.Made, c)
		ids = append(ids, c.ID)
	}
	s.Say(machine.Comments, model.Plural(len(list), "comment", "comments"))
	s.Detail(model.ListField("comments", ids))
	return nil
}

// onRevision turns an empty discussion to the plan that it is about.
func onRevision(d *machine.Discussion, t *model.Task, plan model.Content) {
	if d.File.PlanHash == "" {
		d.File.Revision, d.File.PlanHash = planRevision(t, plan), plan.Hash
	}
}

// carryComments takes what is not settled to a new revision of the plan. old is the text
// before it, nil where it is not known.
func carryComments(x *machine.Tx, t *model.Task, revision int, old, now []byte) *model.Refusal {
	if t.Status.Comments == nil && x.Talks[t.UID] == nil {
		return nil
	}
	d, r := x.Discussion(t)
	if r != nil {
		return r
	}
	if d.File.Revision == revision {
		return nil
	}
	if old == nil {
		old = revisionBody(x, t.UID, model.Plan, d.File.Revision)
	}
	next := &model.ReviewFile{Revision: revision, PlanHash: model.HashBytes(now), ObjectiveHash: d.File.ObjectiveHash}
	for i := range d.File.Comments {
		if c := &d.File.Comments[i]; c.Settled() {
			d.Book.Count(c, -1)
		}
	}
	next.Carry(d.File, old, now)
	d.File, d.Dirty = next, true
	return nil
}

// revisionBody is the text of a recorded revision; nil where this world does not have it.
func revisionBody(x *machine.Tx, uid model.UID, doc model.Doc, n int) []byte {
	if w, ok := x.World.(model.Reviewed); ok && n > 0 {
		if body, err := w.Revision(uid, doc, n); err == nil {
			return body
		}
	}
	return nil
}

// answer gives comments the states that answers say.
func answer(s *machine.Step, t *model.Task, answers []model.CommentAnswer) *model.Refusal {
	if len(answers) == 0 {
		return nil
	}
	d, r := s.Discussion(t)
	if r != nil {
		return r
	}
	for _, a := range answers {
		if d.Blind {
			d.Book.Open = max(0, d.Book.Open-1)
			d.Dirty = true
			continue
		}
		d.Settle(d.File.Find(a.Comment), model.Reply{
			State: a.Resolution, Text: strings.TrimSpace(a.Text), By: s.Op.Actor, At: s.Op.At, Revision: t.Status.PlanRevision,
		})
	}
	s.Say(machine.CommentsAnswered, model.Plural(len(answers), "comment", "comments"))
	return nil
}

// maxQuote is how many lines a comment may be about.
const maxQuote = 10_000

func doComment(s *machine.Step) *model.Refusal {
	by := model.ArgsOf[model.Remarks](&s.Op)
	list := by.Comments
	if len(list) == 0 {
		list = []model.NewComment{{Text: by.Text}}
	}
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	s.Deed = model.AddComment.Deed(model.Quoted(s.Task))
	if len(list) == 1 {
		s.Say(machine.Quotes, model.Quote(machine.FirstLine(list[0].Text)))
	}
	return comment(s, s.Note(s.Op.UID), objective, plan, list)
}

func doAnswerComments(s *machine.Step) *model.Refusal {
	return answer(s, s.Note(s.Op.UID), model.ArgsOf[model.CommentAnswers](&s.Op).Answers)
}

func doResolveComment(s *machine.Step) *model.Refusal { return setComment(s, model.CommentResolved) }
func doReopenComment(s *machine.Step) *model.Refusal  { return setComment(s, model.CommentOpen) }

// setComment gives the step's comment the state that a person wants it to have.
func setComment(s *machine.Step, to model.CommentState) *model.Refusal {
	t := s.Note(s.Op.UID)
	d, r := s.Discussion(t)
	if r != nil || d.Blind {
		d.Dirty = d != nil
		return r
	}
	c := d.File.Find(model.ArgsOf[model.CommentRef](&s.Op).Comment)
	d.Settle(c, model.Reply{State: to, Text: strings.TrimSpace(s.Op.Reason), By: s.Op.Actor, At: s.Op.At, Revision: t.Status.PlanRevision})
	s.Say(machine.Quotes, model.Quote(machine.FirstLine(c.Text)))
	s.Detail(model.TextField("comment", c.ID))
	return nil
}
