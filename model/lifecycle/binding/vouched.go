package binding

import (
	"strings"
	"time"

	"vespe/model"
	"vespe/model/review"
)

// Vouched holds an acceptance of a task's plan, which was not given here, against its approval. known says that the
// approval is of exactly this acceptance, as another clone leaves it, and at when it was given; signed, that a key
// which this clone trusts today signed it. A signature is what makes it count here.
func Vouched(storeID string, t *model.Task, approval []byte, by review.Attestor) (at time.Time, known, signed bool) {
	p := t.Status.AcceptedPlan
	if p == nil || p.ApprovalHash == "" || model.HashBytes(approval) != p.ApprovalHash {
		return at, false, false
	}
	a, err := review.DecodeApproval(approval)
	if err != nil || a.Bound == nil || differs(&a, storeID, t) != "" || !bindsDependencies(&a) || a.At().IsZero() {
		return at, false, false
	}
	return a.At(), true, isSigned(&a, by)
}

// VouchedWork is Vouched for the acceptance of finished work; result is the hash of the result as it is now.
func VouchedWork(storeID string, t *model.Task, approval []byte, result string, by review.Attestor) (at time.Time, known, signed bool) {
	r := t.Status.Review
	if !r.AcceptsWork() || r.ApprovalHash == "" || model.HashBytes(approval) != r.ApprovalHash {
		return at, false, false
	}
	a, err := review.DecodeApproval(approval)
	if err != nil || a.StoreID != storeID || a.Task != t.UID || a.Verdict != "review-accepted" ||
		a.Plan.Revision != r.Revision || a.Approver != r.By || !a.At().Equal(r.At) || a.At().IsZero() || a.Bound[review.BoundResult] != result {
		return at, false, false
	}
	return a.At(), true, isSigned(&a, by)
}

func isSigned(a *review.Approval, by review.Attestor) bool {
	if by == nil {
		return false
	}
	is := by.Attest(*a)
	return !is.False && is.Level >= review.LevelSigned
}

// bindsDependencies says whether the hashes of dependencies that an approval repeats are those that were signed.
func bindsDependencies(a *review.Approval) bool {
	for key, hash := range a.Dependencies {
		bound := ""
		for _, p := range DepParts {
			if uid, ok := strings.CutSuffix(key, p.Key); ok {
				bound = a.Bound[uid+p.file]
			}
		}
		if bound != hash {
			return false
		}
	}
	return true
}

// WithAcceptance is a task with acceptances of another version of it, of its plan or its work, and what status.json says
// along with them.
func WithAcceptance(t *model.Task, from *model.Task, plan, work bool) *model.Task {
	n, st := t.Clone(), &from.Status
	if n.Status.Elsewhere = nil; work {
		n.Status.Review = st.Review
	}
	if !plan {
		return n
	}
	n.Status.AcceptedPlan, n.Status.ParentContentHashes, n.Status.ChangedBecause = st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause
	if r, p := st.Review, st.AcceptedPlan; r != nil && r.Of == "plan" && r.By == p.By && r.At.Equal(p.At) && r.Revision == p.PlanRevision {
		n.Status.Review = r
	}
	return n
}
