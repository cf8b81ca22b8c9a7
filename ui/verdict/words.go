package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"vespe/keymap"
	"vespe/model"
	"vespe/ui/text"
	"vespe/ui/view"
)

// inWords is a refusal in the words of the screen.
func (v Proposer) inWords(err error) error {
	var r *model.Refusal
	if v.Snap == nil || !errors.As(err, &r) {
		return err
	}
	i, ok := v.Snap.Index(r.UID)
	if !ok {
		return err
	}
	said := *r
	if said.Task == "" { // anyone who refused it had no snapshot
		said.Task = v.name(r.UID)
	}
	st := &v.Snap.At(i).Status
	switch {
	case r.Guard == model.GuardState:
		said.Why = r.Op.WrongStatus(v.Snap.StatusWord(i))
	case r.Guard == model.GuardAccepted && st.CurrentState == model.PlanDefined:
		said.Hint = cmp.Or(v.Hint(keymap.Accept, "accepts it"), said.Hint)
	case r.Guard == model.GuardUnblocked:
		v.sayBlocking(&said)
	case r.Guard == model.GuardUndo && st.Undo == nil && st.AcceptedPlan == nil && st.Review == nil:
		said.Why, said.Hint = NoDecision, ""
	}
	return &said
}

// NoDecision is said where there is nothing to undo.
const NoDecision = "no decision here yet"

// sayBlocking names the comment that holds a plan, and the keys that settle it.
func (v Proposer) sayBlocking(r *model.Refusal) {
	settles := "on the comment resolves it"
	for _, d := range v.Drafts.Of(r.UID) {
		if d.Blocking { // it is the one that the refusal names
			settles = "on the comment discards it" + v.orHint(keymap.Open, "there opens it again") + v.orHint(keymap.ComposeBlock, "in its box makes it non-blocking")
		}
	}
	rejects := "rejects the plan"
	if r.Op == model.ReviewAccepted {
		rejects = "rejects the work"
	} else if s := v.Shown; s != nil && s.UID == r.UID && s.Review != nil {
		n := 0
		for i := range s.Review.Comments {
			c := &s.Review.Comments[i]
			if !c.Blocking || c.Settled() || c.By.Kind() != model.Human {
				continue
			}
			if n++; n == 1 {
				r.Why = fmt.Sprintf("the %s of %s on %s blocks, and is %s: %s", c.Kind, c.By.Name(), cmp.Or(LinesOf(c.Place), "the plan"), c.State, text.FirstLine(c.Text))
			}
		}
		if n > 1 {
			r.Why += fmt.Sprintf(" (and %d more)", n-1)
		}
	}
	if settle := v.Hint(keymap.CommentSettle, settles); settle != "" {
		r.Hint = settle + v.orHint(keymap.Reject, rejects)
	}
}

// Refused is the notice of an operation that was refused, in the words of the screen.
func (v Proposer) Refused(what string, err error) view.Notice {
	return view.Refusal(what, v.inWords(err))
}

// WhyNot is the reason of a refusal in one line; "" for none.
func (v Proposer) WhyNot(err error) string {
	if err == nil {
		return ""
	}
	return v.Refused("", err).Why
}

// Done says what operations have done: what the change says, or for several tasks how many and which.
func (v Proposer) Done(ops []model.Op, ch *model.Change) string {
	if len(ops) < 2 || ch.Deed.Verb == "" {
		return text.Capital(ch.Summary)
	}
	if ops[0].Request() != "" {
		return model.Deed{Verb: ch.Deed.Verb, Object: text.Plural(len(ops), "request")}.Done()
	}
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = v.name(op.UID)
	}
	first := model.Quote(names[0])
	if !strings.Contains(ch.Deed.Object, first) {
		return text.Capital(ch.Summary) // names alone would not say what was done
	}
	object := strings.Replace(ch.Deed.Object, first, fmt.Sprintf("%d tasks", len(ops)), 1)
	return model.Deed{Verb: ch.Deed.Verb, Object: object}.Done() + ": " + text.Listed(names, 5)
}

// Changed says in a sentence each what of a task is not what a person accepted; hint says how to see it.
func (v Proposer) Changed(uid model.UID, hint string, now time.Time) (out []string) {
	t, ok := v.Snap.Task(uid)
	if !ok {
		return nil
	}
	var history []model.Event
	if v.Shown != nil && v.Shown.UID == uid {
		history = v.Shown.History
	}
	for _, c := range v.Snap.Changes(t) {
		out = append(out, c.Changed(t, v.Snap, history, now))
	}
	if hint != "" && len(out) > 0 {
		out[len(out)-1] += " " + hint + "."
	}
	return out
}

// Asked reports whether a task is paused until a person answers, and what was
// asked.
func (v Proposer) Asked(uid model.UID) (question string, waits bool) {
	if v.Snap == nil {
		return "", false
	}
	t, ok := v.Snap.Task(uid)
	if !ok || !t.Status.IsPaused || t.Status.PauseKind() != "hitl" {
		return "", false
	}
	return t.Status.PauseText(), true
}

// Named is a task with its status.
func (v Proposer) Named(uid model.UID) string {
	i, _ := v.Snap.Index(uid)
	return fmt.Sprintf("%s (%s)", model.Quote(text.Truncate(v.name(uid), 30)), v.Snap.StatusWord(i))
}

// Why is a task with its status, and the first reason for that.
func (v Proposer) Why(uid model.UID) string {
	i, _ := v.Snap.Index(uid)
	if why := v.Snap.Why(i); len(why) > 0 {
		return v.Named(uid) + ": " + why[0].Text
	}
	return v.Named(uid)
}

// name is what a task is called on screen.
func (v Proposer) name(uid model.UID) string {
	if v.Snap != nil {
		if t, ok := v.Snap.Task(uid); ok && t.Config.Name != "" {
			return t.Config.Name
		}
	}
	return string(uid)
}

// orHint is "; KEY does", or nothing when the action has no key.
func (v Proposer) orHint(action keymap.Action, does string) string {
	if hint := v.Hint(action, does); hint != "" {
		return "; " + hint
	}
	return ""
}

// LinesOf names the lines of a place in the signs that every terminal has.
func LinesOf(p model.Place) string { return strings.ReplaceAll(p.Lines(), "–", "-") }

// RevisionName is what a version of a document is called.
func RevisionName(c *model.Content) string {
	if c.Revision == 0 {
		return "the file as it is now"
	}
	return fmt.Sprintf("revision %d", c.Revision)
}
