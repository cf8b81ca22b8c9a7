package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
)

// startConsent begins the key of the request by which a person allows the start of a task; the
// hash of the accepted plan follows.
const startConsent = "start:"

// ConsentKey is the key of the request by which a person allows the start of a task by its accepted plan.
func ConsentKey(t *model.Task) string {
	if t.Status.AcceptedPlan == nil {
		return startConsent
	}
	return startConsent + t.Status.AcceptedPlan.PlanHash
}

// NeedsConsent says whether a person has to allow an agent's start of a task: the task says so, or
// its risk is one that the project or the user wants to be asked about.
func NeedsConsent(w model.World, uid model.UID) bool {
	t, ok := w.Task(uid)
	if !ok {
		return false
	}
	if slices.Contains(t.Status.Lowered, "requires_hitl: true") {
		return true
	}
	if t.Spec != nil && (t.Spec.RequiresHITL || model.IsSpoilt(t.Spec, "requires_hitl")) {
		return true
	}
	rank := model.RiskRank(model.RiskOf(t))
	from := []string{w.Policy().HITLStart()}
	if strict, ok := baseOf(w).(model.Strictness); ok {
		from = append(from, strict.StartConsent())
	}
	return slices.ContainsFunc(from, func(least string) bool { n := model.RiskRank(least); return n >= 0 && rank >= n })
}

// consentNeeded says whether a person has to allow this start. A person who starts it does.
func (s *step) consentNeeded() bool {
	return s.op.Actor.Kind() != model.Human && NeedsConsent(s.w, s.task.UID)
}

// consents are the requests about starting the task by its accepted plan, as vespe asks them: what somebody
// else asks under such a key may be anything.
func consents(s *step) (out []model.Request) {
	for _, r := range s.w.Requests() {
		if r.TaskUID == s.task.UID && r.Key == ConsentKey(s.task) && s.task.Status.AcceptedPlan != nil && isConsent(s, &r) {
			out = append(out, r)
		}
	}
	return out
}

// isConsent says whether a request tells whoever answers it that it is about starting the task by its
// accepted plan.
func isConsent(s *step, r *model.Request) bool {
	return r.Kind == model.KindAction && r.Args == nil && strings.HasPrefix(r.Title, "start ") && strings.HasPrefix(r.Detail, wantsToStart(s, r.CreatedBy))
}

// wantsToStart begins what a person is told who is asked to allow a start.
func wantsToStart(s *step, by model.Actor) string {
	a := s.task.Status.AcceptedPlan
	return fmt.Sprintf("%s wants to start it by plan %d, which %s accepted; ", by, a.PlanRevision, model.OrSomebody(a.By))
}

// needConsent refuses a start that a person was asked about and has not allowed. One that nobody
// was asked about yet goes on, to ask (doStart).
var needConsent = check{GuardInfo{model.GuardConsent, "for an agent, if the risk requires it: a person's consent to the start"}, func(s *step) *model.Refusal {
	if s.op.Actor.Kind() == model.Human {
		return nil
	}
	list := consents(s) // once a person was asked, the answer counts whoever else would not have asked
	if slices.ContainsFunc(list, allowsStart) {
		return nil
	}
	for _, r := range list {
		if r.IsOpen() {
			return s.refuse(model.CodePending, model.GuardConsent, fmt.Sprintf("a person was asked to allow it (%s)", r.ID), "`vespe wait "+r.ID+"` waits for the answer")
		}
	}
	for _, r := range slices.Backward(list) {
		if r.State == model.RequestDenied || r.State == model.RequestResponded || r.State == model.RequestEdited {
			return s.refuse(model.CodeDenied, model.GuardConsent, "a person did not allow it: "+decidedBy(&r), "replan it, or do what the answer says")
		}
	}
	return nil
}}

func allowsStart(q model.Request) bool { return q.State == model.RequestAccepted && q.Answer != nil }

// askConsent files the request that a start needs, in place of the start. It says whether it did.
func askConsent(s *step) (bool, *model.Refusal) {
	if !s.consentNeeded() || slices.ContainsFunc(consents(s), allowsStart) {
		return false, nil
	}
	t := s.task
	why := "spec.json requires a person's consent"
	if t.Spec == nil || !t.Spec.RequiresHITL {
		why = "it has " + riskWords(model.RiskSaid(t))
	}
	op := model.Op{
		ID: s.tx.op.ID, At: s.op.At, Name: model.Ask, UID: t.UID, Actor: s.op.Actor,
		Args: model.NewRequest{
			Kind: model.KindAction, Title: "start " + model.Quoted(t), Key: ConsentKey(t), Risk: model.RiskOf(t),
			Detail: wantsToStart(s, s.op.Actor) + why + ".",
			Allow:  []string{string(model.DecideAccept), string(model.DecideDeny)},
		},
	}
	if r := s.fire(op, t.UID); r != nil {
		return false, r
	}
	s.quiet, s.tx.waits = true, true
	s.head = "ask a person before starting " + model.Quoted(t)
	s.say(why)
	return true, nil
}

// isOwnConsent says whether a person starts what only waits for a person to allow its start: that
// is the answer.
func isOwnConsent(s *step) bool {
	if s.op.Name != model.Start || s.op.Actor.Kind() != model.Human || s.task.Status.AcceptedPlan == nil {
		return false
	}
	open := s.waitsForRequests()
	_, asked, _ := strings.Cut(s.task.Status.PauseReason, ":")
	return len(open) > 0 && strings.TrimSpace(asked) == model.HeldTitles(open) &&
		!slices.ContainsFunc(open, func(r model.Request) bool { return r.Key != ConsentKey(s.task) })
}

// giveConsent answers what a person's own start answers.
func giveConsent(s *step) {
	if !isOwnConsent(s) {
		return
	}
	for _, q := range s.waitsForRequests() {
		q = q.Clone()
		q.State = model.RequestAccepted
		q.Answer = &model.Answer{Decision: model.DecideAccept, By: s.op.Actor, At: s.op.At, Text: "started it", Late: q.HasExpired(s.op.At)}
		s.putHeld(q)
	}
}
