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

// Column is a column of the board: what its tasks wait for.
type Column uint8

// The columns, from left to right.
const (
	ToPlan Column = iota
	NeedsYou
	ToStart
	InProgress
	Ended
	NumColumns
)

// Label is the name of a column.
func (c Column) Label() string {
	return [NumColumns]string{"To plan", "Needs you", "Ready", "In progress", "Done"}[c]
}

// Statuses are those of a column in the order of their cards, as a fresh slice.
func (c Column) Statuses() []Status {
	return [NumColumns][]Status{
		ToPlan:     {StatusReplan, StatusPlanning, StatusCreated},
		NeedsYou:   {StatusWaiting, StatusReviewPlan, StatusReviewWork, StatusChanged, StatusError, StatusProblem},
		ToStart:    {StatusReady, StatusBlocked},
		InProgress: {StatusRunning, StatusSubtasks, StatusPaused},
		Ended:      {StatusDone, StatusFailed, StatusAborted},
	}[c]
}

// ColumnOf is the one that a status is in.
func ColumnOf(s Status) Column {
	for c := range NumColumns {
		if slices.Contains(c.Statuses(), s) {
			return c
		}
	}
	return NeedsYou
}

// Board are the tasks of each status that pass a test, all of them with nil: the ready ones in the
// order of Next, what has ended with the newest first, all others by age.
func Board(s *Snapshot, test func(s *Snapshot, i int) bool) [NumStatuses][]int32 {
	var out [NumStatuses][]int32
	for i := range s.Len() {
		if st := s.Status(i); test == nil || test(s, i) {
			out[st] = append(out[st], int32(i))
		}
	}
	for _, st := range []Status{StatusDone, StatusFailed, StatusAborted} {
		slices.Reverse(out[st])
	}
	if len(out[StatusReady]) > 1 {
		out[StatusReady] = nextFirst(s, out[StatusReady])
	}
	return out
}

// nextFirst puts tasks, which are in the order of their indices, into that of Next; those that it
// leaves out come last.
func nextFirst(s *Snapshot, ready []int32) []int32 {
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
	Name Name
	To   Status // that it leads to
}

// stepOn is what takes a task of a status on, and stepBack what sends it back; "" for nothing.
func stepOn(s Status) Name {
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

func stepBack(s Status) Name {
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
func StepOn(s *Snapshot, i int, actor Actor) (Move, error) {
	return onlyStep(s, i, actor, stepOn(s.Status(i)), "nothing moves it forward from there")
}

// StepBack is the transition that sends task i back: a plan or work to whoever made it, an accepted
// task to be planned anew, a verdict to be given again.
func StepBack(s *Snapshot, i int, actor Actor) (Move, error) {
	return onlyStep(s, i, actor, stepBack(s.Status(i)), "nothing moves it back from there")
}

func onlyStep(s *Snapshot, i int, actor Actor, name Name, none string) (Move, error) {
	if name == "" {
		return Move{}, unmoved(s, i, "", fmt.Sprintf("it is in %q, and %s", s.Status(i), none), endHint(s, i))
	}
	return try(s, i, actor, name)
}

// stepsTo lists the transitions that can move a task to a column, the most likely one first.
func stepsTo(to Column) []Name {
	return [NumColumns][]Name{
		ToPlan:     {RejectPlan, ReviewRejected, Replan, UndoVerdict},
		NeedsYou:   {WorkCompleted, DefinePlan, UndoVerdict},
		ToStart:    {AcceptPlan, Revalidate, Resume, Retry, Reopen, StopRun, UndoVerdict},
		InProgress: {Start, Resume, Retry, Revalidate, UndoVerdict},
		Ended:      {ReviewAccepted, Skip},
	}[to]
}

// StepTo is the transition that takes task i to a column of the board. The error is a *Refusal that says why none does.
func StepTo(s *Snapshot, i int, to Column, actor Actor) (Move, error) {
	from := s.Status(i)
	if ColumnOf(from) == to {
		return Move{}, unmoved(s, i, "", fmt.Sprintf("it is already in %q", to.Label()), "")
	}
	var elsewhere, refused *Refusal
	names := stepsTo(to)
	usual := func(name Name) bool { return name != UndoVerdict && (name == stepOn(from) || name == stepBack(from)) }
	if k := slices.IndexFunc(names, usual); k > 0 { // the usual step from this status comes first
		names[0], names[k] = names[k], names[0]
	}
	for _, name := range names {
		if name == Revalidate && from != StatusChanged || name == Resume && !s.At(i).Status.IsPaused {
			continue // it would only say that the task is not changed
		}
		step, err := try(s, i, actor, name)
		if err == nil && ColumnOf(step.To) == to {
			return step, nil
		}
		row, _ := Lookup(name)
		if err == nil && elsewhere == nil && usual(name) {
			elsewhere = unmoved(s, i, name, fmt.Sprintf("%s moves it to %q", strings.ToLower(name.Title()), ColumnOf(step.To).Label()), "")
		}
		var r *Refusal
		if errors.As(err, &r) && refused == nil && slices.Contains(row.From, s.At(i).Status.CurrentState) && name != UndoVerdict {
			refused = r
		}
	}
	switch {
	case elsewhere != nil:
		return Move{}, elsewhere
	case refused != nil && refused.Guard != GuardState:
		return Move{}, refused
	}
	return Move{}, unmoved(s, i, "", fmt.Sprintf("nothing moves a task from %q to %q", from, to.Label()), endHint(s, i))
}

// endHint is what to do about a task that has ended.
func endHint(s *Snapshot, i int) string {
	if !s.Status(i).Open() {
		if s.Status(i) == StatusFailed {
			return StepForward(Failed)
		}
		return "it has ended: create a new task"
	}
	return ""
}

func unmoved(s *Snapshot, i int, name Name, why, hint string) *Refusal {
	return &Refusal{Code: CodeRefused, Op: name, UID: s.UID(i), Task: s.Name(i), Guard: "column", Why: why, Hint: hint}
}

// try previews a transition on task i and says which status it leads to.
func try(s *Snapshot, i int, actor Actor, name Name) (Move, error) {
	uid := s.UID(i)
	op := Op{Name: name, UID: uid, Actor: actor, Reason: PreviewWords}
	FillText(&op, PreviewWords)
	ch, err := Apply(s, op)
	if err != nil {
		return Move{}, err
	}
	step := Move{Name: name, To: s.Status(i)}
	for _, t := range ch.Tasks {
		if t.UID == uid { // its dependencies are as they were
			step.To = s.StatusAs(i, t)
		}
	}
	return step, nil
}
