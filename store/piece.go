package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"vespe/model"
)

// piecer makes a task as it was at a time from its events, where the log does not say.
type piecer struct {
	s    *Store
	ctx  context.Context //nolint:containedctx // it lives as long as one call of past
	when time.Time
}

// pieces is what happened to a task: until a time, and after it.
type pieces struct {
	when        time.Time
	past, later []model.Event
}

func (p *piecer) history(uid model.UID) (pieces, error) {
	events, _, err := p.s.History(p.ctx, uid)
	if f := (*Failure)(nil); errors.As(err, &f) && f.Refusal.Code == model.CodeNotFound {
		err = nil // its directory is away just now; what the log tells of it is all there is
	}
	past := slices.Clone(events)
	later := slices.Clone(events)
	return pieces{
		p.when,
		slices.DeleteFunc(past, func(e model.Event) bool { return e.At.After(p.when) }),
		slices.DeleteFunc(later, func(e model.Event) bool { return !e.At.After(p.when) }),
	}, err
}

// begun says whether a task that the log does not tell of was there.
func (h *pieces) begun(now *model.Task) bool {
	born := now.Config.CreatedAt
	if !born.IsZero() || len(h.past) > 0 {
		return !born.After(h.when)
	}
	return len(h.later) == 0 && !now.Status.LastUpdatedAt.After(h.when)
}

// name takes back what renamed a task later.
func (h *pieces) name(c *model.Config) {
	for i := range h.later {
		if e := &h.later[i]; e.Name == model.RenameTask {
			if was := e.Text("from"); was != "" {
				c.Name = was
			}
			return
		}
	}
}

// lost is a task as it was whose status.json, or another file, nobody has kept.
func (p *piecer) lost(uid model.UID, files images, now *model.Snapshot) (*model.Task, error) {
	over := images{}
	for name, body := range files {
		if body != nil || name == docFile(model.Objective) || name == docFile(model.Plan) {
			over[name] = body
		}
	}
	r := taskReader{t: &model.Task{UID: uid}, over: over}
	if err := r.read(); err != nil {
		return nil, err
	}
	t := r.t
	was, there := now.Task(uid)
	if !there {
		return t, nil // with the problem that it has no config.json
	}
	h, err := p.history(uid)
	if err != nil {
		return nil, err
	}
	for name, body := range files {
		if body != nil {
			continue
		}
		switch name {
		case configFile:
			t.Config, t.Problems = was.Config, nil
			h.name(&t.Config)
		case dependenciesFile:
			t.DependsOn, t.DepsExtra = was.DependsOn, was.DepsExtra
		case specFile:
			t.Spec = was.Spec
		case statusFile:
			t.HasStatus, t.Status = true, stateFrom(h.past, h.later)
		}
	}
	return t, nil
}

// documents says which documents a task had, by their revisions.
func (p *piecer) documents(t *model.Task) {
	has := func(doc model.Doc, n int) bool {
		_, err := p.s.revision(t.UID, doc, n)
		return n > 0 && !errors.Is(err, model.ErrNoContent)
	}
	t.HasObjective = has(model.Objective, t.Status.ObjectiveRevision)
	t.HasPlan = has(model.Plan, t.Status.PlanRevision)
}

// stateFrom is what events say about a task's state: those until a moment, and where these
// say nothing those after it.
func stateFrom(past, later []model.Event) model.StatusFile {
	st := model.StatusFile{}
	for i := range past {
		if step(&st, &past[i]); i == 0 || past[i].OpID == "" || past[i].OpID != past[i-1].OpID {
			st.Revision++
		}
	}
	for i := 0; st.CurrentState == "" && i < len(later); i++ {
		st.CurrentState = later[i].From
	}
	if st.CurrentState == "" {
		st.CurrentState = model.Created
	}
	return st
}

// step is what an event says that has become of a task's state.
func step(st *model.StatusFile, e *model.Event) {
	if e.To != "" {
		st.CurrentState = e.To
	}
	st.LastUpdatedAt = e.At
	verdict := func(of, word string) *model.Review {
		return &model.Review{Of: of, Verdict: word, By: e.Actor, At: e.At, Reason: e.Reason, Revision: st.PlanRevision}
	}
	switch e.Name {
	case model.DefineObjective:
		st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("revision"))
	case model.DefinePlan:
		st.PlanRevision, st.AcceptedPlan, st.Review = max(st.PlanRevision, e.Number("revision")), nil, nil
	case model.AcceptPlan:
		st.PlanRevision = max(st.PlanRevision, e.Number("revision"))
		st.Review = verdict("plan", "accepted")
		st.AcceptedPlan = &model.AcceptedPlan{PlanRevision: st.PlanRevision, ObjectiveRevision: st.ObjectiveRevision, By: e.Actor, At: e.At}
	case model.RejectPlan:
		st.AcceptedPlan, st.Review = nil, verdict("plan", "rejected")
	case model.ReviewAccepted:
		st.Review = verdict("work", "accepted")
	case model.ReviewRejected:
		st.AcceptedPlan, st.Review = nil, verdict("work", "rejected")
	case model.Replan, model.UndoVerdict:
		st.AcceptedPlan, st.Review = nil, nil
	case model.ExternalEdit:
		st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("objective_revision"))
		st.PlanRevision = max(st.PlanRevision, e.Number("plan_revision"))
	case model.Start:
		st.CurrentRun, st.RunStartedAt, st.AssignedAgentUID = e.Text("run"), e.At, model.Actor(e.Text("worker"))
	case model.WorkCompleted:
		st.Review = nil
	case model.RaiseError:
		st.PreviousState, st.ErrorDetails = e.From, e.Reason
	}
	flags(st, e)
	if e.Name != model.Start && (st.CurrentState != model.Working || e.Name == model.Replan) {
		st.EndRun(e.At, e.Name == model.WorkCompleted || e.Name == model.RaiseError)
	}
	if st.CurrentState != model.Errored && st.PauseKind() != "subtasks" {
		st.PreviousState, st.ErrorDetails = "", ""
	}
}

// flags is what an event says of what holds a task.
func flags(st *model.StatusFile, e *model.Event) {
	waits := func(uid model.UID) {
		if uid != "" && !slices.Contains(st.SubtaskUIDs, uid) {
			st.SubtaskUIDs = append(st.SubtaskUIDs, uid)
		}
		if !st.IsPaused {
			st.IsPaused, st.PauseReason, st.PreviousState = true, "subtasks", st.CurrentState
		}
	}
	switch e.Name {
	case model.Pause:
		st.IsPaused, st.PauseReason = true, e.Reason
	case model.Resume, model.Retry, model.ReviewAccepted, model.ReviewRejected:
		st.IsPaused, st.PauseReason = false, ""
	case model.WorkCompleted, model.Abort:
		st.IsPaused, st.PauseReason, st.SubtaskUIDs = false, "", nil
	case model.SpawnSubtask:
		waits(model.UID(e.Text("subtask")))
	case model.HandleSubtaskCompletion:
		st.SubtaskUIDs = slices.DeleteFunc(st.SubtaskUIDs, func(uid model.UID) bool { return uid == model.UID(e.Text("subtask")) })
		if len(st.SubtaskUIDs) == 0 && st.PauseKind() == "subtasks" {
			st.IsPaused, st.PauseReason = false, ""
		}
	case model.Check:
		if file, was, is := e.Text("file"), e.Text("old"), e.Text("new"); file != "" {
			st.ChangedBecause = slices.DeleteFunc(st.ChangedBecause, func(c model.ChangeReason) bool { return c.File == file })
			if was != is {
				st.ChangedBecause = append(st.ChangedBecause, model.ChangeReason{File: file, Old: was, New: is})
			}
		}
	case model.Revalidate:
		st.ChangedBecause = nil
	}
}
