package store

import (
	"fmt"

	"vespe/model"
)

// another is an operation that concerns more than one file of a task: its subtasks, requests, comments, runs, or the
// milestones.
func (tm *team) another(s *Store, n int) model.Op {
	snap := load(tm.t, s)
	some := func(where func(t *model.Task) bool) *model.Task {
		from := tm.rnd.IntN(snap.Len())
		for i := range snap.Len() {
			if t := snap.At((from + i) % snap.Len()); where(t) {
				return t
			}
		}
		return snap.At(from)
	}
	in := func(states ...model.State) func(t *model.Task) bool {
		return func(t *model.Task) bool {
			for _, st := range states {
				if t.Status.CurrentState == st {
					return true
				}
			}
			return false
		}
	}
	text := fmt.Sprintf("text %d", n)
	op := model.Op{Actor: ann, Reason: text}
	switch tm.rnd.IntN(15) {
	case 0:
		op.Name, op.UID = model.CreateTask, ""
		op.Args = model.NewTask{Name: text, Objective: text + "\n", Parent: some(in(model.Working)).UID}
	case 1:
		op.Name, op.UID, op.Actor, op.Args = model.DefinePlan, some(in(model.ObjectiveDefined)).UID, robot, model.NewPlan{Text: text + "\n"}
	case 2, 3:
		op.Name, op.UID = model.AcceptPlan, some(in(model.PlanDefined)).UID
	case 4, 5:
		op.Name, op.Actor = model.Start, robot
		op.UID = some(func(t *model.Task) bool {
			return t.Status.CurrentState == model.PlanDefined && t.Status.AcceptedPlan != nil
		}).UID
	case 6, 7:
		op.Name, op.UID, op.Actor = model.WorkCompleted, some(in(model.Working)).UID, robot
		op.Args = model.Completion{Summary: "done", Report: &model.RunReport{Attempt: 1}}
	case 8:
		op.Name, op.UID = model.ReviewAccepted, some(in(model.Completed)).UID
	case 9:
		op.Name, op.UID = model.ReviewRejected, some(in(model.Completed)).UID
	case 10:
		op.Name, op.UID, op.Actor = model.Ask, some(in(model.Working)).UID, robot
		op.Args = model.NewRequest{Title: text, Kind: model.KindQuestion}
	case 11:
		by := model.Answering{Decision: model.DecideRespond, Text: text}
		for _, r := range snap.Requests() {
			if r.IsOpen() {
				by.Request = r.ID
			}
		}
		op.Name, op.Args = model.AnswerRequest, by
	case 12:
		op.Name, op.UID = model.Abort, some(in(model.Working, model.PlanDefined, model.Errored)).UID
	case 13:
		t := some(func(t *model.Task) bool { return t.Status.Comments != nil && t.Status.Comments.Open > 0 })
		op.Name, op.UID = model.ResolveComment, t.UID
		if f, err := s.Review(tm.t.Context(), t.UID, t.Status.PlanRevision); err == nil && f != nil && len(f.Comments) > 0 {
			op.Args = model.CommentRef{Comment: f.Comments[tm.rnd.IntN(len(f.Comments))].ID}
		}
	case 14:
		name := fmt.Sprintf("M%d", n)
		op.Name, op.Args = model.CreateMilestone, model.MilestoneEdit{Name: &name}
		if ms := snap.MilestoneFile().List; len(ms) > 0 && tm.rnd.IntN(3) > 0 {
			op.Name, op.UID, op.Args = model.AssignMilestone, some(func(*model.Task) bool { return true }).UID, model.MilestoneEdit{ID: ms[tm.rnd.IntN(len(ms))].ID}
		}
	}
	return op
}
