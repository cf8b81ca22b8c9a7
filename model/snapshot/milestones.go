package snapshot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"vespe/model"
)

// Milestoning is a milestone with what follows from its tasks: those that its list or their
// own spec.json put into it, and what is below them and in no other.
type Milestoning struct {
	model.Milestone
	// Undefined says that tasks name it and milestones.json does not have it.
	Undefined bool
	Tasks     []int32 // in the order of the tree
	Status    MilestoneStatus
	Counts    Counts // of Tasks
	// Done and Total count leaf tasks, as Snapshot.Progress does, and tasks with subtasks of which
	// nothing counts here, because others have it or it was aborted.
	Done, Total int

	failed, begun bool
}

// MilestoneStatus is the derived word for a milestone.
type MilestoneStatus string

// The statuses of a milestone. One that has begun is in progress, also while nothing runs.
const (
	MilestonePending    MilestoneStatus = "pending"
	MilestoneInProgress MilestoneStatus = "in_progress"
	MilestoneCompleted  MilestoneStatus = "completed"
	MilestoneFailed     MilestoneStatus = "failed"
)

// memberships is which task is in which milestone.
type memberships struct {
	of   []int32 // per task the index in list; -1 for none
	list []Milestoning
}

// MilestoneFile is milestones.json. Do not modify it.
func (s *Snapshot) MilestoneFile() model.Milestones { return s.milestoneFile }

// Milestones are those of milestones.json in their order, and behind them by id those that
// are only named by tasks. Do not modify it.
func (s *Snapshot) Milestones() []Milestoning { return s.milestones().list }

// MilestoneOf is the index in Milestones of the one that task i is in: the one that lists it,
// else the one that its spec.json names, else that of the task above it. -1 for none. The first
// call looks at every task.
func (s *Snapshot) MilestoneOf(i int) int { return int(s.milestones().of[i]) }

// MilestoneID is the id of the milestone that task i is in, "" for none. It looks at the tasks
// above and no others, unless those are many: then at all tasks, once.
func (s *Snapshot) MilestoneID(i int) string {
	if s.tree.depth[i] > manyAbove {
		if k := s.MilestoneOf(i); k >= 0 {
			return s.Milestones()[k].ID
		}
		return ""
	}
	for v := int32(i); v >= 0; v = s.tree.parent[v] {
		if id := s.OwnMilestone(int(v)); id != "" {
			return id
		}
	}
	return ""
}

// manyAbove is above how many tasks a walk over all of them costs less than one up from each.
const manyAbove = 64

// OwnMilestone is the id of the milestone that task i itself was put into; "" where at most
// the tasks above it were.
func (s *Snapshot) OwnMilestone(i int) string {
	if k, ok := s.listed()[s.UID(i)]; ok {
		return s.milestoneFile.List[k].ID
	}
	return s.tasks.head(int32(i)).milestone
}

// findListed is the first milestone that lists each task.
func findListed(s *Snapshot) map[model.UID]int32 {
	file := s.milestoneFile
	n := 0
	for _, x := range file.List {
		n += len(x.TaskIDs)
	}
	at := make(map[model.UID]int32, n)
	for k, x := range slices.Backward(file.List) {
		for _, uid := range x.TaskIDs {
			at[uid] = int32(k)
		}
	}
	return at
}

// NamedIn are the tasks whose spec.json names a milestone.
func (s *Snapshot) NamedIn(milestone string) []model.UID {
	var out []model.UID
	for i := range int32(s.tasks.n) {
		if s.tasks.head(i).milestone == milestone {
			out = append(out, s.tasks.uid(i))
		}
	}
	return out
}

func findMembers(s *Snapshot) *memberships {
	m := &memberships{of: make([]int32, s.tasks.n)}
	at := make(map[string]int32, len(s.milestoneFile.List))
	for k, x := range s.milestoneFile.List {
		m.list = append(m.list, Milestoning{Milestone: x})
		at[x.ID] = int32(k)
	}
	undefined := map[string][]int32{}
	for _, part := range inParts(s.tasks.n, func(from, to int) (named []int32) {
		for i := from; i < to; i++ {
			m.of[i] = -1
			if k, ok := s.listed()[s.UID(i)]; ok {
				m.of[i] = k
			} else if s.tasks.head(int32(i)).milestone != "" {
				named = append(named, int32(i))
			}
		}
		return named
	}) {
		for _, i := range part {
			id := s.tasks.head(i).milestone
			if k, ok := at[id]; ok {
				m.of[i] = k
				continue
			}
			undefined[id] = append(undefined[id], i)
		}
	}
	ids := make([]string, 0, len(undefined))
	for id := range undefined {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, strings.Compare)
	for _, id := range ids {
		for _, i := range undefined[id] {
			m.of[i] = int32(len(m.list))
		}
		m.list = append(m.list, Milestoning{Milestone: model.Milestone{ID: id, Name: id}, Undefined: true})
	}
	if len(m.list) == 0 {
		return m
	}
	order := make([]int32, s.tasks.n) // as the tree has them, parents before their children
	for v, at := range s.tree.spans().pos {
		order[at] = int32(v)
	}
	for _, v := range order {
		if p := s.tree.parent[v]; m.of[v] < 0 && p >= 0 {
			m.of[v] = m.of[p]
		}
		if k := m.of[v]; k >= 0 {
			m.list[k].add(s, v)
		}
	}
	for k := range m.list {
		m.list[k].count(s)
		m.list[k].Status = m.list[k].derive()
	}
	return m
}

// count is the progress. Tasks are in the order of the tree, so that from the last one on each comes
// after those below it.
func (m *Milestoning) count(s *Snapshot) {
	at := s.tree.spans()
	counted := int32(math.MaxInt32) // where the last one stands that counts
	for _, v := range slices.Backward(m.Tasks) {
		if counted < at.pos[v]+at.size[v] {
			continue // something below it counts
		}
		if own := s.alone(v); own.leaves > 0 {
			m.Done += int(own.done)
			m.Total += int(own.leaves)
			counted = at.pos[v]
		}
	}
}

// add takes a task in.
func (m *Milestoning) add(s *Snapshot, v int32) {
	m.Tasks = append(m.Tasks, v)
	m.Counts[s.status[v]]++
	switch s.status[v] {
	case model.StatusFailed:
		m.failed = true
	case model.StatusRunning, model.StatusSubtasks, model.StatusError, model.StatusReviewWork, model.StatusDone:
		m.begun = true
	}
	m.begun = m.begun || s.facts[v]&(hasRun|isCompleted) != 0
}

func (m *Milestoning) derive() MilestoneStatus {
	switch {
	case m.failed:
		return MilestoneFailed
	case m.Total > 0 && m.Done == m.Total:
		return MilestoneCompleted
	case m.begun:
		return MilestoneInProgress
	}
	return MilestonePending
}

// milestoneProblems appends what the lists of milestones.json have wrong. They count before
// what a task says itself.
func (b *book) milestoneProblems(file model.Milestones, out []model.Problem) []model.Problem {
	first := map[model.UID]string{}
	for _, x := range file.List {
		warn := func(code, reason, hint string) {
			out = append(out, model.Problem{Path: milestonesPath, Severity: model.Warning, Code: code, Reason: "milestone " + x.ID + ": " + reason, Hint: hint})
		}
		for _, uid := range x.TaskIDs {
			i, ok := b.lookup(uid)
			if !ok {
				warn("unknown-task", fmt.Sprintf("task_ids names %s, which is not in this store", model.QuoteKey(string(uid))), "restore that task, or remove it from the list")
				continue
			}
			if other := first[uid]; other != "" {
				warn("two-milestones", fmt.Sprintf("task_ids names %s, which %s already lists; that list counts", uid, other), "keep it in one list")
				continue
			}
			first[uid] = x.ID
			if own := b.head(i).milestone; own != "" && own != x.ID {
				warn("two-milestones", fmt.Sprintf("task_ids names %s, whose spec.json says %s; the list counts", uid, model.QuoteKey(own)),
					"`vespe milestone assign` assigns it to one")
			}
		}
	}
	return out
}

// milestonesPath is the file as people know it.
const milestonesPath = ".vespe/milestones.json"
