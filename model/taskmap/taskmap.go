// Package taskmap finds which tasks and groups a map of the dependencies shows, and folds what is too many.
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

// Grouping is what tasks can be drawn together by.
type Grouping uint8

// The groupings.
const (
	ByParent    Grouping = iota // a task and all below it
	ByMilestone                 // the tasks of a milestone
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

	GroupBy Grouping
	Groups  map[string]bool // keys of the groups that are one node
}

// Kind is what a node of a map stands for.
type Kind uint8

// The kinds of nodes.
const (
	Task  Kind = iota // one task
	Group             // the tasks of a group that the map would show one by one
	Fold              // tasks too many to show one by one
)

// Node is one node of a map.
type Node struct {
	Kind  Kind
	Key   string       // the same for the same thing in every snapshot
	Task  int32        // of a task; of a group the task that heads it, -1 for a milestone; -1 for a fold
	Name  string       // of a milestone
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
	// Cycle: it is part of a dependency cycle of tasks. Groups that are drawn as one node may
	// close a ring without any: they are interleaved.
	Cycle bool
	Waits bool // no dependency: To waits for its subtask From; only of Blocked and Critical
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
	switch r.q.Extent {
	case Blocked:
		return awaited(r.s, i)
	case Critical:
		var out []int32
		for _, w := range schedule.Of(r.s).WaitsFor(int(i)) {
			if !slices.Contains(r.s.DependsOn(int(i)), w) {
				out = append(out, w)
			}
		}
		return out
	}
	return nil
}

// GroupsOf are the keys of the groups with task i in them, the smallest first: of each task above
// it with all below that, its own among them where it has subtasks; or of its milestone.
func GroupsOf(s *snapshot.Snapshot, i int, by Grouping) (keys []string) {
	if by == ByMilestone {
		if id := s.MilestoneID(i); id != "" {
			keys = append(keys, milestoneKey+id)
		}
		return keys
	}
	for v := int32(i); v >= 0; v = s.Parent(int(v)) {
		if len(s.Children(int(v))) > 0 {
			keys = append(keys, parentKey+string(s.UID(int(v))))
		}
	}
	return keys
}

// GroupWith is the key of the smallest group with task i in it that has one of the others in it too; "" when there is none.
func GroupWith(s *snapshot.Snapshot, i int, others []int32, by Grouping) string {
	if by == ByMilestone {
		id := s.MilestoneID(i)
		if id != "" && slices.ContainsFunc(others, func(o int32) bool { return s.MilestoneID(int(o)) == id }) {
			return milestoneKey + id
		}
		return ""
	}
	for v := int32(i); v >= 0; v = s.Parent(int(v)) {
		if len(s.Children(int(v))) > 0 && slices.ContainsFunc(others, func(o int32) bool { return s.Within(int(o), int(v)) }) {
			return parentKey + string(s.UID(int(v)))
		}
	}
	return ""
}

// GroupAround is the key of the largest group with task i in it that has not task root in it,
// "" when there is none. With milestones it is that of i, whatever root is.
func GroupAround(s *snapshot.Snapshot, i, root int, by Grouping) string {
	if by == ByMilestone {
		for _, key := range GroupsOf(s, i, by) {
			return key
		}
		return ""
	}
	best := int32(-1)
	for v := int32(i); v >= 0 && (root < 0 || !s.Within(root, int(v))); v = s.Parent(int(v)) {
		if len(s.Children(int(v))) > 0 {
			best = v
		}
	}
	if best < 0 {
		return ""
	}
	return parentKey + string(s.UID(int(best)))
}

// What keys of nodes begin with.
const (
	taskKey      = "t:"
	parentKey    = "p:"
	milestoneKey = "m:"
	foldUpKey    = "<:"
	foldDownKey  = ">:"
	aloneKey     = "alone"
	restKey      = "rest"
)

// KeyOf is the key of the node of one task.
func KeyOf(uid model.UID) string { return taskKey + string(uid) }

// milestoneName is what a milestone is called.
func milestoneName(s *snapshot.Snapshot, id string) string {
	all := s.MilestoneFile()
	if k := all.Index(id); k >= 0 && all.List[k].Name != "" {
		return all.List[k].Name
	}
	return id
}

// folded is the group of task i that is drawn as one node, "" for none: the outermost one.
func (r *reach) folded(i int32) (key string, head int32) {
	if len(r.q.Groups) == 0 {
		return "", -1
	}
	if r.q.GroupBy == ByMilestone {
		if id := r.s.MilestoneID(int(i)); id != "" && r.q.Groups[milestoneKey+id] {
			return milestoneKey + id, -1
		}
		return "", -1
	}
	head = -1
	for v := i; v >= 0; v = r.s.Parent(int(v)) {
		if k := parentKey + string(r.s.UID(int(v))); r.q.Groups[k] {
			key, head = k, v
		}
	}
	return key, head
}

// draw makes nodes and edges of what was reached.
func (r *reach) draw(root int32) *Map {
	m := &Map{Root: -1, Left: len(r.out)}
	slices.Sort(r.list)
	of := make(map[int32]int32, len(r.list))
	groups := map[string]int32{}
	for _, i := range r.list {
		of[i] = r.node(m, groups, i)
		if n := &m.Nodes[of[i]]; n.Kind == Group {
			n.Worst = worse(n.Worst, r.s.Status(int(i)))
			n.Count++
			n.Cycle = n.Cycle || r.s.InCycle(int(i))
		}
	}
	if at, ok := of[root]; ok {
		m.Root = int(at)
	}
	r.edges(m, of)
	r.folds(m, of)
	return m
}

func (r *reach) node(m *Map, groups map[string]int32, i int32) int32 {
	at := int32(len(m.Nodes))
	key, head := r.folded(i)
	if key == "" {
		m.Nodes = append(m.Nodes, Node{
			Kind: Task, Key: KeyOf(r.s.UID(int(i))), Task: i, Count: 1, Worst: r.s.Status(int(i)), Of: -1, Cycle: r.s.InCycle(int(i)),
		})
		return at
	}
	if g, ok := groups[key]; ok {
		return g
	}
	n := Node{Kind: Group, Key: key, Task: head, Of: -1, Worst: r.s.Status(int(i))}
	if head < 0 {
		n.Name = milestoneName(r.s, key[len(milestoneKey):])
	}
	m.Nodes = append(m.Nodes, n)
	groups[key] = at
	return at
}

// worse is the worse of two statuses, in the order of WorstFirst.
func worse(a, b model.Status) model.Status {
	var c snapshot.Counts
	c[a], c[b] = 1, 1
	return c.Worst()
}

func (r *reach) edges(m *Map, of map[int32]int32) {
	at := map[[2]int32]int{}
	add := func(from, to int32, cycle, waits bool) {
		if from == to {
			return
		}
		k, ok := at[[2]int32{from, to}]
		if !ok {
			k = len(m.Edges)
			at[[2]int32{from, to}] = k
			m.Edges = append(m.Edges, Edge{From: from, To: to, Waits: waits})
		}
		e := &m.Edges[k]
		e.Cycle = e.Cycle || cycle
		e.Waits = e.Waits && waits
	}
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
			add(from, to, r.s.SameCycle(int(d), int(i)), false)
		}
		for _, c := range r.waitsFor(i) {
			if from, ok := of[c]; ok {
				add(from, to, false, true)
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
