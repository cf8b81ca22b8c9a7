package cli

import (
	"context"
	"fmt"
	"strings"

	"vespe/model"
	"vespe/store"
)

// planIn is what became of a plan.
func (w *awaited) planIn(snap *model.Snapshot) (o outcome, done bool) {
	o.verdict = verdictObject{UID: string(w.uid), Revision: w.revision, State: model.RequestPending}
	over := func(text string) (outcome, bool) {
		o.code, o.text, o.verdict.State = exitConflict, "superseded: "+text, model.RequestSuperseded
		return o, true
	}
	t, ok := snap.Task(w.uid)
	if !ok {
		return over("the task is gone")
	}
	o.verdict.Name = t.Config.Name
	st := &t.Status
	if r := st.Review; r != nil && r.Of == "plan" && r.Revision == w.revision {
		o.verdict.State, o.verdict.By, o.verdict.At, o.verdict.Text = r.Verdict, string(r.By), timeOrNil(r.At), r.Reason
		o.text = r.Reason
	}
	if p := st.AcceptedPlan; p != nil && p.PlanRevision == w.revision {
		if o.verdict.State != model.RequestAccepted {
			o.verdict.By, o.verdict.At, o.verdict.Text, o.text = string(p.By), timeOrNil(p.At), "", ""
		}
		o.verdict.State = model.RequestAccepted
	}
	switch o.verdict.State {
	case model.RequestAccepted:
		if o.text == "" {
			o.text = o.verdict.State
		}
		return o, true
	case model.VerdictAsked:
		if b := st.Comments; b == nil || b.Revision != w.revision || b.Open == 0 {
			o.verdict.State, o.text = model.RequestPending, "" // every question is answered: it is for the person to decide again
			break
		}
		fallthrough
	case "rejected":
		o.code = exitDenied
		return o, true
	}
	switch {
	case st.PlanRevision != w.revision:
		return over(fmt.Sprintf("revision %d of the plan is there", st.PlanRevision))
	case st.CurrentState == model.Failed, st.CurrentState == model.Aborted, st.CurrentState == model.Replanned:
		return over("the task is " + string(st.CurrentState))
	}
	o.code = exitPending
	return o, false
}

// stillHolds is an outcome, where it is an acceptance that is not to be relied on any more one that says
// so: `start` would refuse it.
func (a *app) stillHolds(ctx context.Context, s *store.Store, snap *model.Snapshot, o outcome) (outcome, error) {
	uid := model.UID(o.verdict.UID)
	if o.request != nil || o.code != exitOK {
		return o, nil
	}
	today, err := s.Today(ctx, snap, []model.UID{uid})
	if err != nil {
		return o, err
	}
	t, ok := today.Task(uid)
	if !ok || t.Status.CurrentState == model.Completed { // what was done is for the person who looks at the work
		return o, nil
	}
	var why []string
	for _, p := range today.Problems() {
		if p.UID == uid && p.Code == store.CodeApproval {
			why = append(why, p.Path+" "+p.Reason)
		}
	}
	for _, c := range today.Changes(t) {
		why = append(why, model.FileOf(today, c.File)+" is not what it was")
	}
	if len(why) > 0 {
		o.code, o.verdict.State, o.verdict.Text = exitConflict, "changed", strings.Join(why, "; ")
		o.text = fmt.Sprintf("changed: it was accepted by %s, and since then %s. A person has to decide again", o.verdict.By, o.verdict.Text)
	}
	return o, nil
}

// reviewFor is the review that a verdict on a plan came with, with all comments; nil where there
// is none, or it cannot be read.
func (a *app) reviewFor(ctx context.Context, s *store.Store, snap *model.Snapshot, o outcome) *reviewObject {
	if o.request != nil || o.code == exitConflict || o.code == exitPending || o.verdict.Revision == 0 {
		return nil
	}
	r, err := a.reviewOf(ctx, s, snap, model.UID(o.verdict.UID), o.verdict.Revision)
	if err != nil {
		return nil
	}
	return r
}

// reviewed is the outcome in words; where comments came with a verdict, or parts were left out, the
// whole review.
func (a *app) reviewed(ctx context.Context, s *store.Store, snap *model.Snapshot, o outcome) string {
	if r := a.reviewFor(ctx, s, snap, o); r != nil && len(r.Comments)+len(r.Excluded) > 0 {
		return r.markdown()
	}
	return o.text
}
