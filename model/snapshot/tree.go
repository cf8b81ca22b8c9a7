package snapshot

import (
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/graph"
)

// What a task's parent_uid can be besides the index of another task.
const (
	noParent      int32 = -1
	unknownParent int32 = -2
)

// tree is the hierarchy that parent_uid spells. It depends on parent_uid
// alone, so snapshots in which no parent changed share one.
type tree struct {
	parent []int32 // noParent for a root
	kids   graph.Rows
	roots  []int32
	depth  []int32
	order  []int32 // every task, parents before their children; only of a tree that was built as a whole
	inner  []int32 // number of a task with children among those; -1 for one without
	inners int     // tasks with children
	spans  func() spans
	cut    func() graph.Set // tasks whose parent_uid names none that they could be shown below

	orphans []int32   // parent_uid names no task; shown as roots
	selves  []int32   // parent_uid names the task itself; shown as roots
	cycles  [][]int32 // parent cycles: each member's parent is the next; all shown as roots
}

// newTree takes parent over and repairs it: whatever is no tree is cut so that the tasks
// concerned become roots, and is listed.
func newTree(parent []int32) *tree {
	t := &tree{parent: parent}
	for i, p := range parent {
		switch p {
		case unknownParent:
			t.orphans = append(t.orphans, int32(i))
			parent[i] = noParent
		case int32(i):
			t.selves = append(t.selves, int32(i))
			parent[i] = noParent
		}
	}
	t.cutCycles()
	t.layOut()
	return t
}

// cutCycles walks up from each task until it meets ground that an earlier walk covered.
// Meeting its own trail instead is a cycle. It is told from its lowest member on, so that
// the same files always tell the same story.
func (t *tree) cutCycles() {
	walk := make([]int32, len(t.parent))
	for i := range t.parent {
		id := int32(i) + 1
		v := int32(i)
		for v != noParent && walk[v] == 0 {
			walk[v] = id
			v = t.parent[v]
		}
		if v == noParent || walk[v] != id {
			continue
		}
		low := v
		for u := t.parent[v]; u != v; u = t.parent[u] {
			low = min(low, u)
		}
		var cycle []int32
		for u := low; len(cycle) == 0 || u != low; {
			cycle = append(cycle, u)
			u, t.parent[u] = t.parent[u], noParent
		}
		t.cycles = append(t.cycles, cycle)
	}
}

// layOut fills everything that follows from parent.
func (t *tree) layOut() {
	n := len(t.parent)
	up := graph.Rows{Off: make([]int32, n+1), To: make([]int32, 0, n)}
	for i, p := range t.parent {
		if p == noParent {
			t.roots = append(t.roots, int32(i))
		} else {
			up.To = append(up.To, p)
		}
		up.Off[i+1] = int32(len(up.To))
	}
	t.kids = up.Reversed()
	t.order = t.walk()
	t.depth = make([]int32, n)
	for _, v := range t.order {
		if p := t.parent[v]; p != noParent {
			t.depth[v] = t.depth[p] + 1
		}
	}
	t.inner = make([]int32, n)
	for i := range int32(n) {
		t.inner[i] = -1
		if t.kids.Degree(i) > 0 {
			t.inner[i] = int32(t.inners)
			t.inners++
		}
	}
	t.lazy()
}

// lazy sets what is made on first use.
func (t *tree) lazy() {
	t.spans = sync.OnceValue(t.findSpans)
	t.cut = sync.OnceValue(func() (cut graph.Set) {
		for _, list := range append([][]int32{t.orphans, t.selves}, t.cycles...) {
			for _, i := range list {
				cut.Add(i)
			}
		}
		return cut
	})
}

// walk is every task, parents before their children.
func (t *tree) walk() []int32 {
	if t.order != nil {
		return t.order
	}
	order := append(make([]int32, 0, t.len()), t.roots...)
	for k := 0; k < len(order); k++ {
		order = append(order, t.kids.Of(order[k])...)
	}
	return order
}

// spans is where subtrees are in a depth-first walk: that of i is pos[i] … pos[i]+size[i]-1.
type spans struct {
	pos, size []int32
}

func (t *tree) findSpans() spans {
	n := t.len()
	x := spans{make([]int32, n), make([]int32, n)}
	order := t.walk()
	for _, v := range slices.Backward(order) {
		x.size[v]++
		if p := t.parent[v]; p != noParent {
			x.size[p] += x.size[v]
		}
	}
	next := int32(0)
	for _, r := range t.roots {
		x.pos[r] = next
		next += x.size[r]
	}
	for _, v := range order {
		next := x.pos[v] + 1
		for _, c := range t.kids.Of(v) {
			x.pos[c] = next
			next += x.size[c]
		}
	}
	return x
}

func (t *tree) len() int { return len(t.parent) }

// raw is parent as it was before newTree repaired it, as a copy.
func (t *tree) raw() []int32 {
	out := append([]int32(nil), t.parent...)
	for _, i := range t.orphans {
		out[i] = unknownParent
	}
	for _, i := range t.selves {
		out[i] = i
	}
	for _, c := range t.cycles {
		for k, i := range c {
			out[i] = c[(k+1)%len(c)]
		}
	}
	return out
}

// within reports whether i is in the subtree of a, a itself included.
func (t *tree) within(i, a int32) bool {
	x := t.spans()
	return x.pos[i] >= x.pos[a] && x.pos[i] < x.pos[a]+x.size[a]
}

// Roots are the tasks without a parent in this store, in uid order. Do not modify it.
func (s *Snapshot) Roots() []int32 { return s.tree.roots }

// Children are the tasks whose parent is task i, in uid order. Do not modify it.
func (s *Snapshot) Children(i int) []int32 { return s.tree.kids.Of(int32(i)) }

// Parent is the parent of task i; -1 for a root, and for a task whose parent_uid is
// unknown, its own, or part of a cycle.
func (s *Snapshot) Parent(i int) int32 { return s.tree.parent[i] }

// Depth is how many ancestors task i has.
func (s *Snapshot) Depth(i int) int { return int(s.tree.depth[i]) }

// ChildUIDs are the uids of Children; nil for an unknown task.
func (s *Snapshot) ChildUIDs(uid model.UID) []model.UID {
	i, ok := s.Index(uid)
	if !ok {
		return nil
	}
	return s.uids(s.Children(i))
}

func (s *Snapshot) uids(list []int32) []model.UID {
	if len(list) == 0 {
		return nil
	}
	out := make([]model.UID, len(list))
	for k, i := range list {
		out[k] = s.tasks.uid(i)
	}
	return out
}

// SameTree reports whether two snapshots have the same tasks in the same places. Of a
// snapshot and one that With made of it that is known; otherwise it takes a pass over both.
func (s *Snapshot) SameTree(o *Snapshot) bool {
	return s.tree == o.tree || s.sameTasks(o) && slices.Equal(s.tree.parent, o.tree.parent)
}

// SameGraph reports whether two snapshots have the same tasks with the same dependencies,
// like SameTree.
func (s *Snapshot) SameGraph(o *Snapshot) bool {
	return s.graph == o.graph || s.sameTasks(o) && s.graph.Out.Equal(&o.graph.Out)
}

func (s *Snapshot) sameTasks(o *Snapshot) bool {
	if s.Len() != o.Len() {
		return false
	}
	for i := range s.Len() {
		if s.UID(i) != o.UID(i) {
			return false
		}
	}
	return true
}

// eachBelow calls visit with every task below task i.
func (t *tree) eachBelow(i int32, visit func(int32)) {
	for todo := slices.Clone(t.kids.Of(i)); len(todo) > 0; {
		v := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], t.kids.Of(v)...)
		visit(v)
	}
}

// HasPhases reports a task whose children are predefined phases only: its plan is its own to write.
func HasPhases(s *Snapshot, i int) bool {
	list := s.Children(i)
	for _, c := range list {
		if s.Peek(int(c)).Phase() == "" {
			return false
		}
	}
	return len(list) > 0
}
