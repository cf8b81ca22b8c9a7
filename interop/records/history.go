package records

import (
	"slices"
	"time"

	"vespe/model"
)

// History builds the events that led a task to where it is imported.
type History struct {
	UID    model.UID
	State  model.State // after the last event
	Last   time.Time   // of the latest event
	Events []model.Event
}

// Add goes on to a state.
func (h *History) Add(name model.Name, at time.Time, by model.Actor, to model.State, reason string) {
	h.Events = append(h.Events, model.Event{Name: name, UID: h.UID, At: at, Actor: by, From: h.State, To: to, Reason: reason})
	h.State = to
	if at.After(h.Last) {
		h.Last = at
	}
}

// Begin adds the making of a task and of the texts that it has.
func (h *History) Begin(im *model.Imported, at time.Time, by model.Actor) {
	h.UID = im.Task.UID
	h.Add(model.CreateTask, at, by, model.Created, "")
	st := &im.Task.Status
	if im.Objective != "" {
		h.Add(model.DefineObjective, at, by, model.ObjectiveDefined, "")
		st.ObjectiveRevision = 1
		im.Task.HasObjective = true
	}
	if im.Plan != "" {
		h.Add(model.DefinePlan, at, by, model.PlanDefined, "")
		st.PlanRevision = 1
		im.Task.HasPlan = true
	}
}

// Done adds work that was completed and accepted elsewhere, so that nobody is asked about it
// again.
func (h *History) Done(st *model.StatusFile, at time.Time, by model.Actor, summary, reason string) {
	h.Add(model.WorkCompleted, at, by, model.Completed, summary)
	h.Add(model.ReviewAccepted, at, by, model.Completed, reason)
	st.Review = &model.Review{Of: "work", Verdict: model.VerdictAccepted, By: by, At: at, Reason: summary}
}

// End writes the history into the task.
func (h *History) End(im *model.Imported, updated time.Time) {
	slices.SortStableFunc(h.Events, func(a, b model.Event) int { return a.At.Compare(b.At) })
	im.Events = h.Events
	im.Task.HasStatus = true
	st := &im.Task.Status
	st.CurrentState = h.State
	st.Revision = 1
	st.LastUpdatedAt = Later(updated, h.Last)
}

// First is the first of the times that is known, in UTC.
func First(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t.UTC()
		}
	}
	return time.Time{}
}

// Later is the latest of the times, in UTC.
func Later(times ...time.Time) time.Time {
	var out time.Time
	for _, t := range times {
		if t.After(out) {
			out = t
		}
	}
	return out.UTC()
}
