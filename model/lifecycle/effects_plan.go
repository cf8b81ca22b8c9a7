package lifecycle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/staged"
	"vespe/model/strictness"
)

func doDefineObjective(s *machine.Step) *model.Refusal { return define(s, model.Objective) }

func doDefinePlan(s *machine.Step) *model.Refusal { return define(s, model.Plan) }

// define writes a new revision of a document. Bytes that were edited past vespe are
// recorded first, so that nothing is lost by writing over them.
func define(s *machine.Step, d model.Doc) *model.Refusal {
	c, _, r := recordOf(s, d)
	if r != nil {
		return r
	}
	t, text := s.Edit(s.Op.UID), []byte(s.Op.Text())
	if d == model.Plan {
		old := c.Body
		if c.Revision == 0 {
			old = nil
		}
		if r := carryComments(s.Tx, t, s.NextRevision(t, d), old, text); r != nil {
			return r
		}
	}
	rev := s.NewRevision(t, d, text)
	if d == model.Plan {
		if r := answer(s, t, answersOf(&s.Op)); r != nil {
			return r
		}
	}
	if unsettled(c) { // no revision, but not to be lost either
		s.Write(model.TaskFile(t.UID, fmt.Sprintf("persistent/edits/%s-%.16s.md", d, strings.TrimPrefix(c.Hash, model.HashPrefix))), c.Body, true)
	}
	s.Write(model.TaskFile(t.UID, string(d)+".md"), text, false)
	s.Detail(model.IntField("revision", rev))
	s.Detail(model.TextField("sha256", model.HashBytes(text)))
	if d == model.Objective {
		s.To(t, model.ObjectiveDefined)
		s.Say(machine.NewRevision, rev)
	} else {
		s.To(t, model.PlanDefined)
		s.Say(machine.RevisionWaits, rev)
		if t.Status.AcceptedPlan != nil {
			s.Say(machine.OldAcceptanceVoid)
		}
		unaccept(t)
		t.Status.Review = nil
	}
	if r := phasesDefined(s, d); r != nil {
		return r
	}
	return binding.Spread(s.Tx, t, d, model.HashBytes(text))
}

// unsettled says whether a document holds both sides of a merge: nobody wrote that, and
// nobody can decide on it.
func unsettled(c model.Content) bool {
	_, _, _, found := model.Conflict(c.Body)
	return found && c.Revision == 0
}

func refuseUnsettled(s *machine.Step, c model.Content) *model.Refusal {
	if !unsettled(c) {
		return nil
	}
	p, _ := model.ConflictProblem(s.Op.UID, string(c.Doc)+".md", c.Body)
	return s.Refuse(model.CodeRefused, model.GuardSettled, fmt.Sprintf("line %d of its %s.md: %s", p.Line, c.Doc, p.Reason), p.Hint)
}

// record makes a revision, by `external`, of bytes that no operation wrote,
// and returns the document as it then is.
func record(x *machine.Tx, uid model.UID, d model.Doc) (model.Content, bool, *model.Refusal) {
	t, _ := x.World.Task(uid)
	c, known, r := x.Doc(t, d)
	if r != nil || !known || c.Revision != 0 || len(bytes.TrimSpace(c.Body)) == 0 || unsettled(c) {
		return c, known, r
	}
	t = x.Edit(uid)
	if d == model.Plan {
		if r := carryComments(x, t, x.NextRevision(t, d), nil, c.Body); r != nil {
			return c, known, r
		}
	}
	c.Revision = x.NewRevision(t, d, c.Body)
	x.Emit(model.Event{
		Name: model.ExternalEdit, UID: uid, Actor: machine.ExternalActor, Cause: uid,
		From: t.Status.CurrentState, To: t.Status.CurrentState,
		Summary: fmt.Sprintf("%s of %s was edited outside vespe: revision %d", d, model.Quoted(t), c.Revision),
		Details: model.Extra{model.IntField(model.RevisionKey(d), c.Revision), model.TextField("sha256", c.Hash)},
	})
	return c, true, binding.Spread(x, t, d, c.Hash)
}

func recordOf(s *machine.Step, d model.Doc) (model.Content, bool, *model.Refusal) {
	return record(s.Tx, s.Op.UID, d)
}

// recordBoth records what was edited outside and makes that, not the verdict, the state
// that undo goes back to.
func recordBoth(s *machine.Step) (objective, plan model.Content, r *model.Refusal) {
	if objective, _, r = recordOf(s, model.Objective); r != nil {
		return objective, plan, r
	}
	if plan, _, r = recordOf(s, model.Plan); r != nil {
		return objective, plan, r
	}
	for _, c := range []model.Content{objective, plan} {
		if r := refuseUnsettled(s, c); r != nil {
			return objective, plan, r
		}
	}
	if s.Cause == "" { // what another verdict set off is taken back with that one
		s.Rebase()
	}
	return objective, plan, nil
}

// unaccept takes back what an acceptance put into status.json.
func unaccept(t *model.Task) {
	t.Status.AcceptedPlan = nil
	t.Status.ParentContentHashes = nil
	t.Status.ChangedBecause = nil
	t.Status.ByHand = ""
}

func doAcceptPlan(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	t := s.Edit(s.Op.UID)
	hashes, r := binding.DepHashes(s.Tx, t)
	if r != nil {
		return r
	}
	st := &t.Status
	if r := judge(s, t, objective, plan, model.VerdictAccepted); r != nil {
		return r
	}
	st.ParentContentHashes = hashes
	st.ChangedBecause = nil
	st.RetryCount = 0
	st.ErrorDetails = ""
	sayTakenIn(s, t)
	if r := bind(s, t, objective, plan); r != nil {
		return r
	}
	sayLeftOut(s, "left out", "", st.AcceptedPlan.Excluded)
	takeLowered(s, t)

	switch unmet, cycle := binding.Unmet(s.Tx, t), staged.Cycle(s.World, t); {
	case cycle != nil:
		s.To(t, model.PlanDefined)
		s.Say(machine.InCycle, s.Spelled(cycle))
	case len(unmet) > 0:
		s.To(t, model.PlanDefined)
		s.Say(machine.WaitsFor, unmet)
	default:
		s.To(t, model.Working)
		s.Say(machine.CanStart)
	}
	if st.IsPaused {
		s.Say(machine.StaysPausedHow, machine.PausedHow(t))
	}
	sayWaits(s, t, "")
	return acceptPhases(s, t)
}

// takeLowered tells a person what was lowered outside vespe, which the person agrees to.
func takeLowered(s *machine.Step, t *model.Task) {
	s.Warnings = append(s.Warnings, strictness.LoweredWords(t)...)
	t.Status.Lowered = nil
}

func doRejectPlan(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	t := s.Edit(s.Op.UID)
	if t.Status.AcceptedPlan != nil {
		s.Say(machine.AcceptanceWithdrawn)
	}
	unaccept(t)
	if r := judge(s, t, objective, plan, model.VerdictRejected); r != nil {
		return r
	}
	s.To(t, model.ObjectiveDefined)
	s.Say(machine.BackToPlanning)
	return nil
}

// doQuestionPlan leaves the plan undecided until what is asked has been answered. A reason
// without any question beside it is the question.
func doQuestionPlan(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	comments := s.Op.Comments()
	if !slices.ContainsFunc(comments, func(c model.NewComment) bool { return c.OfKind() == model.Question }) && strings.TrimSpace(s.Op.Reason) != "" {
		s.Op.Args = model.Feedback{Comments: append(slices.Clone(comments), model.NewComment{Kind: model.Question, Text: s.Op.Reason})}
	}
	if r := judge(s, s.Edit(s.Op.UID), objective, plan, model.VerdictAsked); r != nil {
		return r
	}
	s.Say(machine.PlannerMustAnswer)
	return nil
}

func doDeferPlan(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	if r := judge(s, s.Edit(s.Op.UID), objective, plan, model.VerdictDeferred); r != nil {
		return r
	}
	s.Say(machine.StaysUndecided)
	return nil
}

// judge writes a verdict on a plan, and the comments that come with it.
func judge(s *machine.Step, t *model.Task, objective, plan model.Content, word string) *model.Refusal {
	t.Status.Review = verdict(s, "plan", word, planRevision(t, plan))
	d, r := s.Discussion(t)
	if r != nil {
		return r
	}
	if d.File.Revision < t.Status.Review.Revision && plan.Revision > 0 { // made where nobody carried its comments
		if r := carryComments(s.Tx, t, plan.Revision, nil, plan.Body); r != nil {
			return r
		}
	}
	if r := comment(s, t, objective, plan, s.Op.Comments()); r != nil {
		return r
	}
	onRevision(d, t, plan)
	d.File.ObjectiveHash = objective.Hash
	d.File.SetVerdict(t.Status.Review)
	d.Dirty = true
	s.Detail(model.IntField("revision", t.Status.Review.Revision))
	return nil
}

// planRevision is the revision that was judged; in a preview the last one.
func planRevision(t *model.Task, plan model.Content) int {
	if plan.Revision > 0 {
		return plan.Revision
	}
	return t.Status.PlanRevision
}

// bind ties the acceptance to the bytes of today and writes the approval.
func bind(s *machine.Step, t *model.Task, objective, plan model.Content) *model.Refusal {
	a, file, hash, r := binding.WriteApproval(s, t, objective, plan)
	if r != nil {
		return r
	}
	terms := binding.TermsOf(t, model.RulesHash(s.Policy))
	t.Status.AcceptedPlan = &model.AcceptedPlan{
		PlanRevision: a.Plan.Revision, PlanHash: a.Plan.Hash,
		ObjectiveRevision: a.Objective.Revision, ObjectiveHash: a.Objective.Hash,
		By: s.Op.Actor, At: s.Op.At, Approval: file, ApprovalHash: hash, Excluded: a.Excluded,
		SpecHash: terms.Spec, DependenciesHash: terms.Dependencies, PolicyHash: terms.Policy,
	}
	s.Detail(model.TextField("plan_sha256", plan.Hash))
	return nil
}

func verdict(s *machine.Step, of, word string, rev int) *model.Review {
	return &model.Review{
		Of: of, Verdict: word, By: s.Op.Actor, At: s.Op.At,
		Reason: strings.TrimSpace(s.Op.Reason), Revision: rev,
	}
}

func doRevalidate(s *machine.Step) *model.Refusal {
	objective, plan, r := recordBoth(s)
	if r != nil {
		return r
	}
	t := s.Edit(s.Op.UID)
	t.Status.ChangedBecause = nil
	if t.Status.AcceptedPlan == nil {
		s.Say(machine.UnchangedUnaccepted)
		return nil
	}
	hashes, r := binding.DepHashes(s.Tx, t)
	if r != nil {
		return r
	}
	t.Status.ParentContentHashes = hashes
	if r := sameParts(s, t); r != nil {
		return r
	}
	if r := bind(s, t, objective, plan); r != nil {
		return r
	}
	takeLowered(s, t)
	s.Say(machine.PlanStillValid)
	sayLeftOut(s, "still left out", string(plan.Body), t.Status.AcceptedPlan.Excluded)
	return nil
}

func doReplan(s *machine.Step) *model.Refusal {
	wasEnded := s.Task.Ended()
	t := s.Edit(s.Op.UID)
	if t.Status.AcceptedPlan != nil {
		s.Say(machine.PlanNotAccepted)
	}
	unaccept(t)
	endRun(s, t, model.RunReplanned)
	t.Status.Review = nil
	t.Status.ErrorDetails = ""
	t.Status.PreviousState = ""
	s.To(t, model.Replanned)
	s.Say(machine.NeedsNewPlan)
	if wasEnded {
		return reopened(s, t)
	}
	return nil
}
