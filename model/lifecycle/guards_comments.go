package lifecycle

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// needAnswerable refuses answers to comments that are not there, and answers that say nothing.
var needAnswerable = machine.Need(model.GuardComment, "answers with text, each to an open comment", func(s *machine.Step) *model.Refusal {
	if len(answersOf(&s.Op)) == 0 {
		return nil
	}
	d, r := s.Discussion(s.Task)
	if r != nil {
		return r
	}
	seen := map[string]bool{}
	for _, a := range answersOf(&s.Op) {
		bad := func(why, hint string) *model.Refusal {
			return s.Refuse(model.CodeInvalid, model.GuardComment, fmt.Sprintf("the answer to %s %s", model.Quote(a.Comment), why), hint)
		}
		c := d.File.Find(a.Comment)
		switch {
		case seen[a.Comment]:
			return bad("is listed twice", "keep one of the two")
		case !slices.Contains(model.Resolutions(), a.Resolution):
			return bad(fmt.Sprintf("says %s", model.Quote(string(a.Resolution))), "use addressed, declined or answered")
		case !utf8.ValidString(a.Text) || len(a.Text) > machine.MaxNote:
			return bad("is not valid UTF-8, or too long", fmt.Sprintf("use at most %d bytes of UTF-8", machine.MaxNote))
		case a.Resolution != model.CommentAddressed && strings.TrimSpace(a.Text) == "":
			return bad("is "+string(a.Resolution)+" without a text", "give the reason or the answer")
		case d.Blind:
		case c == nil:
			return s.Refuse(model.CodeNotFound, model.GuardComment, fmt.Sprintf("its plan has no comment %s", model.Quote(a.Comment)), "`vespe plan comments "+s.Task.UID.Short()+"` lists them")
		case c.Settled():
			hint := "leave it out"
			if s.Op.Actor.Kind() == model.Human {
				hint = fmt.Sprintf("`vespe comment reopen %s %s -m \"…\"` replies and reopens it", s.Task.UID.Short(), c.ID)
			}
			return bad("comes too late: the comment is "+string(c.State), hint)
		}
		seen[a.Comment] = true
	}
	return nil
})

// needAnswers keeps an agent from handing in another plan without a word to what it was told. A
// person who rewrites a plan carries the comments over.
var needAnswers = machine.Need(model.GuardAnswers, "for an agent: an answer to each open comment", func(s *machine.Step) *model.Refusal {
	b := s.Task.Status.Comments
	if b == nil || b.Open == 0 || s.Op.Actor.Kind() == model.Human || s.Op.Actor.Kind() == model.System {
		return nil
	}
	if s.Trial {
		return nil
	}
	d, r := s.Discussion(s.Task)
	if r != nil {
		return r
	}
	var without []string
	for i := range d.File.Comments {
		c := &d.File.Comments[i]
		answered := slices.ContainsFunc(answersOf(&s.Op), func(a model.CommentAnswer) bool { return a.Comment == c.ID })
		if c.State == model.CommentOpen && c.OfPerson() && !answered {
			without = append(without, fmt.Sprintf("%s (%s)", c.ID, model.Quote(machine.FirstLine(c.Text))))
		}
	}
	n := len(without)
	if d.Blind {
		n = b.Open - len(answersOf(&s.Op))
	}
	if n <= 0 {
		return nil
	}
	why := fmt.Sprintf("%s without an answer", model.Plural(n, "open comment is", "open comments are"))
	if len(without) > 0 {
		why += ": " + strings.Join(without[:min(len(without), 3)], ", ")
		if len(without) > 3 {
			why += fmt.Sprintf(" and %d more", len(without)-3)
		}
	}
	return s.Refuse(model.CodeRefused, model.GuardAnswers, why,
		"answer each with --answers FILE: addressed, declined with a reason, or answered; `vespe plan comments "+s.Task.UID.Short()+" --json` lists them")
})

// needCommentable refuses comments that say nothing, and those that nobody may make so.
var needCommentable = machine.Need(model.GuardComment, "comments with text, about existing lines", func(s *machine.Step) *model.Refusal {
	for _, n := range s.Op.Comments() {
		bad := func(why, hint string) *model.Refusal {
			return s.Refuse(model.CodeInvalid, model.GuardComment, why, hint)
		}
		switch {
		case !slices.Contains(model.CommentKinds(), n.OfKind()):
			return bad(fmt.Sprintf("unknown kind of comment: %s", model.Quote(string(n.Kind))), "use comment, question or change")
		case n.OnDoc() != model.Plan && n.OnDoc() != model.Objective && n.OnDoc() != model.Changes:
			return bad(fmt.Sprintf("unknown document %s", model.Quote(string(n.Doc))), "comment on the plan, the objective or a run's changes")
		case n.OnDoc() != model.Changes && n.Spot != (model.Spot{}):
			return bad("only a comment on a run's changes can name a file", "leave run and file out")
		case n.OnDoc() == model.Changes && (!model.ValidRun(n.Spot.Run) || len(n.Spot.File) > machine.MaxNote || !utf8.ValidString(n.Spot.File) || n.Spot.Line < 0):
			return bad("the comment names no run", "name the run")
		case n.OnDoc() == model.Changes && !n.Place.IsZero() && len(n.Place.Quote) == 0:
			return bad("the comment doesn't quote the lines of its patch", "quote them, or comment on the whole patch")
		case strings.TrimSpace(n.Text) == "":
			return bad("the comment is blank", "write something")
		case !utf8.ValidString(n.Text) || len(n.Text) > machine.MaxNote:
			return bad("the comment is not valid UTF-8, or too long", fmt.Sprintf("use at most %d bytes of UTF-8", machine.MaxNote))
		case n.Blocking && s.Op.Actor.Kind() != model.Human:
			return s.Refuse(model.CodeDenied, model.GuardComment, "only a person's comment can block a plan", "send the comment without blocking")
		case len(n.Place.Quote)+len(n.Place.Before)+len(n.Place.After) > maxQuote:
			return bad("the comment quotes too many lines", "comment on fewer lines")
		}
	}
	return nil
})

// needUnblocked keeps a plan from being accepted over a comment that blocks.
var needUnblocked = machine.Need(model.GuardUnblocked, "no unresolved blocking comment", func(s *machine.Step) *model.Refusal {
	for _, n := range s.Op.Comments() {
		if n.Blocking {
			return s.Refuse(model.CodeRefused, model.GuardUnblocked, fmt.Sprintf("the comment %s, sent with this verdict, blocks it", model.Quote(machine.FirstLine(n.Text))),
				"send it without blocking, or reject the plan with it")
		}
	}
	d, r := s.Discussion(s.Task)
	if r != nil || d.Book.Blocking == 0 {
		return r
	}
	why := model.Plural(d.Book.Blocking, "blocking comment is", "blocking comments are") + " unresolved"
	n := 0
	for i := range d.File.Comments {
		c := &d.File.Comments[i]
		if !c.Holds() || c.By.Kind() != model.Human {
			continue
		}
		if n++; n == 1 {
			why = fmt.Sprintf("the comment %s by %s blocks: %s", c.ID, c.By, model.Quote(machine.FirstLine(c.Text)))
			if c.State == model.CommentDeclined {
				why += ", and it was declined"
			}
		}
	}
	if n > 1 {
		why += fmt.Sprintf(" (and %d more)", n-1)
	}
	return s.Refuse(model.CodeRefused, model.GuardUnblocked, why, "resolve it, or reject the plan")
})

var needReviewable = machine.Need(model.GuardPlan, "a plan", func(s *machine.Step) *model.Refusal {
	if s.Task.HasPlan || s.Task.Status.PlanRevision > 0 {
		return nil
	}
	return s.Refuse(model.CodeRefused, model.GuardPlan, "there is no plan to comment on", "define a plan first")
})

// needComment finds the comment that a step is about.
func needComment(what string, states ...model.CommentState) machine.Guard {
	return machine.Need(model.GuardComment, what, func(s *machine.Step) *model.Refusal {
		id := model.ArgsOf[model.CommentRef](&s.Op).Comment
		if s.Task.Status.Comments == nil {
			return s.Refuse(model.CodeRefused, model.GuardComment, "its plan has no comments", "there is nothing to do")
		}
		if s.Trial && id == "" {
			return nil
		}
		d, r := s.Discussion(s.Task)
		if r != nil || d.Blind {
			return r
		}
		c := d.File.Find(id)
		switch {
		case c == nil:
			return s.Refuse(model.CodeNotFound, model.GuardComment, fmt.Sprintf("its plan has no comment %s", model.Quote(id)), "`vespe plan comments "+s.Task.UID.Short()+"` lists them")
		case !slices.Contains(states, c.State):
			return s.Refuse(model.CodeRefused, model.GuardComment, fmt.Sprintf("the comment %s is already %s", c.ID, c.State), "there is nothing to do")
		}
		return nil
	})
}

// needNoDemand keeps finished work from being accepted with a comment that blocks.
var needNoDemand = machine.Need(model.GuardUnblocked, "no blocking comment sent with the verdict", func(s *machine.Step) *model.Refusal {
	for _, n := range s.Op.Comments() {
		if n.Blocking {
			return s.Refuse(model.CodeRefused, model.GuardUnblocked, fmt.Sprintf("the comment %s, sent with this verdict, blocks it", model.Quote(machine.FirstLine(n.Text))),
				"send it without blocking, or reject the work with it")
		}
	}
	return nil
})

// answersOf are those to comments that an operation brings.
func answersOf(op *model.Op) []model.CommentAnswer {
	switch args := op.Args.(type) {
	case model.NewPlan:
		return args.Answers
	case model.CommentAnswers:
		return args.Answers
	}
	return nil
}
