package beads

import (
	"slices"
	"strings"
	"time"

	"vespe/model"
)

// lifecycle puts an issue where its status and texts say, and writes how it came there.
func (c *converter) lifecycle(issue Issue, im *model.Imported) {
	h := history{uid: im.Task.UID}
	at := c.made(issue)
	by := author(issue)
	h.add(model.CreateTask, at, by, model.Created, "")
	st := &im.Task.Status
	if im.Objective != "" {
		h.add(model.DefineObjective, at, by, model.ObjectiveDefined, "")
		st.ObjectiveRevision = 1
		im.Task.HasObjective = true
	}
	if im.Plan != "" {
		h.add(model.DefinePlan, at, by, model.PlanDefined, "")
		st.PlanRevision = 1
		im.Task.HasPlan = true
	}
	for _, comment := range issue.Comments {
		// Nobody remarks on what is not there yet; some clocks say otherwise.
		h.events = append(h.events, model.Event{
			Name: "comment", UID: h.uid, At: later(comment.CreatedAt, at), Actor: actor(comment.Author), Summary: comment.Text,
		})
	}
	c.end(issue, st, &h)
	slices.SortStableFunc(h.events, func(a, b model.Event) int { return a.At.Compare(b.At) })
	im.Events = h.events
	im.Task.HasStatus = true
	st.CurrentState = h.state
	st.Revision = 1
	st.LastUpdatedAt = later(issue.UpdatedAt, h.last, at)
}

// end writes what an issue's status says beyond its texts.
func (c *converter) end(issue Issue, st *model.StatusFile, h *history) {
	switch issue.Status {
	case "closed":
		at := first(issue.ClosedAt, issue.UpdatedAt, c.made(issue))
		h.add(model.WorkCompleted, at, importer, model.Completed, issue.CloseReason)
		h.add(model.ReviewAccepted, at, importer, model.Completed, "closed in beads")
		st.Review = &model.Review{Of: "work", Verdict: "accepted", By: importer, At: at, Reason: issue.CloseReason}
	case "tombstone":
		at := first(issue.DeletedAt, issue.UpdatedAt, c.made(issue))
		reason := "deleted in beads"
		if r := strings.TrimSpace(issue.DeleteReason); r != "" {
			reason += ": " + r
		}
		h.add(model.Abort, at, actor(issue.DeletedBy), model.Aborted, reason)
	case "open", "blocked", "deferred", "":
	case "in_progress", "hooked":
		c.report.count("were being worked on ("+issue.Status+"); they arrive with no plan accepted, because beads holds no approval", issue.ID)
	default:
		c.report.count("have the status "+issue.Status+", which vespe does not know; they arrive open", issue.ID)
	}
}

// history builds one task's events.
type history struct {
	uid    model.UID
	state  model.State
	last   time.Time
	events []model.Event
}

func (h *history) add(name model.Name, at time.Time, by model.Actor, to model.State, reason string) {
	h.events = append(h.events, model.Event{Name: name, UID: h.uid, At: at, Actor: by, From: h.state, To: to, Reason: reason})
	h.state = to
	if at.After(h.last) {
		h.last = at
	}
}

// first is the first of the times that is known, in UTC.
func first(times ...time.Time) time.Time {
	for _, t := range times {
		if !t.IsZero() {
			return t.UTC()
		}
	}
	return time.Time{}
}

// later is the latest of the times, in UTC.
func later(times ...time.Time) time.Time {
	var out time.Time
	for _, t := range times {
		if t.After(out) {
			out = t
		}
	}
	return out.UTC()
}
