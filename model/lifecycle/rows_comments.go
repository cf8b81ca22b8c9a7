package lifecycle

import (
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
)

// verdictRows are the verdicts on a plan that leave it undecided.
func verdictRows() []machine.Row {
	return []machine.Row{
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.QuestionPlan, Takes: model.Feedback{},
				From: []model.State{model.PlanDefined}, FromText: "Plan review", ToText: "same", Who: model.WhoHuman,
				Args:    []model.Arg{{Name: "reason", Kind: model.ArgReason, Required: true, Help: "what must be answered before you decide"}},
				Effect:  "Leaves the plan undecided. It returns to the inbox when every open comment is answered, or with a new revision.",
				Verdict: true,
				Help:    "Ask before deciding on a plan", Example: `3f9a1c -m "what happens to files that are open?"`,
			}, Do: doQuestionPlan,
		}, needNoAcceptance, needPlan, needSettled, binding.NeedSeen(model.Objective, model.Plan), needCommentable, needQuestion),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.DeferPlan, Takes: model.Feedback{},
				From: []model.State{model.PlanDefined}, FromText: "Plan review", ToText: "same", Who: model.WhoHuman,
				Args:    []model.Arg{{Name: "reason", Kind: model.ArgReason, Help: "until when, or until what"}},
				Effect:  "Leaves the plan undecided, at the end of the inbox. Only a person can decide on it.",
				Verdict: true,
				Help:    "Put a plan off", Example: `3f9a1c -m "after the release"`,
			}, Do: doDeferPlan,
		}, needNoAcceptance, needPlan, needSettled, binding.NeedSeen(model.Objective, model.Plan), needCommentable),
	}
}

// commentRows are what is said about a plan beside verdicts. They keep books: a verdict can be
// taken back all the same.
func commentRows() []machine.Row {
	idArg := model.Arg{Name: "comment", Kind: model.ArgComment, Required: true, Help: "the comment's id, as `vespe plan comments` shows it"}
	return []machine.Row{
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.AddComment, Takes: model.Remarks{},
				From: anyOpen, FromText: "any not final, with a plan", ToText: "same", Who: model.WhoAny,
				Args:   []model.Arg{{Name: "text", Kind: model.ArgText, Required: true, Help: "the comment, as Markdown"}},
				Effect: "Adds a comment to the plan's review. A blocking comment prevents acceptance until it is resolved; only a person can add one.",
				Help:   "Comment on a plan, or on lines of it", Example: `3f9a1c --line 12 --kind change "the old file must stay"`,
			}, Do: doComment,
		}, needReviewable, needSettled, binding.NeedSeen(model.Objective, model.Plan), needWords, needCommentable),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.AnswerComments, Takes: model.CommentAnswers{},
				From: anyOpen, FromText: "any not final, with comments", ToText: "same", Who: model.WhoAny,
				Effect: "Answers comments: addressed, declined with a reason, or answered.",
				Help:   "Answer comments without another revision of the plan", Example: "3f9a1c --answers answers.json",
			}, Do: doAnswerComments,
		}, needAnswersGiven, needAnswerable),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.ResolveComment, Takes: model.CommentRef{},
				From: anyOpen, FromText: "any not final, with comments", ToText: "same", Who: model.WhoHuman,
				Args:   []model.Arg{idArg, {Name: "reason", Kind: model.ArgReason, Help: "a note"}},
				Effect: "Resolves a comment: it needs no answer and blocks no acceptance.",
				Help:   "Resolve a comment", Example: "3f9a1c c41d09e",
			}, Do: doResolveComment,
		}, needComment("an unresolved comment", model.CommentOpen, model.CommentAddressed, model.CommentDeclined, model.CommentAnswered)),
		lifecycleRow(machine.Row{
			Transition: model.Transition{
				Name: model.ReopenComment, Takes: model.CommentRef{},
				From: anyOpen, FromText: "any not final, with comments", ToText: "same", Who: model.WhoHuman,
				Args:   []model.Arg{idArg, {Name: "reason", Kind: model.ArgReason, Help: "what is still missing"}},
				Effect: "Reopens an answered or resolved comment; a reason becomes a reply. The next revision must answer it.",
				Help:   "Reopen a comment, with a reply", Example: `3f9a1c c41d09e -m "only half of it"`,
			}, Do: doReopenComment,
		}, needComment("an answered or resolved comment", model.CommentAddressed, model.CommentDeclined, model.CommentAnswered, model.CommentResolved)),
	}
}

var (
	needNoAcceptance = machine.Need(model.GuardUndecided, "a plan that is not accepted", func(s *machine.Step) *model.Refusal {
		if a := s.Task.Status.AcceptedPlan; a != nil {
			return s.Refuse(model.CodeRefused, model.GuardUndecided, "its plan was accepted by "+string(model.OrSomebody(a.By)), "undo that, replan it, or comment on it")
		}
		return nil
	})
	needWords = machine.Need(model.GuardText, "a comment that is not blank", func(s *machine.Step) *model.Refusal {
		if s.Trial || len(s.Op.Comments()) > 0 || strings.TrimSpace(s.Op.Text()) != "" {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardText, "the comment is blank", "write something")
	})
	needQuestion = machine.Need(model.GuardReason, "a question", func(s *machine.Step) *model.Refusal {
		asks := slices.ContainsFunc(s.Op.Comments(), func(c model.NewComment) bool { return c.OfKind() == model.Question })
		if s.Trial || asks || strings.TrimSpace(s.Op.Reason) != "" {
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardReason, "there is no question", "write the question, or send one as a comment")
	})
	needAnswersGiven = machine.Need(model.GuardAnswers, "answers", func(s *machine.Step) *model.Refusal {
		switch {
		case s.Task.Status.Comments == nil:
			return s.Refuse(model.CodeRefused, model.GuardComment, "its plan has no comments", "there is nothing to do")
		case s.Trial, len(answersOf(&s.Op)) > 0:
			return nil
		}
		return s.Refuse(model.CodeInvalid, model.GuardAnswers, "no answers were given", "answer with --answers FILE")
	})
)
