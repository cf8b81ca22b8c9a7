package binding

import (
	"fmt"

	"vespe/model"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
)

// madeIDs are the ids of the comments that the operation makes.
func madeIDs(s *machine.Step) []string {
	var ids []string
	for i := range s.Made {
		ids = append(ids, s.Made[i].ID)
	}
	return ids
}

// WriteApproval writes the immutable record of a person's verdict, bound to
// everything that the person was shown, and returns it with its name and its hash.
func WriteApproval(s *machine.Step, t *model.Task, objective, plan model.Content) (a review.Approval, name, hash string, r *model.Refusal) {
	verdict, _ := review.ApprovalVerdict(s.Op.Name)
	bound, r := bound(s, t)
	if r != nil {
		return a, "", "", r
	}
	doc := func(c model.Content, rev int) review.ApprovedDoc {
		if c.Revision > 0 {
			rev = c.Revision
		}
		return review.ApprovedDoc{Revision: rev, Hash: c.Hash}
	}
	a = review.Approval{
		StoreID: s.World.StoreID(), Task: t.UID, Verdict: verdict, Approver: s.Op.Actor,
		ApprovalProof: review.ApprovalProof{Time: model.FormatTime(s.Op.At), Nonce: s.Op.ID, Head: s.World.Head()},
		Objective:     doc(objective, t.Status.ObjectiveRevision), Plan: doc(plan, t.Status.PlanRevision),
		DependsOn: t.DependsOn, Dependencies: map[string]string{}, Reason: s.Op.Reason,
		Policy: model.HashBytes(model.EncodePolicy(s.Policy)), Bound: bound.hashes, Excluded: Excluded(&s.Op, s.Task),
		Comments: review.ApprovedComments{Hash: review.HashComments(s.Made)},
	}
	a.Comments.IDs = madeIDs(s)
	for _, h := range t.Status.ParentContentHashes {
		a.Dependencies[h.Key] = h.Hash
	}
	if t.Spec != nil {
		a.Spec = model.HashBytes(model.EncodeSpec(t.Spec))
	}
	a.Terms.Spec, a.Terms.Policy = model.EncodeSpec(t.Spec.Terms()), model.EncodePolicy(s.Policy.Terms())
	a.Terms.Protections = model.ProtectionsBody(s.Policy)
	if _, judged := a.Bound[review.BoundResult]; judged {
		a.Result = resultFiles(s, t)
	}
	if a.Signature = s.Op.Signature; a.Signature != "" && s.Op.Seen != nil {
		a.SeenHead = s.Op.Seen.Head
	}
	if a.Level, r = attested(s, t, a); r != nil {
		return a, "", "", r
	}
	body := a.Encode()
	name = model.SealedName(verdict, body)
	s.Write(model.TaskFile(t.UID, model.ApprovalsDir+name), body, true)
	s.Detail(model.TextField("approval", model.ApprovalsDir+name))
	s.Detail(model.TextField("level", a.Level.String()))
	return a, name, model.HashBytes(body), nil
}

// WriteReview writes the verdict on the work that was done by a plan.
func WriteReview(s *machine.Step, t *model.Task, planHash string) {
	r := t.Status.Review
	body := model.EncodeFields(model.Extra{
		model.IntField("revision", r.Revision),
		model.TextField("plan_hash", planHash),
		model.TextField("verdict", r.Verdict),
		model.TextField("by", string(r.By)),
		model.TextField("at", model.FormatTime(r.At)),
		model.TextField("reason", r.Reason),
		model.ListField("comments", madeIDs(s)),
	})
	s.Write(model.ReviewPath(t.UID, model.SealedName(fmt.Sprintf("work-%04d", r.Revision), body)), body, true)
	s.Detail(model.IntField("revision", r.Revision))
}

// resultFiles are the files of a task's result by path; nil where nobody can list them.
func resultFiles(s *machine.Step, t *model.Task) map[string]string {
	w, ok := s.World.(model.Listing)
	if !ok {
		return nil
	}
	files, err := w.ResultFiles(t.UID)
	if err != nil {
		return nil // its hash is bound all the same
	}
	out := map[string]string{}
	for _, f := range files {
		out[f.Path] = f.Hash
	}
	return out
}
