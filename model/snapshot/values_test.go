package snapshot

import (
	"maps"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

// filterTasks are tasks of every kind that a filter tells apart.
func filterTasks() []*model.Task {
	tasks := benchTasks(600)
	tasks[7].Config.CreatedBy, tasks[8].Status.AssignedAgentUID, tasks[9].Config.CreatedBy = "human:Ann", "agent:bo", ""
	tasks[10].Config.ParentUID, tasks[11].Config.ParentUID = "tsk-nowhere", tasks[11].UID
	tasks[12].Config.ParentUID, tasks[13].Config.ParentUID = tasks[13].UID, tasks[12].UID
	tasks[14].DependsOn, tasks[15].DependsOn, tasks[16].DependsOn = []model.UID{tasks[14].UID}, []model.UID{"tsk-nowhere"}, nil
	tasks[17].DependsOn = []model.UID{tasks[3].UID, tasks[3].UID}
	tasks[18].Spec, tasks[19].Spec.GoalType, tasks[20].Spec.GoalType = nil, "Bugfix", "docs"
	tasks[21].HasPlan, tasks[22].HasObjective, tasks[23].Status.CurrentRun = false, false, "run-7"
	tasks[24].Config.Name, tasks[25].Spec.Labels = "Größe: 5", []string{"", "Größe", "x y"}
	return tasks
}

// What a filter says of a task is what the task says, however the snapshot came to be.
func TestFiltersSayWhatTasksSay(t *testing.T) {
	tasks := filterTasks()
	whole := New(Input{Tasks: tasks})
	early := New(Input{Tasks: tasks[:400]}).Compact()
	snaps := map[string]*Snapshot{
		"loose": whole, "packed": whole.Compact(), "grown": early.With(2, "", tasks[400:], nil),
		"amended": New(Input{Tasks: append(slices.Clone(tasks), &model.Task{UID: "tsk-zzz"})}).Amend(Amendment{Gone: []model.UID{"tsk-zzz"}}),
	}
	by := func(name string) func(*model.Task) bool {
		return func(t *model.Task) bool {
			return matchActor([]string{name}, t.Config.CreatedBy) || matchActor([]string{name}, t.Status.AssignedAgentUID)
		}
	}
	known := map[model.UID]bool{}
	for _, task := range tasks {
		known[task.UID] = true
	}
	for src, want := range map[string]func(*model.Task) bool{
		"has:plan":      func(t *model.Task) bool { return t.HasPlan },
		"has:objective": func(t *model.Task) bool { return t.HasObjective },
		"has:run":       func(t *model.Task) bool { return t.Status.CurrentRun != "" },
		"has:deps":      func(t *model.Task) bool { return len(t.DependsOn) > 0 },
		"is:orphan": func(t *model.Task) bool {
			p := t.Config.ParentUID
			return p != "" && (!known[p] || p == t.UID || t.UID == tasks[12].UID || t.UID == tasks[13].UID)
		},
		"by:ann": by("ann"), "by:bo": by("bo"), "by:agent:claude": by("agent:claude"),
		"type:bugfix":     func(t *model.Task) bool { return t.Spec != nil && strings.EqualFold(t.Spec.GoalType, "bugfix") },
		"priority:none":   func(t *model.Task) bool { return priority(t) == "" },
		"priority:medium": func(t *model.Task) bool { return priority(t) == model.Medium },
	} {
		f, err := ParseFilter(src)
		if err != nil {
			t.Fatal(err)
		}
		var list []int32
		for i, task := range tasks {
			if want(task) {
				list = append(list, int32(i))
			}
		}
		if len(list) == 0 || len(list) == len(tasks) {
			t.Errorf("%s tells nothing apart", src)
		}
		for name, s := range snaps {
			if got := s.Select(f); !slices.Equal(got, list) {
				t.Errorf("%s, %s: %v, want %v", name, src, got, list)
			}
		}
	}
}

func TestFilterValues(t *testing.T) {
	tasks := filterTasks()
	loose := New(Input{Tasks: tasks})
	want := map[string]map[string]bool{"under": {}, "by": {}, "label": {}, "type": {}}
	for i, task := range tasks {
		if len(loose.Children(i)) > 0 {
			want["under"][task.Config.Name] = true
		}
		for _, who := range []model.Actor{task.Config.CreatedBy, task.Status.AssignedAgentUID} {
			if who != "" {
				want["by"][who.Name()] = true
			}
		}
		if task.Spec != nil {
			want["type"][task.Spec.GoalType] = true
			for _, l := range task.Spec.Labels {
				want["label"][l] = true
			}
		}
	}
	for name, s := range map[string]*Snapshot{"loose": loose, "packed": loose.Compact()} {
		for key, values := range want {
			delete(values, "")
			if got := FilterValues(s, key); !reflect.DeepEqual(got, slices.Sorted(maps.Keys(values))) {
				t.Errorf("%s %s: %v, want %v", name, key, got, values)
			}
		}
		if got := FilterValues(s, "status"); len(got) > 0 {
			t.Errorf("%s has values of status: %v", name, got)
		}
	}
}

// No term of a filter, and no value that is offered for one, decodes the tasks of a pack.
func TestFiltersDecodeNothing(t *testing.T) {
	const n = 20_000
	s := New(Input{Tasks: benchTasks(n)}).Compact()
	count := func(what string, do func()) {
		t.Helper()
		do() // what is made on first use
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		do()
		runtime.ReadMemStats(&after)
		if got := after.Mallocs - before.Mallocs; got > n/20 {
			t.Errorf("%s: %d allocations for %d tasks", what, got, n)
		}
	}
	keys, values := FilterKeys()
	for _, key := range keys {
		for _, v := range append(values[key], "claude") {
			f, err := ParseFilter(key + ":" + v)
			if err != nil || key == "label" || v == "labels" || v == "description" {
				continue // texts are told apart for them
			}
			count(key+":"+v, func() { s.Select(f) })
		}
		if key != "label" {
			count("values of "+key, func() { FilterValues(s, key) })
		}
	}
}
