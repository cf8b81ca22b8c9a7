package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Impact is what something would do to a store before it happens (the blast radius of a
// decision), or what it would refuse.
type Impact struct {
	Event   string // as ParseEvent takes it
	Title   string // what happens, as a condition: "if its plan is accepted"
	Refused error  // a *Refusal: it cannot happen as things are, and there is nothing else in here
	Assumed bool   // it cannot happen yet; this is what it would do once the task is worked on
	Summary string // of the operation, one line; "" where it is none
	Notes   []string

	// Tasks are those whose status would be another or whose acceptance would end, the subject
	// first, then the nearest.
	Tasks []Affected
	// Later are those that follow only when the ones above have been dealt with: that would be stuck for
	// good, or changed in turn once what they depend on is redone.
	Later     []Affected
	LaterMore int      // beyond the first MaxBehind of them
	Requests  []string // titles of the requests that would be filed
	Answered  int      // pending requests that nobody would have to answer any more

	Behind int     // unfinished tasks that wait for the subject by whatever way; at most MaxBehind
	Agents []Actor // who works on the subject or on what waits for it

	Before, After Outlook
}

// Affected is a task and what becomes of it.
type Affected struct {
	UID      UID
	Name     string
	From, To Status
	Voided   bool // its acceptance would end
	Stops    bool // a run of it would end
	Steps    int  // dependencies between it and the subject; 0 for the subject and those that are linked otherwise
	Why      string
}

// Outlook is a schedule in short.
type Outlook struct {
	Total time.Duration
	Open  int
	Stuck int
	Path  []UID // the critical path
}

func (s *Snapshot) outlook() Outlook {
	c := s.Schedule()
	return Outlook{c.Total, c.Open, c.Stuck, s.uids(c.Path)}
}

// Moved reports whether what has to be done longest would be something else.
func (i *Impact) Moved() bool {
	return i.Refused == nil && (i.Before.Total != i.After.Total || !slices.Equal(i.Before.Path, i.After.Path))
}

// Impact is what an operation's change would do to the tasks of s, which it was computed on. after are
// the tasks as they would be and requests those that it writes, as in With.
func (s *Snapshot) Impact(subject UID, after []*Task, requests []Request) *Impact {
	n := s.With(s.seq+1, s.head, after, requests)
	im := &Impact{Before: s.outlook(), After: n.outlook()}
	at, known := s.lookup(subject)
	steps := map[int32]int{}
	if known {
		steps = s.stepsFrom(at)
		c := behindCounter{s: s, mark: make([]int32, s.tasks.n), budget: behindBudget}
		im.Behind = c.count(at, 1)
		im.Agents = c.agents
	}
	written := map[UID]bool{}
	for _, t := range after {
		if t != nil {
			written[t.UID] = true
		}
	}
	for v := range int32(n.tasks.n) {
		uid := n.tasks.uid(v)
		from, old := s.before(n, v)
		if !old {
			im.Tasks = append(im.Tasks, Affected{UID: uid, Name: n.title(v), From: n.status[v], To: n.status[v], Why: "is new"})
			continue
		}
		a := Affected{UID: uid, Name: n.title(v), From: s.status[from], To: n.status[v], Steps: steps[from]}
		if written[uid] {
			was, is := &s.tasks.task(from).Status, &n.tasks.task(v).Status
			a.Voided = was.AcceptedPlan != nil && is.AcceptedPlan == nil
			a.Stops = was.CurrentRun != "" && is.CurrentRun == ""
		}
		if a.From != a.To || a.Voided {
			im.Tasks = append(im.Tasks, a)
		}
	}
	slices.SortStableFunc(im.Tasks, func(a, b Affected) int {
		return cmp.Or(cmpBool(b.UID == subject, a.UID == subject), cmp.Compare(a.Steps, b.Steps))
	})
	im.later(s, n, steps)
	for i := range requests {
		q := &requests[i]
		switch old := slices.IndexFunc(s.requests, func(r Request) bool { return r.ID == q.ID }); {
		case old < 0 && q.IsOpen():
			im.Requests = append(im.Requests, q.Title)
		case old >= 0 && s.requests[old].IsOpen() && !q.IsOpen():
			im.Answered++
		}
	}
	return im
}

// before is the index in s of task v of n, which With made of it: the same where nothing is new.
func (s *Snapshot) before(n *Snapshot, v int32) (int32, bool) {
	if n.tasks.n == s.tasks.n {
		return v, true
	}
	return s.lookup(n.tasks.uid(v))
}

func cmpBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// stepsFrom is how many dependencies lie between task v and each that depends on it, by the shortest
// way; its own is 0.
func (s *Snapshot) stepsFrom(v int32) map[int32]int {
	steps := map[int32]int{v: 0}
	queue := []int32{v}
	for k := 0; k < len(queue) && len(queue) <= maxImpact; k++ {
		for _, d := range s.graph.in.of(queue[k]) {
			if _, seen := steps[d]; !seen {
				steps[d] = steps[queue[k]] + 1
				queue = append(queue, d)
			}
		}
	}
	return steps
}

// maxImpact is how many dependents are looked at for how far they are away.
const maxImpact = 100_000

// later finds what follows from the consequences themselves.
func (im *Impact) later(s, n *Snapshot, steps map[int32]int) {
	told := map[UID]bool{}
	for _, a := range im.Tasks {
		told[a.UID] = true
	}
	add := func(v int32, why string) {
		uid := n.tasks.uid(v)
		if told[uid] {
			return
		}
		told[uid] = true
		if len(im.Later) >= MaxBehind {
			im.LaterMore++
			return
		}
		from, _ := s.before(n, v)
		im.Later = append(im.Later, Affected{
			UID: uid, Name: n.title(v), From: n.status[v], To: n.status[v], Steps: steps[from], Why: why,
		})
	}
	was, is := s.Schedule(), n.Schedule()
	for v := range int32(n.tasks.n) {
		from, ok := s.before(n, v)
		if !ok {
			continue
		}
		switch {
		case is.slot[v].stuck && !was.slot[from].stuck:
			add(v, "could then never be completed")
		case !is.slot[v].stuck && is.slot[v].open && was.slot[from].stuck:
			add(v, "could then be completed")
		}
	}
	// Being changed is told one step far; those behind are next, when what is changed is redone.
	var queue []int32
	for _, a := range im.Tasks {
		if a.To == StatusChanged && a.From != StatusChanged {
			if v, ok := n.lookup(a.UID); ok {
				queue = append(queue, v)
			}
		}
	}
	for k := 0; k < len(queue) && len(im.Later) < MaxBehind; k++ {
		on := n.tasks.uid(queue[k])
		for _, d := range n.graph.in.of(queue[k]) {
			if t := n.tasks.peek(d); marks(t) && !told[t.UID] && recordsOf(t, on) {
				add(d, fmt.Sprintf("becomes changed in turn if %q is redone", plain(n.title(queue[k]))))
				queue = append(queue, d)
			}
		}
	}
	slices.SortStableFunc(im.Later, func(a, b Affected) int { return cmp.Compare(a.Steps, b.Steps) })
}

// recordsOf reports that t was accepted with something of the task on.
func recordsOf(t *Task, on UID) bool {
	return slices.ContainsFunc(t.Status.ParentContentHashes, func(h ContentHash) bool {
		uid, _, ok := strings.Cut(h.Key, "_")
		return ok && UID(uid) == on
	})
}
