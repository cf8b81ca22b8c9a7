package ui

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/explain"
	"vespe/ui/text"
	"vespe/ui/view"
)

// inWords is a refusal in the words of the screen.
func (a *App) inWords(err error) error {
	var r *model.Refusal
	if a.snap == nil || !errors.As(err, &r) {
		return err
	}
	i, ok := a.snap.Index(r.UID)
	if !ok {
		return err
	}
	said := *r
	if said.Task == "" { // anyone who refused it had no snapshot
		said.Task = a.name(r.UID)
	}
	st := &a.snap.At(i).Status
	switch {
	case r.Guard == model.GuardState:
		said.Why = explain.InTheWay(a.snap, i, r)
	case r.Guard == model.GuardAccepted && st.CurrentState == model.PlanDefined:
		said.Hint = cmp.Or(a.keyHint(keymap.Accept, "accepts it"), said.Hint)
	case r.Guard == model.GuardUnblocked:
		a.sayBlocking(&said)
	case r.Guard == model.GuardUndo && st.Undo == nil && st.AcceptedPlan == nil && st.Review == nil:
		said.Why, said.Hint = noDecision, ""
	}
	return &said
}

// noDecision is said where there is nothing to undo.
const noDecision = "no decision here yet"

// sayBlocking names the comment that holds a plan, and the keys that settle it.
func (a *App) sayBlocking(r *model.Refusal) {
	settles := "on the comment resolves it"
	for _, d := range a.typed.Of(r.UID) {
		if d.Blocking { // it is the one that the refusal names
			settles = "on the comment throws it away" + a.orKey(keymap.Open, "there opens it again") + a.orKey(keymap.ComposeBlock, "in its box makes it non-blocking")
		}
	}
	rejects := "rejects the plan"
	if r.Op == model.ReviewAccepted {
		rejects = "rejects the work"
	} else if s := a.sheet; s != nil && s.uid == r.UID && s.review != nil {
		n := 0
		for i := range s.review.Comments {
			c := &s.review.Comments[i]
			if !c.Blocking || c.Settled() || c.By.Kind() != model.Human {
				continue
			}
			if n++; n == 1 {
				r.Why = fmt.Sprintf("the %s of %s on %s blocks, and is %s: %s", c.Kind, c.By.Name(), cmp.Or(linesOf(c.Place), "the plan"), c.State, firstLine(c.Text))
			}
		}
		if n > 1 {
			r.Why += fmt.Sprintf(" (and %d more)", n-1)
		}
	}
	if settle := a.keyHint(keymap.CommentSettle, settles); settle != "" {
		r.Hint = settle + a.orKey(keymap.Reject, rejects)
	}
}

// refused is the notice of an operation that was refused, in the words of the screen.
func (a *App) refused(what string, err error) view.Notice { return view.Refusal(what, a.inWords(err)) }

// whyNot is the reason of a refusal in one line; "" for none.
func (a *App) whyNot(err error) string {
	if err == nil {
		return ""
	}
	return a.refused("", err).Why
}

// reported pairs how the summary of a change begins with how it is said once it is done.
func reported() [][2]string {
	return [][2]string{
		{"define objective of ", "Defined the objective of "},
		{"define plan of ", "Defined the plan of "},
		{"accept plan of ", "Accepted the plan of "},
		{"reject plan of ", "Rejected the plan of "},
		{"start ", "Started "},
		{"complete ", "Completed "},
		{"accept work of ", "Accepted the work of "},
		{"reject work of ", "Rejected the work of "},
		{"report error of ", "Reported an error of "},
		{"retry ", "Retried "},
		{"assign ", "Assigned "},
		{"unassign ", "Unassigned "},
		{"spawn a subtask of ", "Spawned a subtask of "},
		{"pause ", "Paused "},
		{"resume ", "Resumed "},
		{"abort ", "Aborted "},
		{"check ", "Checked "},
		{"revalidate ", "Revalidated "},
		{"replan ", "Sent back for a new plan: "},
		{"ask about the plan of ", "Asked about the plan of "},
		{"defer the plan of ", "Deferred the plan of "},
		{"comment on the plan of ", "Commented on the plan of "},
		{"answer comments on the plan of ", "Answered on the plan of "},
		{"resolve a comment on the plan of ", "Resolved a comment on the plan of "},
		{"reopen a comment on the plan of ", "Reopened a comment on the plan of "},
		{"undo ", "Undid "},
		{"approve ", "Approved "},
		{"choose for ", "Chose for "},
		{"edit milestone ", "Edited milestone "},
		{"edit and approve ", "Approved with changes: "},
		{"answer ", "Answered "},
		{"deny ", "Denied "},
		{"defer ", "Deferred "},
		{"create ", "Created "},
		{"rename ", "Renamed "},
		{"add a dependency to ", "Added a dependency to "},
		{"remove a dependency of ", "Removed a dependency of "},
		{"remove milestone ", "Removed milestone "},
	}
}

// done says what operations have done: the summary in the past tense, or for several tasks
// how many and which.
func (a *App) done(ops []model.Op, summary string) string {
	for _, p := range reported() {
		rest, ok := strings.CutPrefix(summary, p[0])
		if !ok {
			continue
		}
		if len(ops) > 1 && ops[0].Request() != "" {
			return fmt.Sprintf("%s%s", p[1], plural(len(ops), "request"))
		}
		if len(ops) > 1 {
			names := make([]string, len(ops))
			for i, op := range ops {
				names[i] = a.name(op.UID)
			}
			return fmt.Sprintf("%s%d tasks: %s", p[1], len(ops), text.Listed(names, 5))
		}
		return p[1] + rest
	}
	return capital(summary)
}

// waitsForAnswer reports whether a task is paused until a person answers, and what was
// asked.
func (a *App) waitsForAnswer(uid model.UID) (question string, waits bool) {
	if a.snap == nil {
		return "", false
	}
	t, ok := a.snap.Task(uid)
	if !ok || !t.Status.IsPaused || t.Status.PauseKind() != "hitl" {
		return "", false
	}
	asked := strings.TrimPrefix(t.Status.PauseReason, "hitl")
	return strings.TrimSpace(strings.TrimPrefix(asked, ":")), true
}
