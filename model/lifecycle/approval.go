package lifecycle

import (
	"fmt"

	"vespe/model"
)

// lastRevision is the highest number that a revision of a document has.
func (x *tx) lastRevision(uid model.UID, d model.Doc) int {
	if n, ok := x.o.base.(model.Numbering); ok {
		return n.LastRevision(uid, d)
	}
	return 0
}

// madeIDs are the ids of the comments that the operation makes.
func madeIDs(s *step) []string {
	var ids []string
	for i := range s.made {
		ids = append(ids, s.made[i].ID)
	}
	return ids
}

// detail adds to the step's event.
func (s *step) detail(f model.ExtraField) { s.details = append(s.details, f) }

// writeApproval writes the immutable record of a person's verdict, bound to
// everything that the person was shown, and returns it with its name and its hash.
func (s *step) writeApproval(t *model.Task, objective, plan model.Content) (a model.Approval, name, hash string, r *model.Refusal) {
	verdict, _ := model.ApprovalVerdict(s.op.Name)
	bound, r := s.bound(t)
	if r != nil {
		return a, "", "", r
	}
	doc := func(c model.Content, rev int) model.ApprovedDoc {
		if c.Revision > 0 {
			rev = c.Revision
		}
		return model.ApprovedDoc{Revision: rev, Hash: c.Hash}
	}
	a = model.Approval{
		StoreID: s.w.StoreID(), Task: t.UID, Verdict: verdict, Approver: s.op.Actor,
		ApprovalProof: model.ApprovalProof{Time: model.FormatTime(s.op.At), Nonce: s.op.ID, Head: s.w.Head()},
		Objective:     doc(objective, t.Status.ObjectiveRevision), Plan: doc(plan, t.Status.PlanRevision),
		DependsOn: t.DependsOn, Dependencies: map[string]string{}, Reason: s.op.Reason,
		Policy: model.HashBytes(model.EncodePolicy(s.policy)), Bound: bound.hashes, Excluded: Excluded(&s.op, s.task),
		Comments: model.ApprovedComments{Hash: model.HashComments(s.made)},
	}
	a.Comments.IDs = madeIDs(s)
	for _, h := range t.Status.ParentContentHashes {
		a.Dependencies[h.Key] = h.Hash
	}
	if t.Spec != nil {
		a.Spec = model.HashBytes(model.EncodeSpec(t.Spec))
	}
	a.Terms.Spec, a.Terms.Policy = model.EncodeSpec(t.Spec.Terms()), model.EncodePolicy(s.policy.Terms())
	a.Terms.Protections = model.ProtectionsBody(s.policy)
	if _, judged := a.Bound[model.BoundResult]; judged {
		a.Result = resultFiles(s, t)
	}
	if a.Signature = s.op.Signature; a.Signature != "" && s.op.Seen != nil {
		a.SeenHead = s.op.Seen.Head
	}
	if a.Level, r = attested(s, t, a); r != nil {
		return a, "", "", r
	}
	body := a.Encode()
	name = model.SealedName(verdict, body)
	s.write(model.TaskFile(t.UID, model.ApprovalsDir+name), body, true)
	s.detail(model.TextField("approval", model.ApprovalsDir+name))
	s.detail(model.TextField("level", a.Level.String()))
	return a, name, model.HashBytes(body), nil
}

// writeReview writes the verdict on the work that was done by a plan.
func (s *step) writeReview(t *model.Task, planHash string) {
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
	s.write(reviewPath(t.UID, model.SealedName(fmt.Sprintf("work-%04d", r.Revision), body)), body, true)
	s.detail(model.IntField("revision", r.Revision))
}

// resultFiles are the files of a task's result by path; nil where nobody can list them.
func resultFiles(s *step, t *model.Task) map[string]string {
	w, ok := s.w.(model.Listing)
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
