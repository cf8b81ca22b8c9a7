package txlog

import "vespe/model"

// RecordOp is what the log keeps of an operation.
func RecordOp(op *model.Op) OpRecord {
	r := OpRecord{
		ID: op.ID, Name: op.Name, UID: op.UID, Actor: op.Actor, Channel: op.Channel, At: op.At, Revision: op.ExpectRevision,
		Reason: op.Reason, Request: op.Request(),
	}
	if op.Seen != nil {
		r.Seen = &seen{op.Seen.ObjectiveHash, op.Seen.PlanHash, op.Seen.Bound, op.Seen.Verdict}
	}
	switch args := op.Args.(type) {
	case model.ErrorReport:
		r.Failure = args.Failure
	case model.Reopening:
		r.ByHand = args.ByHand
	case model.NewRun:
		r.Worker, r.Run = args.Worker, args.ID
	case model.SubtaskRef:
		r.Subtask = args.Subtask
	case model.SubtaskEnd:
		r.Subtask, r.Success = args.Subtask, args.Success
	case model.DependencyEdit:
		r.DependsOn = args.DependsOn
	case model.NewName:
		r.NewName = args.Name
	case model.Answering:
		r.Decision = string(args.Decision)
	case model.MilestoneEdit:
		r.Milestone = args.ID
	case model.External:
		r.Appeared = args.Appeared
	case model.FieldEdit:
		for _, a := range args.Set {
			mode := "="
			if a.Mode == '+' || a.Mode == '-' {
				mode = string(a.Mode) + "="
			}
			r.Set = append(r.Set, a.Key+mode+a.Value)
		}
	}
	return r
}

// WorkRecord is what an operation says of the work on a task.
type WorkRecord struct {
	ByHand  bool        `json:"by_hand,omitzero"`
	Worker  model.Actor `json:"worker,omitzero"`
	Run     string      `json:"run,omitzero"`
	Subtask model.UID   `json:"subtask,omitzero"`
	Success bool        `json:"success,omitzero"`
}
