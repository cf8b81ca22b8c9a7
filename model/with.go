package model

import (
	"cmp"
	"slices"
	"sync"
)

// With is the snapshot after a transaction: changed tasks and requests replace those of
// the same uid or id, and new ones are added. It equals NewSnapshot of the same tasks.
//
// A transaction that changes neither the tree nor the edges, which is nearly every one,
// costs a copy of a few flat slices and the work for the tasks it concerns: those that
// changed, their dependants, and the counts of the tasks above them.
func (s *Snapshot) With(seq uint64, head string, changed []*Task, requests []Request) *Snapshot {
	at, ok := s.places(changed)
	if !ok {
		return s.rebuilt(seq, head, changed, requests)
	}
	n := &Snapshot{
		seq: seq, storeID: s.storeID, head: head, policy: s.policy,
		problems: s.problems, requests: s.requests,
		tasks: s.tasks, index: s.index, tree: s.tree, graph: s.graph,
		unmet: s.unmet, status: s.status, rolled: s.rolled, total: s.total, flawed: s.flawed,
		names: s.names, components: s.components,
	}
	if len(requests) > 0 {
		n.requests = mergeRequests(s.requests, requests)
	}
	if len(at) > 0 {
		n.replace(s, at, changed)
	}
	n.lazyStatus()
	return n
}

// places finds the index of each changed task, or says that the tree or an edge is
// another now.
func (s *Snapshot) places(changed []*Task) ([]int32, bool) {
	at := make([]int32, len(changed))
	for k, t := range changed {
		if t == nil {
			return nil, false
		}
		i, ok := s.lookup(t.UID)
		if !ok {
			return nil, false
		}
		old := s.tasks[i]
		if old.Config.ParentUID != t.Config.ParentUID || !slices.Equal(old.DependsOn, t.DependsOn) {
			return nil, false
		}
		at[k] = i
	}
	return at, true
}

// rebuilt is With the long way.
func (s *Snapshot) rebuilt(seq uint64, head string, changed []*Task, requests []Request) *Snapshot {
	tasks := slices.Clone(s.tasks)
	added := map[UID]int{}
	for _, t := range changed {
		if t == nil {
			continue
		}
		if i, ok := s.lookup(t.UID); ok {
			tasks[i] = t
		} else if k, ok := added[t.UID]; ok {
			tasks[k] = t
		} else {
			added[t.UID] = len(tasks)
			tasks = append(tasks, t)
		}
	}
	return NewSnapshot(Input{
		Seq: seq, StoreID: s.storeID, Head: head, Policy: s.policy,
		Tasks: tasks, Problems: s.problems, Requests: mergeRequests(s.requests, requests),
	})
}

// replace puts changed at places at of n, which so far shares everything with old.
func (n *Snapshot) replace(old *Snapshot, at []int32, changed []*Task) {
	n.tasks = slices.Clone(old.tasks)
	n.unmet = slices.Clone(old.unmet)
	n.status = slices.Clone(old.status)
	for k, i := range at {
		n.tasks[i] = changed[k]
	}
	slices.Sort(at)
	at = slices.Compact(at) // of two images of one task the later one counts, once
	concerned := slices.Clone(at)
	for _, i := range at {
		was, is := n.policy.met(old.tasks[i]), n.policy.met(n.tasks[i])
		if was == is {
			continue
		}
		delta := int32(1)
		if is {
			delta = -1
		}
		for _, d := range n.graph.in.of(i) {
			n.unmet[d] += delta
			concerned = append(concerned, d)
		}
	}
	slices.Sort(concerned)
	concerned = slices.Compact(concerned)
	rolled := old.rolled.edit()
	for _, i := range concerned {
		n.restate(old, rolled, i)
	}
	n.rolled = rolled.pages
	n.reindex(old, at)
}

// restate derives task i anew and carries what is different up the tree.
func (n *Snapshot) restate(old *Snapshot, rolled *editor[rollup], i int32) {
	was, is := old.status[i], n.deriveAt(i)
	n.status[i] = is
	had, has := old.share(i), n.share(i)
	if was == is && had == has {
		return
	}
	n.total[was]--
	n.total[is]++
	for v := i; v != noParent; v = n.tree.parent[v] {
		r := rolled.change(v)
		r.counts[was]--
		r.counts[is]++
		r.done += has.done - had.done
		r.leaves += has.leaves - had.leaves
	}
}

// reindex refreshes the lists that are kept beside the tasks, where they differ.
func (n *Snapshot) reindex(old *Snapshot, at []int32) {
	for _, i := range at {
		if old.tasks[i].Config.Name != n.tasks[i].Config.Name {
			n.names = &nameIndex{}
		}
		was, is := len(old.tasks[i].Problems) > 0, len(n.tasks[i].Problems) > 0
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

// nameIndex finds tasks by name. Snapshots in which no name differs share one.
type nameIndex struct {
	once sync.Once
	at   map[string][]int32
}

func (x *nameIndex) find(tasks []*Task, name string) []int32 {
	x.once.Do(func() {
		x.at = make(map[string][]int32, len(tasks))
		for i, t := range tasks {
			if t.Config.Name != "" {
				x.at[t.Config.Name] = append(x.at[t.Config.Name], int32(i))
			}
		}
	})
	return x.at[name]
}
