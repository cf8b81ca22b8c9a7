package snapshot

import (
	"vespe/model"
	"vespe/model/graph"
)

// dependencyGraph is the graph of dependencies over task indexes. It depends on dependencies.json and on which uids
// exist, so snapshots that share both share one. Rows are in file order.
type dependencyGraph struct {
	graph.Graph
	missing  []int32 // per task: how many uids it depends on that name no task
	dangling []dangling
}

// dangling is a dependency of task from on a uid that names no task.
type dangling struct {
	from int32
	uid  model.UID
}

// DependsOn are the tasks that task i depends on, in the order of its file. A uid that
// names no task, a repeated one and its own are left out; At(i).DependsOn has them. Do
// not modify it.
func (s *Snapshot) DependsOn(i int) []int32 { return s.graph.Out.Of(int32(i)) }

// Dependents are the tasks that depend on task i, in uid order. Do not modify it.
func (s *Snapshot) Dependents(i int) []int32 { return s.graph.In.Of(int32(i)) }

// DependentUIDs are the uids of the tasks that depend on uid. uid need not name a task:
// the dependents of one that is missing are found as well.
func (s *Snapshot) DependentUIDs(uid model.UID) []model.UID {
	if i, ok := s.Index(uid); ok {
		return s.uids(s.Dependents(i))
	}
	var out []model.UID
	for _, d := range s.graph.dangling {
		if d.uid == uid {
			out = append(out, s.tasks.uid(d.from))
		}
	}
	return out
}

// Selves are the tasks that depend on themselves, ascending. Do not modify it.
func (s *Snapshot) Selves() []int32 { return s.graph.Selves }

// Missing reports whether task i depends on a uid that names no task.
func (s *Snapshot) Missing(i int) bool { return s.graph.missing[i] > 0 }

// Cycles are the sets of tasks that all depend on each other, directly or through the
// rest of the set; a task that depends on itself is a set of one. Members ascend, and
// sets go by their lowest member. Do not modify it.
func (s *Snapshot) Cycles() [][]int32 { return s.graph.Cycles }

// InCycle reports whether task i depends on itself, directly or through others.
func (s *Snapshot) InCycle(i int) bool { return s.graph.InCycle(int32(i)) }

// SameCycle reports whether two tasks depend on each other, directly or through others.
func (s *Snapshot) SameCycle(i, k int) bool {
	c := s.graph.CycleIndex(int32(i))
	return c >= 0 && c == s.graph.CycleIndex(int32(k))
}

// CycleThrough spells out a shortest dependency cycle through task i: i first, each
// depends on the next, and the last on i. nil when it is in none.
func (s *Snapshot) CycleThrough(i int) []int32 { return s.graph.CycleThrough(int32(i)) }

// DependencyCycle is read off the graph.
func (s *Snapshot) DependencyCycle(uid model.UID) []model.UID {
	i, ok := s.Index(uid)
	if !ok {
		return nil
	}
	cycle := s.CycleThrough(i)
	if cycle == nil {
		return nil
	}
	return append(s.uids(cycle), uid)
}
