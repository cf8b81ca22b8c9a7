package model

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// boardOrder are the statuses as the columns of a board: the way of a task that goes well, with
// what keeps it from going on between the work and its review.
var boardOrder = [NumStatuses]Status{
	StatusCreated, StatusPlanning, StatusReplan, StatusReviewPlan, StatusBlocked, StatusReady, StatusRunning,
	StatusSubtasks, StatusWaiting, StatusPaused, StatusChanged, StatusError, StatusProblem,
	StatusReviewWork, StatusDone, StatusFailed, StatusAborted,
}

// BoardOrder lists every status in the order of a board's columns, as a fresh slice.
func BoardOrder() []Status { return slices.Clone(boardOrder[:]) }

// OnBoard reports whether a board has a column for a status also when no task has it: those that
// every task goes through. The others are columns while there are such tasks.
func (s Status) OnBoard() bool {
	switch s {
	case StatusPlanning, StatusReviewPlan, StatusBlocked, StatusReady, StatusRunning, StatusWaiting, StatusReviewWork, StatusDone:
		return true
	}
	return false
}

// Board are the tasks of each status that pass a test, all of them with nil: the ready ones in the
// order of Next, what has ended with the newest first, all others by age.
func (s *Snapshot) Board(test func(s *Snapshot, i int) bool) [NumStatuses][]int32 {
	var out [NumStatuses][]int32
	for i, st := range s.status {
		if test == nil || test(s, i) {
			out[st] = append(out[st], int32(i))
		}
	}
	for _, st := range []Status{StatusDone, StatusFailed, StatusAborted} {
		slices.Reverse(out[st])
	}
	if len(out[StatusReady]) > 1 {
		out[StatusReady] = s.nextFirst(out[StatusReady])
	}
	return out
}

// nextFirst puts tasks, which are in the order of their indices, into that of Next; those that it
// leaves out come last.
func (s *Snapshot) nextFirst(ready []int32) []int32 {
	out := make([]int32, 0, len(ready))
	in := func(i int32) bool { _, ok := slices.BinarySearch(ready, i); return ok }
	taken := make(map[int32]bool, len(ready))
	for _, i := range s.Next(-1) {
		if in(i) {
			out, taken[i] = append(out, i), true
		}
	}
	for _, i := range ready {
		if !taken[i] {
			out = append(out, i)
		}
	}
	return out
}

// Move is a transition that takes a task to another column of the board.
type Move struct {
	Name    Name
	Failure bool   // of error: the task ends as failed
	To      Status // the column that it leads to
}

// stepOn is what takes a task of a status on, and stepBack what sends it back; "" for nothing.
func (s Status) stepOn() Name {
	switch s {
	case StatusCreated:
		return DefineObjective
	case StatusPlanning, StatusReplan:
		return DefinePlan
	case StatusReviewPlan:
		return AcceptPlan
	case StatusBlocked, StatusReady:
		return Start
	case StatusRunning:
		return WorkCompleted
	case StatusSubtasks, StatusWaiting, StatusPaused:
		return Resume
	case StatusChanged:
		return Revalidate
	case StatusError:
		return Retry
	case StatusReviewWork:
		return ReviewAccepted
	}
	return ""
}

func (s Status) stepBack() Name {
	switch s {
	case StatusReviewPlan:
		return RejectPlan
	case StatusReviewWork:
		return ReviewRejected
	case StatusDone:
		return UndoVerdict
	case StatusBlocked, StatusReady, StatusRunning, StatusSubtasks, StatusWaiting, StatusPaused, StatusChanged, StatusError:
		return Replan
	}
	return ""
}

// StepOn is the transition that takes task i on: from a plan to its acceptance, from there to its
// start, and so on. The error is a *Refusal that says what keeps it where it is.
func (s *Snapshot) StepOn(i int, actor Actor) (Move, error) {
	return s.onlyStep(i, actor, s.status[i].stepOn(), "nothing moves it forward from there")
}

// StepBack is the transition that sends task i back: a plan or work to whoever made it, an accepted
// task to be planned anew, a verdict to be given again.
func (s *Snapshot) StepBack(i int, actor Actor) (Move, error) {
	return s.onlyStep(i, actor, s.status[i].stepBack(), "nothing moves it back from there")
}

func (s *Snapshot) onlyStep(i int, actor Actor, name Name, none string) (Move, error) {
	if name == "" {
		return Move{}, s.unmoved(i, "", fmt.Sprintf("it is in %q, and %s", s.status[i], none), s.endHint(i))
	}
	return s.try(i, actor, name, false)
}

// stepsTo are the transitions that can lead to a status, the first the one that is meant by
// whoever puts a task there. None where a status follows from something else: see unreached.
func stepsTo(to Status) []Move {
	step := func(names ...Name) []Move {
		out := make([]Move, len(names))
		for k, n := range names {
			out[k] = Move{Name: n, To: to}
		}
		return out
	}
	switch to {
	case StatusPlanning:
		return step(DefineObjective, RejectPlan, Retry, Reopen, UndoVerdict)
	case StatusReplan:
		return step(ReviewRejected, Replan, UndoVerdict)
	case StatusReviewPlan:
		return step(DefinePlan, Retry, Reopen, UndoVerdict)
	case StatusBlocked:
		return step(AcceptPlan, Revalidate, Resume, Retry, Reopen, UndoVerdict)
	case StatusReady:
		return step(AcceptPlan, Revalidate, Resume, Retry, Reopen, StopRun, UndoVerdict)
	case StatusRunning:
		return step(Start, Resume, Retry, Revalidate, UndoVerdict)
	case StatusWaiting, StatusSubtasks:
		return step(Resume, Revalidate)
	case StatusPaused:
		return step(Pause, Resume, Revalidate)
	case StatusChanged:
		return step(UndoVerdict)
	case StatusError:
		return step(RaiseError)
	case StatusReviewWork:
		return step(WorkCompleted, Resume, Revalidate, UndoVerdict)
	case StatusDone:
		return step(ReviewAccepted, Revalidate, Skip)
	case StatusFailed:
		return []Move{{Name: RaiseError, Failure: true, To: to}}
	case StatusAborted:
		return step(Abort)
	}
	return nil
}

// unreached says what a status comes from that no transition of a person leads to; "" for the others.
func (s Status) unreached() string {
	switch s {
	case StatusProblem:
		return "it is for tasks whose files can't be read"
	case StatusCreated:
		return "it is for tasks without an objective"
	case StatusChanged:
		return "it is for tasks that have changed since they were accepted"
	case StatusSubtasks:
		return "it is for tasks in progress with open subtasks"
	case StatusBlocked:
		return "it is for accepted tasks that wait for a dependency"
	case StatusWaiting:
		return "it is for tasks whose agent waits for a person's answer"
	}
	return ""
}

// StepTo is the transition that takes task i to a column of the board. The error is a *Refusal
// that says why none does.
func (s *Snapshot) StepTo(i int, to Status, actor Actor) (Move, error) {
	from := s.status[i]
	if from == to {
		return Move{}, s.unmoved(i, "", fmt.Sprintf("it is already in %q", to), "")
	}
	var elsewhere, refused *Refusal
	for _, want := range stepsTo(to) {
		if want.Name == Revalidate && from != StatusChanged {
			continue // it would only say that the task is not changed
		}
		step, err := s.try(i, actor, want.Name, want.Failure)
		if err == nil && step.To == to {
			return step, nil
		}
		row, _ := Lookup(want.Name)
		if err == nil && elsewhere == nil && (want.Name == from.stepOn() || want.Name == from.stepBack()) {
			elsewhere = s.unmoved(i, want.Name, fmt.Sprintf("%s moves it to %q", strings.ToLower(row.Title), step.To), to.unreached())
		}
		var r *Refusal
		if errors.As(err, &r) && refused == nil && slices.Contains(row.From, s.At(i).Status.CurrentState) && want.Name != UndoVerdict {
			refused = r
		}
	}
	switch {
	case elsewhere != nil:
		return Move{}, elsewhere
	case refused != nil && refused.Guard != GuardState:
		return Move{}, refused
	}
	hint := to.unreached()
	if hint == "" {
		hint = s.endHint(i)
	}
	return Move{}, s.unmoved(i, "", fmt.Sprintf("nothing moves a task from %q to %q", from, to), hint)
}

// endHint is what to do about a task that has ended.
func (s *Snapshot) endHint(i int) string {
	if !s.status[i].Open() {
		if s.status[i] == StatusFailed {
			return stepForward[Failed]
		}
		return "it has ended: create a new task"
	}
	return ""
}

func (s *Snapshot) unmoved(i int, name Name, why, hint string) *Refusal {
	return &Refusal{Code: CodeRefused, Op: name, UID: s.UID(i), Task: s.Name(i), Guard: "column", Why: why, Hint: hint}
}

// previewWords stand in a preview for what a person has not typed yet.
const previewWords = "…"

// try previews a transition on task i and says which column it leads to.
func (s *Snapshot) try(i int, actor Actor, name Name, failure bool) (Move, error) {
	uid := s.UID(i)
	op := Op{Name: name, UID: uid, Actor: actor, Reason: previewWords}
	op.FillText(previewWords)
	op.SetArg("failure", failure)
	ch, err := Apply(s, op)
	if err != nil {
		return Move{}, err
	}
	step := Move{Name: name, Failure: failure, To: s.status[i]}
	for _, t := range ch.Tasks {
		if t.UID == uid { // its dependencies are as they were
			step.To = s.ownOf(t).held(s.unmet[i] > 0, s.graph.InCycle(int32(i)))
		}
	}
	return step, nil
}

// Met reports whether a dependency on task i holds nothing back.
func (s *Snapshot) Met(i int) bool { return s.facts[i]&isMet != 0 }

// UnderWay is how many tasks c counts that somebody began and nobody has judged yet: running, kept
// from running, or waiting for the review of the work.
func (c *Counts) UnderWay() int {
	return int(c[StatusRunning] + c[StatusSubtasks] + c[StatusWaiting] + c[StatusPaused] + c[StatusError] + c[StatusReviewWork])
}
