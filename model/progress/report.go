package progress

import (
	"cmp"
	"strings"
	"time"

	"vespe/model"
)

// WorkReport is what was said when work was reported as done. Nobody has checked it.
type WorkReport struct {
	Text string
	By   model.Actor
	At   time.Time
}

// MayReport reports that an event of this name, or an event file that is named after it, may hold the report of work.
func MayReport(name model.Name) bool {
	return strings.HasPrefix(string(name), string(model.WorkCompleted)) || strings.HasPrefix(string(name), string(model.Skip))
}

// ReportOf is the report on the work of a task as it stands, from events in the order of its history: the words of
// the last event that completed it. nil where the task is not completed, or nothing was said.
func ReportOf(t *model.Task, events []model.Event) *WorkReport {
	if t == nil || t.Status.CurrentState != model.Completed {
		return nil
	}
	return LastReport(events)
}

// LastReport is the report on the last work that was completed, whatever became of it since.
func LastReport(events []model.Event) *WorkReport {
	for i := len(events) - 1; i >= 0; i-- {
		e := &events[i]
		if !MayReport(e.Name) || e.To != model.Completed {
			continue
		}
		text := strings.TrimSpace(cmp.Or(e.Text("summary"), e.Reason))
		if text == "" {
			return nil
		}
		return &WorkReport{Text: text, By: e.Actor, At: e.At}
	}
	return nil
}

// Cut is the report with at most most bytes of its text, and whether any are missing.
func (r *WorkReport) Cut(most int) (text string, cut bool) {
	if len(r.Text) <= most {
		return r.Text, false
	}
	return strings.ToValidUTF8(r.Text[:most], ""), true
}
