package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/graph"
)

// grow is With where tasks keep their edges and parents, are added behind all others, as new uids are, or have
// other edges. It is false, and has done nothing, where more is different than that: a parent, the
// order of what was there, what is in a cycle or names no task.
func (n *Snapshot) grow(old *Snapshot, c changes) bool {
	stays := old.keepsEdges(c)
	if !stays && !old.canGrow(c) {
		return false
	}
	tasks := old.tasks.with(c.at, c.same)
	if len(c.added) > 0 {
		tasks, _ = tasks.grown(c.added)
	}
	g := growing{
		n:   &Snapshot{tasks: tasks, policy: old.policy, rules: old.rules, lacks: old.lacks, flawed: old.flawed, total: old.total, tree: old.tree, graph: old.graph},
		old: old, at: slices.Clone(c.at),
	}
	for i := range c.added {
		g.at = append(g.at, int32(old.tasks.n+i))
	}
	if !stays && (!g.branches() || !g.edges()) {
		return false
	}
	g.statuses()
	g.rollUp()
	n.tasks, n.tree = tasks, g.n.tree
	if !stays {
		n.graph, n.components = g.n.graph, sync.OnceValue(g.n.graph.Components)
	}
	n.own, n.facts, n.unmet, n.status = g.n.own, g.n.facts, g.n.unmet, g.n.status
	n.rolled, n.total, n.flawed = g.n.rolled, g.n.total, g.n.flawed
	return true
}

// maxGrown is how many tasks at a time are added or changed one by one; more are cheaper as
// a whole.
const maxGrown = 512

// keepsEdges reports that the tree and the graph are as they were.
func (s *Snapshot) keepsEdges(c changes) bool {
	for k, i := range c.at {
		old := s.tasks.peek(i)
		if old.Config.ParentUID != c.same[k].Config.ParentUID || !slices.Equal(old.DependsOn, c.same[k].DependsOn) {
			return false
		}
	}
	return len(c.added) == 0
}

// canGrow is what can be said without looking at edges.
func (s *Snapshot) canGrow(c changes) bool {
	t := s.tree
	if !s.graph.Acyclic() || len(t.selves) > 0 || len(t.cycles) > 0 || len(c.at)+len(c.added) > maxGrown ||
		t.kids.Crowded() || s.graph.Out.Crowded() || s.graph.In.Crowded() {
		return false
	}
	for k, i := range c.at {
		if s.tasks.head(i).parent != c.same[k].Config.ParentUID {
			return false
		}
	}
	if len(c.added) == 0 {
		return true
	}
	if int(s.tasks.search(string(c.added[0].UID))) < s.tasks.n {
		return false
	}
	// Nobody was waiting for the new ones.
	isAdded := func(uid model.UID) bool {
		_, found := slices.BinarySearchFunc(c.added, uid, func(t *model.Task, uid model.UID) int { return cmp.Compare(t.UID, uid) })
		return found
	}
	return !slices.ContainsFunc(s.graph.dangling, func(d dangling) bool { return isAdded(d.uid) }) &&
		!slices.ContainsFunc(t.orphans, func(i int32) bool { return isAdded(s.tasks.head(i).parent) })
}

// growing is a next snapshot under way.
type growing struct {
	old, n *Snapshot
	at     []int32 // tasks that are new or changed, ascending
}

// longer is a copy of list with n elements.
func longer[T any](list []T, n int) []T {
	out := make([]T, n)
	copy(out, list)
	return out
}

// branches adds the new tasks to the tree. A parent stands before its children.
func (g *growing) branches() bool {
	t, size := g.old.tree, g.n.tasks.n
	if size == t.len() {
		return true
	}
	out := *t
	out.order = nil
	out.parent, out.depth, out.inner = longer(t.parent, size), longer(t.depth, size), longer(t.inner, size)
	kids := map[int32][]int32{}
	for i := int32(t.len()); int(i) < size; i++ {
		out.inner[i] = -1
		p := parentOf(g.n.tasks.value(i), g.n.tasks.lookup)
		switch {
		case p >= i:
			return false
		case p < 0:
			if p == unknownParent {
				out.orphans = append(slices.Clip(out.orphans), i)
			}
			out.parent[i] = noParent
			out.roots = append(slices.Clip(out.roots), i)
			continue
		}
		out.parent[i], out.depth[i] = p, out.depth[p]+1
		if _, ok := kids[p]; !ok && int(p) < t.len() {
			kids[p] = slices.Clip(t.kids.Of(p))
		}
		if kids[p] = append(kids[p], i); out.inner[p] < 0 {
			out.inner[p] = int32(out.inners)
			out.inners++
		}
	}
	out.kids = t.kids.With(int32(size), kids)
	out.lazy()
	g.n.tree = &out
	return true
}

// edges brings the graph up to date. It stays one in which nothing depends on itself.
func (g *growing) edges() bool {
	old, size := g.old.graph, g.n.tasks.n
	out := &dependencyGraph{missing: longer(old.missing, size)}
	rows, in := map[int32][]int32{}, map[int32][]int32{}
	inRow := func(d int32) []int32 {
		row, ok := in[d]
		if !ok && int(d) < len(old.missing) {
			row = slices.Clone(old.In.Of(d))
		}
		return row
	}
	fresh := map[int32]bool{}
	var dangle []dangling
	for _, i := range g.at {
		fresh[i] = true
		var was []int32
		if int(i) < len(old.missing) {
			was = old.Out.Of(i)
		}
		row, missing := rowOf(g.n.tasks.value(i).DependsOn, g.n.tasks.lookup)
		for _, uid := range missing {
			dangle = append(dangle, dangling{i, uid})
		}
		out.missing[i] = int32(len(missing))
		rows[i] = row
		has, had := setOf(row), setOf(was)
		for _, d := range was {
			if !has[d] {
				list := inRow(d)
				in[d] = slices.DeleteFunc(list, func(j int32) bool { return j == i })
			}
		}
		for _, d := range row {
			if !had[d] {
				list := inRow(d)
				k, _ := slices.BinarySearch(list, i)
				in[d] = slices.Insert(list, k, i)
			}
		}
	}
	out.Out, out.In = old.Out.With(int32(size), rows), old.In.With(int32(size), in)
	kept := slices.DeleteFunc(slices.Clone(old.dangling), func(d dangling) bool { return fresh[d.from] })
	out.dangling = append(kept, dangle...)
	slices.SortStableFunc(out.dangling, func(a, b dangling) int { return cmp.Compare(a.from, b.from) })
	probes := 0
	for _, i := range g.at {
		if out.In.Degree(i) > 0 {
			probes++
		}
		if probes > maxProbes || slices.Contains(rows[i], i) || out.Reaches(i) {
			return false
		}
	}
	out.FinishAcyclic()
	g.n.graph = out
	return true
}

// rowOf is the tasks that uids name, each once, and those of them that name none.
func rowOf(uids []model.UID, find finder) (row []int32, missing []model.UID) {
	seen, unknown := map[int32]bool{}, map[model.UID]bool{}
	for _, uid := range uids {
		d, ok := find(uid)
		switch {
		case !ok && !unknown[uid]:
			unknown[uid] = true
			missing = append(missing, uid)
		case ok && !seen[d]:
			seen[d] = true
			row = append(row, d)
		}
	}
	return row, missing
}

// statuses derives what is different of the tasks' own statuses and those of who waits for
// them.
func (g *growing) statuses() {
	n, old, size := g.n, g.old, g.n.tasks.n
	n.own, n.facts = longer(old.own, size), longer(old.facts, size)
	n.unmet, n.status = longer(old.unmet, size), longer(old.status, size)
	fresh := make(map[int32]bool, len(g.at))
	for _, i := range g.at {
		fresh[i] = true
		t := n.tasks.value(i)
		n.own[i], n.facts[i] = n.ownOf(t), facts(n.policy, t)
	}
	concerned := maps.Clone(fresh)
	for _, i := range g.at {
		n.unmet[i] = n.graph.missing[i]
		for _, d := range n.graph.Out.Of(i) {
			if n.facts[d]&isMet == 0 {
				n.unmet[i]++
			}
		}
		if int(i) >= old.tasks.n {
			continue
		}
		if (old.facts[i]^n.facts[i])&isShut != 0 {
			n.tree.eachBelow(i, func(k int32) { concerned[k] = true })
		}
		was, is := old.facts[i]&isMet != 0, n.facts[i]&isMet != 0
		for _, d := range n.graph.In.Of(i) {
			if was == is || fresh[d] {
				continue
			}
			if concerned[d] = true; is {
				n.unmet[d]--
			} else {
				n.unmet[d]++
			}
		}
	}
	g.at = slices.Sorted(maps.Keys(concerned))
	n.restate(g.at)
	for _, i := range g.at {
		if is := n.facts[i]&isFlawed != 0; int(i) >= old.tasks.n && is {
			n.flawed = append(slices.Clip(n.flawed), i)
		}
	}
	n.relist(old, g.at[:sortedBefore(g.at, int32(old.tasks.n))])
}

// sortedBefore is how many of an ascending list are below limit.
func sortedBefore(list []int32, limit int32) int {
	k, _ := slices.BinarySearch(list, limit)
	return k
}

// rollUp carries what is different up the tree. A task that has its first children has
// counts of its own from now on.
func (g *growing) rollUp() {
	n, old := g.n, g.old
	if n.tree.farUp(g.at) {
		n.rollUp()
		return
	}
	more := old.rolled
	if n.tree.inners > old.tree.inners {
		more = old.rolled.Longer(n.tree.inners)
	}
	rolled := more.Edit()
	before := int32(old.tasks.n)
	at := map[int32]bool{}
	for _, i := range g.at {
		at[i] = true
	}
	for i := before; int(i) < n.tasks.n; i++ {
		if p := n.tree.parent[i]; p >= 0 && p < before && old.tree.inner[p] < 0 && !at[p] {
			at[p] = true
			g.at = append(g.at, p)
		}
	}
	for _, i := range g.at {
		if i < before && n.tree.inner[i] >= 0 && old.tree.inner[i] < 0 {
			*rolled.Change(n.tree.inner[i]) = old.rollupAt(i)
		}
	}
	for _, i := range g.at {
		is, has := n.status[i], n.share(i)
		if i >= before {
			n.total[is]++
			n.tree.carry(rolled, i, func(r *rollup) {
				r.counts[is]++
				r.done += has.done
				r.leaves += has.leaves
			})
			continue
		}
		n.recount(old, rolled, i)
	}
	n.rolled = rolled.Pages
}

// carry changes the counts of task i and of those above it.
func (t *tree) carry(rolled *graph.Editor[rollup], i int32, change func(*rollup)) {
	for v := i; v != noParent; v = t.parent[v] {
		if slot := t.inner[v]; slot >= 0 {
			change(rolled.Change(slot))
		}
	}
}

// setOf is a list as a set, for where one list is held against another.
func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, x := range list {
		set[x] = true
	}
	return set
}
