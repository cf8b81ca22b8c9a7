package model

import (
	"fmt"
	"slices"
	"strings"
)

// The events of Foresee that are no transition.
const (
	EventCompleted = "completed" // its work is reported as done
	EventFailed    = "failed"    // it fails for good
	EventAborted   = "aborted"   // it is ended by decision
	EventChanged   = "changed"   // its objective, its plan and its result are others from now on
)

// Foresee asks what an event at a task would do.
type Foresee struct {
	UID   UID
	Event string // one of Events, in either spelling: accept_plan, accept-plan
	Actor Actor  // who would fire it; where a row is for a person and this is none, a person is taken
	// World is what a snapshot is computed in; nil: the snapshot itself, without bytes.
	World func(*Snapshot) World
}

// foreseen are the transitions that can be asked about: those that move a task, and need nothing
// said but words.
var foreseen = []Name{
	AcceptPlan, RejectPlan, QuestionPlan, DeferPlan, Start, WorkCompleted, ReviewAccepted, ReviewRejected, RaiseError, Retry, Reopen, Skip, StopRun, Abort,
	Pause, Resume, Revalidate, Replan, DefineObjective, DefinePlan, UndoVerdict,
}

// conditions are the transitions that can be foreseen, as conditions.
var conditions = map[Name]string{
	AcceptPlan: "if its plan is accepted", RejectPlan: "if its plan is rejected",
	QuestionPlan: "if questions are asked about its plan", DeferPlan: "if its plan is put off",
	Start: "if it is started", WorkCompleted: "if its work is completed",
	ReviewAccepted: "if its work is accepted", ReviewRejected: "if its work is rejected",
	RaiseError: "if an error is reported", Retry: "if it is tried again", Reopen: "if it is re-opened", Skip: "if it counts as done elsewhere", StopRun: "if its run is stopped", Abort: "if it is aborted",
	Pause: "if it is paused", Resume: "if it is resumed",
	Revalidate: "if its plan is to stand in spite of what changed", Replan: "if a new plan is asked for",
	DefineObjective: "if it gets another objective", DefinePlan: "if it gets another plan", UndoVerdict: "if the last verdict is taken back",
}

// ForeseenEvents are all that Foresee takes: first the outcomes, then the transitions.
func ForeseenEvents() []string {
	out := []string{EventCompleted, EventFailed, EventAborted, EventChanged}
	for _, n := range foreseen {
		out = append(out, string(n))
	}
	return out
}

// ParseEvent is the event that a person wrote, in any of its spellings.
func ParseEvent(text string) (string, error) {
	word := strings.ReplaceAll(strings.ToLower(strings.TrimSpace(text)), "-", "_")
	if slices.Contains(ForeseenEvents(), word) {
		return word, nil
	}
	return "", fmt.Errorf("there is no event %q; it may be %s", text, strings.Join(ForeseenEvents(), ", "))
}

// Events are those that are worth asking about of task i as it is: the decisions that can be taken on
// it now, and then how it could end and what others rely on.
func (s *Snapshot) Events(i int) []string {
	switch s.status[i] {
	case StatusReviewPlan:
		return []string{string(AcceptPlan), string(RejectPlan), EventChanged, EventCompleted, EventFailed, EventAborted}
	case StatusReviewWork:
		return []string{string(ReviewAccepted), string(ReviewRejected), EventChanged}
	case StatusChanged:
		return []string{string(Revalidate), string(Replan), EventChanged, EventCompleted, EventFailed, EventAborted}
	case StatusFailed:
		return []string{string(Reopen), string(Skip), EventAborted, EventChanged}
	case StatusDone, StatusAborted:
		return []string{EventChanged}
	case StatusProblem:
		return nil
	}
	return []string{EventCompleted, EventFailed, EventAborted, EventChanged}
}

// Foresee says what an event would do. The error is a *Refusal where there is no such task or no such
// event; that the event cannot happen as things are is in the Impact.
func (s *Snapshot) Foresee(f Foresee) (*Impact, error) {
	at, ok := s.lookup(f.UID)
	if !ok {
		return nil, &Refusal{Code: CodeNotFound, UID: f.UID, Guard: GuardExists, Why: fmt.Sprintf("there is no task %q", f.UID), Hint: "`vespe ls` lists tasks"}
	}
	event, err := ParseEvent(f.Event)
	if err != nil {
		return nil, &Refusal{Code: CodeUsage, UID: f.UID, Guard: GuardOperation, Why: err.Error()}
	}
	if f.World == nil {
		f.World = func(n *Snapshot) World { return n }
	}
	if event == EventChanged {
		after := s.othersOf(at)
		im := s.Impact(f.UID, after, nil)
		im.Event, im.Title = event, "if its objective, its plan or its result changes"
		return im, nil
	}
	op, title := f.op(event)
	ch, err := Apply(f.World(s), op)
	assumed := false
	if r, refused := err.(*Refusal); refused && event == EventCompleted && r.Guard != GuardSubtasks && !s.tasks.peek(at).ended() && !s.tasks.peek(at).unreadable() { //nolint:errorlint // Apply returns nothing else
		assumed = true
		ch, err = Apply(f.World(s.atWork(at)), op)
	}
	if err != nil {
		return &Impact{Event: event, Title: title, Refused: err, Before: s.outlook(), After: s.outlook()}, nil //nolint:nilerr // it is part of the answer
	}
	im := s.Impact(f.UID, ch.Tasks, ch.Requests)
	im.Event, im.Title, im.Assumed = event, title, assumed
	im.Summary, im.Notes = ch.Summary, ch.Warnings
	return im, nil
}

// unsaid stands for words that would be said with an operation.
const unsaid = "…"

// op is the operation that an event stands for, and the event as a condition.
func (f *Foresee) op(event string) (Op, string) {
	op := Op{UID: f.UID, Actor: f.Actor, Name: Name(event), Reason: unsaid, Text: unsaid}
	title := ""
	switch event {
	case EventCompleted:
		op.Name, title = WorkCompleted, "if its work is completed"
	case EventFailed:
		op.Name, op.Failure, title = RaiseError, true, "if it fails for good"
	case EventAborted:
		op.Name, title = Abort, "if it is aborted"
	}
	row := lifecycle().row(op.Name)
	if title == "" {
		title = conditions[op.Name]
	}
	switch kind := op.Actor.Kind(); {
	case event == EventCompleted:
		op.Actor = systemActor
	case row.Who == WhoHuman || row.Who == WhoHumanForHITL || row.Who == WhoHumanOrSystem, op.Name == Start:
		if kind != Human {
			op.Actor = "human:somebody"
		}
	case kind == "":
		op.Actor = systemActor
	}
	op.ID = "foresee-" + event
	return op, title
}

// atWork is the snapshot in which task at is being worked on, whatever keeps it from that now.
func (s *Snapshot) atWork(at int32) *Snapshot {
	t := s.tasks.task(at).Clone()
	st := &t.Status
	st.CurrentState, st.IsPaused, st.PauseReason, st.ChangedBecause = Working, false, "", nil
	if st.AcceptedPlan == nil {
		st.AcceptedPlan = &AcceptedPlan{}
	}
	return s.With(s.seq, s.head, []*Task{t}, nil)
}

// othersOf are task at and those that depend on it as they would be if all that it gives to others
// were something else.
func (s *Snapshot) othersOf(at int32) []*Task {
	var out []*Task
	t := s.tasks.task(at)
	mark := func(t *Task, file string) {
		c := t.Clone()
		c.Status.ChangedBecause = append(c.Status.ChangedBecause, ChangeReason{File: file, New: unsaid})
		out = append(out, c)
	}
	if marks(t) && !t.ended() { // of work that is over it is the result
		mark(t, "plan.md")
	}
	for _, d := range s.graph.in.of(at) {
		if dep := s.tasks.task(d); marks(dep) && recordsOf(dep, t.UID) {
			mark(dep, string(t.UID)+"/plan.md")
		}
	}
	return out
}
