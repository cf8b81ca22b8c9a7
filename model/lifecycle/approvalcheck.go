package lifecycle

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vespe/model"
)

// boundTo is what a verdict binds to besides objective and plan, as it is now.
type boundTo struct {
	hashes map[string]string // by file: spec.json, <uid>/plan.md, …
	// unknown are the files that this world has no bytes of.
	unknown map[string]bool
}

// Bound is what a verdict of that operation on a task would bind to besides objective and plan:
// hashes by file. A file that w has no bytes of is left out.
func Bound(w model.World, op model.Name, uid model.UID) (map[string]string, error) {
	x := &tx{m: lifecycle(), w: w, op: model.Op{Name: op, UID: uid}, policy: w.Policy(), trial: true}
	s := x.step(x.op, "")
	if r := needTask.run(s); r != nil {
		return nil, r
	}
	b, r := s.bound(s.task)
	if r != nil {
		return nil, r
	}
	return b.hashes, nil
}

// bound is what a verdict on t binds to. What is shown, bound, recorded and checked again is
// what is named here.
func (s *step) bound(t *model.Task) (boundTo, *model.Refusal) {
	b := boundTo{hashes: map[string]string{}, unknown: map[string]bool{}}
	terms := termsOf(t, model.RulesHash(s.policy))
	b.hashes[model.SpecFile], b.hashes[model.DependenciesFile], b.hashes[model.BoundPolicy] = terms.spec, terms.dependencies, terms.policy
	if hash := model.ProtectionsHash(s.policy); hash != "" {
		b.hashes[model.BoundProtections] = hash
	}
	if c := s.task.Status.Comments; c != nil && c.Hash != "" { // as seen: the verdict may bring more
		b.hashes[model.BoundComments] = c.Hash
	}
	for _, d := range t.DependsOn {
		dep, ok := s.w.Task(d)
		if !ok {
			continue
		}
		for _, p := range depParts {
			if r := b.add(s, dep, p.key, string(d)+p.file); r != nil {
				return b, r
			}
		}
	}
	if s.op.Name == model.AcceptPlan {
		list, r := s.acceptedWith(t)
		if r != nil {
			return b, r
		}
		for _, c := range list {
			for _, p := range depParts[:2] {
				if r := b.add(s, c, p.key, string(c.UID)+p.file); r != nil {
					return b, r
				}
			}
		}
	}
	if s.op.Name == model.ReviewAccepted || s.op.Name == model.ReviewRejected {
		hash, known, r := s.resultHash(t)
		switch {
		case r != nil:
			return b, r
		case known:
			b.hashes[model.BoundResult] = hash
		default:
			b.unknown[model.BoundResult] = true
		}
	}
	return b, nil
}

func (b *boundTo) add(s *step, dep *model.Task, key, file string) *model.Refusal {
	hash, known, r := s.part(dep, key)
	switch {
	case r != nil:
		return r
	case known && hash != "":
		b.hashes[file] = hash
	case !known && (key != "_result" || dep.Status.CurrentState == model.Completed):
		b.unknown[file] = true
	}
	return nil
}

// unseen are the bound files that are others than those that were on screen.
func unseen(s *step) ([]model.ContentDiff, *model.Refusal) {
	seen := s.op.Seen
	if seen == nil || len(seen.Bound) == 0 {
		return nil, nil
	}
	now, r := s.bound(s.task)
	if r != nil {
		return nil, r
	}
	files := map[string]bool{}
	for f := range seen.Bound {
		files[f] = true
	}
	for f := range now.hashes {
		files[f] = true
	}
	var out []model.ContentDiff
	for _, f := range slices.Sorted(maps.Keys(files)) {
		if !now.unknown[f] && seen.Bound[f] != now.hashes[f] {
			out = append(out, model.ContentDiff{File: f, Seen: seen.Bound[f], Now: model.Content{Body: termsBody(s, f), Hash: now.hashes[f]}})
		}
	}
	return out, nil
}

// termsBody is the terms of a file as an approval would repeat them; nil of any other file.
func termsBody(s *step, file string) []byte {
	switch file {
	case model.SpecFile:
		return model.EncodeSpec(s.task.Spec.Terms())
	case model.BoundPolicy:
		return model.EncodePolicy(s.policy.Terms())
	case model.BoundProtections:
		return model.ProtectionsBody(s.policy)
	case model.DependenciesFile:
		return model.EncodeDependencies(s.task.DependsOn, s.task.DepsExtra)
	}
	return nil
}

// VerdictOn names the verdict that stands on a task, for Seen; "" for none.
func VerdictOn(t *model.Task) string {
	st := &t.Status
	switch {
	case st.Review != nil:
		return strings.Join([]string{st.Review.Of, st.Review.Verdict, string(st.Review.By), model.FormatTime(st.Review.At)}, " ")
	case st.AcceptedPlan != nil:
		return strings.Join([]string{"plan accepted", string(st.AcceptedPlan.By), model.FormatTime(st.AcceptedPlan.At)}, " ")
	}
	return ""
}

// decidedHow says what was decided on a task, by whom and when; "" when nothing was.
func decidedHow(t *model.Task) string {
	st := &t.Status
	switch {
	case st.Review != nil && st.Review.Verdict != "":
		return fmt.Sprintf("%s %s the %s at %s", model.OrSomebody(st.Review.By), st.Review.Verdict, cmp.Or(st.Review.Of, "task"), model.FormatTime(st.Review.At))
	case st.AcceptedPlan != nil:
		return fmt.Sprintf("%s accepted the plan at %s", model.OrSomebody(st.AcceptedPlan.By), model.FormatTime(st.AcceptedPlan.At))
	}
	return ""
}

// approval reads the approval that t was accepted with; nil where there is none. known is false
// where there are no bytes to look at.
func (x *tx) approval(t *model.Task) (body []byte, known bool, r *model.Refusal) {
	a := t.Status.AcceptedPlan
	w, ok := x.w.(model.Approvals)
	if a == nil || !ok || !w.HasBytes() {
		return nil, false, nil
	}
	body, err := w.ApprovalFile(t.UID, a.Approval)
	switch {
	case errors.Is(err, model.ErrNoContent), errors.Is(err, model.ErrUnread):
		return nil, true, nil
	case err != nil:
		return nil, false, &model.Refusal{
			Code: model.CodeRefused, Op: x.op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardApproval,
			Why: fmt.Sprintf("can't read %s%s: %v", model.ApprovalsDir, a.Approval, err), Hint: "repair the file, then retry",
		}
	}
	return body, true, nil
}

// approvalReason compares the approval with the one that was written: Old equal to New where it
// is the same.
func (x *tx) approvalReason(t *model.Task) (why model.ChangeReason, known bool, r *model.Refusal) {
	body, known, r := x.approval(t)
	if r != nil || !known || t.Status.AcceptedPlan.ApprovalHash == "" {
		return why, false, r
	}
	why = model.ChangeReason{File: model.ApprovalsDir + t.Status.AcceptedPlan.Approval, Old: t.Status.AcceptedPlan.ApprovalHash}
	if body != nil {
		why.New = model.HashBytes(body)
	}
	return why, true, nil
}

// checkApproval holds an acceptance against its approval, byte by byte and word by word, and
// asks how far to believe who gave it.
func checkApproval(s *step) *model.Refusal {
	body, known, r := s.approval(s.task)
	if r != nil || !known {
		return r
	}
	accepted := s.task.Status.AcceptedPlan
	file := model.ApprovalsDir + accepted.Approval
	wrong := func(why string) *model.Refusal {
		return s.refuse(model.CodeConflict, model.GuardApproval, file+" "+why, "restore it from git or with `vespe store doctor --fix`, or ask a person to accept the plan again")
	}
	if body == nil {
		return wrong("is missing or unreadable")
	}
	if h := accepted.ApprovalHash; h != "" && h != model.HashBytes(body) {
		return wrong("is not the approval that was given: its bytes have changed")
	}
	a, err := model.DecodeApproval(body)
	if err != nil {
		return wrong("cannot be read: " + err.Error())
	}
	if why := differs(&a, s.w.StoreID(), s.task); why != "" {
		return wrong(why)
	}
	if why := s.loosened(s.task, &a); why.Old != why.New {
		return s.refuse(model.CodeConflict, model.GuardApproval, model.FileOf(s.w, why.File)+" restricts agents less than when its plan was accepted",
			"restore it, or ask a person to accept the plan again")
	}
	return checkLevel(s, a)
}

// differs says where an approval and the acceptance in status.json are not about the same.
func differs(a *model.Approval, storeID string, t *model.Task) string {
	p := t.Status.AcceptedPlan
	switch {
	case a.StoreID != storeID:
		return "was given in another store"
	case a.Task != t.UID:
		return fmt.Sprintf("approves the task %q", a.Task)
	case a.Verdict != "accept" && a.Verdict != "revalidate":
		return fmt.Sprintf("is not an acceptance of a plan: its verdict is %q", a.Verdict)
	case a.Approver != p.By, !a.At().Equal(p.At):
		return fmt.Sprintf("was given by %s at %s, but status.json disagrees", a.Approver, a.Time)
	case a.Objective.Revision != p.ObjectiveRevision, a.Objective.Hash != p.ObjectiveHash, a.Plan.Revision != p.PlanRevision, a.Plan.Hash != p.PlanHash:
		return "approves a different objective or plan than status.json"
	case !slices.Equal(a.Excluded, p.Excluded):
		return "leaves out different parts than status.json"
	case a.Bound == nil && p.SpecHash == "": // an older vespe accepted
		return ""
	case p.ApprovalHash == "", a.Bound[model.SpecFile] != p.SpecHash, a.Bound[model.DependenciesFile] != p.DependenciesHash, a.Bound[model.BoundPolicy] != p.PolicyHash:
		return "covers different terms than status.json"
	}
	for key, hash := range a.Dependencies {
		if i, found := hashAt(t.Status.ParentContentHashes, key); !found || t.Status.ParentContentHashes[i].Hash != hash {
			return "covers a different " + key + " than status.json"
		}
	}
	return ""
}

// Excluded is what of the plan the approval of an operation on t leaves out: revalidate makes an
// acceptance hold again as it was given, and never more of the plan than that.
func Excluded(op *model.Op, t *model.Task) []string {
	if op.Name != model.Revalidate {
		return model.ArgsOf[model.Acceptance](op).Excluded
	}
	if t == nil || t.Status.AcceptedPlan == nil {
		return nil
	}
	return t.Status.AcceptedPlan.Excluded
}

// SignedOp is the statement that a person signs for an operation which writes an approval, and what
// the signature has to be put into (Op.Signature). false: the operation writes none. The operation
// needs its id, its time, its actor and what was seen, and its comments the places where they will stand (Placed), and that which revalidates what it leaves out (Excluded).
func SignedOp(storeID string, op *model.Op) (statement []byte, writes bool) {
	verdict, writes := model.ApprovalVerdict(op.Name)
	if !writes || op.Seen == nil {
		return nil, writes
	}
	a := model.Approval{
		StoreID: storeID, Task: op.UID, Verdict: verdict, Approver: op.Actor, ApprovalProof: model.ApprovalProof{Time: model.FormatTime(op.At), Nonce: op.ID},
		Objective: model.ApprovedDoc{Hash: op.Seen.ObjectiveHash}, Plan: model.ApprovedDoc{Hash: op.Seen.PlanHash},
		Bound: op.Seen.Bound, SeenHead: op.Seen.Head, Reason: op.Reason, Excluded: slices.Concat(model.ArgsOf[model.Acceptance](op).Excluded, model.ArgsOf[model.Revalidation](op).Excluded),
		Comments: model.ApprovedComments{Hash: saidWith(op)},
	}
	return a.Statement(), true
}

// attestor is who knows keys, if anybody does.
func (x *tx) attestor() model.Attestor {
	if w, ok := x.w.(model.Approvals); ok {
		return w.Attestor()
	}
	return nil
}

// attested is the level that an approval which is about to be written has; it is refused where it
// reaches less than is asked for.
func attested(s *step, t *model.Task, a model.Approval) (model.Level, *model.Refusal) {
	by := s.attestor()
	if by == nil {
		return model.LevelClaimed, nil
	}
	is := by.Attest(a)
	if is.False {
		return model.LevelClaimed, s.refuse(model.CodeConflict, model.GuardLevel, "the signature doesn't match what would be approved: "+is.Why, "look at it again, then decide")
	}
	if r := refuseShort(s, levelShort(t, by, is)); r != nil { // it says why itself
		return is.Level, r
	}
	if is.Why != "" {
		s.warnings = append(s.warnings, "the signature counts only as "+is.Level.String()+": "+is.Why)
	}
	return is.Level, nil
}

// checkLevel asks again how far to believe an approval, with the keys and the wishes of today.
func checkLevel(s *step, a model.Approval) *model.Refusal {
	by := s.attestor()
	if by == nil {
		return nil
	}
	return refuseShort(s, attestedShort(s.task, a, by))
}

// refuseShort refuses an approval that does not count.
func refuseShort(s *step, short *shortfall) *model.Refusal {
	if short == nil {
		return nil
	}
	return s.refuse(short.code, model.GuardLevel, short.why, short.hint)
}

func riskyTask(risk string) string {
	if risk == "" {
		return "a task without a risk level"
	}
	return "a " + risk + "-risk task"
}

func riskWords(risk string) string {
	if risk == "" {
		return "an unspecified risk"
	}
	return risk + " risk"
}

// saidWith is the hash of the comments that an operation sends along with an approval.
func saidWith(op *model.Op) string {
	if op.Name != model.AcceptPlan && op.Name != model.ReviewAccepted {
		return ""
	}
	var list []model.Comment
	for _, c := range op.Comments() {
		list = append(list, c.Made())
	}
	return model.HashComments(list)
}

// Placed are comments at the places where they will stand in the documents of w. One whose lines are not
// there stays as it is: whoever sends it is told.
func Placed(w model.World, op *model.Op) []model.NewComment {
	x := &tx{m: lifecycle(), w: w, op: *op, policy: w.Policy(), trial: true}
	s := x.step(x.op, "")
	out := slices.Clone(op.Comments())
	for i, n := range out {
		if s.task == nil || n.OnDoc() == model.Changes {
			continue
		}
		c, known, r := s.doc(s.task, n.OnDoc())
		if r != nil || !known {
			continue
		}
		if p, r := s.placed(n.Place, c); r == nil {
			out[i].Place = p
		}
	}
	return out
}

// loosened compares today's protections with those that an approval of t is bound to: Old equal to New where none
// of them was loosened.
func (x *tx) loosened(t *model.Task, a *model.Approval) model.ChangeReason {
	why := model.ChangeReason{File: model.BoundProtections, Old: a.Bound[model.BoundProtections], New: model.ProtectionsHash(x.policy)}
	if why.Old == "" || why.Old == why.New {
		why.New = why.Old // it is bound to none, or to these
		return why
	}
	if b := a.TermsBody(model.BoundProtections); b != nil {
		was, _ := model.DecodePolicy(model.PolicyPath, b)
		if !x.policy.IsLooser(was, t) {
			why.New = why.Old
		}
	}
	return why
}
