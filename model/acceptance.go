package model

import (
	"slices"
)

// SameAcceptance reports that two acceptances are of the same, by the same person, at the same time.
func SameAcceptance(a, b *AcceptedPlan) bool {
	return a != nil && a.PlanRevision == b.PlanRevision && a.PlanHash == b.PlanHash &&
		a.ObjectiveRevision == b.ObjectiveRevision && a.ObjectiveHash == b.ObjectiveHash &&
		a.By == b.By && a.At.Equal(b.At) && a.Approval == b.Approval && a.ApprovalHash == b.ApprovalHash &&
		a.SpecHash == b.SpecHash && a.DependenciesHash == b.DependenciesHash && a.PolicyHash == b.PolicyHash
}

// SameBytes says whether two acceptances are of the same: plan, objective, terms, and what is left out.
func (a *AcceptedPlan) SameBytes(b *AcceptedPlan) bool {
	return a.PlanRevision == b.PlanRevision && a.PlanHash == b.PlanHash && a.ObjectiveRevision == b.ObjectiveRevision &&
		a.ObjectiveHash == b.ObjectiveHash && a.SpecHash == b.SpecHash && a.DependenciesHash == b.DependenciesHash &&
		a.PolicyHash == b.PolicyHash && slices.Equal(a.Excluded, b.Excluded)
}

// SameReview reports that two verdicts are one.
func SameReview(a, b *Review) bool {
	return a != nil && a.Of == b.Of && a.Verdict == b.Verdict && a.By == b.By && a.At.Equal(b.At) &&
		a.Reason == b.Reason && a.Revision == b.Revision && a.Approval == b.Approval && a.ApprovalHash == b.ApprovalHash
}

// PutReason adds a reason, or renews or drops the one for the same file. It reports
// whether anything is different; list is not written to.
func PutReason(list []ChangeReason, why ChangeReason) ([]ChangeReason, bool) {
	i := slices.IndexFunc(list, func(c ChangeReason) bool { return c.File == why.File })
	same := why.Old == why.New
	switch {
	case i < 0 && same, i >= 0 && !same && list[i] == why:
		return list, false
	case i < 0:
		return append(slices.Clone(list), why), true
	case same:
		return slices.Delete(slices.Clone(list), i, i+1), true
	}
	list = slices.Clone(list)
	list[i] = why
	return list, true
}

// Lack is what an acceptance lacks for the person. It names the acceptance that it is about: another one of the same
// task lacks nothing by it.
type Lack struct {
	approval, hash string
	at             int64 // nanoseconds since 1970
	Why            string
}

// LackOf is a lack of the acceptance that t has.
func LackOf(t *Task, why string) Lack {
	p := t.Status.AcceptedPlan
	return Lack{p.Approval, p.ApprovalHash, p.At.UnixNano(), why}
}
