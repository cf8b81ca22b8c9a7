// Package foresee says what a change would do to a store before it happens.
package foresee

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// Impact is what something would do to a store before it happens: the blast radius of a decision.
type Impact struct {
	// Tasks are those whose status would be another or whose acceptance would end, the subject
	// first, then the nearest.
	Tasks []Affected
	// Later are those that follow only when the ones above have been dealt with: that would be stuck for
	// good, or changed in turn once what they depend on is redone.
	Later     []Affected
	LaterMore int      // beyond the first MaxBehind of them
	Requests  []string // titles of the requests that would be filed
	Answered  int      // pending requests that nobody would have to answer any more

	Before, After Outlook
}

// Affected is a task and what becomes of it.
type Affected struct {
	UID      model.UID
	Name     string
	From, To model.Status
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
	Path  []model.UID // the critical path
}

func outlookOf(s *snapshot.Snapshot) Outlook {
	c := schedule.Of(s)
	out := Outlook{Total: c.Total, Open: c.Open, Stuck: c.Stuck}
	for _, i := range c.Path {
		out.Path = append(out.Path, s.UID(int(i)))
	}
	return out
}

// Moved reports whether what has to be done longest would be something else.
func (i *Impact) Moved() bool {
	return i.Before.Total != i.After.Total || !slices.Equal(i.Before.Path, i.After.Path)
}

// ImpactOf is what an operation's change would do to the tasks of s, which it was computed on. after are
// the tasks as they would be and requests those that it writes, as in With.
func ImpactOf(s *snapshot.Snapshot, subject model.UID, after []*model.Task, requests []model.Request) *Impact {
	n := s.With(s.Seq()+1, s.Head(), after, requests)
	im := &Impact{Before: outlookOf(s), After: outlookOf(n)}
	steps := map[int]int{}
	if at, known := s.Index(subject); known {
		steps = stepsFrom(s, at)
	}
	written := map[model.UID]bool{}
	for _, t := range after {
		if t != nil {
			written[t.UID] = true
		}
	}
	for v := range n.Len() {
		uid := n.UID(v)
		from, old := before(s, n, v)
		if !old {
			im.Tasks = append(im.Tasks, Affected{UID: uid, Name: n.Title(v), From: n.Status(v), To: n.Status(v), Why: "is new"})
			continue
		}
		a := Affected{UID: uid, Name: n.Title(v), From: s.Status(from), To: n.Status(v), Steps: steps[from]}
		if written[uid] {
			was, is := &s.At(from).Status, &n.At(v).Status
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
		switch old := slices.IndexFunc(s.Requests(), func(r model.Request) bool { return r.ID == q.ID }); {
		case old < 0 && q.IsOpen():
			im.Requests = append(im.Requests, q.Title)
		case old >= 0 && s.Requests()[old].IsOpen() && !q.IsOpen():
			im.Answered++
		}
	}
	return im
}

// before is the index in s of task v of n, which With made of it: the same where nothing is new.
func before(s, n *snapshot.Snapshot, v int) (int, bool) {
	if n.Len() == s.Len() {
		return v, true
	}
	return s.Index(n.UID(v))
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
func stepsFrom(s *snapshot.Snapshot, v int) map[int]int {
	steps := map[int]int{v: 0}
	queue := []int{v}
	for k := 0; k < len(queue) && len(queue) <= maxImpact; k++ {
		for _, dependent := range s.Dependents(queue[k]) {
			d := int(dependent)
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
func (im *Impact) later(s, n *snapshot.Snapshot, steps map[int]int) {
	told := map[model.UID]bool{}
	for _, a := range im.Tasks {
		told[a.UID] = true
	}
	add := func(v int, why string) {
		uid := n.UID(v)
		if told[uid] {
			return
		}
		told[uid] = true
		if len(im.Later) >= snapshot.MaxBehind {
			im.LaterMore++
			return
		}
		from, _ := before(s, n, v)
		im.Later = append(im.Later, Affected{
			UID: uid, Name: n.Title(v), From: n.Status(v), To: n.Status(v), Steps: steps[from], Why: why,
		})
	}
	was, is := schedule.Of(s), schedule.Of(n)
	for v := range n.Len() {
		from, ok := before(s, n, v)
		if !ok {
			continue
		}
		switch {
		case is.IsStuck(v) && !was.IsStuck(from):
			add(v, "could then never be completed")
		case was.IsStuck(from) && !is.IsStuck(v) && is.IsOpen(v):
			add(v, "could then be completed")
		}
	}
	// Being changed is told one step far; those behind are next, when what is changed is redone.
	var queue []int
	for _, a := range im.Tasks {
		if a.To == model.StatusChanged && a.From != model.StatusChanged {
			if v, ok := n.Index(a.UID); ok {
				queue = append(queue, v)
			}
		}
	}
	for k := 0; k < len(queue) && len(im.Later) < snapshot.MaxBehind; k++ {
		on := n.UID(queue[k])
		for _, dependent := range n.Dependents(queue[k]) {
			d := int(dependent)
			if t := n.Peek(d); t.HasStandingAcceptance() && !told[t.UID] && recordsOf(t, on) {
				add(d, fmt.Sprintf("would become Changed if %q is redone", model.Plain(n.Title(queue[k]))))
				queue = append(queue, d)
			}
		}
	}
	slices.SortStableFunc(im.Later, func(a, b Affected) int { return cmp.Compare(a.Steps, b.Steps) })
}

// recordsOf reports that t was accepted with something of the task on.
func recordsOf(t *model.Task, on model.UID) bool {
	return slices.ContainsFunc(t.Status.ParentContentHashes, func(h model.ContentHash) bool {
		uid, _, ok := strings.Cut(h.Key, "_")
		return ok && model.UID(uid) == on
	})
}
