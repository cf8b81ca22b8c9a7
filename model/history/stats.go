package history

import (
	"fmt"
	"slices"
	"time"

	"vespe/model"
	"vespe/model/snapshot"
)

// Stats is what became of tasks in some time.
type Stats struct {
	From, To time.Time // what happened from From up to, but not, To counts
	Tasks    int       // tasks that were looked at, those that have ended among them
	Events   int
	Flow     [NumFlows]Flow
	Days     []time.Time // the beginnings of the days that Flow.Daily counts by
	InStatus [model.NumStatuses]StatusTime
	Waited   [model.NumParties]Seconds
	Lead     Lengths // from the first event of a task to its end, of those that were done in the time
	Work     Lengths // from a start to the end of the run's work
	Verdict  Lengths // from a plan or work that waits for a person to the verdict on it that stands
	Answer   Lengths // from a question to its answer
	Rounds   []int   // tasks whose plan was accepted, by how many verdicts it took: [1] is at once
	Retries  []int   // tasks by how often they were retried: [0] were started and not retried
	Actors   []Acted // who did most first
}

// Flows are what is counted by day.
type Flows uint8

// What is counted by day.
const (
	FlowCreated  Flows = iota // tasks made or imported: their first events
	FlowPlanned               // plans handed in
	FlowAccepted              // plans accepted
	FlowSentBack              // plans and work rejected, and accepted tasks planned anew
	FlowStarted               // runs
	FlowFinished              // work completed
	FlowDone                  // work accepted
	FlowErrors                // errors
	FlowFailed                // tasks failed or aborted
	FlowAnswered              // questions answered by people
	NumFlows
)

// String is what is counted, in a few words.
func (f Flows) String() string {
	return [NumFlows]string{
		"created", "plans submitted", "plans accepted", "sent back", "started", "finished", "done", "errors", "failed or aborted", "questions answered",
	}[f]
}

// Flow is how often something happened.
type Flow struct {
	Total int
	Daily []int
}

// StatusTime is how long tasks had a status.
type StatusTime struct {
	Lengths
	Now int // tasks that have it
}

// Seconds is a sum of times: of many tasks together it may be more years than a time.Duration holds.
type Seconds int64

// String is how long it is, for people: from a hundred days on in days.
func (s Seconds) String() string {
	const day = 24 * 60 * 60
	if s >= 100*day {
		return fmt.Sprintf("%dd", s/day)
	}
	return model.Lasting(time.Duration(s) * time.Second)
}

// inSeconds rounds up, as Lasting does.
func inSeconds(d time.Duration) Seconds { return Seconds((d + time.Second - 1) / time.Second) }

// LastingLong is Lasting, from a hundred days on in days.
func LastingLong(d time.Duration) string {
	if s := inSeconds(d); s >= 100*24*60*60 {
		return s.String()
	}
	return model.Lasting(d)
}

// Lengths are times of one kind, summed up.
type Lengths struct {
	N           int
	Total       Seconds
	Median, P90 time.Duration
}

// lengths gathers times.
type lengths []time.Duration

func (l *lengths) add(d time.Duration) {
	if d >= 0 {
		*l = append(*l, d)
	}
}

func (l lengths) sum() Lengths {
	out := Lengths{N: len(l)}
	if len(l) == 0 {
		return out
	}
	slices.Sort(l)
	var rest time.Duration // parts of seconds
	for _, d := range l {
		out.Total += Seconds(d / time.Second)
		rest += d % time.Second
	}
	out.Total += inSeconds(rest)
	out.Median, out.P90 = l[(len(l)-1)/2], l[(len(l)-1)*9/10]
	return out
}

// flowOf is what an event counts as; false for nothing, which is what was taken back counts as.
func flowOf(m *Moment) (Flows, bool) {
	if m.Undone {
		return 0, false
	}
	switch m.Name() {
	case model.DefinePlan:
		return FlowPlanned, true
	case model.AcceptPlan:
		return FlowAccepted, true
	case model.RejectPlan, model.ReviewRejected, model.Replan:
		return FlowSentBack, true
	case model.Start:
		return FlowStarted, true
	case model.WorkCompleted:
		return FlowFinished, true
	case model.ReviewAccepted, model.Skip:
		return FlowDone, true
	case model.AnswerRequest:
		return FlowAnswered, true
	case model.RaiseError:
		if m.To() == model.Failed {
			return FlowFailed, true
		}
		return FlowErrors, true
	case model.Abort:
		return FlowFailed, true
	}
	return 0, false
}

// mostDays is how many days a Stats counts by at most.
const mostDays = 10 * 366

// statsMaker gathers what a Stats sums up.
type statsMaker struct {
	Stats
	s        *snapshot.Snapshot
	j        *Journal
	inStatus [model.NumStatuses]lengths
	lead     lengths
	work     lengths
	verdict  lengths
	answer   lengths
	acted    map[model.Actor]int
}

// Stats sums up what became of the tasks that pass a test, all of them with nil, from a time on; a zero
// time is their beginning. Days are those of now's zone.
func (j *Journal) Stats(s *snapshot.Snapshot, test func(uid model.UID) bool, from, now time.Time) Stats {
	m := &statsMaker{s: s, j: j, acted: map[model.Actor]int{}}
	var chosen []*Chronicle
	first := now
	for _, c := range j.tasks {
		if len(c.Moments) == 0 || c.UID == "" || test != nil && !test(c.UID) {
			continue
		}
		chosen = append(chosen, c)
		if at := c.Moments[0].When(); at.Before(first) {
			first = at
		}
	}
	if from.Before(first) {
		from = first
	}
	m.From, m.To, m.Tasks = from, now, len(chosen)
	m.days()
	for _, c := range chosen {
		m.moments(c)
		m.spans(c)
	}
	for st := range m.inStatus {
		m.InStatus[st].Lengths = m.inStatus[st].sum()
		if party := model.Status(st).WaitsFor(); party != model.ForNobody {
			m.Waited[party] += m.InStatus[st].Total
		}
	}
	m.Lead, m.Work, m.Verdict, m.Answer = m.lead.sum(), m.work.sum(), m.verdict.sum(), m.answer.sum()
	m.Actors = sortActed(m.acted)
	return m.Stats
}

// days lists the days, the last ones where there are too many.
func (m *statsMaker) days() {
	zone := m.To.Location()
	t := m.From.In(zone)
	day := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, zone)
	if least := m.To.AddDate(0, 0, -mostDays+1); day.Before(least) {
		day = time.Date(least.Year(), least.Month(), least.Day(), 0, 0, 0, 0, zone)
	}
	for ; !day.After(m.To); day = day.AddDate(0, 0, 1) {
		m.Days = append(m.Days, day)
	}
	for f := range m.Flow {
		m.Flow[f].Daily = make([]int, len(m.Days))
	}
}

func (m *statsMaker) day(t time.Time) int {
	i, found := slices.BinarySearchFunc(m.Days, t, time.Time.Compare)
	if !found {
		i--
	}
	return i
}

func (m *statsMaker) inTime(t time.Time) bool { return !t.Before(m.From) && !t.After(m.To) }

// bump counts one more of what happened n times.
func bump(counts []int, n int) []int {
	for len(counts) <= n {
		counts = append(counts, 0)
	}
	counts[n]++
	return counts
}

func (m *statsMaker) count(f Flows, at time.Time) {
	m.Flow[f].Total++
	if d := m.day(at); d >= 0 {
		m.Flow[f].Daily[d]++
	}
}

// moments counts the events of a task.
func (m *statsMaker) moments(c *Chronicle) {
	rounds, retries, started := 0, 0, false
	var begun, asked time.Time
	for k := range c.Moments {
		e := &c.Moments[k]
		at, name := e.When(), e.Name()
		in := m.inTime(at)
		if in {
			m.Events++
			m.acted[e.Actor()]++
			if k == 0 { // whatever it is: a task that was imported has a history from before
				m.count(FlowCreated, at)
			}
			if f, ok := flowOf(e); ok {
				m.count(f, at)
			}
		}
		if e.Undone {
			continue
		}
		switch name {
		case model.RejectPlan, model.QuestionPlan:
			rounds++
		case model.AcceptPlan:
			if in {
				m.Rounds = bump(m.Rounds, rounds+1)
			}
			rounds = 0
		case model.Start:
			begun, started = at, true
		case model.Retry:
			retries++
		case model.Ask:
			asked = at
		case model.AnswerRequest:
			if in && !asked.IsZero() {
				m.answer.add(at.Sub(asked))
			}
			asked = time.Time{}
		case model.WorkCompleted:
			if in && !begun.IsZero() {
				m.work.add(at.Sub(begun))
			}
			begun = time.Time{}
		case model.ReviewAccepted:
			if in {
				m.lead.add(at.Sub(c.Moments[0].When()))
			}
		}
	}
	if started && m.inTime(c.Moments[len(c.Moments)-1].When()) {
		m.Retries = bump(m.Retries, retries)
	}
}

// spans adds up how long a task had which status, as far as it is in the time.
func (m *statsMaker) spans(c *Chronicle) {
	var waiting [model.NumStatuses]time.Time // since when, where a verdict on it was taken back
	all := m.j.Spans(m.s, c, m.To)
	for k, sp := range all {
		if sp.Open {
			m.InStatus[sp.Status].Now++
		}
		if sp.To.Before(m.From) || sp.From.After(m.To) {
			continue
		}
		if sp.From.Before(m.From) {
			sp.From = m.From
		}
		party := sp.Status.WaitsFor()
		if party == model.ForNobody {
			continue
		}
		m.inStatus[sp.Status].add(sp.Length())
		if sp.Open || sp.Status != model.StatusReviewPlan && sp.Status != model.StatusReviewWork {
			continue
		}
		since := sp.From
		if !waiting[sp.Status].IsZero() {
			since, waiting[sp.Status] = waiting[sp.Status], time.Time{}
		}
		if k+1 < len(all) && all[k+1].Moment >= 0 && c.Moments[all[k+1].Moment].Undone {
			waiting[sp.Status] = since
			continue
		}
		m.verdict.add(sp.To.Sub(since))
	}
}

// PerDay is how often something happened in a day, on average.
func (s *Stats) PerDay(f Flows) float64 {
	days := s.To.Sub(s.From).Hours() / 24
	if days < 1 {
		days = 1
	}
	return float64(s.Flow[f].Total) / days
}

// WaitedShare is how much of the time that tasks waited or were worked on went to a party, 0 to 1.
func (s *Stats) WaitedShare(p model.Party) float64 {
	all := Seconds(0)
	for _, d := range s.Waited {
		all += d
	}
	if all == 0 {
		return 0
	}
	return float64(s.Waited[p]) / float64(all)
}
