package model

import (
	"slices"

	"vespe/model/visible"
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

// Elsewhere are verdicts that a task's status.json holds and that do not count here: this store's log has no approval
// of them, and no key that the person trusts signed them. They stay in the file until a person decides here, and mean
// nothing else: a task that has them reads as one whose plan, or work, waits for review.
type Elsewhere struct {
	Plan                *AcceptedPlan
	ParentContentHashes []ContentHash  // that Plan was accepted with
	ChangedBecause      []ChangeReason // what Plan is changed by
	Review              *Review        // that accepted the plan, or the work
	Undo                *Undo          // of these
}

// Clone is a deep copy; nil of nil.
func (e *Elsewhere) Clone() *Elsewhere {
	if e == nil {
		return nil
	}
	st := e.over(StatusFile{}).Clone()
	return &Elsewhere{st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause, st.Review, st.Undo}
}

// over is a status with the verdicts put back, as status.json has them.
func (e *Elsewhere) over(st StatusFile) StatusFile {
	if e == nil {
		return st
	}
	st.Elsewhere = nil
	if st.AcceptedPlan == nil && e.Plan != nil {
		st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause = e.Plan, e.ParentContentHashes, e.ChangedBecause
	}
	if st.Review == nil {
		st.Review = e.Review
	}
	if st.Undo == nil {
		st.Undo = e.Undo
	}
	return st
}

// isGiven says whether a person gave it to a vespe: an acceptance without an approval is of a store that vespe did not
// write, and nothing starts by it.
func (a *AcceptedPlan) isGiven() bool { return a != nil && a.Approval != "" }

// Accepted are the acceptances in a task's status: of its plan, of its work; nil where there is none that a person gave
// to a vespe.
func (t *Task) Accepted() (plan *AcceptedPlan, work *Review) {
	if a := t.Status.AcceptedPlan; a.isGiven() {
		plan = a
	}
	if r := t.Status.Review; r.AcceptsWork() {
		work = r
	}
	return plan, work
}

// AcceptsWork reports that work was accepted; false for nil.
func (r *Review) AcceptsWork() bool {
	return r != nil && r.Of == "work" && r.Verdict == VerdictAccepted
}

// SetElsewhere is the task with verdicts of its file set apart: the acceptance of its plan, of its work, or both. It is
// t itself where neither is.
func (t *Task) SetElsewhere(plan, work bool) *Task {
	plan = plan && t.Status.AcceptedPlan.isGiven()
	work = work && t.Status.Review.AcceptsWork()
	if !plan && !work {
		return t
	}
	n := t.Clone()
	st, e := &n.Status, n.Status.Elsewhere
	if e == nil {
		e = &Elsewhere{}
	}
	if plan {
		e.Plan, e.ParentContentHashes, e.ChangedBecause = st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause
		st.AcceptedPlan, st.ParentContentHashes, st.ChangedBecause = nil, nil, nil
	}
	if r := st.Review; work || plan && r != nil && r.Of == "plan" && r.Verdict == VerdictAccepted {
		e.Review, st.Review = r, nil
	}
	if e.Undo == nil {
		e.Undo, st.Undo = st.Undo, nil
	}
	st.Elsewhere = e
	return n
}

// InFile is the task as its files say, with no verdict set apart.
func (t *Task) InFile() *Task {
	if t == nil || t.Status.Elsewhere == nil {
		return t
	}
	n := t.Clone()
	n.Status = n.Status.Elsewhere.over(n.Status)
	return n
}

// AcceptedElsewhere is who accepted the plan, or the work, of a task where it did not count here; "" where nobody did, or
// it is of no consequence any more.
func (t *Task) AcceptedElsewhere() Actor {
	st := &t.Status
	switch e := st.Elsewhere; {
	case e == nil || t.Unreadable():
	case st.CurrentState == Completed && e.Review.AcceptsWork():
		return OrSomebody(e.Review.By)
	case (st.CurrentState == PlanDefined || st.CurrentState == Working) && e.Plan != nil:
		return OrSomebody(e.Plan.By)
	}
	return ""
}

// ElsewhereWords say for people who accepted a task where it does not count here; "" where nobody did.
func (t *Task) ElsewhereWords() string {
	by := t.AcceptedElsewhere()
	if by == "" {
		return ""
	}
	return "accepted by " + visible.Line(Plain(by.Name())) + " elsewhere, unsigned"
}

// has says which verdicts in a status are those that were set apart.
func (e *Elsewhere) has(st *StatusFile) (plan, work bool) {
	if e == nil {
		return false, false
	}
	a, r := st.AcceptedPlan, st.Review
	return a != nil && SameAcceptance(e.Plan, a) && slices.Equal(e.Plan.Excluded, a.Excluded), r.AcceptsWork() && SameReview(e.Review, r)
}

// Split is a task, as its files say, with the verdicts set apart that are so in what was known of it.
func (t *Task) Split(known *Task) *Task {
	if known == nil {
		return t
	}
	plan, work := known.Status.Elsewhere.has(&t.Status)
	return t.SetElsewhere(plan, work)
}

// News says which acceptances in a task's status are not among what was known of it, for which was is nil where nothing
// was.
func News(was, now *Task) (plan, work bool) {
	if was == nil {
		was = &Task{}
	}
	a, r := now.Accepted()
	return a != nil && !SameAcceptance(was.Status.AcceptedPlan, a), r != nil && !SameReview(was.Status.Review, r)
}
