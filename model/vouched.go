package model

import (
	"strings"
	"time"
)

// Vouched says whether the acceptance in a task's status.json, which nobody gave to vespe here, was given by a person whose
// key this clone trusts: its approval says the same, and has a signature of today's allowed signers. at is when. An
// acceptance without one is what somebody wrote into a file.
func Vouched(storeID string, t *Task, approval []byte, by Attestor) (at time.Time, ok bool) {
	p := t.Status.AcceptedPlan
	if p == nil || p.ApprovalHash == "" || by == nil || HashBytes(approval) != p.ApprovalHash {
		return at, false
	}
	a, err := DecodeApproval(approval)
	if err != nil || a.Bound == nil || a.differs(storeID, t) != "" || !a.bindsDependencies() {
		return at, false
	}
	is := by.Attest(a)
	return a.At(), !is.False && is.Level >= LevelSigned && !a.At().IsZero()
}

// bindsDependencies says whether the hashes of dependencies that an approval repeats are those that were signed.
func (a *Approval) bindsDependencies() bool {
	for key, hash := range a.Dependencies {
		bound := ""
		for _, p := range depParts {
			if uid, ok := strings.CutSuffix(key, p.key); ok {
				bound = a.Bound[uid+p.file]
			}
		}
		if bound != hash {
			return false
		}
	}
	return true
}

// WithAcceptance is a task with the acceptance of another version of it, and what status.json says along with that.
func (t *Task) WithAcceptance(from *Task) *Task {
	n, st := t.Clone(), &from.Status
	n.Status.AcceptedPlan, n.Status.ParentContentHashes, n.Status.ChangedBecause = st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause
	if r, p := st.Review, st.AcceptedPlan; r != nil && r.Of == "plan" && r.By == p.By && r.At.Equal(p.At) && r.Revision == p.PlanRevision {
		n.Status.Review = r
	}
	return n
}
