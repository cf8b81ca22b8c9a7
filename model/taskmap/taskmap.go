// Package taskmap finds which tasks a map of the dependencies shows, and folds what is too many.
// Package layout draws it.
package taskmap

import (
	"cmp"
	"slices"

	"vespe/model"
	"vespe/model/schedule"
	"vespe/model/snapshot"
)

// Extent is which tasks a map shows.
type Extent uint8

// The extents. The first four start at Query.Root and go along dependencies, at most
// Query.Radius edges far; the others show the dependencies inside of a set of tasks, whatever
// the radius.
const (
	Around     Extent = iota // what the task needs, and what needs it
	Upstream                 // what it needs
	Downstream               // what needs it
	Blocked                  // what holds it back: dependencies that are not met, subtasks that it waits for
	Subtree                  // the task and all below it; of a task without subtasks its parent and all below that
	Milestone                // the tasks of its milestone
	Critical                 // the critical path of all open work (Schedule.Path); the root is where it is
	Tasks                    // Query.Tasks: what a search found
)

// The limits of a map where a Query names none.
const (
	Siblings = 8   // of one task in one direction
	Most     = 200 // in all
)

// timesAlone is how many times as many tasks without an edge a set shows one by one as neighbors of a task.
const timesAlone = 3

// Query says which tasks a map is to show.
type Query struct {
	Extent Extent
	Root   model.UID
	Radius int     // edges from Root at most; 0: as far as they go
	Tasks  []int32 // of Tasks, ascending

	Show func(i int) bool // which tasks may be shown at all; nil: all. The root always is
	// Stay says which tasks were shown last: they are the last to be folded, so that a change
	// elsewhere moves nothing. nil: none.
	Stay func(model.UID) bool

	Siblings int            // more of them become one node "+N"; 0: Siblings
	Most     int            // tasks in all, likewise; 0: Most
	More     map[string]int // by the key of a fold: how many more it is to let out
}

// Kind is what a node of a map stands for.
type Kind uint8

// The kinds of nodes.
const (
	Task Kind = iota // one task
	Fold             // tasks too many to show one by one
)

// Node is one node of a map.
type Node struct {
	Kind  Kind
	Key   string       // the same for the same thing in every snapshot
	Task  int32        // -1 for a fold
	Count int          // tasks that it stands for
	Worst model.Status // of those
	Of    int32        // of a fold: the node whose neighbors are folded; -1 for those of a set
	Up    bool         // of a fold: they are dependencies
	// HiddenUp and HiddenDown are edges to dependencies and to dependents that the map does not
	// show, those into a fold of this node not counted.
	HiddenUp, HiddenDown int
	Cycle                bool // depends on itself, directly or through others
}

// Edge is an edge of a map, from a dependency to what depends on it.
type Edge struct {
	From, To int32 // nodes
	Cycle    bool  // it is part of a dependency cycle
	Waits    bool  // no dependency: To waits for its subtask From; only of Blocked and Critical
}

// Map is what a map shows: nodes and edges in an order that depends on the tasks alone.
type Map struct {
	Nodes []Node
	Edges []Edge
	Root  int // the node of Query.Root; -1 when it is not shown
	// Left is how many tasks Query.Show left out that would be there otherwise.
	Left int
}

// Of finds what a map shows. Extents that start at a task cost what they show and the
// neighbors of that; Subtree and Tasks cost a pass over their tasks.
func Of(s *snapshot.Snapshot, q Query) *Map {
	r := reach{s: s, q: q, in: map[int32]bool{}, out: map[int32]bool{}, held: map[foldAt][]int32{}}
	r.q.Siblings = cmp.Or(q.Siblings, Siblings)
	r.q.Most = cmp.Or(q.Most, Most)
	for _, n := range q.More {
		r.q.Most += n
	}
	root := int32(-1)
	if i, ok := s.Index(q.Root); ok {
		root = int32(i)
	}
	switch {
	case q.Extent == Tasks:
		r.set(q.Tasks, root)
	case q.Extent == Critical:
		r.chain(schedule.Of(s).Path)
	case root < 0:
	case q.Extent == Subtree:
		r.set(below(s, root), root)
	case q.Extent == Milestone:
		r.set(inMilestone(s, root), root)
	default:
		r.walk(root)
	}
	return r.draw(root)
}

// below is the subtree that a task stands for: its own, or that of its parent when nothing
// is below it.
func below(s *snapshot.Snapshot, i int32) []int32 {
	if p := s.Parent(int(i)); p >= 0 && len(s.Children(int(i))) == 0 {
		i = p
	}
	list := []int32{i}
	for k := 0; k < len(list); k++ {
		list = append(list, s.Children(int(list[k]))...)
	}
	slices.Sort(list)
	return list
}

// inMilestone are the tasks of a task's milestone; the task alone where it has none.
func inMilestone(s *snapshot.Snapshot, i int32) []int32 {
	k := s.MilestoneOf(int(i))
	if k < 0 {
		return []int32{i}
	}
	return s.Milestones()[k].Tasks
}

// waitsFor are the tasks that keep task i waiting without being dependencies of it.
func (r *reach) waitsFor(i int32) []int32 {
	var all, out []int32
	switch r.q.Extent {
	case Blocked:
		all = awaited(r.s, i)
	case Critical:
		all = schedule.Of(r.s).WaitsFor(int(i))
	}
	for _, w := range all {
		if w != i && !slices.Contains(r.s.DependsOn(int(i)), w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// What keys of nodes begin with.
const (
	taskKey     = "t:"
	foldUpKey   = "<:"
	foldDownKey = ">:"
	aloneKey    = "alone"
	restKey     = "rest"
)

// KeyOf is the key of the node of one task.
func KeyOf(uid model.UID) string { return taskKey + string(uid) }

// draw makes nodes and edges of what was reached.
func (r *reach) draw(root int32) *Map {
	m := &Map{Root: -1, Left: len(r.out)}
	slices.Sort(r.list)
	of := make(map[int32]int32, len(r.list))
	for k, i := range r.list {
		of[i] = int32(k)
		m.Nodes = append(m.Nodes, Node{
			Kind: Task, Key: KeyOf(r.s.UID(int(i))), Task: i, Count: 1, Worst: r.s.Status(int(i)), Of: -1, Cycle: r.s.InCycle(int(i)),
		})
	}
	if at, ok := of[root]; ok {
		m.Root = int(at)
	}
	r.edges(m, of)
	r.folds(m, of)
	return m
}

func (r *reach) edges(m *Map, of map[int32]int32) {
	for _, i := range r.list {
		to := of[i]
		m.Nodes[to].HiddenDown += len(r.s.Dependents(int(i)))
		for _, d := range r.s.DependsOn(int(i)) {
			from, ok := of[d]
			if !ok {
				m.Nodes[to].HiddenUp++
				continue
			}
			m.Nodes[from].HiddenDown--
			m.Edges = append(m.Edges, Edge{From: from, To: to, Cycle: r.s.SameCycle(int(d), int(i))})
		}
		for _, c := range r.waitsFor(i) {
			if from, ok := of[c]; ok {
				m.Edges = append(m.Edges, Edge{From: from, To: to, Waits: true})
			}
		}
	}
}

// folds adds the nodes "+N".
func (r *reach) folds(m *Map, of map[int32]int32) {
	for _, at := range r.heldAt {
		n := Node{Kind: Fold, Key: at.key(r.s), Task: -1, Of: -1, Up: at.up}
		var counts snapshot.Counts
		for _, i := range r.held[at] {
			if !r.in[i] {
				counts[r.s.Status(int(i))]++
				n.Count++
			}
		}
		if n.Count == 0 {
			continue
		}
		n.Worst = counts.Worst()
		fold := int32(len(m.Nodes))
		if at.of >= 0 {
			n.Of = of[at.of]
			e := Edge{From: n.Of, To: fold}
			if owner := &m.Nodes[n.Of]; at.up {
				e.From, e.To = fold, n.Of
				owner.HiddenUp = max(0, owner.HiddenUp-n.Count)
			} else {
				owner.HiddenDown = max(0, owner.HiddenDown-n.Count)
			}
			m.Edges = append(m.Edges, e)
		}
		m.Nodes = append(m.Nodes, n)
	}
}
