package model

import (
	"fmt"
)

// lastRevision is the highest number that a revision of a document has.
func (x *tx) lastRevision(uid UID, d Doc) int {
	if n, ok := x.o.base.(Numbering); ok {
		return n.LastRevision(uid, d)
	}
	return 0
}

// madeIDs are the ids of the comments that the operation makes.
func (s *step) madeIDs() []string {
	var ids []string
	for i := range s.made {
		ids = append(ids, s.made[i].ID)
	}
	return ids
}

// detail adds to the step's event.
func (s *step) detail(f ExtraField) { s.details = append(s.details, f) }

// writeApproval writes the immutable record of a person's verdict, bound to
// everything that the person was shown, and returns it with its name and its hash.
func (s *step) writeApproval(t *Task, objective, plan Content) (a Approval, name, hash string, r *Refusal) {
	verdict, _ := ApprovalVerdict(s.op.Name)
	bound, r := s.bound(t)
	if r != nil {
		return a, "", "", r
	}
	doc := func(c Content, rev int) ApprovedDoc {
		if c.Revision > 0 {
			rev = c.Revision
		}
		return ApprovedDoc{rev, c.Hash}
	}
	a = Approval{
		StoreID: s.w.StoreID(), Task: t.UID, Verdict: verdict, Approver: s.op.Actor,
		ApprovalProof: ApprovalProof{Time: FormatTime(s.op.At), Nonce: s.op.ID, Head: s.w.Head()},
		Objective:     doc(objective, t.Status.ObjectiveRevision), Plan: doc(plan, t.Status.PlanRevision),
		DependsOn: t.DependsOn, Dependencies: map[string]string{}, Reason: s.op.Reason,
		Policy: HashBytes(EncodePolicy(s.policy)), Bound: bound.hashes, Excluded: Excluded(&s.op, s.task),
		Comments: ApprovedComments{Hash: HashComments(s.made)},
	}
	a.Comments.IDs = s.madeIDs()
	for _, h := range t.Status.ParentContentHashes {
		a.Dependencies[h.Key] = h.Hash
	}
	if t.Spec != nil {
		a.Spec = HashBytes(EncodeSpec(t.Spec))
	}
	a.Terms.Spec, a.Terms.Policy = EncodeSpec(t.Spec.Terms()), EncodePolicy(s.policy.Terms())
	a.Terms.Protections = ProtectionsBody(s.policy)
	if _, judged := a.Bound[BoundResult]; judged {
		a.Result = s.resultFiles(t)
	}
	if a.Signature = s.op.Signature; a.Signature != "" && s.op.Seen != nil {
		a.SeenHead = s.op.Seen.Head
	}
	if a.Level, r = s.attested(t, a); r != nil {
		return a, "", "", r
	}
	body := a.Encode()
	name = SealedName(verdict, body)
	s.write(TaskFile(t.UID, ApprovalsDir+name), body, true)
	s.detail(TextField("approval", ApprovalsDir+name))
	s.detail(TextField("level", a.Level.String()))
	return a, name, HashBytes(body), nil
}

// writeReview writes the verdict on the work that was done by a plan.
func (s *step) writeReview(t *Task, planHash string) {
	r := t.Status.Review
	body := EncodeFields(Extra{
		IntField("revision", r.Revision),
		TextField("plan_hash", planHash),
		TextField("verdict", r.Verdict),
		TextField("by", string(r.By)),
		TextField("at", FormatTime(r.At)),
		TextField("reason", r.Reason),
		ListField("comments", s.madeIDs()),
	})
	s.write(reviewPath(t.UID, SealedName(fmt.Sprintf("work-%04d", r.Revision), body)), body, true)
	s.detail(IntField("revision", r.Revision))
}

// resultFiles are the files of a task's result by path; nil where nobody can list them.
func (s *step) resultFiles(t *Task) map[string]string {
	w, ok := s.w.(Listing)
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
