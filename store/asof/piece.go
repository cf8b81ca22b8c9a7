package asof

import (
	"context"
	"errors"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/history"
	"vespe/model/snapshot"
	"vespe/store/failure"
	"vespe/store/layout"
	"vespe/store/taskfiles"
)

// piecer makes a task as it was at a time from its events, where the log does not say.
type piecer struct {
	s    *Reader
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
	if f := (*failure.Error)(nil); errors.As(err, &f) && f.Refusal.Code == model.CodeNotFound {
		err = nil // its directory is missing just now; what the log tells of it is all there is
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
func (p *piecer) lost(uid model.UID, files taskfiles.Images, now *snapshot.Snapshot) (*model.Task, error) {
	over := taskfiles.Images{}
	for name, body := range files {
		if body != nil || name == layout.DocFile(model.Objective) || name == layout.DocFile(model.Plan) {
			over[name] = body
		}
	}
	t := over.Task(uid)
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
		case layout.ConfigFile:
			t.Config, t.Problems = was.Config, nil
			h.name(&t.Config)
		case layout.DependenciesFile:
			t.DependsOn, t.DepsExtra = was.DependsOn, was.DepsExtra
		case layout.SpecFile:
			t.Spec = was.Spec
		case layout.StatusFile:
			t.HasStatus, t.Status = true, stateFrom(h.past, h.later)
		}
	}
	return t, nil
}

// documents says which documents a task had, by their revisions.
func (p *piecer) documents(t *model.Task) {
	has := func(doc model.Doc, n int) bool {
		_, err := p.s.View().Revision(t.UID, doc, n)
		return n > 0 && !errors.Is(err, model.ErrNoContent)
	}
	t.HasObjective = has(model.Objective, t.Status.ObjectiveRevision)
	t.HasPlan = has(model.Plan, t.Status.PlanRevision)
}

// stateFrom is what events say about a task's state: those until a moment, and where these
// say nothing those after it.
func stateFrom(past, later []model.Event) model.StatusFile {
	life := history.Life{}
	st := &life.Status
	for i := range past {
		if life.Add(&past[i]); i == 0 || past[i].OpID == "" || past[i].OpID != past[i-1].OpID {
			st.Revision++
		}
	}
	for i := 0; st.CurrentState == "" && i < len(later); i++ {
		st.CurrentState = later[i].From
	}
	if st.CurrentState == "" {
		st.CurrentState = model.Created
	}
	return *st
}
