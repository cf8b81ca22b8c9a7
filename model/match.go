package model

import (
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Bind looks up the tasks that under: names, so that Match need not do it for every task
// and a name that means nothing is told. The error is Find's. The result may be used
// with other snapshots too: it holds uids.
func (s *Snapshot) Bind(f Filter) (Filter, error) {
	f.terms = slices.Clone(f.terms)
	for k := range f.terms {
		t := &f.terms[k]
		if t.key != "under" || t.bound {
			continue
		}
		t.bound = true
		t.uids = nil
		for _, ref := range t.values {
			uid, err := s.Find(ref)
			if err != nil {
				return f, err
			}
			t.uids = append(t.uids, uid)
		}
	}
	return f, nil
}

// Match reports whether f selects task i. What under: names and does not exist has
// nothing under it; Bind tells.
func (s *Snapshot) Match(f Filter, i int) bool {
	c := candidate{s: s, i: int32(i)}
	for k := range f.terms {
		if c.matchTerm(&f.terms[k]) == f.terms[k].not {
			return false
		}
	}
	return true
}

// selectPart is how many tasks one goroutine of Select looks at, at the least.
const selectPart = 1024

// Select is every task that f selects, in uid order.
func (s *Snapshot) Select(f Filter) []int32 {
	f = s.bindLeniently(f)
	n := s.tasks.n
	parts := make([][]int32, max(1, min(runtime.GOMAXPROCS(0), n/selectPart)))
	var wg sync.WaitGroup
	for p := range parts {
		wg.Go(func() {
			for i := n * p / len(parts); i < n*(p+1)/len(parts); i++ {
				if s.Match(f, i) {
					parts[p] = append(parts[p], int32(i))
				}
			}
		})
	}
	wg.Wait()
	return slices.Concat(parts...)
}

// candidate is a task that a filter looks at. The task itself is read when a term needs
// it, and not kept.
type candidate struct {
	s    *Snapshot
	i    int32
	read *Task
}

func (c *candidate) task() *Task {
	if c.read == nil {
		c.read = c.s.tasks.peek(c.i)
	}
	return c.read
}

// bindLeniently is Bind that leaves out what it cannot find.
func (s *Snapshot) bindLeniently(f Filter) Filter {
	f.terms = slices.Clone(f.terms)
	for k := range f.terms {
		if t := &f.terms[k]; t.key == "under" && !t.bound {
			t.uids, t.bound = s.refs(t.values), true
		}
	}
	return f
}

// refs are the tasks that values name; what names none or several is left out.
func (s *Snapshot) refs(values []string) []UID {
	var out []UID
	for _, ref := range values {
		if uid, err := s.Find(ref); err == nil {
			out = append(out, uid)
		}
	}
	return out
}

func (c *candidate) matchTerm(t *term) bool {
	if t.mask&(1<<c.s.status[c.i]) != 0 {
		return true
	}
	switch t.key {
	case "status":
		return false
	case "under":
		return c.s.isUnder(t, c.i)
	case "by":
		return matchActor(t.values, c.s.tasks.creator(c.i)) || matchActor(t.values, c.task().Status.AssignedAgentUID)
	}
	for _, v := range t.values {
		if c.matchValue(t.key, v) {
			return true
		}
	}
	return false
}

func (c *candidate) matchValue(key, v string) bool {
	switch key {
	case "":
		return c.s.tasks.contains(c.i, v)
	case "is":
		return c.matchIs(v)
	case "has":
		return c.matchHas(v)
	case "label":
		return slices.ContainsFunc(c.s.tasks.searched(c.i).labels, func(l string) bool {
			return strings.EqualFold(l, v)
		})
	case "priority":
		// Medium shares its rank with none and with what is no priority.
		if rank, want := c.s.tasks.rank(c.i), Priority(v).Rank(); rank != want || want != Priority("").Rank() {
			return rank == want
		}
	}
	t := c.task()
	switch key {
	case "type":
		return t.Spec != nil && strings.EqualFold(t.Spec.GoalType, v)
	case "priority":
		p := string(t.priority())
		return p == v || p == "" && v == "none"
	}
	return false
}

func (s *Snapshot) isUnder(t *term, i int32) bool {
	uids := t.uids
	if !t.bound {
		uids = s.refs(t.values)
	}
	for _, uid := range uids {
		if a, ok := s.lookup(uid); ok && s.tree.within(i, a) {
			return true
		}
	}
	return false
}

// matchIs answers the words of is: that are no set of statuses.
func (c *candidate) matchIs(v string) bool {
	s, i := c.s, c.i
	switch v {
	case "root":
		return s.tree.parent[i] == noParent
	case "leaf":
		return s.tree.kids.degree(i) == 0
	case "parent":
		return s.tree.kids.degree(i) > 0
	case "orphan":
		return s.tree.parent[i] == noParent && c.task().Config.ParentUID != ""
	case "cycle":
		return s.graph.inCycle(i)
	}
	return false
}

func (c *candidate) matchHas(v string) bool {
	s, i := c.s, c.i
	switch v {
	case "dependants":
		return s.graph.in.degree(i) > 0
	case "subtasks":
		return s.tree.kids.degree(i) > 0
	case "problem":
		return len(s.allProblems().of[s.tasks.uid(i)]) > 0
	case "labels":
		return len(s.tasks.searched(i).labels) > 0
	case "description":
		return strings.TrimSpace(s.tasks.searched(i).description) != ""
	}
	t := c.task()
	switch v {
	case "plan":
		return t.HasPlan
	case "objective":
		return t.HasObjective
	case "deps":
		return len(t.DependsOn) > 0
	case "run":
		return t.Status.CurrentRun != ""
	}
	return false
}

func matchActor(values []string, a Actor) bool {
	if a == "" {
		return false
	}
	for _, v := range values {
		if strings.EqualFold(string(a), v) || strings.EqualFold(a.Name(), v) {
			return true
		}
	}
	return false
}

// searched is what a person would search of a task, beside its uid.
type searched struct {
	name, description string
	labels            []string
}

// contains looks for low, which is lower case.
func (x *searched) contains(low string) bool {
	return containsFold(x.name, low) || containsFold(x.description, low) ||
		slices.ContainsFunc(x.labels, func(l string) bool { return containsFold(l, low) })
}
