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

// done says what operations have done: the summary in the past tense, or for several tasks
// how many and which.
func (a *App) done(ops []model.Op, summary string) string {
	say, rest := text.Past(summary)
	if len(ops) < 2 || say == "" {
		return say + rest
	}
	if ops[0].Request() != "" {
		return say + plural(len(ops), "request")
	}
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = a.name(op.UID)
	}
	of, _, _ := strings.Cut(rest, `"`)
	after, ok := strings.CutPrefix(rest, of+`"`+names[0]+`"`)
	if !ok || after != "" && !strings.ContainsAny(after[:1], ":;") && !strings.HasPrefix(after, " (") { // names alone would not say what was done
		return say + rest
	}
	return fmt.Sprintf("%s%s%d tasks: %s", say, of, len(ops), text.Listed(names, 5))
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
