package model

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Input is what a Snapshot is built from.
type Input struct {
	Seq      uint64 // last log entry
	StoreID  string
	Head     string // sha256 of the last log entry
	Tasks    []*Task
	Problems []Problem // of the store as a whole; each task brings its own
	Requests []Request
	Policy   Policy
}

// Counts is how many tasks have each status.
type Counts [NumStatuses]int32

// Snapshot is the whole store at one moment: its tasks with their derived statuses, the
// tree and the dependency graph. It never changes, and any number of goroutines may use
// it at once; With makes the next one. Tasks are known by their index in uid order,
// which is the order of creation.
//
// A *Snapshot is a World without bytes: Apply and Allowed can preview on it.
type Snapshot struct {
	seq      uint64
	storeID  string
	head     string
	policy   Policy
	problems []Problem // of the store
	requests []Request // by time, then id

	tasks  []*Task // by uid
	index  map[UID]int32
	tree   *tree
	graph  *graph
	unmet  []int32 // per task: dependencies that hold it back, unknown ones included
	status []Status
	rolled pages[rollup]
	total  Counts
	flawed []int32 // tasks with problems of their own, ascending

	// What only some callers need is made on first use.
	names       *nameIndex
	components  func() []int32
	chains      func() []int32
	ready       func() []int32
	allProblems func() problemList
	inbox       func() []InboxItem
}

// rollup is what a subtree adds up to.
type rollup struct {
	counts       Counts
	done, leaves int32 // of its leaf tasks: completed, and all that were not aborted
}

func (r *rollup) add(d *rollup) {
	r.counts.add(&d.counts)
	r.done += d.done
	r.leaves += d.leaves
}

// NewSnapshot builds a snapshot from scratch. It never fails: what is wrong with the
// tree, the graph or a uid becomes a Problem, and every task stays visible. It takes over
// nothing that it would change; the tasks must not be changed afterwards.
func NewSnapshot(in Input) *Snapshot {
	s := &Snapshot{
		seq:      in.Seq,
		storeID:  in.StoreID,
		head:     in.Head,
		policy:   in.Policy,
		requests: mergeRequests(nil, in.Requests),
		names:    &nameIndex{},
	}
	s.tasks, s.problems = sortTasks(in.Tasks, in.Problems)
	s.index = indexUIDs(s.tasks)
	var met []bool
	var wg sync.WaitGroup // each of these walks all tasks, and none needs another
	wg.Go(func() { s.tree = newTree(s.parents()) })
	wg.Go(func() { s.graph = s.newGraph() })
	wg.Go(func() { met = s.readStatuses() })
	wg.Wait()
	s.derive(met)
	s.rollUp()
	s.lazy()
	return s
}

// lazy sets the parts that are made on first use.
func (s *Snapshot) lazy() {
	s.components = sync.OnceValue(s.graph.components)
	s.lazyStatus()
}

// lazyStatus sets those of them that depend on more than the edges.
func (s *Snapshot) lazyStatus() {
	s.chains = sync.OnceValue(s.findChains)
	s.ready = sync.OnceValue(s.findReady)
	s.allProblems = sync.OnceValue(s.findProblems)
	s.inbox = sync.OnceValue(s.findInbox)
}

// sortTasks orders tasks by uid and drops nil ones. Of several with one uid the first
// stays, and the others become a problem: the store sees to it that this cannot be.
func sortTasks(in []*Task, problems []Problem) ([]*Task, []Problem) {
	tasks := slices.DeleteFunc(slices.Clone(in), func(t *Task) bool { return t == nil })
	problems = slices.Clip(problems)
	byUID := func(a, b *Task) int { return cmp.Compare(a.UID, b.UID) }
	if !slices.IsSortedFunc(tasks, byUID) {
		slices.SortStableFunc(tasks, byUID)
	}
	kept := tasks[:0]
	for _, t := range tasks {
		if len(kept) > 0 && kept[len(kept)-1].UID == t.UID {
			problems = append(problems, Problem{
				UID: t.UID, Path: taskPath(t.UID, ""), Severity: Error, Code: "duplicate-uid",
				Reason: fmt.Sprintf("%s is there more than once; the first is shown", t.UID),
				Hint:   "give one of them another uid",
			})
			continue
		}
		kept = append(kept, t)
	}
	return kept, problems
}

// mergeRequests puts newer over old, known by id, in order of time and then id.
func mergeRequests(old, newer []Request) []Request {
	out := slices.Clone(old)
	at := make(map[string]int, len(old)+len(newer))
	for i := range out {
		at[out[i].ID] = i
	}
	for _, r := range newer {
		if i, ok := at[r.ID]; ok {
			out[i] = r
			continue
		}
		at[r.ID] = len(out)
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Request) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// parents resolves every parent_uid to an index.
func (s *Snapshot) parents() []int32 {
	out := make([]int32, len(s.tasks))
	for i, t := range s.tasks {
		out[i] = s.resolveParent(t.Config.ParentUID)
	}
	return out
}

func (s *Snapshot) resolveParent(uid UID) int32 {
	if uid == "" {
		return noParent
	}
	if i, ok := s.lookup(uid); ok {
		return i
	}
	return unknownParent
}

// newGraph resolves every dependency to an index.
func (s *Snapshot) newGraph() *graph {
	n := len(s.tasks)
	edges := 0
	for _, t := range s.tasks {
		edges += len(t.DependsOn)
	}
	g := &graph{
		out:     adjacency{off: make([]int32, n+1), to: make([]int32, 0, edges)},
		missing: make([]int32, n),
	}
	seen := make([]int32, n) // 1 + the last task that named it
	for i, t := range s.tasks {
		from := int32(i)
		for k, uid := range t.DependsOn {
			d, ok := s.lookup(uid)
			switch {
			case !ok:
				if !slices.Contains(t.DependsOn[:k], uid) {
					g.missing[i]++
					g.dangling = append(g.dangling, dangling{from, uid})
				}
			case seen[d] == from+1:
			case d == from:
				seen[d] = from + 1
				g.selves = append(g.selves, from)
			default:
				seen[d] = from + 1
				g.out.to = append(g.out.to, d)
			}
		}
		g.out.off[i+1] = int32(len(g.out.to))
	}
	g.finish()
	return g
}

// readStatuses takes from the tasks, which are scattered in memory, what the edges need
// to know: each one's own status, and which of them are met as dependencies.
func (s *Snapshot) readStatuses() (met []bool) {
	met = make([]bool, len(s.tasks))
	s.status = make([]Status, len(s.tasks))
	for i, t := range s.tasks {
		met[i] = s.policy.met(t)
		s.status[i] = ownStatus(t)
		if len(t.Problems) > 0 {
			s.flawed = append(s.flawed, int32(i))
		}
	}
	return met
}

// derive turns own statuses into whole ones.
func (s *Snapshot) derive(met []bool) {
	s.unmet = slices.Clone(s.graph.missing)
	for i := range int32(len(s.tasks)) {
		for _, d := range s.graph.out.of(i) {
			if !met[d] {
				s.unmet[i]++
			}
		}
		s.status[i] = s.status[i].held(s.unmet[i] > 0, s.graph.inCycle(i))
	}
}

// deriveAt is derive for one task whose unmet is known.
func (s *Snapshot) deriveAt(i int32) Status {
	return ownStatus(s.tasks[i]).held(s.unmet[i] > 0, s.graph.inCycle(i))
}

// rollUp adds the statuses up the tree, children before their parents.
func (s *Snapshot) rollUp() {
	n := len(s.tasks)
	s.rolled = newPages[rollup](n)
	for k := n - 1; k >= 0; k-- {
		v := s.tree.order[k]
		sum := s.rolled.at(v)
		own := s.share(v)
		sum.counts[s.status[v]]++
		sum.done += own.done
		sum.leaves += own.leaves
		if p := s.tree.parent[v]; p != noParent {
			s.rolled.at(p).add(sum)
		}
		s.total[s.status[v]]++
	}
}

// leafShare is what one task adds to the progress of the tasks above it.
type leafShare struct{ done, leaves int32 }

// share is nothing for a task with children, whose progress is theirs, and for one that
// was aborted, which is no longer part of the work.
func (s *Snapshot) share(v int32) leafShare {
	if s.tree.kids.degree(v) > 0 || s.status[v] == StatusAborted {
		return leafShare{}
	}
	if t := s.tasks[v]; t.Status.CurrentState == Completed && s.status[v] != StatusProblem {
		return leafShare{1, 1}
	}
	return leafShare{0, 1}
}

// Len is the number of tasks.
func (s *Snapshot) Len() int { return len(s.tasks) }

// Seq is the number of the last log entry that is in here.
func (s *Snapshot) Seq() uint64 { return s.seq }

// StoreID names the store.
func (s *Snapshot) StoreID() string { return s.storeID }

// Head is the sha256 of the last log entry that is in here.
func (s *Snapshot) Head() string { return s.head }

// Policy is the project's policy.
func (s *Snapshot) Policy() Policy { return s.policy }

// Requests are all of them, answered ones too, oldest first. Do not modify it.
func (s *Snapshot) Requests() []Request { return s.requests }

// At is task i, 0 ≤ i < Len. Do not modify it.
func (s *Snapshot) At(i int) *Task { return s.tasks[i] }

// Index finds a task by its whole uid; Find takes what a person types.
func (s *Snapshot) Index(uid UID) (int, bool) {
	i, ok := s.lookup(uid)
	return int(i), ok
}

// Task finds a task by its whole uid. Do not modify it.
func (s *Snapshot) Task(uid UID) (*Task, bool) {
	i, ok := s.lookup(uid)
	if !ok {
		return nil, false
	}
	return s.tasks[i], true
}

// Status is the one word for task i (DESIGN §4).
func (s *Snapshot) Status(i int) Status { return s.status[i] }

// Counts is how many tasks of each status the subtree of task i has, itself included.
func (s *Snapshot) Counts(i int) Counts { return s.rolled.at(int32(i)).counts }

// Total is how many tasks of each status the store has.
func (s *Snapshot) Total() Counts { return s.total }

// Worst is the worst status in the subtree of task i, itself included, in the order of
// WorstFirst: done and aborted show only where there is nothing else.
func (s *Snapshot) Worst(i int) Status { return s.rolled.at(int32(i)).counts.Worst() }

// Progress counts the leaf tasks at and below task i (DESIGN §8): those that are
// completed, reviewed or not, and all of them. Aborted ones count in neither.
func (s *Snapshot) Progress(i int) (done, total int) {
	r := s.rolled.at(int32(i))
	return int(r.done), int(r.leaves)
}

// Content is ErrNoContent: a snapshot holds no bytes.
func (s *Snapshot) Content(UID, Doc) (Content, error) { return Content{}, ErrNoContent }

// ResultHash is ErrNoContent: a snapshot holds no bytes.
func (s *Snapshot) ResultHash(UID) (string, error) { return "", ErrNoContent }

// ResultFile is ErrNoContent: a snapshot holds no bytes.
func (s *Snapshot) ResultFile(UID, string) ([]byte, error) { return nil, ErrNoContent }
