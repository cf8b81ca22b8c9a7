package snapshot

import (
	"fmt"
	"reflect"
	"testing"

	"vespe/model"
)

// deepTasks are n tasks with accepted plans, each part of the one before; or of the first, where they are
// wide.
func deepTasks(n int, wide bool) []*model.Task {
	var tasks []*model.Task
	for i := range n {
		uid := model.UID(fmt.Sprintf("tsk-%08d", i))
		t := &model.Task{UID: uid, HasStatus: true, HasObjective: true, HasPlan: true, Config: model.Config{UID: uid, Name: fmt.Sprint("task ", i)}}
		t.Status = model.StatusFile{CurrentState: model.PlanDefined, PlanRevision: 1, ObjectiveRevision: 1, Revision: 1, AcceptedPlan: &model.AcceptedPlan{PlanRevision: 1}}
		switch {
		case i > 0 && wide:
			t.Config.ParentUID = tasks[0].UID
		case i > 0:
			t.Config.ParentUID = tasks[i-1].UID
		}
		tasks = append(tasks, t)
	}
	return tasks
}

// A change of all of a deep tree, and of what lies above it, leaves what a new snapshot says.
func TestChangesOfADeepTree(t *testing.T) {
	tasks := deepTasks(300, false)
	s := New(Input{Tasks: tasks})
	edited := func(change func(i int, t *model.Task)) (*Snapshot, *Snapshot) {
		var some []*model.Task
		all := make([]*model.Task, len(tasks))
		for i, task := range tasks {
			all[i] = task
			c := task.Clone()
			if change(i, c); !reflect.DeepEqual(c, task) {
				all[i] = c
				some = append(some, c)
			}
		}
		return s.With(2, "", some, nil), New(Input{Seq: 2, Tasks: all})
	}
	for name, change := range map[string]func(i int, t *model.Task){
		"all aborted": func(_ int, t *model.Task) { t.Status.CurrentState = model.Aborted },
		"one in the middle failed": func(i int, t *model.Task) {
			if i == 150 {
				t.Status.CurrentState = model.Failed
			}
		},
		"the last done": func(i int, t *model.Task) {
			if i == 299 {
				t.Status.CurrentState = model.Completed
			}
		},
	} {
		got, want := edited(change)
		if a, b := pictureOf(got), pictureOf(want); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: changed it is not what it is anew: %v of %v; anew %v of %v", name, a.Rolled[0], a.Total, b.Rolled[0], b.Total)
		}
	}
	left, _ := edited(func(i int, t *model.Task) {
		if i == 150 {
			t.Status.CurrentState = model.Failed
		}
	})
	if left.Status(149) != model.StatusReady || left.Status(151) != model.StatusBlocked || left.Status(299) != model.StatusBlocked {
		t.Errorf("above what failed it is %s, below %s and %s", left.Status(149), left.Status(151), left.Status(299))
	}
}
