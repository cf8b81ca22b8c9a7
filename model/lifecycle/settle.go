package lifecycle

import (
	"slices"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
)

// settled finishes the operation: the books that follow from everything else, and the
// right to undo.
func settled(x *machine.Tx) *model.Change {
	x.SaveDiscussions()
	settleRequests(x)
	settleAnswers(x)
	settleElsewhere(x)
	settleUndo(x)
	return x.Change()
}

// settleElsewhere lets go of verdicts that were given elsewhere where the operation left nothing that they could be of:
// another plan or objective, or a verdict that was given here.
func settleElsewhere(x *machine.Tx) {
	for _, h := range x.Touched {
		st := &h.Task.Status
		e := st.Elsewhere
		if e == nil || x.Op.Name == model.ExternalEdit {
			continue
		}
		e.Undo = nil // the revision that it was of is past
		if p := e.Plan; p != nil && (st.AcceptedPlan != nil || st.Review != nil && st.Review.Of == "plan" ||
			p.PlanRevision != st.PlanRevision || p.ObjectiveRevision != st.ObjectiveRevision ||
			slices.Contains([]model.State{model.Created, model.ObjectiveDefined, model.Replanned}, st.CurrentState)) {
			e.Plan, e.ParentContentHashes, e.ChangedBecause = nil, nil, nil
			if e.Review != nil && e.Review.Of == "plan" {
				e.Review = nil
			}
		}
		if e.Review.AcceptsWork() && (st.Review != nil || st.CurrentState != model.Completed) {
			e.Review = nil
		}
		if e.Plan == nil && e.Review == nil {
			st.Elsewhere = nil
		}
	}
}
