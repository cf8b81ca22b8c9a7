package snapshot

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vespe/model"
)

// stoneWorld has a task in a milestone by its list, one by its own word, one below that, and one
// whose milestone nobody has defined.
func stoneWorld() *Snapshot {
	listed := node("tsk-aaaa1", inState(model.Completed, workVerdict("accepted")))
	named := node("tsk-bbbb1", inState(model.Working, accepted))
	named.Spec = &model.Spec{MilestoneID: "m2"}
	below := node("tsk-cccc1", inState(model.PlanDefined))
	below.Config.ParentUID = "tsk-bbbb1"
	stray := node("tsk-dddd1", inState(model.Created))
	stray.Spec = &model.Spec{MilestoneID: "typo"}
	both := node("tsk-eeee1", inState(model.Aborted))
	both.Spec = &model.Spec{MilestoneID: "m2"}
	none := node("tsk-ffff1", inState(model.Failed))
	return New(Input{Tasks: []*model.Task{listed, named, below, stray, both, none}, Milestones: model.Milestones{List: []model.Milestone{
		{ID: "m1", Name: "First one", TaskIDs: []model.UID{"tsk-eeee1", "tsk-aaaa1", "tsk-ghost"}},
		{ID: "m2", Name: "Second", TaskIDs: []model.UID{"tsk-aaaa1"}},
		{ID: "m3"},
	}}})
}

// stonesOf is every milestone on a line.
func stonesOf(s *Snapshot) string {
	var b strings.Builder
	for _, m := range s.Milestones() {
		fmt.Fprintf(&b, "%s %s %d/%d undefined=%v:", m.ID, m.Status, m.Done, m.Total, m.Undefined)
		for _, i := range m.Tasks {
			fmt.Fprintf(&b, " %c", s.UID(int(i))[4])
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestWhichMilestoneATaskIsIn(t *testing.T) {
	s := stoneWorld()
	want := `m1 completed 1/1 undefined=false: a e
m2 pending 0/1 undefined=false: b c
m3 pending 0/0 undefined=false:
typo pending 0/1 undefined=true: d
`
	if got := stonesOf(s); got != want {
		t.Errorf("%s", got)
	}
	if got := stonesOf(s.Compact()); got != want {
		t.Errorf("packed: %s", got)
	}
	for src, want := range map[string]string{
		"milestone:m1": "ae", "milestone:M2": "bc", `milestone:"first one"`: "ae", "milestone:none": "f",
		"-milestone:none": "abcde", "milestone:typo,m1": "ade", "milestone:m9": "",
	} {
		f, err := ParseFilter(src)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, i := range s.Select(f) {
			got += string(s.UID(int(i))[4])
		}
		if got != want {
			t.Errorf("%s selects %q, want %q", src, got, want)
		}
	}
	if got := FilterValues(s, "milestone"); !slices.Equal(got, []string{"m1", "m2", "m3", "none", "typo"}) {
		t.Errorf("values: %q", got)
	}
	var codes []string
	for _, p := range s.Problems() {
		if p.Path == ".vespe/milestones.json" {
			codes = append(codes, p.Code)
		}
	}
	if !slices.Equal(codes, []string{"two-milestones", "two-milestones", "unknown-task"}) {
		t.Errorf("%q", codes)
	}
}

func TestMilestoneStatuses(t *testing.T) {
	done, failed, runs := inState(model.Completed, workVerdict("accepted")), inState(model.Failed), inState(model.Working, accepted, running)
	waits, ended := inState(model.PlanDefined), inState(model.Aborted)
	for _, tt := range []struct {
		tasks []func(*model.Task)
		want  MilestoneStatus
	}{
		{nil, MilestonePending},
		{[]func(*model.Task){waits, waits}, MilestonePending},
		{[]func(*model.Task){waits, runs}, MilestoneInProgress},
		{[]func(*model.Task){waits, done}, MilestoneInProgress},
		{[]func(*model.Task){waits, inState(model.Errored)}, MilestoneInProgress},
		{[]func(*model.Task){done, runs, failed}, MilestoneFailed},
		{[]func(*model.Task){done, ended}, MilestoneCompleted},
		{[]func(*model.Task){done, inState(model.Completed)}, MilestoneInProgress},
		{[]func(*model.Task){ended}, MilestonePending},
	} {
		in := Input{Milestones: model.Milestones{List: []model.Milestone{{ID: "m"}}}}
		for i, f := range tt.tasks {
			uid := model.UID(fmt.Sprintf("tsk-%04d", i))
			in.Tasks = append(in.Tasks, node(uid, f))
			in.Milestones.List[0].TaskIDs = append(in.Milestones.List[0].TaskIDs, uid)
		}
		if got := New(in).Milestones()[0].Status; got != tt.want {
			t.Errorf("%d tasks: %s, want %s", len(tt.tasks), got, tt.want)
		}
	}
}

// A task counts for its milestone by the tasks below it that are in the same one; where there are none, because
// others have them or they were aborted, it counts by itself.
func TestAMilestoneOfParentsAlone(t *testing.T) {
	below := func(parent model.UID, f func(*model.Task)) func(*model.Task) {
		return func(t *model.Task) { t.Config.ParentUID = parent; f(t) }
	}
	open, done := inState(model.PlanDefined), inState(model.Completed, workVerdict("accepted"))
	tasks := []*model.Task{
		node("tsk-aaaa1", open), // its leaves are in another milestone
		node("tsk-bbbb2", below("tsk-aaaa1", open)), node("tsk-cccc3", below("tsk-aaaa1", done)),
		node("tsk-dddd4", open), // its leaf was aborted
		node("tsk-eeee5", below("tsk-dddd4", inState(model.Aborted))),
		node("tsk-ffff6", done), // a grandchild is in it again
		node("tsk-gggg7", below("tsk-ffff6", open)), node("tsk-hhhh8", below("tsk-gggg7", open)),
	}
	s := New(Input{Tasks: tasks, Milestones: model.Milestones{List: []model.Milestone{
		{ID: "m1", TaskIDs: []model.UID{"tsk-aaaa1"}},
		{ID: "m2", TaskIDs: []model.UID{"tsk-bbbb2", "tsk-cccc3", "tsk-gggg7"}},
		{ID: "m3", TaskIDs: []model.UID{"tsk-dddd4"}},
		{ID: "m4", TaskIDs: []model.UID{"tsk-ffff6", "tsk-hhhh8"}},
	}}})
	for k, want := range []string{"0/1 pending", "1/3 in_progress", "0/1 pending", "0/1 in_progress"} {
		m := &s.Milestones()[k]
		if got := fmt.Sprintf("%d/%d %s", m.Done, m.Total, m.Status); got != want {
			t.Errorf("%s: %s, want %s", m.ID, got, want)
		}
	}
}
