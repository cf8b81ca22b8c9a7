package edits

import (
	"slices"
	"time"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/review"
	"vespe/store/fsys"
	"vespe/store/lastwrites"
)

// An acceptance counts here where this store's log wrote its approval, or where a key that the person trusts signed it. All
// others stay in status.json, and are set apart (model.Elsewhere). One rule for what is pulled, for a fresh clone, and for
// who has lost the checkpoint.

// Acceptance is what is known of the acceptances in a task's status.json, by their approvals.
type Acceptance struct {
	at     time.Time // when the last of them was given
	Known  [2]bool   // of the plan, of the work: the approval is of exactly that
	signed [2]bool   // by a key that this clone trusts
}

// Acceptance reads the approvals that a task's status.json names.
func (c *Comparer) Acceptance(t *model.Task) (is Acceptance, err error) {
	v := c.View()
	plan, work := t.Accepted()
	if plan != nil {
		body, err := v.ApprovalIfAny(t.UID, plan.Approval)
		if err != nil {
			return is, err
		}
		is.at, is.Known[0], is.signed[0] = binding.Vouched(c.StoreID(), t, body, c.Attestor())
	}
	if work != nil && work.Approval != "" {
		body, err := v.ApprovalIfAny(t.UID, work.Approval)
		if err != nil || body == nil {
			return is, err
		}
		files, err := v.Results(t.UID)
		if err != nil && !fsys.IsAboutFile(err) {
			return is, err
		}
		at, known, signed := binding.VouchedWork(c.StoreID(), t, body, model.HashResult(files), c.Attestor())
		if is.Known[1], is.signed[1] = known, signed; at.After(is.at) {
			is.at = at
		}
	}
	return is, nil
}

// vouched is what a task is held against where its files hold an acceptance that was not given here: with it, where a
// person signed it whose key this clone trusts, or accepted the same bytes here; and the task, with one that nobody signed
// set apart. A signature counts only where it is news: an approval that is not younger than what the log last said of the
// task may have been taken back since, and one from the future nobody can tell the age of.
func (c *Comparer) vouched(against, now *model.Task) (_, split *model.Task, err error) {
	if against == nil || against == now {
		return against, now, nil
	}
	if plan, work := model.News(against, now); !plan && !work {
		return against, now, nil
	}
	is, err := c.Acceptance(now)
	if err != nil || is.at.IsZero() {
		return against, now, err
	}
	since, known, err := c.Writes.LastNamed(now.UID)
	if err != nil {
		return against, now, err
	}
	news := known && is.at.After(since) && !is.at.After(c.Now())
	same, err := c.SameAccepted(against, now)
	if err != nil {
		return against, now, err
	}
	counts := [2]bool{is.Known[0] && same[0] || is.signed[0] && news, is.Known[1] && same[1] || is.signed[1] && news}
	if counts[0] || counts[1] {
		against = binding.WithAcceptance(against, now, counts[0], counts[1])
	}
	var apart [2]bool
	apart[0], apart[1] = model.News(against, now)
	for k := range apart {
		apart[k] = apart[k] && is.Known[k] && !is.signed[k]
	}
	if !news && (apart[0] || apart[1]) { // one that was given here has been taken back
		want, err := c.Writes.MissingApprovals(now)
		if err != nil {
			return against, now, err
		}
		plan, work := now.Accepted()
		apart[0] = apart[0] && want.Has(now.UID, plan.Approval)
		apart[1] = apart[1] && want.Has(now.UID, work.Approval)
	}
	return against, now.SetElsewhere(apart[0], apart[1]), nil
}

// SameAccepted says whether what a person accepted here, which still counts, is what a task's files say was accepted: only
// who accepted it differs, as where two clones accept one plan, or one confirms what the other has.
func (c *Comparer) SameAccepted(was, now *model.Task) (same [2]bool, err error) {
	plan, work := was.Accepted()
	newPlan, newWork := now.Accepted()
	same[0] = plan != nil && newPlan != nil && plan.SameBytes(newPlan) && len(was.Status.ChangedBecause) == 0 &&
		!slices.ContainsFunc(was.Status.ParentContentHashes, func(h model.ContentHash) bool { return !slices.Contains(now.Status.ParentContentHashes, h) })
	if work == nil || newWork == nil || work.Revision != newWork.Revision {
		return same, nil
	}
	var results [2]string
	for k, name := range []string{work.Approval, newWork.Approval} {
		body, err := c.View().ApprovalIfAny(now.UID, name)
		if err != nil {
			return same, err
		}
		if a, err := review.DecodeApproval(body); err == nil {
			results[k] = a.Bound[review.BoundResult]
		}
	}
	same[1] = results[0] != "" && results[0] == results[1]
	return same, nil
}

// counting is a task as its files, or the log, say, with the acceptances set apart that do not count here. missing are
// those of its approvals that the log never wrote; given says that the log wrote its status.json.
func (c *Comparer) counting(t *model.Task, missing lastwrites.Approvals, given bool) (*model.Task, error) {
	plan, work := t.Accepted()
	noPlan := plan != nil && missing.Has(t.UID, plan.Approval)
	noWork := work != nil && (work.Approval != "" && missing.Has(t.UID, work.Approval) || work.Approval == "" && !given)
	if !noPlan && !noWork {
		return t, nil
	}
	if c.Attestor() != nil {
		is, err := c.Acceptance(t)
		if err != nil {
			return t, err
		}
		noPlan, noWork = noPlan && !is.signed[0], noWork && !is.signed[1]
	}
	return t.SetElsewhere(noPlan, noWork), nil
}

// CountingByLog is a task as the log has it, with the acceptances set apart that do not count here.
func (c *Comparer) CountingByLog(t *model.Task) (*model.Task, error) {
	want, err := c.Writes.MissingApprovals(t)
	if err != nil || len(want) == 0 {
		return t, err
	}
	return c.counting(t, want, true)
}
