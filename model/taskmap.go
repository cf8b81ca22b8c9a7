package model

import (
	"cmp"
	"slices"
)

// MapExtent is which tasks a map shows.
type MapExtent uint8

// The extents. The first four start at MapQuery.Root and go along dependencies, at most
// MapQuery.Radius edges far; the others show the dependencies inside of a set of tasks, whatever
// the radius.
const (
	MapAround     MapExtent = iota // what the task needs, and what needs it
	MapUpstream                    // what it needs
	MapDownstream                  // what needs it
	MapBlocked                     // what holds it back: dependencies that are not met, subtasks that it waits for
	MapSubtree                     // the task and all below it; of a task without subtasks its parent and all below that
	MapMilestone                   // the tasks of its milestone
	MapCritical                    // the critical path of all open work (Schedule.Path); the root is where it is
	MapTasks                       // MapQuery.Tasks: what a search found
)

// MapGrouping is what tasks can be drawn together by.
type MapGrouping uint8

// The groupings.
const (
	MapByParent    MapGrouping = iota // a task and all below it
	MapByMilestone                    // the tasks of a milestone
)

// The limits of a map where a MapQuery names none.
const (
	MapSiblings = 8   // of one task in one direction
	MapMost     = 200 // in all
)

// timesAlone is how many times as many tasks without an edge a set shows one by one as neighbours of a task.
const timesAlone = 3

// MapQuery says which tasks a map is to show.
type MapQuery struct {
	Extent MapExtent
	Root   UID
	Radius int     // edges from Root at most; 0: as far as they go
	Tasks  []int32 // of MapTasks, ascending

	Show func(i int) bool // which tasks may be shown at all; nil: all. The root always is
	// Stay says which tasks were shown last: they are the last to be folded, so that a change
	// elsewhere moves nothing. nil: none.
	Stay func(UID) bool

	Siblings int            // more of them become one node "+N"; 0: MapSiblings
	Most     int            // tasks in all, likewise; 0: MapMost
	More     map[string]int // by the key of a fold: how many more it is to let out

	GroupBy MapGrouping
	Groups  map[string]bool // keys of the groups that are one node
}

// MapNodeKind is what a node of a map stands for.
type MapNodeKind uint8

// The kinds of nodes.
const (
	MapTask  MapNodeKind = iota // one task
	MapGroup                    // the tasks of a group that the map would show one by one
	MapFold                     // tasks too many to show one by one
)

// MapNode is one node of a map.
type MapNode struct {
	Kind  MapNodeKind
	Key   string // the same for the same thing in every snapshot
	Task  int32  // of a task; of a group the task that heads it, -1 for a milestone; -1 for a fold
	Name  string // of a milestone
	Count int    // tasks that it stands for
	Worst Status // of those
	Of    int32  // of a fold: the node whose neighbours are folded; -1 for those of a set
	Up    bool   // of a fold: they are dependencies
	// HiddenUp and HiddenDown are edges to dependencies and to dependents that the map does not
	// show, those into a fold of this node not counted.
	HiddenUp, HiddenDown int
	Cycle                bool // depends on itself, directly or through others
}

// MapEdge is an edge of a map, from a dependency to what depends on it.
type MapEdge struct {
	From, To int32 // nodes
	// Cycle: it is part of a dependency cycle of tasks. Groups that are drawn as one node may
	// close a ring without any: they are interleaved.
	Cycle bool
	Waits bool // no dependency: To waits for its subtask From; only of MapBlocked and MapCritical
}

// TaskMap is what a map shows: nodes and edges in an order that depends on the tasks alone.
type TaskMap struct {
	Nodes []MapNode
	Edges []MapEdge
	Root  int // the node of MapQuery.Root; -1 when it is not shown
	// Left is how many tasks MapQuery.Show left out that would be there otherwise.
	Left int
}

// Map finds what a map shows. Extents that start at a task cost what they show and the
// neighbours of that; MapSubtree and MapTasks cost a pass over their tasks.
func (s *Snapshot) Map(q MapQuery) *TaskMap {
	r := reach{s: s, q: q, in: map[int32]bool{}, out: map[int32]bool{}, held: map[foldAt][]int32{}}
	r.q.Siblings = cmp.Or(q.Siblings, MapSiblings)
	r.q.Most = cmp.Or(q.Most, MapMost)
	for _, n := range q.More {
		r.q.Most += n
	}
	root, ok := s.lookup(q.Root)
	if !ok {
		root = -1
	}
	switch {
	case q.Extent == MapTasks:
		r.set(q.Tasks, root)
	case q.Extent == MapCritical:
		r.chain(s.Schedule().Path)
	case root < 0:
	case q.Extent == MapSubtree:
		r.set(s.below(root), root)
	case q.Extent == MapMilestone:
		r.set(s.besides(root), root)
	default:
		r.walk(root)
	}
	return r.draw(root)
}

// below is the subtree that a task stands for: its own, or that of its parent when nothing
// is below it.
func (s *Snapshot) below(i int32) []int32 {
	if p := s.tree.parent[i]; p >= 0 && s.tree.kids.degree(i) == 0 {
		i = p
	}
	list := []int32{i}
	for k := 0; k < len(list); k++ {
		list = append(list, s.tree.kids.of(list[k])...)
	}
	slices.Sort(list)
	return list
}

// besides are the tasks of a task's milestone; the task alone where it has none.
func (s *Snapshot) besides(i int32) []int32 {
	k := s.MilestoneOf(int(i))
	if k < 0 {
		return []int32{i}
	}
	return s.Milestones()[k].Tasks
}

// waitsFor are the tasks that keep task i waiting without being dependencies of it.
func (r *reach) waitsFor(i int32) []int32 {
	switch r.q.Extent {
	case MapBlocked:
		return r.s.awaited(i)
	case MapCritical:
		var out []int32
		for _, w := range r.s.Schedule().waits.out.of(i) {
			if !r.s.graph.dependsOn(i, w) {
				out = append(out, w)
			}
		}
		return out
	}
	return nil
}

// GroupsOf are the keys of the groups with task i in them, the smallest first: of each task above
// it with all below that, its own among them where it has subtasks; or of its milestone.
func (s *Snapshot) GroupsOf(i int, by MapGrouping) (keys []string) {
	if by == MapByMilestone {
		if id := s.MilestoneID(i); id != "" {
			keys = append(keys, milestoneKey+id)
		}
		return keys
	}
	for v := int32(i); v >= 0; v = s.tree.parent[v] {
		if s.tree.kids.degree(v) > 0 {
			keys = append(keys, parentKey+string(s.tasks.uid(v)))
		}
	}
	return keys
}

// GroupWith is the key of the smallest group with task i in it that has one of the others in it too; "" when there is none.
func (s *Snapshot) GroupWith(i int, others []int32, by MapGrouping) string {
	if by == MapByMilestone {
		id := s.MilestoneID(i)
		if id != "" && slices.ContainsFunc(others, func(o int32) bool { return s.MilestoneID(int(o)) == id }) {
			return milestoneKey + id
		}
		return ""
	}
	for v := int32(i); v >= 0; v = s.tree.parent[v] {
		if s.tree.kids.degree(v) > 0 && slices.ContainsFunc(others, func(o int32) bool { return s.tree.within(o, v) }) {
			return parentKey + string(s.tasks.uid(v))
		}
	}
	return ""
}

// GroupAround is the key of the largest group with task i in it that has not task root in it,
// "" when there is none. With milestones it is that of i, whatever root is.
func (s *Snapshot) GroupAround(i, root int, by MapGrouping) string {
	if by == MapByMilestone {
		for _, key := range s.GroupsOf(i, by) {
			return key
		}
		return ""
	}
	best := int32(-1)
	for v := int32(i); v >= 0 && (root < 0 || !s.tree.within(int32(root), v)); v = s.tree.parent[v] {
		if s.tree.kids.degree(v) > 0 {
			best = v
		}
	}
	if best < 0 {
		return ""
	}
	return parentKey + string(s.tasks.uid(best))
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

// TaskKey is the key of the node of one task.
func TaskKey(uid UID) string { return taskKey + string(uid) }

// milestoneName is what a milestone is called.
func (s *Snapshot) milestoneName(id string) string {
	if k := s.stones.Index(id); k >= 0 && s.stones.List[k].Name != "" {
		return s.stones.List[k].Name
	}
	return id
}

// folded is the group of task i that is drawn as one node, "" for none: the outermost one.
func (r *reach) folded(i int32) (key string, head int32) {
	if len(r.q.Groups) == 0 {
		return "", -1
	}
	if r.q.GroupBy == MapByMilestone {
		if id := r.s.MilestoneID(int(i)); id != "" && r.q.Groups[milestoneKey+id] {
			return milestoneKey + id, -1
		}
		return "", -1
	}
	head = -1
	for v := i; v >= 0; v = r.s.tree.parent[v] {
		if k := parentKey + string(r.s.tasks.uid(v)); r.q.Groups[k] {
			key, head = k, v
		}
	}
	return key, head
}

// draw makes nodes and edges of what was reached.
func (r *reach) draw(root int32) *TaskMap {
	m := &TaskMap{Root: -1, Left: len(r.out)}
	slices.Sort(r.list)
	of := make(map[int32]int32, len(r.list))
	groups := map[string]int32{}
	for _, i := range r.list {
		of[i] = r.node(m, groups, i)
		if n := &m.Nodes[of[i]]; n.Kind == MapGroup {
			n.Worst = worse(n.Worst, r.s.status[i])
			n.Count++
			n.Cycle = n.Cycle || r.s.graph.inCycle(i)
		}
	}
	if at, ok := of[root]; ok {
		m.Root = int(at)
	}
	r.edges(m, of)
	r.folds(m, of)
	return m
}

func (r *reach) node(m *TaskMap, groups map[string]int32, i int32) int32 {
	at := int32(len(m.Nodes))
	key, head := r.folded(i)
	if key == "" {
		m.Nodes = append(m.Nodes, MapNode{
			Kind: MapTask, Key: TaskKey(r.s.tasks.uid(i)), Task: i, Count: 1, Worst: r.s.status[i], Of: -1, Cycle: r.s.graph.inCycle(i),
		})
		return at
	}
	if g, ok := groups[key]; ok {
		return g
	}
	n := MapNode{Kind: MapGroup, Key: key, Task: head, Of: -1, Worst: r.s.status[i]}
	if head < 0 {
		n.Name = r.s.milestoneName(key[len(milestoneKey):])
	}
	m.Nodes = append(m.Nodes, n)
	groups[key] = at
	return at
}

// worse is the worse of two statuses, in the order of WorstFirst.
func worse(a, b Status) Status {
	var c Counts
	c[a], c[b] = 1, 1
	return c.Worst()
}

func (r *reach) edges(m *TaskMap, of map[int32]int32) {
	at := map[[2]int32]int{}
	add := func(from, to int32, cycle, waits bool) {
		if from == to {
			return
		}
		k, ok := at[[2]int32{from, to}]
		if !ok {
			k = len(m.Edges)
			at[[2]int32{from, to}] = k
			m.Edges = append(m.Edges, MapEdge{From: from, To: to, Waits: waits})
		}
		e := &m.Edges[k]
		e.Cycle = e.Cycle || cycle
		e.Waits = e.Waits && waits
	}
	g := r.s.graph
	for _, i := range r.list {
		to := of[i]
		m.Nodes[to].HiddenDown += int(g.in.degree(i))
		for _, d := range g.out.of(i) {
			from, ok := of[d]
			if !ok {
				m.Nodes[to].HiddenUp++
				continue
			}
			m.Nodes[from].HiddenDown--
			add(from, to, g.ring != nil && g.ring[d] >= 0 && g.ring[d] == g.ring[i], false)
		}
		for _, c := range r.waitsFor(i) {
			if from, ok := of[c]; ok {
				add(from, to, false, true)
			}
		}
	}
}

// folds adds the nodes "+N".
func (r *reach) folds(m *TaskMap, of map[int32]int32) {
	for _, at := range r.heldAt {
		n := MapNode{Kind: MapFold, Key: at.key(r.s), Task: -1, Of: -1, Up: at.up}
		var counts Counts
		for _, i := range r.held[at] {
			if !r.in[i] {
				counts[r.s.status[i]]++
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
			e := MapEdge{From: n.Of, To: fold}
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
