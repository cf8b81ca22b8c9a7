// Package board is a store as the columns of a board, and which transition takes a task from one to another. It previews
// the lifecycle on a snapshot.
package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"vespe/model"
	"vespe/model/lifecycle"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// order are the statuses as the columns of a board: the way of a task that goes well, with
// what keeps it from going on between the work and its review.
var order = [model.NumStatuses]model.Status{
	model.StatusCreated, model.StatusPlanning, model.StatusReplan, model.StatusReviewPlan, model.StatusBlocked, model.StatusReady, model.StatusRunning,
	model.StatusSubtasks, model.StatusWaiting, model.StatusPaused, model.StatusChanged, model.StatusError, model.StatusProblem,
	model.StatusReviewWork, model.StatusDone, model.StatusFailed, model.StatusAborted,
}

// Order lists every status in the order of a board's columns, as a fresh slice.
func Order() []model.Status { return slices.Clone(order[:]) }

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
func (c Column) Statuses() []model.Status {
	return [NumColumns][]model.Status{
		ToPlan:     {model.StatusReplan, model.StatusPlanning, model.StatusCreated},
		NeedsYou:   {model.StatusWaiting, model.StatusReviewPlan, model.StatusReviewWork, model.StatusChanged, model.StatusError, model.StatusProblem},
		ToStart:    {model.StatusReady, model.StatusBlocked},
		InProgress: {model.StatusRunning, model.StatusSubtasks, model.StatusPaused},
		Ended:      {model.StatusDone, model.StatusFailed, model.StatusAborted},
	}[c]
}

// ColumnOf is the one that a status is in.
func ColumnOf(s model.Status) Column {
	for c := range NumColumns {
		if slices.Contains(c.Statuses(), s) {
			return c
		}
	}
	return NeedsYou
}

// Of are the tasks of each status that pass a test, all of them with nil: the ready ones in the
// order of Next, what has ended with the newest first, all others by age.
func Of(s *snapshot.Snapshot, test func(s *snapshot.Snapshot, i int) bool) [model.NumStatuses][]int32 {
	var out [model.NumStatuses][]int32
	for i := range s.Len() {
		if st := s.Status(i); test == nil || test(s, i) {
			out[st] = append(out[st], int32(i))
		}
	}
	for _, st := range []model.Status{model.StatusDone, model.StatusFailed, model.StatusAborted} {
		slices.Reverse(out[st])
	}
	if len(out[model.StatusReady]) > 1 {
		out[model.StatusReady] = nextFirst(s, out[model.StatusReady])
	}
	return out
}

// nextFirst puts tasks, which are in the order of their indices, into that of Next; those that it
// leaves out come last.
func nextFirst(s *snapshot.Snapshot, ready []int32) []int32 {
	out := make([]int32, 0, len(ready))
	in := func(i int32) bool { _, ok := slices.BinarySearch(ready, i); return ok }
	taken := make(map[int32]bool, len(ready))
	for _, i := range schedule.Next(s, -1) {
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
	Name model.Name
	To   model.Status // that it leads to
}

// stepOn is what takes a task of a status on, and stepBack what sends it back; "" for nothing.
func stepOn(s model.Status) model.Name {
	switch s {
	case model.StatusCreated:
		return model.DefineObjective
	case model.StatusPlanning, model.StatusReplan:
		return model.DefinePlan
	case model.StatusReviewPlan:
		return model.AcceptPlan
	case model.StatusBlocked, model.StatusReady:
		return model.Start
	case model.StatusRunning:
		return model.WorkCompleted
	case model.StatusSubtasks, model.StatusWaiting, model.StatusPaused:
		return model.Resume
	case model.StatusChanged:
		return model.Revalidate
	case model.StatusError:
		return model.Retry
	case model.StatusReviewWork:
		return model.ReviewAccepted
	}
	return ""
}

func stepBack(s model.Status) model.Name {
	switch s {
	case model.StatusReviewPlan:
		return model.RejectPlan
	case model.StatusReviewWork:
		return model.ReviewRejected
	case model.StatusDone:
		return model.UndoVerdict
	case model.StatusBlocked, model.StatusReady, model.StatusRunning, model.StatusSubtasks, model.StatusWaiting, model.StatusPaused, model.StatusChanged, model.StatusError:
		return model.Replan
	}
	return ""
}

// StepOn is the transition that takes task i on: from a plan to its acceptance, from there to its
// start, and so on. The error is a *Refusal that says what keeps it where it is.
func StepOn(s *snapshot.Snapshot, i int, actor model.Actor) (Move, error) {
	return onlyStep(s, i, actor, stepOn(s.Status(i)), "nothing moves it forward from there")
}

// StepBack is the transition that sends task i back: a plan or work to whoever made it, an accepted
// task to be planned anew, a verdict to be given again.
func StepBack(s *snapshot.Snapshot, i int, actor model.Actor) (Move, error) {
	return onlyStep(s, i, actor, stepBack(s.Status(i)), "nothing moves it back from there")
}

func onlyStep(s *snapshot.Snapshot, i int, actor model.Actor, name model.Name, none string) (Move, error) {
	if name == "" {
		return Move{}, unmoved(s, i, "", fmt.Sprintf("it is in %q, and %s", s.Status(i), none), endHint(s, i))
	}
	return try(s, i, actor, name)
}

// stepsTo lists the transitions that can move a task to a column, the most likely one first.
func stepsTo(to Column) []model.Name {
	return [NumColumns][]model.Name{
		ToPlan:     {model.RejectPlan, model.ReviewRejected, model.Replan, model.UndoVerdict},
		NeedsYou:   {model.WorkCompleted, model.DefinePlan, model.UndoVerdict},
		ToStart:    {model.AcceptPlan, model.Revalidate, model.Resume, model.Retry, model.Reopen, model.StopRun, model.UndoVerdict},
		InProgress: {model.Start, model.Resume, model.Retry, model.Revalidate, model.UndoVerdict},
		Ended:      {model.ReviewAccepted, model.Skip},
	}[to]
}

// StepTo is the transition that takes task i to a column of the board. The error is a *Refusal that says why none does.
func StepTo(s *snapshot.Snapshot, i int, to Column, actor model.Actor) (Move, error) {
	from := s.Status(i)
	if ColumnOf(from) == to {
		return Move{}, unmoved(s, i, "", fmt.Sprintf("it is already in %q", to.Label()), "")
	}
	var elsewhere, refused *model.Refusal
	names := stepsTo(to)
	usual := func(name model.Name) bool {
		return name != model.UndoVerdict && (name == stepOn(from) || name == stepBack(from))
	}
	if k := slices.IndexFunc(names, usual); k > 0 { // the usual step from this status comes first
		names[0], names[k] = names[k], names[0]
	}
	for _, name := range names {
		if name == model.Revalidate && from != model.StatusChanged || name == model.Resume && !s.At(i).Status.IsPaused {
			continue // it would only say that the task is not changed
		}
		step, err := try(s, i, actor, name)
		if err == nil && ColumnOf(step.To) == to {
			return step, nil
		}
		row, _ := lifecycle.Lookup(name)
		if err == nil && elsewhere == nil && usual(name) {
			elsewhere = unmoved(s, i, name, fmt.Sprintf("%s moves it to %q", strings.ToLower(name.Title()), ColumnOf(step.To).Label()), "")
		}
		var r *model.Refusal
		if errors.As(err, &r) && refused == nil && slices.Contains(row.From, s.At(i).Status.CurrentState) && name != model.UndoVerdict {
			refused = r
		}
	}
	switch {
	case elsewhere != nil:
		return Move{}, elsewhere
	case refused != nil && refused.Guard != model.GuardState:
		return Move{}, refused
	}
	return Move{}, unmoved(s, i, "", fmt.Sprintf("nothing moves a task from %q to %q", from, to.Label()), endHint(s, i))
}

// endHint is what to do about a task that has ended.
func endHint(s *snapshot.Snapshot, i int) string {
	if !s.Status(i).Open() {
		if s.Status(i) == model.StatusFailed {
			return model.StepForward(model.Failed)
		}
		return "it has ended: create a new task"
	}
	return ""
}

func unmoved(s *snapshot.Snapshot, i int, name model.Name, why, hint string) *model.Refusal {
	return &model.Refusal{Code: model.CodeRefused, Op: name, UID: s.UID(i), Task: s.Name(i), Guard: "column", Why: why, Hint: hint}
}

// try previews a transition on task i and says which status it leads to.
func try(s *snapshot.Snapshot, i int, actor model.Actor, name model.Name) (Move, error) {
	uid := s.UID(i)
	op := model.Op{Name: name, UID: uid, Actor: actor, Reason: lifecycle.PreviewWords}
	lifecycle.FillText(&op, lifecycle.PreviewWords)
	ch, err := lifecycle.Apply(s, op)
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
