package store

import (
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
	"vespe/store/view"
)

// The approvals that the verdicts on a task were written to never change. One that is gone, or that
// somebody has put another in the place of, is found where a task is looked at for edits, and is a
// problem of the task before anybody builds on it.

// CodeApproval is the code of a problem of an approval that is not what was given.
const CodeApproval = view.CodeApproval

// withTampered is a snapshot with the problems of the approvals of some tasks, for showing.
func withTampered(snap *snapshot.Snapshot, found []model.Problem) *snapshot.Snapshot {
	now := snap.StoreProblems()
	for _, p := range found {
		if !slices.ContainsFunc(now, func(q model.Problem) bool { return q.Path == p.Path && q.Code == p.Code }) {
			now = append(slices.Clone(now), p)
		}
	}
	if len(now) == len(snap.StoreProblems()) {
		return snap
	}
	return snap.Amend(snapshot.Amendment{Problems: &now})
}
