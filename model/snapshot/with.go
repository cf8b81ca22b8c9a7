package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"vespe/model"
	"vespe/model/graph"
)

// With is the snapshot after a transaction: changed tasks and requests replace those of
// the same uid or id, and new ones are added. It equals NewSnapshot of the same tasks.
//
// It costs a copy of a few flat slices and the work for the tasks it concerns: those that
// changed, their dependents, and the counts of the tasks above them. Where it closes or opens
// a cycle, moves a task, or puts one before others, it costs a few passes over such slices
// besides; tasks that did not change are not looked at.
func (s *Snapshot) With(seq uint64, head string, changed []*model.Task, requests []model.Request) *Snapshot {
	n := &Snapshot{
		seq: seq, storeID: s.storeID, head: head, policy: s.policy, rules: s.rules,
		problems: s.problems, requests: s.requests, milestoneFile: s.milestoneFile,
		tasks: s.tasks, tree: s.tree, graph: s.graph,
		unmet: s.unmet, own: s.own, lacks: s.lacks, facts: s.facts, status: s.status,
		rolled: s.rolled, total: s.total, flawed: s.flawed, onDemand: onDemand{components: s.components},
	}
	if len(requests) > 0 {
		n.requests = mergeRequests(s.requests, requests)
	}
	if c := s.tasks.sortOut(changed); len(c.at)+len(c.added) > 0 && !n.grow(s, c) {
		n.regrow(s, c)
	}
	n.lazyStatus()
	return n
}

// changes are after-images, each of another task: of several of one task the last counts.
type changes struct {
	at    []int32       // of tasks that were there already, ascending
	same  []*model.Task // these
	added []*model.Task // by uid
}

func (b *book) sortOut(changed []*model.Task) (c changes) {
	last := make(map[model.UID]*model.Task, len(changed))
	for _, t := range changed {
		if t != nil {
			last[t.UID] = t
		}
	}
	for _, uid := range slices.Sorted(maps.Keys(last)) {
		if i, ok := b.lookup(uid); ok {
			c.at, c.same = append(c.at, i), append(c.same, last[uid])
		} else {
			c.added = append(c.added, last[uid])
		}
	}
	return c
}

// regrow is With where tasks are new, or have other edges or another parent, and grow does
// not help. n shares everything with old so far.
func (n *Snapshot) regrow(old *Snapshot, c changes) {
	n.tasks = old.tasks.with(c.at, c.same)
	g := growth{old: old, n: n, fresh: map[int32]bool{}}
	if len(c.added) > 0 {
		n.tasks, g.moved = n.tasks.grown(c.added)
	}
	for _, t := range slices.Concat(c.same, c.added) {
		i, _ := n.tasks.lookup(t.UID)
		g.fresh[i] = true
	}
	g.news = len(c.added) > 0
	g.build()
}

// without is the snapshot without some of its tasks, ascending.
func (s *Snapshot) without(gone []int32) *Snapshot {
	copied := *s
	n := &copied
	g := growth{old: s, n: n, fresh: map[int32]bool{}}
	n.tasks, g.moved = s.tasks.without(gone)
	for _, i := range gone {
		for _, d := range s.graph.In.Of(i) {
			if k := g.to(d); k >= 0 {
				g.fresh[k] = true // what it depends on is missing now
			}
		}
	}
	g.build()
	n.lazyStatus()
	return n
}

// growth is what is known of the way from an old snapshot to a new one, whose tasks are there
// already.
type growth struct {
	old, n *Snapshot
	moved  []int32        // old index → new index, wentAway for none; nil: the same
	fresh  map[int32]bool // new indexes of tasks that are new or changed, or depend on what went
	news   bool           // there are tasks that were not there
}

// wentAway is the new index of a task that has none.
const wentAway int32 = -3

func (g *growth) to(i int32) int32 {
	if g.moved == nil || i < 0 {
		return i
	}
	return g.moved[i]
}

// build makes everything that follows from the tasks.
func (g *growth) build() {
	n := g.n
	var wg sync.WaitGroup
	wg.Go(func() { n.tree = newTree(g.parents()) })
	wg.Go(func() { n.graph = g.edges() })
	wg.Go(g.states)
	wg.Wait()
	n.components = sync.OnceValue(n.graph.Components)
	n.derive()
	n.rollUp()
}

// parents is every task's parent, looked up only for tasks that changed and for those that
// missed theirs.
func (g *growth) parents() []int32 {
	out := make([]int32, g.n.tasks.n)
	for i, p := range g.old.tree.raw() {
		k := g.to(int32(i))
		if k == wentAway {
			continue
		}
		if out[k] = g.to(p); out[k] == wentAway {
			out[k] = unknownParent
		}
	}
	if g.news {
		for _, i := range g.old.tree.orphans {
			k := g.to(i)
			out[k] = parentOf(g.n.tasks.peek(k), g.n.tasks.lookup)
		}
	}
	for k := range g.fresh {
		out[k] = parentOf(g.n.tasks.peek(k), g.n.tasks.lookup)
	}
	return out
}

// maxProbes is how many changed tasks are each tried for a cycle before it is cheaper to
// sort everything.
const maxProbes = 64

// edges is the graph, with the rows of tasks that did not change copied.
func (g *growth) edges() *dependencyGraph {
	old := g.old.graph
	again := maps.Clone(g.fresh) // rows that are made anew
	if g.news {
		for _, d := range old.dangling {
			again[g.to(d.from)] = true
		}
	}
	from := make([]int32, g.n.tasks.n) // old index of each; -1 for none
	for i := range from {
		from[i] = -1
	}
	for i := range int32(g.old.tasks.n) {
		if k := g.to(i); k >= 0 {
			from[k] = i
		}
	}
	kept := map[int32][]dangling{}
	for _, d := range old.dangling {
		if k := g.to(d.from); k >= 0 && !again[k] {
			kept[k] = append(kept[k], d)
		}
	}
	selves := map[int32]bool{}
	for _, i := range old.Selves {
		selves[g.to(i)] = true
	}
	b := newGraphBuilder(g.n.tasks.n, len(old.Out.To)+4*len(again), g.n.tasks.lookup)
	for k := range int32(g.n.tasks.n) {
		if again[k] {
			b.row(k, g.n.tasks.peek(k).DependsOn)
			continue
		}
		for _, d := range kept[k] {
			b.g.missing[k]++
			b.g.dangling = append(b.g.dangling, dangling{k, d.uid})
		}
		if selves[k] {
			b.g.Selves = append(b.g.Selves, k)
		}
		for _, d := range old.Out.Of(from[k]) {
			b.g.Out.To = append(b.g.Out.To, g.to(d))
		}
		b.g.Out.Off = append(b.g.Out.Off, int32(len(b.g.Out.To)))
	}
	if !old.Acyclic() || len(b.g.Selves) > 0 || len(again) > maxProbes {
		b.g.Finish()
		return b.g
	}
	b.g.TurnRound()
	for k := range again {
		if b.g.Reaches(k) {
			b.g.Finish()
			return b.g
		}
	}
	b.g.FinishAcyclic()
	return b.g
}

// states is what tasks say of themselves, asked only of those that changed.
func (g *growth) states() {
	n, old := g.n, g.old
	n.own = make([]model.Status, n.tasks.n)
	n.facts = make([]fact, n.tasks.n)
	for i := range int32(old.tasks.n) {
		if k := g.to(i); k >= 0 {
			n.own[k], n.facts[k] = old.own[i], old.facts[i]
		}
	}
	for k := range g.fresh {
		t := n.tasks.peek(k)
		n.own[k], n.facts[k] = n.ownOf(t), facts(n.policy, t)
	}
	n.flawed = nil
	for i, f := range n.facts {
		if f&isFlawed != 0 {
			n.flawed = append(n.flawed, int32(i))
		}
	}
}

// restate derives tasks anew.
func (n *Snapshot) restate(tasks []int32) {
	above := n.shutAbove
	if len(tasks) > fewTasks {
		above = n.aboves()
	}
	for _, i := range tasks {
		n.status[i] = n.deriveAt(i, above)
	}
}

// fewTasks are so few that nothing is remembered from one to the next.
const fewTasks = 16

// farUp reports whether tasks have so many above them, all together, that counting everything anew is
// less than carrying up what is different.
func (t *tree) farUp(tasks []int32) bool {
	steps := 0
	for _, i := range tasks {
		if steps += 1 + int(t.depth[i]); steps > 4*t.len() {
			return true
		}
	}
	return false
}

// recount takes what task i counted as in old out of the totals and of those above it, and puts in
// what it counts as now.
func (n *Snapshot) recount(old *Snapshot, rolled *graph.Editor[rollup], i int32) {
	was, is := old.status[i], n.status[i]
	had, has := old.share(i), n.share(i)
	if was == is && had == has {
		return
	}
	n.total[was]--
	n.total[is]++
	n.tree.carry(rolled, i, func(r *rollup) {
		r.counts[was]--
		r.counts[is]++
		r.done += has.done - had.done
		r.leaves += has.leaves - had.leaves
	})
}

// relist keeps the list of tasks with problems.
func (n *Snapshot) relist(old *Snapshot, at []int32) {
	for _, i := range at {
		was, is := old.facts[i]&isFlawed != 0, n.facts[i]&isFlawed != 0
		if was == is {
			continue
		}
		k, found := slices.BinarySearchFunc(n.flawed, i, cmp.Compare[int32])
		switch {
		case is && !found:
			n.flawed = slices.Insert(slices.Clone(n.flawed), k, i)
		case !is && found:
			n.flawed = slices.Delete(slices.Clone(n.flawed), k, k+1)
		}
	}
}
