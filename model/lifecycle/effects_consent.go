package lifecycle

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle/binding"
	"vespe/model/lifecycle/internal/machine"
	"vespe/model/staged"
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
	if strict, ok := staged.Base(w).(model.Strictness); ok {
		from = append(from, strict.StartConsent())
	}
	return slices.ContainsFunc(from, func(least string) bool { n := model.RiskRank(least); return n >= 0 && rank >= n })
}

// consents are the requests about starting the task by its accepted plan, as vespe asks them: what somebody
// else asks under such a key may be anything.
func consents(s *machine.Step) (out []model.Request) {
	for _, r := range s.World.Requests() {
		if r.TaskUID == s.Task.UID && r.Key == ConsentKey(s.Task) && s.Task.Status.AcceptedPlan != nil && isConsent(s, &r) {
			out = append(out, r)
		}
	}
	return out
}

// isConsent says whether a request tells whoever answers it that it is about starting the task by its
// accepted plan.
func isConsent(s *machine.Step, r *model.Request) bool {
	return r.Kind == model.KindAction && r.Args == nil && strings.HasPrefix(r.Title, "start ") && strings.HasPrefix(r.Detail, wantsToStart(s, r.CreatedBy))
}

// wantsToStart begins what a person is told who is asked to allow a start.
func wantsToStart(s *machine.Step, by model.Actor) string {
	a := s.Task.Status.AcceptedPlan
	return fmt.Sprintf("%s wants to start it by plan %d, which %s accepted; ", by, a.PlanRevision, model.OrSomebody(a.By))
}

// needConsent refuses a start that a person was asked about and has not allowed. One that nobody
// was asked about yet goes on, to ask (doStart).
var needConsent = machine.Need(model.GuardConsent, "for an agent, if the risk requires it: a person's consent to the start", func(s *machine.Step) *model.Refusal {
	if s.Op.Actor.Kind() == model.Human {
		return nil
	}
	list := consents(s) // once a person was asked, the answer counts whoever else would not have asked
	if slices.ContainsFunc(list, allowsStart) {
		return nil
	}
	for _, r := range list {
		if r.IsOpen() {
			return s.Refuse(model.CodePending, model.GuardConsent, fmt.Sprintf("a person was asked to allow it (%s)", r.ID), "`vespe wait "+r.ID+"` waits for the answer")
		}
	}
	for _, r := range slices.Backward(list) {
		if r.State == model.RequestDenied || r.State == model.RequestResponded || r.State == model.RequestEdited {
			return s.Refuse(model.CodeDenied, model.GuardConsent, "a person did not allow it: "+decidedBy(&r), "replan it, or do what the answer says")
		}
	}
	return nil
})

func allowsStart(q model.Request) bool { return q.State == model.RequestAccepted && q.Answer != nil }

// askConsent files the request that a start needs, in place of the start. It says whether it did.
func askConsent(s *machine.Step) (bool, *model.Refusal) {
	if s.Op.Actor.Kind() == model.Human || !NeedsConsent(s.World, s.Task.UID) || slices.ContainsFunc(consents(s), allowsStart) {
		return false, nil
	}
	t := s.Task
	why := "spec.json requires a person's consent"
	if t.Spec == nil || !t.Spec.RequiresHITL {
		why = "it has " + binding.RiskWords(model.RiskSaid(t))
	}
	op := model.Op{
		ID: s.Tx.Op.ID, At: s.Op.At, Name: model.Ask, UID: t.UID, Actor: s.Op.Actor,
		Args: model.NewRequest{
			Kind: model.KindAction, Title: "start " + model.Quoted(t), Key: ConsentKey(t), Risk: model.RiskOf(t),
			Detail: wantsToStart(s, s.Op.Actor) + why + ".",
			Allow:  []string{string(model.DecideAccept), string(model.DecideDeny)},
		},
	}
	if r := s.Fire(op, t.UID); r != nil {
		return false, r
	}
	s.Quiet, s.Tx.Waits = true, true
	s.Deed = model.Deed{Verb: "ask", Object: "a person before starting " + model.Quoted(t)}
	s.Say(machine.NeedsConsent, why)
	return true, nil
}

// needNotPaused is the guard of a task that is not paused, or only until a person allows its start.
var needNotPaused = machine.Need(model.GuardNotPaused, "a task that is not paused", func(s *machine.Step) *model.Refusal {
	if !s.Task.Status.IsPaused || isOwnConsent(s) {
		return nil
	}
	return s.Refuse(model.CodeRefused, model.GuardNotPaused, "it is "+machine.PausedHow(s.Task), machine.UnpauseHint(s.Task))
})

// isOwnConsent says whether a person starts what only waits for a person to allow its start: that
// is the answer.
func isOwnConsent(s *machine.Step) bool {
	if s.Op.Name != model.Start || s.Op.Actor.Kind() != model.Human || s.Task.Status.AcceptedPlan == nil {
		return false
	}
	open := waitsForRequests(s)
	_, asked, _ := strings.Cut(s.Task.Status.PauseReason, ":")
	return len(open) > 0 && strings.TrimSpace(asked) == model.HeldTitles(open) &&
		!slices.ContainsFunc(open, func(r model.Request) bool { return r.Key != ConsentKey(s.Task) })
}

// giveConsent answers what a person's own start answers.
func giveConsent(s *machine.Step) {
	if !isOwnConsent(s) {
		return
	}
	for _, q := range waitsForRequests(s) {
		q = q.Clone()
		q.State = model.RequestAccepted
		q.Answer = &model.Answer{Decision: model.DecideAccept, By: s.Op.Actor, At: s.Op.At, Text: "started it", Late: q.HasExpired(s.Op.At)}
		putHeld(s.Tx, q)
	}
}
