package schedule

import (
	"fmt"
	"slices"

	"vespe/model"
	"vespe/model/snapshot"
)

// Deadlock is a cause for which open tasks can never be completed as things are: nothing but a
// change of their files or their dependencies helps.
type Deadlock struct {
	Kind DeadlockKind
	// Tasks are the members of a cycle, each of which waits for the next and the last for the
	// first; of any other kind the one task that is the cause, or none for one that is missing.
	Tasks []int32
	On    model.UID // of DeadlockMissing: the uid that names no task
	Held  []int32   // open tasks that wait for it directly, ascending
	All   int       // open tasks that wait for it by whatever way, the members of a cycle included
	More  bool      // All is not all of them: at most snapshot.MaxBehind are counted
	Text  string    // what is the matter, in a sentence without a full stop
	Hint  string    // what helps
}

// DeadlockKind is a stable word for the kind of a cause.
type DeadlockKind string

// The kinds of causes.
const (
	DeadlockCycle      DeadlockKind = "cycle"      // tasks that wait for each other, by dependencies, subtasks or both
	DeadlockMissing    DeadlockKind = "missing"    // a dependency that names no task
	DeadlockFailed     DeadlockKind = "failed"     // a dependency that failed
	DeadlockAborted    DeadlockKind = "aborted"    // a dependency that was aborted
	DeadlockUnreadable DeadlockKind = "unreadable" // a task whose files cannot be read
)

// notStuck is no kind of cause.
const notStuck DeadlockKind = ""

// stuckBy says whether an open task can itself never be completed, and by what first, cycles
// aside.
func stuckBy(s *snapshot.Snapshot, v int32) DeadlockKind {
	switch {
	case s.Status(int(v)) == model.StatusProblem:
		return DeadlockUnreadable
	case s.Missing(int(v)):
		return DeadlockMissing
	}
	for _, d := range s.DependsOn(int(v)) {
		if kind := dead(s, d); kind != notStuck {
			return kind
		}
	}
	return notStuck
}

// dead says whether a dependency on d can never be met, because d has ended.
func dead(s *snapshot.Snapshot, d int32) DeadlockKind {
	switch {
	case s.Met(int(d)):
		return notStuck
	case s.Status(int(d)) == model.StatusFailed:
		return DeadlockFailed
	case s.Status(int(d)) == model.StatusAborted:
		return DeadlockAborted
	}
	return notStuck
}

// Deadlocks are the causes for which open tasks are stuck, those first that hold most. Do not
// modify it.
func (c *Schedule) Deadlocks() []Deadlock { return c.deadlocks() }

// IsAsked reports that a person was asked about a cause already, when the task failed or was aborted.
func (c *Schedule) IsAsked(d *Deadlock) bool {
	s := c.s
	if d.Kind != DeadlockFailed && d.Kind != DeadlockAborted {
		return false
	}
	t := s.At(int(d.Tasks[0]))
	for range s.Len() { // to the task that failed first
		child, ok := s.Task(t.Status.FailedBy)
		if t.Status.CurrentState != model.Failed || !ok || child.Status.CurrentState != model.Failed {
			break
		}
		t = child
	}
	return slices.ContainsFunc(s.Requests(), func(q model.Request) bool {
		return q.State != model.RequestSuperseded && !q.Holds() &&
			(q.Key == model.DepFailedKey(t.UID) || q.Key == model.AttemptsKey(t.UID) || q.Key == model.SubtaskFailedKey(t.UID))
	})
}

func (c *Schedule) findDeadlocks() []Deadlock {
	s := c.s
	if c.Stuck == 0 {
		return nil
	}
	var out []Deadlock
	missing := map[model.UID]int{}
	held := map[int32]int{} // by the task that has ended: where it stands in out
	for v := range int32(s.Len()) {
		if !c.slot[v].open {
			continue
		}
		switch kind := stuckBy(s, v); kind {
		case notStuck:
			continue
		case DeadlockUnreadable:
			out = append(out, Deadlock{Kind: kind, Tasks: []int32{v}, Held: []int32{v}})
			continue
		}
		for _, d := range s.DependsOn(int(v)) {
			kind := dead(s, d)
			if kind == notStuck {
				continue
			}
			k, ok := held[d]
			if !ok {
				k = len(out)
				held[d] = k
				out = append(out, Deadlock{Kind: kind, Tasks: []int32{d}})
			}
			out[k].Held = append(out[k].Held, v)
		}
	}
	for v := range int32(s.Len()) {
		if !c.slot[v].open || !s.Missing(int(v)) {
			continue
		}
		for _, uid := range s.Peek(int(v)).DependsOn {
			if _, known := s.Index(uid); known {
				continue
			}
			k, ok := missing[uid]
			if !ok {
				k = len(out)
				missing[uid] = k
				out = append(out, Deadlock{Kind: DeadlockMissing, On: uid})
			}
			out[k].Held = append(out[k].Held, v)
		}
	}
	for _, ring := range c.waits.Cycles {
		if c.slot[ring[0]].open {
			out = append(out, Deadlock{Kind: DeadlockCycle, Tasks: c.waits.CycleThrough(ring[0]), Held: ring})
		}
	}
	c.measure(out)
	slices.SortStableFunc(out, func(a, b Deadlock) int { return b.All - a.All })
	return out
}

// measure counts what the causes hold, and says what they are.
func (c *Schedule) measure(list []Deadlock) {
	mark := make([]int32, c.s.Len())
	var queue []int32
	for k := range list {
		d := &list[k]
		slices.Sort(d.Held)
		d.Held = slices.Compact(d.Held)
		queue = queue[:0]
		reach := func(v int32) {
			if mark[v] != int32(k)+1 && c.slot[v].open {
				mark[v] = int32(k) + 1
				queue = append(queue, v)
			}
		}
		for _, v := range d.Held {
			reach(v)
		}
		for at := 0; at < len(queue) && len(queue) <= snapshot.MaxBehind; at++ {
			for _, v := range c.waits.In.Of(queue[at]) {
				reach(v)
			}
		}
		d.All, d.More = min(len(queue), snapshot.MaxBehind), len(queue) > snapshot.MaxBehind
		d.Text, d.Hint = d.words(c.s)
	}
}

func (d *Deadlock) words(s *snapshot.Snapshot) (text, hint string) {
	name := func(v int32) string { return fmt.Sprintf("%q", model.Plain(s.Title(int(v)))) }
	switch d.Kind {
	case DeadlockCycle:
		if len(d.Tasks) == 1 {
			return name(d.Tasks[0]) + " depends on itself", "remove that dependency"
		}
		return "dependency cycle: " + spellWaits(s, d.Tasks), "remove one of these dependencies"
	case DeadlockMissing:
		return fmt.Sprintf("%s is not in this store", d.On), "remove the dependency on it, or restore the task"
	case DeadlockUnreadable:
		return name(d.Tasks[0]) + " " + s.WaitsFor(int(d.Tasks[0])), "repair its files: vespe doctor"
	}
	return name(d.Tasks[0]) + " " + map[DeadlockKind]string{DeadlockFailed: "failed", DeadlockAborted: "was aborted"}[d.Kind],
		"remove the dependency on it, or depend on another task"
}

// spellWaits is SpellCycle that says which steps lead to a subtask.
func spellWaits(s *snapshot.Snapshot, cycle []int32) string {
	for k, v := range cycle {
		if next := cycle[(k+1)%len(cycle)]; !slices.Contains(s.DependsOn(int(v)), next) {
			return snapshot.SpellCycle(cycle, s.Title) + fmt.Sprintf("; %q is a subtask of %q", model.Plain(s.Title(int(next))), model.Plain(s.Title(int(v))))
		}
	}
	return snapshot.SpellCycle(cycle, s.Title)
}
