package snapshot

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"vespe/model"
	"vespe/model/graph"
)

// behind is a task behind all others of s, a child of its task i that depends on another.
func behind(s *Snapshot, i int) *model.Task {
	uid := model.UID(fmt.Sprintf("tsk-zz%06d", s.Len()))
	return &model.Task{
		UID: uid, HasStatus: true, Config: model.Config{UID: uid, Name: "new", ParentUID: s.UID(i)},
		Status: model.StatusFile{CurrentState: model.Created}, DependsOn: []model.UID{s.UID(i / 2)},
	}
}

// waiting is task i of s with one more dependency, on its first task.
func waiting(s *Snapshot, i int) *model.Task {
	t := *s.At(i)
	t.DependsOn = append([]model.UID{s.UID(0)}, t.DependsOn...)
	return &t
}

func TestGrowingSharesWhatDidNotChange(t *testing.T) {
	s := New(Input{Tasks: benchTasks(2000)})
	if !s.graph.Acyclic() {
		t.Fatal("nothing grows where there are cycles")
	}
	next := s.With(2, "", []*model.Task{behind(s, 700), waiting(s, 1500)}, nil)
	for _, a := range [][2]*graph.Rows{{&s.tree.kids, &next.tree.kids}, {&s.graph.Out, &next.graph.Out}, {&s.graph.In, &next.graph.In}} {
		if &a[0].To[0] != &a[1].To[0] || a[1].Aside() == 0 {
			t.Error("all rows were made anew")
		}
	}
	if edge := s.With(2, "", []*model.Task{waiting(s, 1500)}, nil); edge.tree != s.tree {
		t.Error("an edge made the tree another one")
	}
	if !s.SameGraph(s.With(2, "", []*model.Task{waiting(s, 1500)}, nil).With(3, "", []*model.Task{s.At(1500)}, nil)) {
		t.Error("an edge that was taken back made another graph")
	}
}

// What is below a task that fails, or is open again, is another status, however deep and
// whatever else changes with it.
func TestWithStatesWhatIsBelowAFailedTask(t *testing.T) {
	parents := []model.UID{"", "tsk-0", "tsk-1", "tsk-1", "tsk-3", ""}
	var tasks []*model.Task
	for i, parent := range parents {
		task := &model.Task{UID: model.UID(fmt.Sprintf("tsk-%d", i)), HasStatus: true, HasPlan: true, Config: model.Config{ParentUID: parent}}
		inState(model.PlanDefined, accepted)(task)
		tasks = append(tasks, task)
	}
	out := tasks[1].Clone()
	out.Status.CurrentState = model.Failed
	edge := tasks[5].Clone()
	edge.DependsOn = []model.UID{"tsk-0"}
	late := &model.Task{UID: "tsk-6", HasStatus: true, HasPlan: true, Config: model.Config{ParentUID: "tsk-4"}}
	inState(model.PlanDefined, accepted)(late)
	s := New(Input{Tasks: tasks})
	for name, with := range map[string][]*model.Task{"alone": nil, "with an edge": {edge}, "with one more": {late}} {
		left := s.With(2, "", append([]*model.Task{out}, with...), nil)
		if got := left.Total()[model.StatusBlocked]; int(got) < 3 {
			t.Errorf("%s: %d tasks are blocked below it", name, got)
		}
		for what, next := range map[string]*Snapshot{"failed": left, "open again": left.With(3, "", append([]*model.Task{tasks[1]}, with...), nil)} {
			if want := New(Input{Tasks: tasksOf(next)}); !slices.Equal(next.status, want.status) || next.Total() != want.Total() || next.Counts(0) != want.Counts(0) {
				t.Errorf("%s, %s: %v, want %v", name, what, next.status, want.status)
			}
		}
	}
}

// A task more, or an edge, costs a few bytes for each task that is there, not a look at it.
func TestGrowingIsCheap(t *testing.T) {
	const n = 20_000
	s := New(Input{Tasks: benchTasks(n)}).Compact()
	for _, c := range []struct {
		name    string
		task    *model.Task
		most    uint64 // bytes a task
		mallocs uint64
	}{
		{"status", s.At(n / 2), 12, 100},
		{"new", behind(s, n/2), 40, 300},
		{"edge", waiting(s, n/2), 24, 300},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		next := s.With(2, "", []*model.Task{c.task}, nil)
		runtime.ReadMemStats(&after)
		bytes, mallocs := after.TotalAlloc-before.TotalAlloc, after.Mallocs-before.Mallocs
		t.Logf("%s: %d bytes, %d allocations", c.name, bytes, mallocs)
		if bytes > c.most*n || mallocs > c.mallocs {
			t.Errorf("%s: %d bytes in %d allocations", c.name, bytes, mallocs)
		}
		runtime.KeepAlive(next)
	}
}

// What stands apart is taken in again before it is much.
func TestGrowingIsTidiedUp(t *testing.T) {
	s := New(Input{Tasks: benchTasks(50)})
	var all []*model.Task
	for i := range s.Len() {
		all = append(all, s.At(i))
	}
	most := 0
	for i := range uint64(1500) {
		more := behind(s, s.Len()/2)
		all = append(all, more)
		s = s.With(i+2, "", []*model.Task{more}, nil)
		most = max(most, s.graph.Out.Aside(), s.graph.In.Aside(), s.tree.kids.Aside())
	}
	if most < 1000 || most > 1200 {
		t.Errorf("up to %d rows stood apart", most)
	}
	got, want := pictureOf(s), pictureOf(New(Input{Seq: s.Seq(), Tasks: all}))
	got.Tasks, want.Tasks = nil, nil
	if !reflect.DeepEqual(got, want) {
		t.Error("it is another store by now")
	}
}

// A task that left, and another policy, decode nothing that is not concerned: what was
// accepted is, where the policy's terms are others.
func TestAmendingIsCheap(t *testing.T) {
	const n = 20_000
	s := New(Input{Tasks: benchTasks(n)}).Compact()
	policy := model.Policy{Name: "other"}
	for name, a := range map[string]Amendment{"gone": {Gone: []model.UID{s.UID(n / 2)}}, "policy": {Policy: &policy}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		next := s.Amend(a)
		runtime.ReadMemStats(&after)
		if mallocs := after.Mallocs - before.Mallocs; mallocs > n/20 {
			t.Errorf("%s: %d allocations", name, mallocs)
		}
		runtime.KeepAlive(next)
	}
}
