package history

import (
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// Timeline is the life of one task: its statuses one after the other, and what happened in each.
type Timeline struct {
	UID      model.UID
	From, To time.Time // from the first event to the last, or to now while the task is open
	Spans    []Span
	Within   [][]int // per span, the moments that it began with and that happened in it
	Waited   [model.NumParties]Seconds
	Retries  int
	Rounds   int // verdicts on its plans and its work, without those that were taken back
}

// Timeline is the life of a task by a moment; nil when nothing is known of it.
func (j *Journal) Timeline(s *snapshot.Snapshot, uid model.UID, now time.Time) *Timeline {
	c := j.Of(uid)
	if c == nil || len(c.Moments) == 0 {
		return nil
	}
	t := &Timeline{UID: uid, Spans: j.Spans(s, c, now)}
	t.Within = make([][]int, len(t.Spans))
	t.From, t.To = t.Spans[0].From, t.Spans[len(t.Spans)-1].To
	at := 0
	for k := range c.Moments {
		m := &c.Moments[k]
		for at+1 < len(t.Spans) && !m.When().Before(t.Spans[at+1].From) && (t.Spans[at+1].Moment < 0 || t.Spans[at+1].Moment <= k) {
			at++
		}
		t.Within[at] = append(t.Within[at], k)
		if m.When().After(t.To) {
			t.To = m.When()
		}
		if m.Undone {
			continue
		}
		switch m.Name() {
		case model.Retry:
			t.Retries++
		case model.AcceptPlan, model.RejectPlan, model.QuestionPlan, model.DeferPlan, model.ReviewAccepted, model.ReviewRejected:
			t.Rounds++
		}
	}
	var waited [model.NumParties]time.Duration
	for i := range t.Spans {
		if p := t.Spans[i].Status.WaitsFor(); p != model.ForNobody {
			waited[p] += t.Spans[i].Length()
		}
	}
	for p, d := range waited {
		t.Waited[p] = inSeconds(d)
	}
	return t
}
