package lifecycle

import (
	"slices"
	"strings"

	"vespe/model"
)

// verdictRows are the verdicts on a plan that leave it undecided.
func verdictRows() []Transition {
	return []Transition{
		lifecycleRow(Transition{
			Name: model.QuestionPlan, Takes: model.Feedback{},
			From: []model.State{model.PlanDefined}, FromText: "plan_defined, not accepted", ToText: "same", Who: WhoHuman,
			Args:    []Arg{{Name: "reason", Kind: ArgReason, Required: true, Help: "what must be answered before you decide"}},
			Effect:  "Leaves the plan undecided. It returns to the inbox when every open comment is answered, or with a new revision.",
			Verdict: true,
			Help:    "Ask before deciding on a plan", Example: `3f9a1c -m "what happens to files that are open?"`,
			effect: doQuestionPlan,
		}, needNoAcceptance, needPlan, needSettled, needSeen(model.Objective, model.Plan), needCommentable, needQuestion),
		lifecycleRow(Transition{
			Name: model.DeferPlan, Takes: model.Feedback{},
			From: []model.State{model.PlanDefined}, FromText: "plan_defined, not accepted", ToText: "same", Who: WhoHuman,
			Args:    []Arg{{Name: "reason", Kind: ArgReason, Help: "until when, or until what"}},
			Effect:  "Leaves the plan undecided, at the end of the inbox. Only a person can decide on it.",
			Verdict: true,
			Help:    "Put a plan off", Example: `3f9a1c -m "after the release"`,
			effect: doDeferPlan,
		}, needNoAcceptance, needPlan, needSettled, needSeen(model.Objective, model.Plan), needCommentable),
	}
}

// commentRows are what is said about a plan beside verdicts. They keep books: a verdict can be
// taken back all the same.
func commentRows() []Transition {
	idArg := Arg{Name: "comment", Kind: ArgComment, Required: true, Help: "the comment's id, as `vespe plan comments` shows it"}
	return []Transition{
		lifecycleRow(Transition{
			Name: model.AddComment, Takes: model.Remarks{},
			From: anyOpen, FromText: "any not final, with a plan", ToText: "same", Who: WhoAny,
			Args:   []Arg{{Name: "text", Kind: ArgText, Required: true, Help: "the comment, as Markdown"}},
			Effect: "Adds a comment to the plan's review. A blocking comment prevents acceptance until it is resolved; only a person can add one.",
			Help:   "Comment on a plan, or on lines of it", Example: `3f9a1c --line 12 --kind change "the old file must stay"`,
			effect: doComment,
		}, needReviewable, needSettled, needSeen(model.Objective, model.Plan), needWords, needCommentable),
		lifecycleRow(Transition{
			Name: model.AnswerComments, Takes: model.CommentAnswers{},
			From: anyOpen, FromText: "any not final, with comments", ToText: "same", Who: WhoAny,
			Effect: "Answers comments: addressed, declined with a reason, or answered.",
			Help:   "Answer comments without another revision of the plan", Example: "3f9a1c --answers answers.json",
			effect: doAnswerComments,
		}, needAnswersGiven, needAnswerable),
		lifecycleRow(Transition{
			Name: model.ResolveComment, Takes: model.CommentRef{},
			From: anyOpen, FromText: "any not final, with comments", ToText: "same", Who: WhoHuman,
			Args:   []Arg{idArg, {Name: "reason", Kind: ArgReason, Help: "a note"}},
			Effect: "Resolves a comment: it needs no answer and blocks no acceptance.",
			Help:   "Resolve a comment", Example: "3f9a1c c41d09e",
			effect: doResolveComment,
		}, needComment("an unresolved comment", model.CommentOpen, model.CommentAddressed, model.CommentDeclined, model.CommentAnswered)),
		lifecycleRow(Transition{
			Name: model.ReopenComment, Takes: model.CommentRef{},
			From: anyOpen, FromText: "any not final, with comments", ToText: "same", Who: WhoHuman,
			Args:   []Arg{idArg, {Name: "reason", Kind: ArgReason, Help: "what is still missing"}},
			Effect: "Reopens an answered or resolved comment; a reason becomes a reply. The next revision must answer it.",
			Help:   "Reopen a comment, with a reply", Example: `3f9a1c c41d09e -m "only half of it"`,
			effect: doReopenComment,
		}, needComment("an answered or resolved comment", model.CommentAddressed, model.CommentDeclined, model.CommentAnswered, model.CommentResolved)),
	}
}

var (
	needNoAcceptance = check{GuardInfo{model.GuardUndecided, "a plan that is not accepted"}, func(s *step) *model.Refusal {
		if a := s.task.Status.AcceptedPlan; a != nil {
			return s.refuse(model.CodeRefused, model.GuardUndecided, "its plan was accepted by "+string(model.OrSomebody(a.By)), "undo that, replan it, or comment on it")
		}
		return nil
	}}
	needWords = check{GuardInfo{model.GuardText, "a comment that is not blank"}, func(s *step) *model.Refusal {
		if s.trial || len(s.op.Comments()) > 0 || strings.TrimSpace(s.op.Text()) != "" {
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardText, "the comment is blank", "write something")
	}}
	needQuestion = check{GuardInfo{model.GuardReason, "a question"}, func(s *step) *model.Refusal {
		asks := slices.ContainsFunc(s.op.Comments(), func(c model.NewComment) bool { return c.OfKind() == model.Question })
		if s.trial || asks || strings.TrimSpace(s.op.Reason) != "" {
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardReason, "there is no question", "write the question, or send one as a comment")
	}}
	needAnswersGiven = check{GuardInfo{model.GuardAnswers, "answers"}, func(s *step) *model.Refusal {
		switch {
		case s.task.Status.Comments == nil:
			return s.refuse(model.CodeRefused, model.GuardComment, "its plan has no comments", "there is nothing to do")
		case s.trial, len(answersOf(&s.op)) > 0:
			return nil
		}
		return s.refuse(model.CodeInvalid, model.GuardAnswers, "no answers were given", "answer with --answers FILE")
	}}
)
