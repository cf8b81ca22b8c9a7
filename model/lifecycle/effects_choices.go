package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// The options of what vespe itself escalates. Choosing one does what it says, in the transaction of
// the answer; the words of the answer are the reason.
const (
	ChoiceByHand = "fix by hand and continue"
	ChoiceSkip   = "skip"
	ChoiceReset  = "reset attempts and retry"
	ChoiceReplan = "replan"
	ChoiceAbort  = "abort"

	ChoiceGoOn          = "go on without it"      // of a parent that is held for a failed subtask
	ChoiceUndepend      = "remove the dependency" // of what waits for a task that failed or was aborted
	ChoiceReplanWaiting = "replan what waits for it"
	ChoiceAbortWaiting  = "abort what waits for it"
)

// Choice is one option of a request that does something by itself.
type Choice struct {
	Option string
	Does   string // one sentence
	Words  bool   // it needs them: they are the reason
}

// chosen is a choice with what it does.
type chosen struct {
	Choice
	do func(s *machine.Step, q model.Request, why string) *model.Refusal
}

// Choices are the options of a request that do something by themselves: of those that vespe
// escalated. Whoever filed any other reads the answer, and acts on it.
func Choices(q *model.Request) []Choice {
	var out []Choice
	for _, c := range choicesOf(q) {
		if slices.Contains(q.Options, c.Option) {
			out = append(out, c.Choice)
		}
	}
	return out
}

// ChoiceOf is the choice that an option of the request is; false where choosing it only answers.
func ChoiceOf(q *model.Request, option string) (Choice, bool) {
	for _, c := range Choices(q) {
		if c.Option == option {
			return c, true
		}
	}
	return Choice{}, false
}

func choicesOf(q *model.Request) []chosen {
	if q.Holds() {
		return nil
	}
	switch uid := string(q.TaskUID); {
	case q.Key == model.AttemptsKey(q.TaskUID):
		return attemptsChoices
	case q.Key == model.DepFailedKey(q.TaskUID):
		return depFailedChoices
	case strings.HasPrefix(q.Key, model.SubtaskFailed) && q.Key != model.SubtaskFailed+uid:
		return subtaskChoices
	}
	return nil
}

func optionsOf(list []chosen) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].Option
	}
	return out
}

// fires is a choice that fires a row on the task of the request.
func fires(option, does string, words bool, op model.Op) chosen {
	return chosen{Choice{option, does, words}, func(s *machine.Step, q model.Request, why string) *model.Refusal {
		return fireOn(s, op, q.TaskUID, why)
	}}
}

// onSubtask is a choice that fires a row on the subtask for which the task of the request is held.
func onSubtask(option, does string, words bool, op model.Op) chosen {
	return chosen{Choice{option, does, words}, func(s *machine.Step, q model.Request, why string) *model.Refusal {
		return fireOn(s, op, model.UID(strings.TrimPrefix(q.Key, model.SubtaskFailed)), why)
	}}
}

func fireOn(s *machine.Step, op model.Op, uid model.UID, why string) *model.Refusal {
	op.ID, op.At, op.Actor, op.Channel, op.UID, op.Reason = s.Tx.Op.ID, s.Tx.Op.At, s.Op.Actor, s.Tx.Op.Channel, uid, why
	return s.Fire(op, "")
}

var attemptsChoices = []chosen{
	fires(ChoiceByHand, "You did the work in the files of the last run (W t opens them). The next run only verifies and integrates "+
		"them.", false, model.Op{Name: model.Reopen, Args: model.Reopening{ByHand: true}}),
	fires(ChoiceSkip, "You vouch for the work: it is done elsewhere or not needed. It counts as done.", true, model.Op{Name: model.Skip}),
	fires(ChoiceReset, "It is retried, and its attempts start again.", false, model.Op{Name: model.Reopen}),
	{Choice{ChoiceReplan, "It needs a new plan.", false}, func(s *machine.Step, q model.Request, why string) *model.Refusal {
		return reopenTo(s, model.Replan, q.TaskUID, why)
	}},
	fires(ChoiceAbort, "It ends without being done, and so do its open subtasks.", false, model.Op{Name: model.Abort}),
}

var depFailedChoices = []chosen{
	{Choice{ChoiceUndepend, "The tasks that wait for it no longer depend on it.", false}, func(s *machine.Step, q model.Request, _ string) *model.Refusal {
		s.Tx.Bound = true
		return eachWaiting(s, q, func(uid model.UID) *model.Refusal {
			t, _ := s.World.Task(uid)
			failed := append([]model.UID{q.TaskUID}, failedAbove(s.Tx, q.TaskUID)...)
			gone := slices.DeleteFunc(failed, func(d model.UID) bool { return !slices.Contains(t.DependsOn, d) })
			return fireOn(s, model.Op{Name: model.RemoveDependency, Args: model.DependencyEdit{DependsOn: gone}}, uid, "")
		})
	}},
	{Choice{ChoiceReplanWaiting, "The tasks that wait for it need a new plan.", false}, func(s *machine.Step, q model.Request, why string) *model.Refusal {
		return eachWaiting(s, q, func(uid model.UID) *model.Refusal {
			row := s.Table.Row(model.Replan)
			if t, ok := s.World.Task(uid); ok && !slices.Contains(row.From, machine.StateOf(t)) {
				s.Also(machine.HasNoPlan, t)
				return nil
			}
			return fireOn(s, model.Op{Name: model.Replan}, uid, why)
		})
	}},
	{Choice{ChoiceAbortWaiting, "The tasks that wait for it end without being done.", false}, func(s *machine.Step, q model.Request, why string) *model.Refusal {
		return eachWaiting(s, q, func(uid model.UID) *model.Refusal {
			if !s.IsOpen(uid) {
				return nil // it went with one above it
			}
			return fireOn(s, model.Op{Name: model.Abort}, uid, why)
		})
	}},
	fires(ChoiceReset, "The failed task is retried, and its attempts start again.", false, model.Op{Name: model.Reopen}),
}

var subtaskChoices = []chosen{
	{Choice{ChoiceGoOn, "It continues; the subtask stays failed.", false}, func(*machine.Step, model.Request, string) *model.Refusal { return nil }},
	onSubtask(ChoiceReset, "The subtask is retried, its attempts start again, and the task waits for it.", false, model.Op{Name: model.Reopen}),
	onSubtask(ChoiceByHand, "You did the subtask's work in the files of its last run. Its next run only verifies and integrates them.", false,
		model.Op{Name: model.Reopen, Args: model.Reopening{ByHand: true}}),
	onSubtask(ChoiceSkip, "You vouch for the subtask's work: it is done elsewhere or not needed. It counts as done.", true, model.Op{Name: model.Skip}),
	{Choice{ChoiceReplan, "It needs a new plan.", false}, func(s *machine.Step, q model.Request, why string) *model.Refusal {
		return fireOn(s, model.Op{Name: model.Replan}, q.TaskUID, why)
	}},
	fires(ChoiceAbort, "It ends without being done, and so do its open subtasks.", false, model.Op{Name: model.Abort}),
}

// reopenTo re-opens a failed task and goes on with another row, where its state allows that.
func reopenTo(s *machine.Step, name model.Name, uid model.UID, why string) *model.Refusal {
	if r := fireOn(s, model.Op{Name: model.Reopen}, uid, why); r != nil {
		return r
	}
	if t, _ := s.World.Task(uid); !slices.Contains(s.Table.Row(name).From, machine.StateOf(t)) {
		return nil // it has no plan that could be another
	}
	return fireOn(s, model.Op{Name: name}, uid, why)
}

// eachWaiting does something with every open task that waits for the task of a request.
func eachWaiting(s *machine.Step, q model.Request, do func(model.UID) *model.Refusal) *model.Refusal {
	for _, uid := range waitInVain(s.Tx, q.TaskUID) {
		if t, ok := s.World.Task(uid); !ok || !s.IsOpen(uid) || t.Unreadable() {
			continue
		}
		if r := do(uid); r != nil {
			return r
		}
	}
	return nil
}

// choiceOf is what an answer to a request does by itself.
func choiceOf(q *model.Request, by model.Answering) (chosen, bool) {
	if by.Decision != model.DecideChoose || !slices.Contains(q.Options, by.Choice) {
		return chosen{}, false
	}
	for _, c := range choicesOf(q) {
		if c.Option == by.Choice {
			return c, true
		}
	}
	return chosen{}, false
}

// act does what a person chose. was is the request as it waited.
func act(s *machine.Step, was model.Request, by model.Answering) *model.Refusal {
	c, ok := choiceOf(&was, by)
	if !ok {
		return nil
	}
	why := strings.TrimSpace(by.Text)
	switch {
	case why == "" && c.Words:
		return s.Refuse(model.CodeInvalid, model.GuardReason, fmt.Sprintf("%s needs a reason, and none was given", model.Quote(c.Option)),
			"give a reason with the answer; the next person or agent on the task sees it")
	case why == "":
		why = fmt.Sprintf("%s: %s", was.Title, c.Option)
	}
	n := len(s.Events)
	if r := c.do(s, was, model.CutText(why, machine.MaxNote)); r != nil {
		return r
	}
	if len(s.Events) == n {
		return nil // it only answers
	}
	s.Tx.Acted = true
	s.Deed = model.Deed{Verb: "choose", Object: model.Quote(c.Option)} // what comes of it names the tasks
	s.Tx.Closed = append(s.Tx.Closed, model.UndoRequest{ID: was.ID, State: was.State})
	s.AlsoFrom(n)
	if q, ok := s.RequestOf(was.ID); ok { // at once, so that the one who fetches the answer need not do it
		q = q.Clone()
		q.Answer.ActedBy, q.Answer.ActedAt, q.Answer.ActedWith = s.Op.Actor, s.Tx.Op.At, s.Events[n].Name
		put(s.Tx, q)
	}
	if t := noted(s.Tx, was.TaskUID); t != nil {
		t.Status.Answered = slices.DeleteFunc(t.Status.Answered, func(id string) bool { return id == was.ID })
	}
	return nil
}

// Preview is what choosing would do now, in words that somebody may still have to give. The error is a
// *Refusal.
func (c Choice) Preview(w model.World, q *model.Request, by model.Actor) (*model.Change, error) {
	words := ""
	if c.Words {
		words = PreviewWords
	}
	op := model.Op{Name: model.AnswerRequest, Actor: by, Args: model.Answering{Request: q.ID, Decision: model.DecideChoose, Choice: c.Option, Text: words}}
	if _, ok := w.Task(q.TaskUID); ok {
		op.UID = q.TaskUID
	}
	return Apply(w, op)
}

// PreviewWords stand in a preview for what a person has not typed yet.
const PreviewWords = "…"
