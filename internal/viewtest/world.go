package viewtest

import (
	"fmt"
	"maps"
	"slices"

	"pgregory.net/rapid"

	"vespe/model"
	"vespe/model/snapshot"
)

// World is a store that others change at will: tasks come and go, anywhere in the order of
// uids, move below others, also below their own descendants, as files can say, depend on
// others, get other names, states and problems.
type World struct {
	tasks map[int]Seed
	next  int
}

// NewWorld is one of some tasks.
func NewWorld(rt *rapid.T) *World {
	w := &World{tasks: map[int]Seed{}}
	for range rapid.IntRange(3, 40).Draw(rt, "tasks") {
		w.add(rt)
	}
	return w
}

func (w *World) some(rt *rapid.T, label string) int {
	return rapid.SampledFrom(slices.Sorted(maps.Keys(w.tasks))).Draw(rt, label)
}

func (w *World) parent(rt *rapid.T) int {
	if len(w.tasks) == 0 || rapid.IntRange(0, 3).Draw(rt, "root") == 0 {
		return -1
	}
	return w.some(rt, "parent")
}

// add makes a task with a uid anywhere among the others.
func (w *World) add(rt *rapid.T) {
	k := w.next*1000 + rapid.IntRange(0, 999).Draw(rt, "uid")
	if rapid.Bool().Draw(rt, "before") {
		k = -k - 1 + 1_000_000
	} else {
		k += 1_000_000
	}
	w.next++
	w.tasks[k] = Seed{Name: fmt.Sprint("task ", k), Parent: w.parent(rt), Status: w.status(rt)}
}

func (w *World) status(rt *rapid.T) model.Status {
	return rapid.SampledFrom([]model.Status{model.StatusReady, model.StatusRunning, model.StatusDone, model.StatusReviewPlan, model.StatusAborted}).Draw(rt, "status")
}

// Change is what another process, a person or git does.
func (w *World) Change(rt *rapid.T) {
	for range rapid.IntRange(1, 4).Draw(rt, "changes") {
		if len(w.tasks) == 0 {
			w.add(rt)
			continue
		}
		k := w.some(rt, "changed")
		s := w.tasks[k]
		switch rapid.IntRange(0, 8).Draw(rt, "what") {
		case 0:
			w.add(rt)
			continue
		case 1:
			delete(w.tasks, k)
			continue
		case 2:
			s.Parent = w.parent(rt) // also its own descendant, as files can say
		case 3:
			s.Name += "!"
		case 4:
			s.Problems = append(slices.Clone(s.Problems), model.Problem{Path: fmt.Sprint("plan.md ", len(s.Problems)), Severity: model.Warning, Reason: "x", Hint: "y"})
		case 5:
			s.Problems = nil
		case 6:
			s.Deps = append(slices.Clone(s.Deps), w.some(rt, "dependency"))
		case 7:
			s.Deps = nil
		default:
			s.Status = w.status(rt)
		}
		w.tasks[k] = s
	}
}

// Snapshot is the store as it is.
func (w *World) Snapshot() *snapshot.Snapshot {
	var tasks []*model.Task
	for _, k := range slices.Sorted(maps.Keys(w.tasks)) {
		tasks = append(tasks, w.tasks[k].Task(k))
	}
	return snapshot.New(snapshot.Input{Tasks: tasks})
}
