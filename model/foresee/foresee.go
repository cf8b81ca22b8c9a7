// Package foresee says what an event at a task would do to a store before it happens.
package foresee

import (
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/snapshot"
)

// The events that are no transition.
const (
	Completed = "completed" // its work is reported as done
	Failed    = "failed"    // it fails for good
	Aborted   = "aborted"   // it is ended by decision
	Changed   = "changed"   // its objective, its plan and its result are others from now on
)

// Question asks what an event at a task would do.
type Question struct {
	UID   model.UID
	Event string      // one of Events, in either spelling: accept_plan, accept-plan
	Actor model.Actor // who would fire it; where a row is for a person and this is none, a person is taken
	// World is what a snapshot is computed in; nil: the snapshot itself, without bytes.
	World func(*snapshot.Snapshot) model.World
}

// foreseen are the transitions that can be asked about: those that move a task, and need nothing
// said but words.
var foreseen = []model.Name{
	model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.Start, model.WorkCompleted, model.ReviewAccepted, model.ReviewRejected, model.RaiseError, model.Retry, model.Reopen, model.Skip, model.StopRun, model.Abort,
	model.Pause, model.Resume, model.Revalidate, model.Replan, model.DefineObjective, model.DefinePlan, model.UndoVerdict,
}

// conditions are the transitions that can be foreseen, as conditions.
var conditions = map[model.Name]string{
	model.AcceptPlan: "if its plan is accepted", model.RejectPlan: "if its plan is rejected",
	model.QuestionPlan: "if questions are asked about its plan", model.DeferPlan: "if its plan is deferred",
	model.Start: "if it is started", model.WorkCompleted: "if its work is completed",
	model.ReviewAccepted: "if its work is accepted", model.ReviewRejected: "if its work is rejected",
	model.RaiseError: "if an error is reported", model.Retry: "if it is retried", model.Reopen: "if it is reopened", model.Skip: "if it counts as done elsewhere", model.StopRun: "if its run is stopped", model.Abort: "if it is aborted",
	model.Pause: "if it is paused", model.Resume: "if it is resumed",
	model.Revalidate: "if its plan is revalidated", model.Replan: "if a new plan is asked for",
	model.DefineObjective: "if it gets a new objective", model.DefinePlan: "if it gets a new plan", model.UndoVerdict: "if the last verdict is undone",
}

// AllEvents are all that Ask takes: first the outcomes, then the transitions.
func AllEvents() []string {
	out := []string{Completed, Failed, Aborted, Changed}
	for _, n := range foreseen {
		out = append(out, string(n))
	}
	return out
}

// ParseEvent is the event that a person wrote, in any of its spellings.
func ParseEvent(text string) (string, error) {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "-", "_")
	if slices.Contains(AllEvents(), word) {
		return word, nil
	}
	return "", fmt.Errorf("unknown event %q; the events are %s", text, strings.Join(AllEvents(), ", "))
}

// Events are the events that are worth asking about of task i as it is: the decisions that can be taken on
// it now, and then how it could end and what others rely on.
func Events(s *snapshot.Snapshot, i int) []string {
	switch s.Status(i) {
	case model.StatusReviewPlan:
		return []string{string(model.AcceptPlan), string(model.RejectPlan), Changed, Completed, Failed, Aborted}
	case model.StatusReviewWork:
		return []string{string(model.ReviewAccepted), string(model.ReviewRejected), Changed}
	case model.StatusChanged:
		return []string{string(model.Revalidate), string(model.Replan), Changed, Completed, Failed, Aborted}
	case model.StatusFailed:
		return []string{string(model.Reopen), string(model.Skip), Aborted, Changed}
	case model.StatusDone, model.StatusAborted:
		return []string{Changed}
	case model.StatusProblem:
		return nil
	}
	return []string{Completed, Failed, Aborted, Changed}
}

// Ask says what an event would do. The error is a *Refusal where there is no such task or no such
// event; that the event cannot happen as things are is in the Impact.
func Ask(s *snapshot.Snapshot, f Question) (*Impact, error) {
	at, ok := s.Index(f.UID)
	if !ok {
		return nil, &model.Refusal{Code: model.CodeNotFound, UID: f.UID, Guard: model.GuardExists, Why: fmt.Sprintf("unknown task %q", f.UID), Hint: "`vespe ls` lists tasks"}
	}
	event, err := ParseEvent(f.Event)
	if err != nil {
		return nil, &model.Refusal{Code: model.CodeUsage, UID: f.UID, Guard: model.GuardOperation, Why: err.Error()}
	}
	if f.World == nil {
		f.World = func(n *snapshot.Snapshot) model.World { return n }
	}
	if event == Changed {
		after := othersOf(s, at)
		im := ImpactOf(s, f.UID, after, nil)
		im.Event, im.Title = event, "if its objective, its plan or its result changes"
		return im, nil
	}
	op, title := f.op(event)
	ch, err := lifecycle.Apply(f.World(s), op)
	assumed := false
	if r, refused := err.(*model.Refusal); refused && event == Completed && r.Guard != model.GuardSubtasks && !s.Peek(at).Ended() && !s.Peek(at).Unreadable() { //nolint:errorlint // Apply returns nothing else
		assumed = true
		ch, err = lifecycle.Apply(f.World(atWork(s, at)), op)
	}
	if err != nil {
		return &Impact{Event: event, Title: title, Refused: err, Before: outlookOf(s), After: outlookOf(s)}, nil //nolint:nilerr // it is part of the answer
	}
	im := ImpactOf(s, f.UID, ch.Tasks, ch.Requests)
	im.Event, im.Title, im.Assumed = event, title, assumed
	im.Summary, im.Notes = ch.Summary, ch.Warnings
	return im, nil
}

// unsaid stands for words that would be said with an operation.
const unsaid = "…"

// op is the operation that an event stands for, and the event as a condition.
func (f *Question) op(event string) (model.Op, string) {
	op := model.Op{UID: f.UID, Actor: f.Actor, Name: model.Name(event), Reason: unsaid}
	title := ""
	switch event {
	case Completed:
		op.Name, title = model.WorkCompleted, "if its work is completed"
	case Failed:
		op.Name, op.Args, title = model.RaiseError, model.ErrorReport{Failure: true}, "if it fails for good"
	case Aborted:
		op.Name, title = model.Abort, "if it is aborted"
	}
	lifecycle.FillText(&op, unsaid)
	row, _ := lifecycle.Lookup(op.Name)
	if title == "" {
		title = conditions[op.Name]
	}
	switch kind := op.Actor.Kind(); {
	case event == Completed:
		op.Actor = model.SystemActor
	case row.Who == model.WhoHuman || row.Who == model.WhoHumanForHITL || row.Who == model.WhoHumanOrSystem, op.Name == model.Start:
		if kind != model.Human {
			op.Actor = "human:somebody"
		}
	case kind == "":
		op.Actor = model.SystemActor
	}
	op.ID = "foresee-" + event
	return op, title
}

// atWork is the snapshot in which task at is being worked on, whatever keeps it from that now.
func atWork(s *snapshot.Snapshot, at int) *snapshot.Snapshot {
	t := s.At(at).Clone()
	st := &t.Status
	st.CurrentState, st.IsPaused, st.PauseReason, st.ChangedBecause = model.Working, false, "", nil
	if st.AcceptedPlan == nil {
		st.AcceptedPlan = &model.AcceptedPlan{}
	}
	return s.With(s.Seq(), s.Head(), []*model.Task{t}, nil)
}

// othersOf are task at and those that depend on it as they would be if all that it gives to others
// were something else.
func othersOf(s *snapshot.Snapshot, at int) []*model.Task {
	var out []*model.Task
	t := s.At(at)
	mark := func(t *model.Task, file string) {
		c := t.Clone()
		c.Status.ChangedBecause = append(c.Status.ChangedBecause, model.ChangeReason{File: file, New: unsaid})
		out = append(out, c)
	}
	if t.HasStandingAcceptance() && !t.Ended() { // of work that is over it is the result
		mark(t, "plan.md")
	}
	for _, d := range s.Dependents(at) {
		if dep := s.At(int(d)); dep.HasStandingAcceptance() && recordsOf(dep, t.UID) {
			mark(dep, string(t.UID)+"/plan.md")
		}
	}
	return out
}
