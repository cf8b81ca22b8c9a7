package snapshot

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"vespe/model"
	"vespe/model/graph"
)

// Input is what a Snapshot is built from.
type Input struct {
	Seq      uint64 // last log entry
	StoreID  string
	Head     string // sha256 of the last log entry
	Tasks    []*model.Task
	Problems []model.Problem // of the store as a whole; each task brings its own
	Requests []model.Request
	Policy   model.Policy

	Milestones model.Milestones
}

// Counts is how many tasks have each status.
type Counts [model.NumStatuses]int32

// Snapshot is the whole store at one moment: its tasks with their derived statuses, the
// tree and the dependency graph. It never changes, and any number of goroutines may use
// it at once; With makes the next one. Tasks are known by their index in uid order,
// which is the order of creation.
//
// A *Snapshot is a World without bytes: Apply and Allowed can preview on it.
type Snapshot struct {
	seq           uint64
	storeID       string
	head          string
	policy        model.Policy
	rules         model.RulesHashes
	problems      []model.Problem // of the store
	requests      []model.Request // by time, then id
	milestoneFile model.Milestones

	tasks  book // by uid
	tree   *tree
	graph  *dependencyGraph
	unmet  []int32        // per task: dependencies that hold it back, unknown ones included
	own    []model.Status // per task: the word as far as its own files tell, and the person's keys (lacks)
	lacks  map[model.UID]model.Lack
	facts  []fact // per task
	status []model.Status
	rolled graph.Pages[rollup] // per task with children, by tree.inner
	total  Counts
	flawed []int32 // tasks with problems of their own, ascending

	onDemand
}

// rollup is what a subtree adds up to.
type rollup struct {
	counts       Counts
	done, leaves int32 // of its leaf tasks: done, and all that were not aborted
}

func (r *rollup) add(d *rollup) {
	r.counts.add(&d.counts)
	r.done += d.done
	r.leaves += d.leaves
}

// New builds a snapshot from scratch. It never fails: what is wrong with the
// tree, the graph or a uid becomes a Problem, and every task stays visible. It takes over
// nothing that it would change; the tasks must not be changed afterwards.
func New(in Input) *Snapshot {
	s := &Snapshot{
		seq:           in.Seq,
		storeID:       in.StoreID,
		head:          in.Head,
		policy:        in.Policy,
		rules:         model.RulesOf(in.Policy),
		requests:      mergeRequests(nil, in.Requests),
		milestoneFile: in.Milestones,
	}
	var tasks []*model.Task
	tasks, s.problems = sortTasks(in.Tasks, in.Problems)
	s.tasks = newBook(tasks)
	at := indexUIDs(tasks) // far quicker than searching, for as long as everything is looked up
	find := func(uid model.UID) (int32, bool) {
		i, ok := at[uid]
		return i, ok
	}
	var wg sync.WaitGroup // each of these walks all tasks, and none needs another
	wg.Go(func() { s.tree = newTree(parentsOf(tasks, find)) })
	wg.Go(func() { s.graph = graphOf(tasks, find) })
	wg.Go(func() { s.readStatuses(tasks) })
	wg.Wait()
	s.derive()
	s.rollUp()
	s.lazy()
	return s
}

// fact is what whole walks ask about a task.
type fact uint8

const (
	isMet       fact = 1 << iota // a dependency on it holds nothing back
	isCompleted                  // its state is completed
	isFlawed                     // it has problems of its own
	hasPlan
	hasObjective
	hasRun      // one is under way
	isShut      // it failed: nothing below it begins
	isElsewhere // it was accepted where it does not count here (Task.AcceptedElsewhere)
)

func facts(p model.Policy, t *model.Task) fact {
	var f fact
	if p.Met(t) {
		f |= isMet
	}
	if t.Status.CurrentState == model.Completed {
		f |= isCompleted
	}
	if len(t.Problems) > 0 {
		f |= isFlawed
	}
	if t.HasPlan {
		f |= hasPlan
	}
	if t.HasObjective {
		f |= hasObjective
	}
	if t.Status.CurrentRun != "" {
		f |= hasRun
	}
	if t.AcceptedElsewhere() != "" {
		f |= isElsewhere
	}
	if t.Status.CurrentState == model.Failed {
		f |= isShut
	}
	return f
}

// sortTasks orders tasks by uid and drops nil ones. Of several with one uid the first
// stays, and the others become a problem: the store sees to it that this cannot be.
func sortTasks(in []*model.Task, problems []model.Problem) ([]*model.Task, []model.Problem) {
	tasks := slices.DeleteFunc(slices.Clone(in), func(t *model.Task) bool { return t == nil })
	problems = slices.Clip(problems)
	if !slices.IsSortedFunc(tasks, byUID) {
		slices.SortStableFunc(tasks, byUID)
	}
	kept := tasks[:0]
	for _, t := range tasks {
		if len(kept) > 0 && kept[len(kept)-1].UID == t.UID {
			problems = append(problems, model.Problem{
				UID: t.UID, Path: taskPath(t.UID, ""), Severity: model.Error, Code: "duplicate-uid",
				Reason: fmt.Sprintf("%s exists more than once; the first one is shown", t.UID),
				Hint:   "give one of them another uid",
			})
			continue
		}
		kept = append(kept, t)
	}
	return kept, problems
}

// mergeRequests puts newer over old, known by id, in order of time and then id.
func mergeRequests(old, newer []model.Request) []model.Request {
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
	slices.SortStableFunc(out, func(a, b model.Request) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// finder is the index of a uid.
type finder func(model.UID) (int32, bool)

// parentsOf resolves every parent_uid to an index.
func parentsOf(tasks []*model.Task, find finder) []int32 {
	out := make([]int32, len(tasks))
	for i, t := range tasks {
		out[i] = parentOf(t, find)
	}
	return out
}

func parentOf(t *model.Task, find finder) int32 {
	if t.Config.ParentUID == "" {
		return noParent
	}
	if i, ok := find(t.Config.ParentUID); ok {
		return i
	}
	return unknownParent
}

// graphOf resolves every dependency to an index.
func graphOf(tasks []*model.Task, find finder) *dependencyGraph {
	edges := 0
	for _, t := range tasks {
		edges += len(t.DependsOn)
	}
	b := newGraphBuilder(len(tasks), edges, find)
	for i, t := range tasks {
		b.row(int32(i), t.DependsOn)
	}
	b.g.Finish()
	return b.g
}

// graphBuilder makes a graph row by row.
type graphBuilder struct {
	g    *dependencyGraph
	find finder
	seen []int32 // 1 + the last task that named it
}

func newGraphBuilder(n, edges int, find finder) *graphBuilder {
	return &graphBuilder{
		g: &dependencyGraph{
			Graph:   graph.Graph{Out: graph.Rows{Off: make([]int32, 1, n+1), To: make([]int32, 0, edges)}},
			missing: make([]int32, n),
		},
		find: find, seen: make([]int32, n),
	}
}

// row adds the dependencies of task i, which is the next.
func (b *graphBuilder) row(i int32, uids []model.UID) {
	g := b.g
	var missing map[model.UID]bool
	for _, uid := range uids {
		d, ok := b.find(uid)
		switch {
		case !ok:
			if !missing[uid] {
				if missing == nil {
					missing = map[model.UID]bool{}
				}
				missing[uid] = true
				g.missing[i]++
				g.dangling = append(g.dangling, dangling{i, uid})
			}
		case b.seen[d] == i+1:
		case d == i:
			b.seen[d] = i + 1
			g.Selves = append(g.Selves, i)
		default:
			b.seen[d] = i + 1
			g.Out.To = append(g.Out.To, d)
		}
	}
	g.Out.Off = append(g.Out.Off, int32(len(g.Out.To)))
}

// readStatuses takes from the tasks, which are scattered in memory, what whole walks need
// to know of each.
func (s *Snapshot) readStatuses(tasks []*model.Task) {
	s.facts = make([]fact, len(tasks))
	s.own = make([]model.Status, len(tasks))
	for i, t := range tasks {
		s.facts[i] = facts(s.policy, t)
		s.own[i] = model.OwnStatus(t, s.rules)
		if len(t.Problems) > 0 {
			s.flawed = append(s.flawed, int32(i))
		}
	}
}

// derive makes whole statuses of own ones.
func (s *Snapshot) derive() {
	s.unmet = slices.Clone(s.graph.missing)
	s.status = make([]model.Status, len(s.own))
	above := s.aboves()
	for i := range int32(len(s.own)) {
		for _, d := range s.graph.Out.Of(i) {
			if s.facts[d]&isMet == 0 {
				s.unmet[i]++
			}
		}
		s.status[i] = s.deriveAt(i, above)
	}
}

// deriveAt is derive for one task whose unmet is known. above is shutAbove.
func (s *Snapshot) deriveAt(i int32, above func(int32) int32) model.Status {
	own := s.own[i]
	stuck := s.unmet[i] > 0 || own == model.StatusReady && above(i) >= 0
	return held(own, stuck, s.graph.InCycle(i))
}

// rollUp adds the statuses up the tree, children before their parents.
func (s *Snapshot) rollUp() {
	s.rolled = graph.NewPages[rollup](s.tree.inners)
	s.total = Counts{}
	for _, v := range slices.Backward(s.tree.walk()) {
		s.total[s.status[v]]++
		var up *rollup
		if p := s.tree.parent[v]; p != noParent {
			up = s.rolled.At(s.tree.inner[p])
		}
		if slot := s.tree.inner[v]; slot >= 0 {
			sum := s.rolled.At(slot)
			sum.counts[s.status[v]]++
			if up != nil {
				up.add(sum)
			}
		} else if up != nil {
			own := s.share(v)
			up.counts[s.status[v]]++
			up.done += own.done
			up.leaves += own.leaves
		}
	}
}

// rollupAt is what the subtree of task i adds up to.
func (s *Snapshot) rollupAt(i int32) rollup {
	if slot := s.tree.inner[i]; slot >= 0 {
		return *s.rolled.At(slot)
	}
	own := s.share(i)
	r := rollup{done: own.done, leaves: own.leaves}
	r.counts[s.status[i]] = 1
	return r
}

// leafShare is what one task adds to the progress of the tasks above it.
type leafShare struct{ done, leaves int32 }

// share is nothing for a task with children, whose progress is theirs, and for one that
// was aborted, which is no longer part of the work.
func (s *Snapshot) share(v int32) leafShare {
	if s.tree.kids.Degree(v) > 0 {
		return leafShare{}
	}
	return s.alone(v)
}

// alone is what task v counts for by itself, whatever is below it.
func (s *Snapshot) alone(v int32) leafShare {
	if s.status[v] == model.StatusAborted {
		return leafShare{}
	}
	if s.status[v] == model.StatusDone {
		return leafShare{1, 1}
	}
	return leafShare{0, 1}
}

// Len is the number of tasks.
func (s *Snapshot) Len() int { return s.tasks.n }

// Seq is the number of the last log entry that is in here.
func (s *Snapshot) Seq() uint64 { return s.seq }

// StoreID names the store.
func (s *Snapshot) StoreID() string { return s.storeID }

// Head is the sha256 of the last log entry that is in here.
func (s *Snapshot) Head() string { return s.head }

// Policy is the project's policy.
func (s *Snapshot) Policy() model.Policy { return s.policy }

// Requests are all of them, answered ones too, oldest first. Do not modify it.
func (s *Snapshot) Requests() []model.Request { return s.requests }

// Peek is At for a walk over many: the task is not remembered for whoever asks next.
func (s *Snapshot) Peek(i int) *model.Task { return s.tasks.peek(int32(i)) }

// At is task i, 0 ≤ i < Len. Do not modify it.
func (s *Snapshot) At(i int) *model.Task { return s.tasks.task(int32(i)) }

// UID is the uid of task i: for walks over all tasks, it decodes none.
func (s *Snapshot) UID(i int) model.UID { return s.tasks.uid(int32(i)) }

// Name is the name of task i, like UID.
func (s *Snapshot) Name(i int) string { return s.tasks.name(int32(i)) }

// Index finds a task by its whole uid; Find takes what a person types.
func (s *Snapshot) Index(uid model.UID) (int, bool) {
	i, ok := s.tasks.lookup(uid)
	return int(i), ok
}

// Task finds a task by its whole uid. Do not modify it.
func (s *Snapshot) Task(uid model.UID) (*model.Task, bool) {
	i, ok := s.tasks.lookup(uid)
	if !ok {
		return nil, false
	}
	return s.tasks.task(i), true
}

// Status is the one word for task i.
func (s *Snapshot) Status(i int) model.Status { return s.status[i] }

// Completed reports whether the state of task i is completed, whatever its status.
func (s *Snapshot) Completed(i int) bool { return s.facts[i]&isCompleted != 0 }

// Rank is the rank of the priority of task i.
func (s *Snapshot) Rank(i int) int { return s.tasks.rank(int32(i)) }

// Born is when task i was created.
func (s *Snapshot) Born(i int) time.Time { return s.tasks.born(int32(i)) }

// Since is when the status of task i last changed, like UID.
func (s *Snapshot) Since(i int) time.Time { return s.tasks.since(int32(i)) }

// Planned is how many seconds the work on task i should take by its files and its complexity. It is not known of
// one whose work is over and that has no Taken.
func (s *Snapshot) Planned(i int) uint32 { return s.tasks.planned(int32(i)) }

// Taken is how many seconds runs of task i took: all of them once it is completed, and one of them on average
// while it is not. 0 where nothing is known of any.
func (s *Snapshot) Taken(i int) uint32 { return s.tasks.taken(int32(i)) }

// HasRun reports whether a run of task i is under way, by what is known of it without reading it.
func (s *Snapshot) HasRun(i int) bool { return s.facts[i]&hasRun != 0 }

// Counts is how many tasks of each status the subtree of task i has, itself included.
func (s *Snapshot) Counts(i int) Counts { return s.rollupAt(int32(i)).counts }

// Total is how many tasks of each status the store has.
func (s *Snapshot) Total() Counts { return s.total }

// Progress counts the leaf tasks at and below task i: those that are done, so reviewed, and all of them. Aborted
// ones count in neither.
func (s *Snapshot) Progress(i int) (done, total int) {
	r := s.rollupAt(int32(i))
	return int(r.done), int(r.leaves)
}

// Content is ErrNoContent: a snapshot holds no bytes.
func (s *Snapshot) Content(model.UID, model.Doc) (model.Content, error) {
	return model.Content{}, model.ErrNoContent
}

// ResultHash is ErrNoContent: a snapshot holds no bytes.
func (s *Snapshot) ResultHash(model.UID) (string, error) { return "", model.ErrNoContent }

// ResultFile is ErrNoContent: a snapshot holds no bytes.
func (s *Snapshot) ResultFile(model.UID, string) ([]byte, error) { return nil, model.ErrNoContent }
