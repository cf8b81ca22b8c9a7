package lifecycle

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

func doDefineObjective(s *step) *model.Refusal { return s.define(model.Objective) }

func doDefinePlan(s *step) *model.Refusal { return s.define(model.Plan) }

// define writes a new revision of a document. Bytes that were edited past vespe are
// recorded first, so that nothing is lost by writing over them.
func (s *step) define(d model.Doc) *model.Refusal {
	c, _, r := s.record(d)
	if r != nil {
		return r
	}
	t, text := s.edit(s.op.UID), []byte(s.op.Text())
	if d == model.Plan {
		old := c.Body
		if c.Revision == 0 {
			old = nil
		}
		if r := s.carryComments(t, s.nextRevision(t, d), old, text); r != nil {
			return r
		}
	}
	rev := s.newRevision(t, d, text)
	if d == model.Plan {
		if r := s.answer(t, answersOf(&s.op)); r != nil {
			return r
		}
	}
	if unsettled(c) { // no revision, but not to be lost either
		s.write(model.TaskFile(t.UID, fmt.Sprintf("persistent/edits/%s-%.16s.md", d, strings.TrimPrefix(c.Hash, model.HashPrefix))), c.Body, true)
	}
	s.write(model.TaskFile(t.UID, string(d)+".md"), text, false)
	s.detail(model.IntField("revision", rev))
	s.detail(model.TextField("sha256", model.HashBytes(text)))
	if d == model.Objective {
		s.to(t, model.ObjectiveDefined)
		s.say(fmt.Sprintf("revision %d", rev))
	} else {
		s.to(t, model.PlanDefined)
		s.say(fmt.Sprintf("revision %d waits for review", rev))
		if t.Status.AcceptedPlan != nil {
			s.say("the acceptance of the previous plan is void")
		}
		s.unaccept(t)
		t.Status.Review = nil
	}
	if r := s.phasesDefined(d); r != nil {
		return r
	}
	return s.spread(t, d, model.HashBytes(text))
}

// newRevision counts a document's revisions up and keeps body as the newest.
func (x *tx) newRevision(t *model.Task, d model.Doc, body []byte) int {
	n := &t.Status.PlanRevision
	if d == model.Objective {
		n = &t.Status.ObjectiveRevision
		t.HasObjective = true
	} else {
		t.HasPlan = true
	}
	*n = x.nextRevision(t, d)
	x.write(revisionPath(t.UID, d, *n, model.HashBytes(body)), body, true)
	return *n
}

func (x *tx) nextRevision(t *model.Task, d model.Doc) int {
	n := t.Status.PlanRevision
	if d == model.Objective {
		n = t.Status.ObjectiveRevision
	}
	return max(n, x.lastRevision(t.UID, d)) + 1
}

// unsettled says whether a document holds both sides of a merge: nobody wrote that, and
// nobody can decide on it.
func unsettled(c model.Content) bool {
	_, _, _, found := model.Conflict(c.Body)
	return found && c.Revision == 0
}

func refuseUnsettled(s *step, c model.Content) *model.Refusal {
	if !unsettled(c) {
		return nil
	}
	p, _ := model.ConflictProblem(s.op.UID, string(c.Doc)+".md", c.Body)
	return s.refuse(model.CodeRefused, model.GuardSettled, fmt.Sprintf("line %d of its %s.md: %s", p.Line, c.Doc, p.Reason), p.Hint)
}

// record makes a revision, by `external`, of bytes that no operation wrote,
// and returns the document as it then is.
func (x *tx) record(uid model.UID, d model.Doc) (model.Content, bool, *model.Refusal) {
	t, _ := x.w.Task(uid)
	c, known, r := x.doc(t, d)
	if r != nil || !known || c.Revision != 0 || len(bytes.TrimSpace(c.Body)) == 0 || unsettled(c) {
		return c, known, r
	}
	t = x.edit(uid)
	if d == model.Plan {
		if r := x.carryComments(t, x.nextRevision(t, d), nil, c.Body); r != nil {
			return c, known, r
		}
	}
	c.Revision = x.newRevision(t, d, c.Body)
	x.emit(model.Event{
		Name: model.ExternalEdit, UID: uid, Actor: externalActor, Cause: uid,
		From: t.Status.CurrentState, To: t.Status.CurrentState,
		Summary: fmt.Sprintf("%s of %s was edited outside vespe: revision %d", d, model.Quoted(t), c.Revision),
		Details: model.Extra{model.IntField(model.RevisionKey(d), c.Revision), model.TextField("sha256", c.Hash)},
	})
	return c, true, x.spread(t, d, c.Hash)
}

func (s *step) record(d model.Doc) (model.Content, bool, *model.Refusal) {
	return s.tx.record(s.op.UID, d)
}

// recordBoth records what was edited outside and makes that, not the verdict, the state
// that undo goes back to.
func (s *step) recordBoth() (objective, plan model.Content, r *model.Refusal) {
	if objective, _, r = s.record(model.Objective); r != nil {
		return objective, plan, r
	}
	if plan, _, r = s.record(model.Plan); r != nil {
		return objective, plan, r
	}
	for _, c := range []model.Content{objective, plan} {
		if r := refuseUnsettled(s, c); r != nil {
			return objective, plan, r
		}
	}
	if s.cause == "" { // what another verdict set off is taken back with that one
		s.rebase()
	}
	return objective, plan, nil
}

// unaccept takes back what an acceptance put into status.json.
func (x *tx) unaccept(t *model.Task) {
	t.Status.AcceptedPlan = nil
	t.Status.ParentContentHashes = nil
	t.Status.ChangedBecause = nil
	t.Status.ByHand = ""
}

func doAcceptPlan(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	t := s.edit(s.op.UID)
	hashes, r := s.depHashes(t)
	if r != nil {
		return r
	}
	st := &t.Status
	if r := s.judge(t, objective, plan, model.VerdictAccepted); r != nil {
		return r
	}
	st.ParentContentHashes = hashes
	st.ChangedBecause = nil
	st.RetryCount = 0
	st.ErrorDetails = ""
	sayTakenIn(s, t)
	if r := s.bind(t, objective, plan); r != nil {
		return r
	}
	s.exclude(t)
	s.takeLowered(t)

	switch unmet, cycle := s.unmet(t), s.cycleOf(t); {
	case cycle != nil:
		s.to(t, model.PlanDefined)
		s.say("it is in a dependency cycle: " + s.spelled(cycle))
	case len(unmet) > 0:
		s.to(t, model.PlanDefined)
		s.say(fmt.Sprintf("waits for %s", s.listed(unmet)))
	default:
		s.to(t, model.Working)
		s.say("ready to start")
	}
	if st.IsPaused {
		s.say("it stays " + pausedHow(t))
	}
	if n := s.openDependents(t.UID); n > 0 {
		s.say(fmt.Sprintf("%s %s for it", model.Plural(n, "dependent", "dependents"), model.VerbFor(n, "waits", "wait")))
	}
	return s.acceptPhases(t)
}

// takeLowered tells a person what was lowered outside vespe, which the person agrees to.
func (s *step) takeLowered(t *model.Task) {
	s.warnings = append(s.warnings, model.LoweredWords(t)...)
	t.Status.Lowered = nil
}

func doRejectPlan(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	t := s.edit(s.op.UID)
	if t.Status.AcceptedPlan != nil {
		s.say("its acceptance is withdrawn")
	}
	s.unaccept(t)
	if r := s.judge(t, objective, plan, model.VerdictRejected); r != nil {
		return r
	}
	s.to(t, model.ObjectiveDefined)
	s.say("back to planning")
	return nil
}

// doQuestionPlan leaves the plan undecided until what is asked has been answered. A reason
// without any question beside it is the question.
func doQuestionPlan(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	comments := s.op.Comments()
	if !slices.ContainsFunc(comments, func(c model.NewComment) bool { return c.OfKind() == model.Question }) && strings.TrimSpace(s.op.Reason) != "" {
		s.op.Args = model.Feedback{Comments: append(slices.Clone(comments), model.NewComment{Kind: model.Question, Text: s.op.Reason})}
	}
	if r := s.judge(s.edit(s.op.UID), objective, plan, model.VerdictAsked); r != nil {
		return r
	}
	s.say("its planner must answer")
	return nil
}

func doDeferPlan(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	if r := s.judge(s.edit(s.op.UID), objective, plan, model.VerdictDeferred); r != nil {
		return r
	}
	s.say("it stays undecided")
	return nil
}

// judge writes a verdict on a plan, and the comments that come with it.
func (s *step) judge(t *model.Task, objective, plan model.Content, word string) *model.Refusal {
	t.Status.Review = s.verdict("plan", word, s.planRevision(t, plan))
	d, r := s.discussion(t)
	if r != nil {
		return r
	}
	if d.file.Revision < t.Status.Review.Revision && plan.Revision > 0 { // made where nobody carried its comments
		if r := s.carryComments(t, plan.Revision, nil, plan.Body); r != nil {
			return r
		}
	}
	if r := s.comment(t, objective, plan, s.op.Comments()); r != nil {
		return r
	}
	s.onRevision(d, t, plan)
	d.file.ObjectiveHash = objective.Hash
	d.file.SetVerdict(t.Status.Review)
	d.dirty = true
	s.detail(model.IntField("revision", t.Status.Review.Revision))
	return nil
}

// planRevision is the revision that was judged; in a preview the last one.
func (s *step) planRevision(t *model.Task, plan model.Content) int {
	if plan.Revision > 0 {
		return plan.Revision
	}
	return t.Status.PlanRevision
}

// bind ties the acceptance to the bytes of today and writes the approval.
func (s *step) bind(t *model.Task, objective, plan model.Content) *model.Refusal {
	a, file, hash, r := s.writeApproval(t, objective, plan)
	if r != nil {
		return r
	}
	terms := termsOf(t, model.RulesHash(s.policy))
	t.Status.AcceptedPlan = &model.AcceptedPlan{
		PlanRevision: a.Plan.Revision, PlanHash: a.Plan.Hash,
		ObjectiveRevision: a.Objective.Revision, ObjectiveHash: a.Objective.Hash,
		By: s.op.Actor, At: s.op.At, Approval: file, ApprovalHash: hash, Excluded: a.Excluded,
		SpecHash: terms.spec, DependenciesHash: terms.dependencies, PolicyHash: terms.policy,
	}
	s.detail(model.TextField("plan_sha256", plan.Hash))
	return nil
}

func (s *step) verdict(of, word string, rev int) *model.Review {
	return &model.Review{
		Of: of, Verdict: word, By: s.op.Actor, At: s.op.At,
		Reason: strings.TrimSpace(s.op.Reason), Revision: rev,
	}
}

func doRevalidate(s *step) *model.Refusal {
	objective, plan, r := s.recordBoth()
	if r != nil {
		return r
	}
	t := s.edit(s.op.UID)
	t.Status.ChangedBecause = nil
	if t.Status.AcceptedPlan == nil {
		s.say("no longer changed; its plan is not accepted")
		return nil
	}
	hashes, r := s.depHashes(t)
	if r != nil {
		return r
	}
	t.Status.ParentContentHashes = hashes
	if r := s.sameParts(t); r != nil {
		return r
	}
	if r := s.bind(t, objective, plan); r != nil {
		return r
	}
	s.takeLowered(t)
	s.say("its plan is still valid")
	sayLeftOut(s, "still left out", string(plan.Body), t.Status.AcceptedPlan.Excluded)
	return nil
}

func doReplan(s *step) *model.Refusal {
	wasEnded := s.task.Ended()
	t := s.edit(s.op.UID)
	if t.Status.AcceptedPlan != nil {
		s.say("its plan is no longer accepted")
	}
	s.unaccept(t)
	s.endRun(t, model.RunReplanned)
	t.Status.Review = nil
	t.Status.ErrorDetails = ""
	t.Status.PreviousState = ""
	s.to(t, model.Replanned)
	s.say("it needs a new plan")
	if wasEnded {
		return s.reopened(t)
	}
	return nil
}
