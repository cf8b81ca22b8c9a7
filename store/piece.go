package store

import (
	"context"
	"errors"
	"time"

	"vespe/model"
)

// piecer makes a task as it was at a time from its events, where the log does not say.
type piecer struct {
	s    *Store
	ctx  context.Context //nolint:containedctx // it lives as long as one call of past
	when time.Time
}

// unlogged is a task as it was that the log, until then, knows nothing of: it was made past
// vespe, or brought from elsewhere later on with its history. nil when it was not there.
func (p *piecer) unlogged(now *model.Task) (*model.Task, error) {
	born := now.Config.CreatedAt
	if born.After(p.when) {
		return nil, nil
	}
	events, _, err := p.s.History(p.ctx, now.UID)
	if err != nil {
		return nil, err
	}
	past := eventsUntil(events, p.when)
	if born.IsZero() && len(past) == 0 && (len(events) > 0 || now.Status.LastUpdatedAt.After(p.when)) {
		return nil, nil
	}
	t := *now
	if !now.Status.LastUpdatedAt.After(p.when) && len(past) == len(events) {
		return &t, nil // nothing has happened since
	}
	t.Status = stateFrom(past, events[len(past):])
	p.documents(&t)
	return &t, nil
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
	for name, body := range files {
		if body != nil {
			continue
		}
		switch name {
		case configFile:
			t.Config, t.Problems = was.Config, nil
		case dependenciesFile:
			t.DependsOn, t.DepsExtra = was.DependsOn, was.DepsExtra
		case specFile:
			t.Spec = was.Spec
		case statusFile:
			events, _, err := p.s.History(p.ctx, uid)
			if err != nil {
				return nil, err
			}
			past := eventsUntil(events, p.when)
			t.HasStatus, t.Status = true, stateFrom(past, events[len(past):])
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
		e := &past[i]
		if e.To != "" {
			st.CurrentState = e.To
		}
		st.LastUpdatedAt, st.Revision = e.At, st.Revision+1
		switch e.Name {
		case model.Pause:
			st.IsPaused, st.PauseReason = true, e.Reason
		case model.Resume, model.Retry, model.Abort, model.WorkCompleted, model.ReviewAccepted, model.ReviewRejected:
			st.IsPaused, st.PauseReason = false, ""
		case model.RaiseError:
			st.PreviousState, st.ErrorDetails = e.From, e.Reason
		case model.DefineObjective:
			st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("revision"))
		case model.DefinePlan:
			st.PlanRevision, st.AcceptedPlan, st.Review = max(st.PlanRevision, e.Number("revision")), nil, nil
		case model.AcceptPlan:
			st.AcceptedPlan = &model.AcceptedPlan{
				PlanRevision: max(st.PlanRevision, e.Number("revision")), ObjectiveRevision: st.ObjectiveRevision, By: e.Actor, At: e.At,
			}
		case model.RejectPlan, model.Replan, model.UndoVerdict:
			st.AcceptedPlan = nil
		case model.ExternalEdit:
			st.ObjectiveRevision = max(st.ObjectiveRevision, e.Number("objective_revision"))
			st.PlanRevision = max(st.PlanRevision, e.Number("plan_revision"))
		}
		if st.CurrentState != model.Errored {
			st.PreviousState, st.ErrorDetails = "", ""
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
