package engine

import (
	"context"

	"vespe/model"
	"vespe/model/snapshot"
)

// holds looks whether a task is still what a person accepted: its texts, and the terms, to which the commands
// belong by which the work is verified. Where it is not, the run waits until a person has looked at that, and
// neither is anything run nor does anything come onto the integration branch.
func (l *Loop) holds(ctx context.Context, r *run) error {
	applied, err := l.do(ctx, model.Op{Name: model.Check, UID: r.Task, Actor: Actor})
	if err != nil {
		return err
	}
	t, ok := applied.Snapshot.Task(r.Task)
	switch {
	case !ok || t.Status.CurrentRun != r.Run:
		return errGone
	case !asAccepted(applied.Snapshot, t):
		return &waiting{after: r.Step, changed: true}
	}
	return nil
}

// asAccepted reports whether an acceptance of a task stands, and nothing that it binds to is known to be another.
func asAccepted(snap *snapshot.Snapshot, t *model.Task) bool {
	return t.Status.AcceptedPlan != nil && len(snap.Changes(t)) == 0
}

// approvalOf names the acceptance that a task stands on.
func approvalOf(t *model.Task) string {
	if a := t.Status.AcceptedPlan; a != nil {
		return a.Approval
	}
	return ""
}
