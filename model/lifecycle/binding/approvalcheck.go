// Package binding is what an acceptance is bound to, and whether it still holds: the texts, the terms, the dependencies
// and the comments that a person saw (Bound), the approval that repeats them (CheckApproval, Lacks, Vouched), and in
// what they differ since (SinceApproval, Staleness). An answer that cannot be read is no.
package binding

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"vespe/model"
	"vespe/model/anchor"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/review"
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
	s := machine.Look(w, model.Op{Name: op, UID: uid})
	if r := machine.NeedTask.Run(s); r != nil {
		return nil, r
	}
	b, r := bound(s, s.Task)
	if r != nil {
		return nil, r
	}
	return b.hashes, nil
}

// bound is what a verdict on t binds to. What is shown, bound, recorded and checked again is
// what is named here.
func bound(s *machine.Step, t *model.Task) (boundTo, *model.Refusal) {
	b := boundTo{hashes: map[string]string{}, unknown: map[string]bool{}}
	terms := TermsOf(t, model.RulesHash(s.Policy))
	b.hashes[model.SpecFile], b.hashes[model.DependenciesFile], b.hashes[model.BoundPolicy] = terms.Spec, terms.Dependencies, terms.Policy
	if hash := model.ProtectionsHash(s.Policy); hash != "" {
		b.hashes[model.BoundProtections] = hash
	}
	if c := s.Task.Status.Comments; c != nil && c.Hash != "" { // as seen: the verdict may bring more
		b.hashes[review.BoundComments] = c.Hash
	}
	for _, d := range t.DependsOn {
		dep, ok := s.World.Task(d)
		if !ok {
			continue
		}
		for _, p := range DepParts {
			if r := b.add(s, dep, p.Key, string(d)+p.file); r != nil {
				return b, r
			}
		}
	}
	if s.Op.Name == model.AcceptPlan {
		list, r := AcceptedPhases(s, t)
		if r != nil {
			return b, r
		}
		for _, c := range list {
			for _, p := range DepParts[:2] {
				if r := b.add(s, c, p.Key, string(c.UID)+p.file); r != nil {
					return b, r
				}
			}
		}
	}
	if s.Op.Name == model.ReviewAccepted || s.Op.Name == model.ReviewRejected {
		hash, known, r := s.ResultHash(t)
		switch {
		case r != nil:
			return b, r
		case known:
			b.hashes[review.BoundResult] = hash
		default:
			b.unknown[review.BoundResult] = true
		}
	}
	return b, nil
}

func (b *boundTo) add(s *machine.Step, dep *model.Task, key, file string) *model.Refusal {
	hash, known, r := part(s.Tx, dep, key)
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

// termsBody is the terms of a file as an approval would repeat them; nil of any other file.
func termsBody(s *machine.Step, file string) []byte {
	switch file {
	case model.SpecFile:
		return model.EncodeSpec(s.Task.Spec.Terms())
	case model.BoundPolicy:
		return model.EncodePolicy(s.Policy.Terms())
	case model.BoundProtections:
		return model.ProtectionsBody(s.Policy)
	case model.DependenciesFile:
		return model.EncodeDependencies(s.Task.DependsOn, s.Task.DepsExtra)
	}
	return nil
}

// ApprovalOf reads the approval that t was accepted with; nil where there is none. known is false
// where there are no bytes to look at.
func ApprovalOf(x *machine.Tx, t *model.Task) (body []byte, known bool, r *model.Refusal) {
	a := t.Status.AcceptedPlan
	w, ok := x.World.(review.Approvals)
	if a == nil || !ok || !w.HasBytes() {
		return nil, false, nil
	}
	body, err := w.ApprovalFile(t.UID, a.Approval)
	switch {
	case errors.Is(err, model.ErrNoContent), errors.Is(err, model.ErrUnread):
		return nil, true, nil
	case err != nil:
		return nil, false, &model.Refusal{
			Code: model.CodeRefused, Op: x.Op.Name, UID: t.UID, Task: t.Config.Name, Guard: model.GuardApproval,
			Why: fmt.Sprintf("can't read %s%s: %v", model.ApprovalsDir, a.Approval, err), Hint: "repair the file, then retry",
		}
	}
	return body, true, nil
}

// ApprovalReason compares the approval with the one that was written: Old equal to New where it
// is the same.
func ApprovalReason(x *machine.Tx, t *model.Task) (why model.ChangeReason, known bool, r *model.Refusal) {
	body, known, r := ApprovalOf(x, t)
	if r != nil || !known || t.Status.AcceptedPlan.ApprovalHash == "" {
		return why, false, r
	}
	why = model.ChangeReason{File: model.ApprovalsDir + t.Status.AcceptedPlan.Approval, Old: t.Status.AcceptedPlan.ApprovalHash}
	if body != nil {
		why.New = model.HashBytes(body)
	}
	return why, true, nil
}

// CheckApproval holds an acceptance against its approval, byte by byte and word by word, and
// asks how far to believe who gave it.
func CheckApproval(s *machine.Step) *model.Refusal {
	body, known, r := ApprovalOf(s.Tx, s.Task)
	if r != nil || !known {
		return r
	}
	accepted := s.Task.Status.AcceptedPlan
	file := model.ApprovalsDir + accepted.Approval
	wrong := func(why string) *model.Refusal {
		return s.Refuse(model.CodeConflict, model.GuardApproval, file+" "+why, "restore it from git or with `vespe store doctor --fix`, or ask a person to accept the plan again")
	}
	if body == nil {
		return wrong("is missing or unreadable")
	}
	if h := accepted.ApprovalHash; h != "" && h != model.HashBytes(body) {
		return wrong("is not the approval that was given: its bytes have changed")
	}
	a, err := review.DecodeApproval(body)
	if err != nil {
		return wrong("cannot be read: " + err.Error())
	}
	if why := differs(&a, s.World.StoreID(), s.Task); why != "" {
		return wrong(why)
	}
	if why := loosened(s.Tx, s.Task, &a); why.Old != why.New {
		return s.Refuse(model.CodeConflict, model.GuardApproval, model.FileOf(s.World, why.File)+" restricts agents less than when its plan was accepted",
			"restore it, or ask a person to accept the plan again")
	}
	return checkLevel(s, a)
}

// differs says where an approval and the acceptance in status.json are not about the same.
func differs(a *review.Approval, storeID string, t *model.Task) string {
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
		if i, found := HashAt(t.Status.ParentContentHashes, key); !found || t.Status.ParentContentHashes[i].Hash != hash {
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
	verdict, writes := review.ApprovalVerdict(op.Name)
	if !writes || op.Seen == nil {
		return nil, writes
	}
	a := review.Approval{
		StoreID: storeID, Task: op.UID, Verdict: verdict, Approver: op.Actor, ApprovalProof: review.ApprovalProof{Time: model.FormatTime(op.At), Nonce: op.ID},
		Objective: review.ApprovedDoc{Hash: op.Seen.ObjectiveHash}, Plan: review.ApprovedDoc{Hash: op.Seen.PlanHash},
		Bound: op.Seen.Bound, SeenHead: op.Seen.Head, Reason: op.Reason, Excluded: slices.Concat(model.ArgsOf[model.Acceptance](op).Excluded, model.ArgsOf[model.Revalidation](op).Excluded),
		Comments: review.ApprovedComments{Hash: saidWith(op)},
	}
	return a.Statement(), true
}

// attestor is who knows keys, if anybody does.
func attestor(x *machine.Tx) review.Attestor {
	if w, ok := x.World.(review.Approvals); ok {
		return w.Attestor()
	}
	return nil
}

// attested is the level that an approval which is about to be written has; it is refused where it
// reaches less than is asked for.
func attested(s *machine.Step, t *model.Task, a review.Approval) (review.Level, *model.Refusal) {
	by := attestor(s.Tx)
	if by == nil {
		return review.LevelClaimed, nil
	}
	is := by.Attest(a)
	if is.False {
		return review.LevelClaimed, s.Refuse(model.CodeConflict, model.GuardLevel, "the signature doesn't match what would be approved: "+is.Why, "look at it again, then decide")
	}
	if r := refuseShort(s, levelShort(t, by, is)); r != nil { // it says why itself
		return is.Level, r
	}
	if is.Why != "" {
		s.Warnings = append(s.Warnings, "the signature counts only as "+is.Level.String()+": "+is.Why)
	}
	return is.Level, nil
}

// checkLevel asks again how far to believe an approval, with the keys and the wishes of today.
func checkLevel(s *machine.Step, a review.Approval) *model.Refusal {
	by := attestor(s.Tx)
	if by == nil {
		return nil
	}
	return refuseShort(s, attestedShort(s.Task, a, by))
}

// refuseShort refuses an approval that does not count.
func refuseShort(s *machine.Step, short *shortfall) *model.Refusal {
	if short == nil {
		return nil
	}
	return s.Refuse(short.code, model.GuardLevel, short.why, short.hint)
}

func riskyTask(risk string) string {
	if risk == "" {
		return "a task without a risk level"
	}
	return "a " + risk + "-risk task"
}

// RiskWords is a risk as a sentence has it: "high risk", "an unspecified risk".
func RiskWords(risk string) string {
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
	return review.HashComments(list)
}

// Placed are comments at the places where they will stand in the documents of w. One whose lines are not
// there stays as it is: whoever sends it is told.
func Placed(w model.World, op *model.Op) []model.NewComment {
	s := machine.Look(w, *op)
	out := slices.Clone(op.Comments())
	for i, n := range out {
		if s.Task == nil || n.OnDoc() == model.Changes {
			continue
		}
		c, known, r := s.Doc(s.Task, n.OnDoc())
		if r != nil || !known {
			continue
		}
		if p, r := PlaceOf(s, n.Place, c); r == nil {
			out[i].Place = p
		}
	}
	return out
}

// loosened compares today's protections with those that an approval of t is bound to: Old equal to New where none
// of them was loosened.
func loosened(x *machine.Tx, t *model.Task, a *review.Approval) model.ChangeReason {
	why := model.ChangeReason{File: model.BoundProtections, Old: a.Bound[model.BoundProtections], New: model.ProtectionsHash(x.Policy)}
	if why.Old == "" || why.Old == why.New {
		why.New = why.Old // it is bound to none, or to these
		return why
	}
	if b := a.TermsBody(model.BoundProtections); b != nil {
		was, _ := model.DecodePolicy(model.PolicyPath, b)
		if !x.Policy.IsLooser(was, t) {
			why.New = why.Old
		}
	}
	return why
}

// NeedSeen refuses when what the caller looked at is not what is there. docs are the ones
// that matter to the row.
func NeedSeen(docs ...model.Doc) machine.Guard {
	return machine.Need(model.GuardSeen, "documents that haven't changed since the caller read them", func(s *machine.Step) *model.Refusal {
		if s.Op.Seen == nil {
			return nil
		}
		var diffs []model.ContentDiff
		for _, d := range docs {
			want := s.Op.Seen.PlanHash
			if d == model.Objective {
				want = s.Op.Seen.ObjectiveHash
			}
			c, known, r := s.Doc(s.Task, d)
			if r != nil {
				return r
			}
			if known && c.Hash != want {
				c.Doc = d
				diffs = append(diffs, model.ContentDiff{Doc: d, File: string(d) + ".md", Seen: want, Now: c})
			}
		}
		if seen := s.Op.Seen; seen.Bound != nil && seen.Verdict != review.VerdictOn(s.Task) {
			return s.Refuse(model.CodeConflict, model.GuardSeen, "it was decided since you looked: "+cmp.Or(review.DecidedHow(s.Task), "the verdict on it was undone"),
				"look at it again, then decide")
		}
		more, r := unseen(s)
		if r != nil {
			return r
		}
		diffs = append(diffs, more...)
		if len(diffs) == 0 {
			return nil
		}
		r = s.Refuse(model.CodeConflict, model.GuardSeen, s.DiffNames(diffs)+" changed since you looked",
			"read the difference, then decide again")
		r.Changed = diffs
		return r
	})
}

// PlaceOf finds the place of a new comment in today's document.
func PlaceOf(s *machine.Step, p model.Place, c model.Content) (model.Place, *model.Refusal) {
	if p.IsZero() || c.Hash == "" { // no place, or a world without bytes
		return p, nil
	}
	lines := len(anchor.Lines(string(c.Body)))
	if len(p.Quote) == 0 {
		if p.To < p.From {
			p.To = p.From
		}
		if p.From < 1 || p.To > lines {
			return p, s.Refuse(model.CodeInvalid, model.GuardPlace, fmt.Sprintf("the %s has no %s: it has %s", c.Doc, p.Lines(), model.Plural(lines, "line", "lines")),
				"name existing lines")
		}
		return model.PlaceAt(c.Body, p.From, p.To), nil
	}
	text := string(c.Body)
	return model.FollowPlace(p, anchor.NewFinder(text, text)), nil
}

// unseen lists the bound files that changed since they were on screen.
func unseen(s *machine.Step) ([]model.ContentDiff, *model.Refusal) {
	seen := s.Op.Seen
	if seen == nil || len(seen.Bound) == 0 {
		return nil, nil
	}
	now, r := bound(s, s.Task)
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

// NeedAccepted is the guard of a task whose plan a person accepted.
var NeedAccepted = machine.Need(model.GuardAccepted, "a plan that a person accepted", func(s *machine.Step) *model.Refusal {
	if s.Task.Status.AcceptedPlan != nil {
		return nil
	}
	if words := s.Task.ElsewhereWords(); words != "" {
		return s.Refuse(model.CodeRefused, model.GuardAccepted, "its plan was "+words, "a person must confirm it: `vespe plan confirm "+s.Task.UID.Short()+"`")
	}
	if s.Task.Status.CurrentState == model.Working {
		return s.Refuse(model.CodeRefused, model.GuardAccepted, "it is working, but its plan isn't accepted in this clone",
			"ask a person to accept its plan in this clone, or replan it")
	}
	return s.Refuse(model.CodeRefused, model.GuardAccepted, "its plan is not accepted", "ask a person to accept its plan first")
})
