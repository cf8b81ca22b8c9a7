package documents

import (
	"context"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/view"
)

const guardElsewhere = "elsewhere"

// Confirmation is the operation by which a person confirms the acceptance of a task that was given elsewhere and does not
// count here: the same verdict, on the very bytes that the approval from there is bound to. It is refused where nothing
// is to be confirmed, or the approval is not of what the task says; where the bytes have changed, the operation
// is.
func (s *Reader) Confirmation(ctx context.Context, uid model.UID) (model.Op, error) {
	op := model.Op{UID: uid, Name: model.AcceptPlan}
	if err := view.CheckTask(ctx, uid); err != nil {
		return op, err
	}
	snap, err := s.refresh(ctx)
	if err != nil {
		return op, err
	}
	t, ok := snap.Task(uid)
	if !ok || t.AcceptedElsewhere() == "" {
		return op, failure.New(model.CodeRefused, guardElsewhere, &op, nil, "`vespe inbox` lists what needs you", "it has no unsigned acceptance from another clone")
	}
	var name string
	e := t.Status.Elsewhere
	if t.Status.CurrentState == model.Completed {
		op.Name, name = model.ReviewAccepted, e.Review.Approval
	} else {
		name = e.Plan.Approval
	}
	refuse := func(why string) error {
		return failure.New(model.CodeConflict, guardElsewhere, &op, nil, "review it: vespe show "+uid.Short(), "%s", why)
	}
	v, err := s.view()
	if err != nil {
		return op, err
	}
	body, err := v.ApprovalIfAny(uid, name)
	if err != nil {
		return op, err
	}
	a, err := review.DecodeApproval(body)
	if body == nil || err != nil {
		return op, refuse("its approval is missing or unreadable")
	}
	is, err := s.comparer.Acceptance(t.InFile())
	if err != nil {
		return op, err
	}
	if known := is.Known[0]; op.Name == model.ReviewAccepted && !is.Known[1] || op.Name == model.AcceptPlan && !known {
		return op, refuse("what was accepted has changed since")
	}
	bound, err := binding.Bound(peek{snap, v}, op.Name, uid)
	if err != nil {
		return op, err
	}
	seen := &model.Seen{Head: snap.Head(), ObjectiveHash: a.Objective.Hash, PlanHash: a.Plan.Hash, Bound: map[string]string{}, Verdict: review.VerdictOn(t)}
	for file, hash := range bound {
		_, was := a.Bound[file]
		// Comments have the verdict in them, and a dependency may have got its result since.
		if file == review.BoundComments || !was && strings.HasSuffix(file, "/"+layout.ResultDir) {
			seen.Bound[file] = hash
		}
	}
	for file, hash := range a.Bound {
		if file != review.BoundComments {
			seen.Bound[file] = hash
		}
	}
	op.Seen = seen
	lifecycle.SetArg(&op, "excluded", a.Excluded)
	return op, nil
}
