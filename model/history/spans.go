package history

import (
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// Span is a time that a task had one status.
type Span struct {
	Status   model.Status
	From, To time.Time
	Open     bool // it still has it: To is when it was looked at
	Moment   int  // index of the moment that began it; -1 where what it depends on did
}

// Length is how long it was, or is now.
func (s *Span) Length() time.Duration { return s.To.Sub(s.From) }

// Spans are the statuses of a task from its first event to a moment, one after the other. What no event
// of its own tells is taken from the others: an accepted task was blocked until the last of those
// that it depends on today was completed. The last is the status of today.
func (j *Journal) Spans(s *snapshot.Snapshot, c *Chronicle, now time.Time) []Span {
	var out []Span
	add := func(st model.Status, from, to time.Time, moment int) {
		if n := len(out); n > 0 && out[n-1].Status == st {
			out[n-1].To = to
			return
		}
		out = append(out, Span{Status: st, From: from, To: to, Moment: moment})
	}
	i, there := s.Index(c.UID)
	for k := range c.Stages {
		stage, to := &c.Stages[k], now
		if last := k+1 == len(c.Stages); !last {
			to = c.Stages[k+1].At
		}
		if to.Before(stage.At) { // clocks go back
			to = stage.At
		}
		if stage.Status != model.StatusReady || !there {
			add(stage.Status, stage.At, to, stage.Moment)
			continue
		}
		met := stage.At
		for _, d := range s.DependsOn(i) {
			if at := j.metAt(s, int(d), to); at.After(met) {
				met = at
			}
		}
		moment := stage.Moment
		if met.After(stage.At) {
			add(model.StatusBlocked, stage.At, met, moment)
			moment = -1
		}
		if met.Before(to) {
			add(model.StatusReady, met, to, moment)
		}
	}
	if n := len(out); n > 0 && there {
		out[n-1].Open = true
		if st := s.Status(i); out[n-1].Status != st {
			if n > 1 && out[n-2].Status == st {
				out[n-2].To, out[n-2].Open = out[n-1].To, true
				return out[:n-1]
			}
			out[n-1].Status = st
		}
		if !out[n-1].Status.Open() {
			out[n-1].To = out[n-1].From // it is over: nothing grows anymore
		}
	}
	return out
}

// metAt is since when a dependency on task d holds nothing back; never later than a moment, at which
// it still does.
func (j *Journal) metAt(s *snapshot.Snapshot, d int, never time.Time) time.Time {
	if !s.Met(d) {
		return never
	}
	c := j.Of(s.UID(d))
	if c == nil {
		return time.Time{}
	}
	at := time.Time{}
	for _, stage := range slices.Backward(c.Stages) {
		switch stage.Status {
		case model.StatusDone, model.StatusReviewWork, model.StatusAborted, model.StatusPaused, model.StatusWaiting, model.StatusChanged:
			at = stage.At
			continue
		}
		break
	}
	if at.After(never) {
		return never
	}
	return at
}
