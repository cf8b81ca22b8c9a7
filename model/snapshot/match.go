package snapshot

import (
	"runtime"
	"slices"
	"strings"
	"sync"

	"vespe/model"
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
	f = bindLeniently(s, f)
	parts := inParts(s.tasks.n, func(from, to int) (found []int32) {
		for i := from; i < to; i++ {
			if s.Match(f, i) {
				found = append(found, int32(i))
			}
		}
		return found
	})
	return slices.Concat(parts...)
}

// inParts cuts 0 … n-1 into parts that are gone through side by side.
func inParts[T any](n int, do func(from, to int) T) []T {
	out := make([]T, max(1, min(runtime.GOMAXPROCS(0), n/selectPart)))
	var wg sync.WaitGroup
	for p := range out {
		wg.Go(func() { out[p] = do(n*p/len(out), n*(p+1)/len(out)) })
	}
	wg.Wait()
	return out
}

// candidate is a task that a filter looks at. No term needs the whole of it: a packed one is
// not decoded.
type candidate struct {
	s    *Snapshot
	i    int32
	h    head
	read bool // h is that of the task
}

func (c *candidate) head() *head {
	if !c.read {
		c.h, c.read = c.s.tasks.head(c.i), true
	}
	return &c.h
}

// bindLeniently is Bind that leaves out what it cannot find, for matching many tasks of s.
func bindLeniently(s *Snapshot, f Filter) Filter {
	f.terms = slices.Clone(f.terms)
	for k := range f.terms {
		t := &f.terms[k]
		if t.key != "under" {
			continue
		}
		t.roots, t.rootsOf = underRoots(s, t), s
	}
	return f
}

// underRoots are the tasks that t means.
func underRoots(s *Snapshot, t *term) (roots []int32) {
	uids := t.uids
	if !t.bound {
		uids = refs(s, t.values)
	}
	for _, uid := range uids {
		if i, ok := s.tasks.lookup(uid); ok {
			roots = append(roots, i)
		}
	}
	return roots
}

// refs are the tasks that values name; what names none or several is left out.
func refs(s *Snapshot, values []string) []model.UID {
	var out []model.UID
	for _, ref := range values {
		if uid, err := s.Find(ref); err == nil {
			out = append(out, uid)
		}
	}
	return out
}

func (c *candidate) matchTerm(t *term) bool {
	if t.mask&(1<<c.s.status[c.i]) != 0 || t.mask&(1<<model.StatusProblem) != 0 && c.hasUnread() {
		return true
	}
	switch t.key {
	case "status":
		return false
	case "under":
		return c.isUnder(t)
	case "by":
		return matchActor(t.values, c.head().by) || matchActor(t.values, c.head().assigned)
	}
	for _, v := range t.values {
		if c.matchValue(t.key, v) {
			return true
		}
	}
	return false
}

// hasUnread: a document of the task cannot be read, which leaves its status what it was and puts
// it among the problems all the same.
func (c *candidate) hasUnread() bool {
	_, is := slices.BinarySearch(c.s.unread(), c.i)
	return is
}

// findUnread is the tasks that an error of the store as a whole is about, ascending.
func findUnread(s *Snapshot) []int32 {
	var uids []model.UID
	for _, p := range s.problems {
		if p.Severity == model.Error && p.UID != "" {
			uids = append(uids, p.UID)
		}
	}
	return s.tasks.indexes(uids)
}

func (c *candidate) matchValue(key, v string) bool {
	switch key {
	case "":
		return c.s.tasks.contains(c.i, v)
	case "is":
		return c.matchIs(v)
	case "has":
		return c.matchHas(v)
	case "milestone":
		k := c.s.milestones().of[c.i]
		if k < 0 {
			return v == model.NoMilestone
		}
		m := &c.s.milestones().list[k]
		return strings.EqualFold(m.ID, v) || strings.EqualFold(m.Name, v)
	case "label":
		return slices.ContainsFunc(c.s.tasks.searched(c.i).labels, func(l string) bool {
			return strings.EqualFold(l, v)
		})
	case "priority":
		// Medium shares its rank with none and with what is no priority.
		if rank, want := c.s.tasks.rank(c.i), model.Priority(v).Rank(); rank != want || want != model.Priority("").Rank() {
			return rank == want
		}
	}
	switch key {
	case "type":
		return strings.EqualFold(c.head().goal, v)
	case "priority":
		p := string(c.head().priority)
		return p == v || p == "" && v == "none"
	}
	return false
}

func (c *candidate) isUnder(t *term) bool {
	roots := t.roots
	if t.rootsOf != c.s {
		roots = underRoots(c.s, t)
	}
	return slices.ContainsFunc(roots, func(a int32) bool { return c.s.tree.within(c.i, a) })
}

// matchIs answers the words of is: that are no set of statuses.
func (c *candidate) matchIs(v string) bool {
	s, i := c.s, c.i
	switch v {
	case "root":
		return s.tree.parent[i] == noParent
	case "leaf":
		return s.tree.kids.Degree(i) == 0
	case "parent":
		return s.tree.kids.Degree(i) > 0
	case "orphan":
		return s.tree.cut().Has(i)
	case "cycle":
		return s.graph.InCycle(i)
	}
	return false
}

func (c *candidate) matchHas(v string) bool {
	s, i := c.s, c.i
	switch v {
	case "dependents":
		return s.graph.In.Degree(i) > 0
	case "subtasks":
		return s.tree.kids.Degree(i) > 0
	case "problem":
		return len(s.allProblems().of[s.tasks.uid(i)]) > 0
	case "labels":
		return len(s.tasks.searched(i).labels) > 0
	case "description":
		return strings.TrimSpace(s.tasks.searched(i).description) != ""
	}
	switch v {
	case "plan":
		return s.facts[i]&hasPlan != 0
	case "objective":
		return s.facts[i]&hasObjective != 0
	case "run":
		return s.facts[i]&hasRun != 0
	case "deps":
		_, itself := slices.BinarySearch(s.graph.Selves, i)
		return itself || s.graph.Out.Degree(i) > 0 || s.graph.missing[i] > 0
	}
	return false
}

func matchActor(values []string, a model.Actor) bool {
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
