package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// stoneWorld has a task in a milestone by its list, one by its own word, one below that, and one
// whose milestone nobody has defined.
func stoneWorld() *Snapshot {
	listed := node("tsk-aaaa1", inState(Completed, workVerdict("accepted")))
	named := node("tsk-bbbb1", inState(Working, accepted))
	named.Spec = &Spec{MilestoneID: "m2"}
	below := node("tsk-cccc1", inState(PlanDefined))
	below.Config.ParentUID = "tsk-bbbb1"
	stray := node("tsk-dddd1", inState(Created))
	stray.Spec = &Spec{MilestoneID: "typo"}
	both := node("tsk-eeee1", inState(Aborted))
	both.Spec = &Spec{MilestoneID: "m2"}
	none := node("tsk-ffff1", inState(Failed))
	return NewSnapshot(Input{Tasks: []*Task{listed, named, below, stray, both, none}, Milestones: Milestones{List: []Milestone{
		{ID: "m1", Name: "First one", TaskIDs: []UID{"tsk-eeee1", "tsk-aaaa1", "tsk-ghost"}, Due: "2026-03-01"},
		{ID: "m2", Name: "Second", TaskIDs: []UID{"tsk-aaaa1"}, Start: "2026-03-01", Due: "2026-03-10"},
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
	if got := s.FilterValues("milestone"); !slices.Equal(got, []string{"m1", "m2", "m3", "none", "typo"}) {
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
	done, failed, runs := inState(Completed, workVerdict("accepted")), inState(Failed), inState(Working, accepted, running)
	waits, ended := inState(PlanDefined), inState(Aborted)
	for _, tt := range []struct {
		tasks []func(*Task)
		want  MilestoneStatus
	}{
		{nil, MilestonePending},
		{[]func(*Task){waits, waits}, MilestonePending},
		{[]func(*Task){waits, runs}, MilestoneInProgress},
		{[]func(*Task){waits, done}, MilestoneInProgress},
		{[]func(*Task){waits, inState(Errored)}, MilestoneInProgress},
		{[]func(*Task){done, runs, failed}, MilestoneFailed},
		{[]func(*Task){done, ended}, MilestoneCompleted},
		{[]func(*Task){inState(Completed)}, MilestoneCompleted},
		{[]func(*Task){ended}, MilestonePending},
	} {
		in := Input{Milestones: Milestones{List: []Milestone{{ID: "m"}}}}
		for i, f := range tt.tasks {
			uid := UID(fmt.Sprintf("tsk-%04d", i))
			in.Tasks = append(in.Tasks, node(uid, f))
			in.Milestones.List[0].TaskIDs = append(in.Milestones.List[0].TaskIDs, uid)
		}
		if got := NewSnapshot(in).Milestones()[0].Status; got != tt.want {
			t.Errorf("%d tasks: %s, want %s", len(tt.tasks), got, tt.want)
		}
	}
}

// A task counts for its milestone by the tasks below it that are in the same one; where there are none, because
// others have them or they were aborted, it counts by itself.
func TestAMilestoneOfParentsAlone(t *testing.T) {
	below := func(parent UID, f func(*Task)) func(*Task) {
		return func(t *Task) { t.Config.ParentUID = parent; f(t) }
	}
	open, done := inState(PlanDefined), inState(Completed, workVerdict("accepted"))
	tasks := []*Task{
		node("tsk-aaaa1", open), // its leaves are in another milestone
		node("tsk-bbbb2", below("tsk-aaaa1", open)), node("tsk-cccc3", below("tsk-aaaa1", done)),
		node("tsk-dddd4", open), // its leaf was aborted
		node("tsk-eeee5", below("tsk-dddd4", inState(Aborted))),
		node("tsk-ffff6", done), // a grandchild is in it again
		node("tsk-gggg7", below("tsk-ffff6", open)), node("tsk-hhhh8", below("tsk-gggg7", open)),
	}
	s := NewSnapshot(Input{Tasks: tasks, Milestones: Milestones{List: []Milestone{
		{ID: "m1", TaskIDs: []UID{"tsk-aaaa1"}},
		{ID: "m2", TaskIDs: []UID{"tsk-bbbb2", "tsk-cccc3", "tsk-gggg7"}},
		{ID: "m3", TaskIDs: []UID{"tsk-dddd4"}},
		{ID: "m4", TaskIDs: []UID{"tsk-ffff6", "tsk-hhhh8"}},
	}}})
	for k, want := range []string{"0/1 pending", "1/3 in_progress", "0/1 pending", "0/1 in_progress"} {
		m := &s.Milestones()[k]
		if got := fmt.Sprintf("%d/%d %s", m.Done, m.Total, m.Status); got != want {
			t.Errorf("%s: %s, want %s", m.ID, got, want)
		}
	}
}

// Of two ready tasks of one priority the one in the earlier milestone comes first, whatever waits
// behind the other; the reasons say so.
func TestTheOrderOfMilestonesCountsForNext(t *testing.T) {
	ready := inState(PlanDefined, accepted)
	old, long, behind, high := node("tsk-aaaa1", ready), node("tsk-bbbb1", ready), node("tsk-cccc1", ready, "tsk-bbbb1"), node("tsk-dddd1", ready)
	below := node("tsk-eeee1", ready)
	below.Config.ParentUID = "tsk-top01"
	top := node("tsk-top01", inState(Working, accepted, paused("subtasks")))
	high.Spec = &Spec{Priority: High, PriorityBy: &PriorityBy{Priority: High, Rule: "default"}}
	s := NewSnapshot(Input{Tasks: []*Task{old, long, behind, high, below, top}, Milestones: Milestones{List: []Milestone{
		{ID: "m1", TaskIDs: []UID{"tsk-top01"}}, {ID: "m2", TaskIDs: []UID{"tsk-aaaa1"}},
	}}})
	got := ""
	for _, i := range s.Next(-1) {
		got += string(s.UID(int(i))[4])
	}
	if got != "deab" {
		t.Errorf("the order is %s", got)
	}
	i, _ := s.Index("tsk-aaaa1")
	st, _ := s.WhyNext(i)
	if words := strings.Join(st.Reasons, "; "); !strings.Contains(words, "it is in milestone m2, the 2nd of 2") || !strings.Contains(words, "is in the earlier milestone") {
		t.Errorf("%s", words)
	}
	i, _ = s.Index("tsk-dddd1")
	if st, _ := s.WhyNext(i); st.Reasons[0] != "its priority is high, by the rule default" || st.Reasons[1] != "it has no milestone" {
		t.Errorf("%q", st.Reasons)
	}
}
